package interop

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "hashlane.test/interop/hashlanev1"
)

func TestLengthsAndChunks(t *testing.T) {
	c := client(t)
	lengths := []int{0, 1, 2, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1000, 16383, 16384, 16385, 65535, 65536, 65537}
	for _, length := range lengths {
		data := pattern(length, length)
		for _, chunk := range []int{1, 7, 63, 64, 1021, 16384, 1 << 20} {
			if length/chunk > 2000 {
				continue
			}
			answers, err := digests(soon(t), c, part(0, data, chunk))
			if err := checkOne(answers, err, 0, data); err != nil {
				t.Errorf("%d bytes in chunks of %d: %v", length, chunk, err)
			}
		}
	}
}

func TestNoMessageAtAll(t *testing.T) {
	// One empty part.
	answers, err := digests(soon(t), client(t), nil)
	if err := checkOne(answers, err, 0, nil); err != nil {
		t.Fatal(err)
	}
}

func TestEmptyMessages(t *testing.T) {
	data := pattern(500, 0)
	requests := []*pb.DigestRequest{{}}
	for _, request := range part(0, data, 100) {
		requests = append(requests, request, &pb.DigestRequest{})
	}
	answers, err := digests(soon(t), client(t), requests)
	if err := checkOne(answers, err, 0, data); err != nil {
		t.Fatal(err)
	}
}

func TestPartsInterleaved(t *testing.T) {
	order := rand.New(rand.NewPCG(4, 4))
	parts, waiting := map[uint64][]byte{}, map[uint64][][]byte{}
	var open []uint64
	for i := range 200 {
		number := uint64(i) * 1_000_003
		parts[number] = pattern(order.IntN(200_000), i)
		waiting[number] = pieces(parts[number], 1+order.IntN(20_000))
		open = append(open, number)
	}
	var requests []*pb.DigestRequest
	for len(open) > 0 {
		at := order.IntN(len(open))
		number := open[at]
		request := &pb.DigestRequest{Part: number, Data: waiting[number][0]}
		waiting[number] = waiting[number][1:]
		if len(waiting[number]) == 0 {
			request.Last = true
			open[at] = open[len(open)-1]
			open = open[:len(open)-1]
		}
		requests = append(requests, request)
	}
	answers, err := digests(soon(t), client(t), requests)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range answers {
		data, open := parts[answer.Part]
		if !open {
			t.Fatalf("part %d was answered twice, or never sent", answer.Part)
		}
		delete(parts, answer.Part)
		if err := checkDigest(answer, answer.Part, data); err != nil {
			t.Error(err)
		}
	}
	if len(parts) > 0 {
		t.Errorf("%d parts were not answered", len(parts))
	}
}

