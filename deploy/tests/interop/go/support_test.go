// Package interop drives a running server with grpc-go: code that protoc-gen-go and
// protoc-gen-go-grpc generated from the contract, and default settings.
//
//	support_test.go   the server, made-up bytes, reading and refusing
//	stream_test.go    Digest and Verify
//	load_test.go      large parts, many streams, cancels, deadlines
//	unary_test.go     the other RPCs, health, reflection
package interop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "hashlane.test/interop/hashlanev1"
)

const (
	mib = 1 << 20
	// No condition of these tests takes so long, on any machine.
	patience = 30 * time.Second
)

var address, admin string

func TestMain(m *testing.M) {
	address, admin = os.Getenv("HASHLANE_ADDRESS"), os.Getenv("HASHLANE_ADMIN")
	if address == "" || admin == "" {
		fmt.Fprintln(os.Stderr, "HASHLANE_ADDRESS and HASHLANE_ADMIN are not set: run deploy/tests/interop.sh")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

func connect(t *testing.T) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func client(t *testing.T) pb.HashServiceClient { return pb.NewHashServiceClient(connect(t)) }

func soon(t *testing.T) context.Context {
	context, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return context
}

// pattern gives bytes of period 251, so that swapped blocks show.
func pattern(length, seed int) []byte {
	data := make([]byte, length)
	for i := range data {
		data[i] = byte((i + 7*seed) % 251)
	}
	return data
}

func digest(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

// pieces cuts data into chunks; without data there is one empty chunk.
func pieces(data []byte, length int) (chunks [][]byte) {
	for len(data) > length {
		chunks, data = append(chunks, data[:length]), data[length:]
	}
	return append(chunks, data)
}

// part is a part as the simplest client sends it.
func part(number uint64, data []byte, chunk int) (requests []*pb.DigestRequest) {
	for _, data := range pieces(data, chunk) {
		requests = append(requests, &pb.DigestRequest{Part: number, Data: data})
	}
	return requests
}

// exchange sends all requests, half-closes and reads all answers; both at once, as neither may
// wait for the other.
func exchange[Q, A any](stream grpc.BidiStreamingClient[Q, A], requests []*Q) ([]*A, error) {
	go func() {
		for _, request := range requests {
			if stream.Send(request) != nil {
				return // what the answers end with says why
			}
		}
		stream.CloseSend()
	}()
	var answers []*A
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err != nil {
			return answers, err
		}
		answers = append(answers, answer)
	}
}

func digests(context context.Context, c pb.HashServiceClient, requests []*pb.DigestRequest, options ...grpc.CallOption) ([]*pb.DigestResponse, error) {
	stream, err := c.Digest(context, options...)
	if err != nil {
		return nil, err
	}
	return exchange(stream, requests)
}

func verdicts(context context.Context, c pb.HashServiceClient, requests []*pb.VerifyRequest, options ...grpc.CallOption) ([]*pb.VerifyResponse, error) {
	stream, err := c.Verify(context, options...)
	if err != nil {
		return nil, err
	}
	return exchange(stream, requests)
}

// checkDigest is nil if the answer is the digest of data.
func checkDigest(answer *pb.DigestResponse, number uint64, data []byte) error {
	want := &pb.DigestResponse{
		Part:      number,
		SizeBytes: uint64(len(data)),
		Digests:   []*pb.AlgorithmDigest{{Algorithm: pb.Algorithm_ALGORITHM_SHA256, Digest: digest(data)}},
	}
	if !proto.Equal(answer, want) {
		return fmt.Errorf("got %v, want %v", answer, want)
	}
	return nil
}

// checkOne is nil if the one answer of a stream is the digest of data.
func checkOne(answers []*pb.DigestResponse, err error, number uint64, data []byte) error {
	if err != nil {
		return err
	}
	if len(answers) != 1 {
		return fmt.Errorf("%d answers, want one", len(answers))
	}
	return checkDigest(answers[0], number, data)
}

// wantRefused checks the code and the ErrorInfo of a refusal.
func wantRefused(t *testing.T, err error, code codes.Code, reason string) {
	t.Helper()
	if status.Code(err) != code {
		t.Fatalf("got %v, want %v", err, code)
	}
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			if info.Domain != "hashlane" || info.Reason != reason {
				t.Fatalf("got %v, want %s", info, reason)
			}
			return
		}
	}
	t.Fatalf("%v has no ErrorInfo", err)
}

// metric is the sum of the samples of a name that have all labels, each as in `label="value"`.
func metric(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	response, err := http.Get(admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	samples := regexp.MustCompile(`(?m)^`+name+`(\{.*\})? (\S+)$`).FindAllSubmatch(text, -1)
	if len(samples) == 0 {
		t.Fatalf("no metric %s", name)
	}
	total := 0.0
sample:
	for _, sample := range samples {
		for _, label := range labels {
			if !bytes.Contains(sample[1], []byte(label)) {
				continue sample
			}
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(string(sample[2])), 64)
		if err != nil {
			t.Fatal(err)
		}
		total += value
	}
	return total
}

func cancelled(t *testing.T) float64 {
	return metric(t, "hashlane_parts_total", `rpc="Digest"`, `outcome="cancelled"`)
}

// until waits until the condition holds.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}
