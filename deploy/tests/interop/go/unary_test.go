package interop

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	pb "hashlane.test/interop/hashlanev1"
)

func TestDigestBatch(t *testing.T) {
	c := client(t)
	var blobs [][]byte
	for length := range 400 {
		blobs = append(blobs, pattern(length, length))
	}
	blobs = append(blobs, pattern(mib, 1))
	answer, err := c.DigestBatch(soon(t), &pb.DigestBatchRequest{Blobs: blobs})
	if err != nil || len(answer.Blobs) != len(blobs) {
		t.Fatal(len(answer.GetBlobs()), err)
	}
	for i, blob := range answer.Blobs {
		if len(blob.Digests) != 1 || !bytes.Equal(blob.Digests[0].Digest, digest(blobs[i])) {
			t.Errorf("blob of %d bytes: %v", len(blobs[i]), blob)
		}
	}
}

func TestCompose(t *testing.T) {
	const composite = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3"
	c := client(t)
	request := &pb.ComposeRequest{Expected: composite}
	for _, letter := range "ABC" {
		data := bytes.Repeat([]byte{byte(letter)}, 5*mib)
		answers, err := digests(soon(t), c, part(0, data, mib))
		if err := checkOne(answers, err, 0, data); err != nil {
			t.Fatal(err)
		}
		request.PartDigests = append(request.PartDigests, answers[0].Digests[0].Digest)
	}
	answer, err := c.Compose(soon(t), request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Composite != composite || answer.Verdict != pb.Verdict_VERDICT_MATCH ||
		base64.StdEncoding.EncodeToString(answer.Digest)+"-3" != composite {
		t.Error(answer)
	}
	request.Expected = strings.TrimSuffix(composite, "3") + "4"
	if answer, err = c.Compose(soon(t), request); err != nil || answer.Verdict != pb.Verdict_VERDICT_MISMATCH {
		t.Error(answer, err)
	}
	request.Expected = "something else" // cannot be a composite: a mistake, not a mismatch
	_, err = c.Compose(soon(t), request)
	wantRefused(t, err, codes.InvalidArgument, "MALFORMED_EXPECTED")
	_, err = c.Compose(soon(t), &pb.ComposeRequest{})
	wantRefused(t, err, codes.InvalidArgument, "PART_COUNT")
}

func TestServerInfo(t *testing.T) {
	c := client(t)
	info, err := c.GetServerInfo(soon(t), &pb.GetServerInfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	sha := slices.IndexFunc(info.Algorithms, func(row *pb.AlgorithmInfo) bool {
		return row.Algorithm == pb.Algorithm_ALGORITHM_SHA256
	})
	if info.Version == "" || info.Workers < 1 || sha < 0 || len(info.Algorithms[sha].Kernels) == 0 ||
		info.Algorithms[sha].DigestBytes != 32 {
		t.Error(info)
	}
	// A message of the largest size passes, one of a byte more does not.
	most := int(info.Limits.MessageBytesMax)
	data := pattern(most-5, 0) // besides the key, and the length in four bytes
	answers, err := digests(soon(t), c, part(0, data, most))
	if err := checkOne(answers, err, 0, data); err != nil {
		t.Error(err)
	}
	_, err = digests(soon(t), c, part(0, pattern(most-4, 0), most))
	wantRefused(t, err, codes.ResourceExhausted, "MESSAGE_TOO_LARGE")
}

func TestHealth(t *testing.T) {
	c := health.NewHealthClient(connect(t))
	for _, service := range []string{"", pb.HashService_ServiceDesc.ServiceName} {
		answer, err := c.Check(soon(t), &health.HealthCheckRequest{Service: service})
		if err != nil || answer.Status != health.HealthCheckResponse_SERVING {
			t.Error(service, answer, err)
		}
	}
	_, err := c.Check(soon(t), &health.HealthCheckRequest{Service: "nothing"})
	if status.Code(err) != codes.NotFound {
		t.Error(err)
	}
}

func TestReflection(t *testing.T) {
	stream, err := reflection.NewServerReflectionClient(connect(t)).ServerReflectionInfo(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	answers, err := exchange(stream, []*reflection.ServerReflectionRequest{{
		MessageRequest: &reflection.ServerReflectionRequest_ListServices{},
	}})
	if err != nil || len(answers) != 1 {
		t.Fatal(answers, err)
	}
	names := map[string]bool{}
	for _, service := range answers[0].GetListServicesResponse().GetService() {
		names[service.Name] = true
	}
	if !names[pb.HashService_ServiceDesc.ServiceName] {
		t.Error(names)
	}
}