func TestAnswersBeforeTheHalfClose(t *testing.T) {
	stream, err := client(t).Digest(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Header(); err != nil { // leave before the first message
		t.Fatal(err)
	}
	send := func(number uint64, data string, last bool) {
		if err := stream.Send(&pb.DigestRequest{Part: number, Data: []byte(data), Last: last}); err != nil {
			t.Fatal(err)
		}
	}
	receive := func(number uint64, data string) {
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if err := checkDigest(answer, number, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	send(1, "held back, ", false)
	for _, number := range []uint64{2, 3, 2} { // a number that was answered may come again
		send(number, "abc", true)
		receive(number, "abc")
	}
	send(1, "then sent", false)
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	receive(1, "held back, then sent")
}

func TestVerify(t *testing.T) {
	c := client(t)
	data := pattern(300_000, 0)
	right, wrong := digest(data), digest([]byte("something else"))
	chunks := pieces(data, 65_536)
	for _, at := range []int{0, 2, len(chunks) - 1, len(chunks)} {
		for _, expected := range [][]byte{right, wrong} {
			verdict := pb.Verdict_VERDICT_MISMATCH
			if bytes.Equal(expected, right) {
				verdict = pb.Verdict_VERDICT_MATCH
			}
			var requests []*pb.VerifyRequest
			for _, chunk := range chunks {
				requests = append(requests, &pb.VerifyRequest{Part: 5, Data: chunk})
			}
			requests = append(requests, &pb.VerifyRequest{Part: 5, Last: true})
			sha := pb.Algorithm_ALGORITHM_SHA256
			requests[at].Expected = []*pb.AlgorithmDigest{{Algorithm: sha, Digest: expected}}
			answers, err := verdicts(soon(t), c, requests)
			if err != nil || len(answers) != 1 {
				t.Fatal(answers, err)
			}
			want := &pb.VerifyResponse{
				Part:      5,
				SizeBytes: uint64(len(data)),
				Verdict:   verdict,
				Verdicts:  []*pb.DigestVerdict{{Algorithm: sha, Verdict: verdict, Expected: expected, Computed: right}},
			}
			if !proto.Equal(answers[0], want) {
				t.Errorf("expected digest in message %d: got %v, want %v", at, answers[0], want)
			}
		}
	}
}

func TestDeclaredSizeMismatch(t *testing.T) {
	data := pattern(1000, 0)
	declared := map[uint64]uint64{1: 1000, 2: 1001, 3: 999, 4: 0, 5: 150}
	var requests []*pb.DigestRequest
	for number, size := range declared {
		requests = append(requests,
			&pb.DigestRequest{Part: number, Open: &pb.PartOptions{SizeBytes: proto.Uint64(size)}, Data: data[:100]},
			&pb.DigestRequest{Part: number, Data: data[100:], Last: true})
	}
	answers, err := digests(soon(t), client(t), requests)
	if err != nil || len(answers) != len(declared) {
		t.Fatal(answers, err)
	}
	for _, answer := range answers {
		if declared[answer.Part] == uint64(len(data)) { // the other parts of the stream go on
			if err := checkDigest(answer, answer.Part, data); err != nil {
				t.Error(err)
			}
			continue
		}
		if codes.Code(answer.Error.GetCode()) != codes.InvalidArgument || answer.Error.Reason != "SIZE_MISMATCH" {
			t.Errorf("part with %d bytes declared: %v", declared[answer.Part], answer)
		}
	}
}

func TestCompressionIsRefused(t *testing.T) {
	c := client(t)
	data := bytes.Repeat([]byte("a"), 100_000)
	_, err := digests(soon(t), c, part(0, data, 10_000), grpc.UseCompressor(gzip.Name))
	wantRefused(t, err, codes.Unimplemented, "COMPRESSED")
	_, err = verdicts(soon(t), c, []*pb.VerifyRequest{{Data: data}}, grpc.UseCompressor(gzip.Name))
	wantRefused(t, err, codes.Unimplemented, "COMPRESSED")
	_, err = c.DigestBatch(soon(t), &pb.DigestBatchRequest{Blobs: [][]byte{data}}, grpc.UseCompressor(gzip.Name))
	wantRefused(t, err, codes.Unimplemented, "COMPRESSED")
	// The connection goes on.
	answers, err := digests(soon(t), c, part(0, data, 10_000))
	if err := checkOne(answers, err, 0, data); err != nil {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	c := client(t)
	options := func(algorithms ...pb.Algorithm) *pb.DigestRequest {
		return &pb.DigestRequest{Part: 1, Open: &pb.PartOptions{Algorithms: algorithms}}
	}
	sha := pb.Algorithm_ALGORITHM_SHA256
	for _, refusal := range []struct {
		reason   string
		requests []*pb.DigestRequest
	}{
		{"UNSUPPORTED_ALGORITHM", []*pb.DigestRequest{options(99)}},
		{"UNSUPPORTED_ALGORITHM", []*pb.DigestRequest{options(pb.Algorithm_ALGORITHM_UNSPECIFIED)}},
		{"DUPLICATE_ALGORITHM", []*pb.DigestRequest{options(sha, sha)}},
		{"OPEN_NOT_FIRST", []*pb.DigestRequest{{Part: 1, Data: []byte("a")}, options(sha)}},
	} {
		_, err := digests(soon(t), c, refusal.requests)
		wantRefused(t, err, codes.InvalidArgument, refusal.reason)
	}
	short := []*pb.AlgorithmDigest{{Digest: []byte("short")}}
	answers, err := verdicts(soon(t), c, []*pb.VerifyRequest{{Expected: short}})
	if err != nil || len(answers) != 1 || answers[0].Error.GetReason() != "DIGEST_LENGTH" {
		t.Error(answers, err)
	}
}

// dynamic is a message without generated code, as gateways and `buf curl` send it.
func dynamic(t *testing.T, message proto.Message) proto.Message {
	t.Helper()
	source, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	copied := dynamicpb.NewMessage(message.ProtoReflect().Descriptor())
	if err := proto.Unmarshal(source, copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

// dynamicpb writes fields in any order, another one each time, and the order says nothing.
func TestDynamicMessages(t *testing.T) {
	c := connect(t)
	both := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
	for round := range 50 {
		data := pattern(100_000+round, round)
		stream, err := c.NewStream(soon(t), both, pb.HashService_Digest_FullMethodName)
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range pieces(data, 30_000) {
			request := &pb.DigestRequest{Part: 9, Data: chunk, Last: len(chunk) < 30_000}
			if err := stream.SendMsg(dynamic(t, request)); err != nil {
				t.Fatal(err)
			}
		}
		answer := &pb.DigestResponse{}
		if err := stream.RecvMsg(answer); err != nil {
			t.Fatal(err)
		}
		if err := checkDigest(answer, 9, data); err != nil {
			t.Fatal(err)
		}

		stream, err = c.NewStream(soon(t), both, pb.HashService_Verify_FullMethodName)
		if err != nil {
			t.Fatal(err)
		}
		size := uint64(len(data))
		request := &pb.VerifyRequest{
			Part:     4,
			Open:     &pb.PartOptions{Algorithms: []pb.Algorithm{pb.Algorithm_ALGORITHM_SHA256}, SizeBytes: &size},
			Expected: []*pb.AlgorithmDigest{{Digest: digest(data)}},
			Last:     true,
			Data:     data,
		}
		if err := stream.SendMsg(dynamic(t, request)); err != nil {
			t.Fatal(err)
		}
		verdict := &pb.VerifyResponse{}
		if err := stream.RecvMsg(verdict); err != nil {
			t.Fatal(err)
		}
		if verdict.Part != 4 || verdict.SizeBytes != size || verdict.Verdict != pb.Verdict_VERDICT_MATCH {
			t.Fatal(verdict)
		}
	}
}
