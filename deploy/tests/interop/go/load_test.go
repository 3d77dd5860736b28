package interop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "hashlane.test/interop/hashlanev1"
)

// grpc-go sends DATA frames of 16 KiB, whatever the server would take.
func TestLargeParts(t *testing.T) {
	c := client(t)
	for _, length := range []int{8 * mib, 48*mib + 1} {
		data := pattern(length, 1)
		for _, chunk := range []int{16 << 10, 64 << 10, 1_000_003, 3 * mib} {
			answers, err := digests(soon(t), c, part(0, data, chunk))
			if err := checkOne(answers, err, 0, data); err != nil {
				t.Errorf("%d bytes in chunks of %d: %v", length, chunk, err)
			}
		}
	}
}

func TestHundredStreams(t *testing.T) {
	const streams, rounds = 100, 3
	c, shared := client(t), soon(t)
	var group sync.WaitGroup
	errs := make(chan error, streams)
	for stream := range streams {
		group.Go(func() {
			for round := range rounds {
				data := pattern(1000*stream*(round+1), stream)
				answers, err := digests(shared, c, part(uint64(round), data, 1+97*(stream+1)))
				if err := checkOne(answers, err, uint64(round), data); err != nil {
					errs <- fmt.Errorf("stream %d, round %d: %w", stream, round, err)
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// All streams are open at once, and held until every one of them has sent.
func TestHundredOpenStreams(t *testing.T) {
	const count = 100
	c, shared := client(t), soon(t)
	streams := make([]interface {
		Send(*pb.DigestRequest) error
		Recv() (*pb.DigestResponse, error)
		CloseSend() error
	}, count)
	for i := range streams {
		stream, err := c.Digest(shared)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&pb.DigestRequest{Part: uint64(i), Data: pattern(70_000, i)}); err != nil {
			t.Fatal(err)
		}
		streams[i] = stream
	}
	until(t, "all parts are open", func() bool { return metric(t, "hashlane_open_jobs") == count })
	for i, stream := range streams {
		if err := stream.CloseSend(); err != nil {
			t.Fatal(err)
		}
		answer, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		if err := checkDigest(answer, uint64(i), pattern(70_000, i)); err != nil {
			t.Error(err)
		}
		if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	}
}

func TestEarlyCancel(t *testing.T) {
	const count = 50
	c := client(t)
	before := cancelled(t)
	var cancels []context.CancelFunc
	for i := range count {
		canceled, cancel := context.WithCancel(soon(t))
		stream, err := c.Digest(canceled)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&pb.DigestRequest{Data: pattern(1000*i+1, i)}); err != nil {
			t.Fatal(err)
		}
		cancels = append(cancels, cancel)
	}
	until(t, "all parts are open", func() bool { return metric(t, "hashlane_open_jobs") == count })
	// One stream of the same connection goes on.
	stream, err := c.Digest(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&pb.DigestRequest{Data: []byte("a")}); err != nil {
		t.Fatal(err)
	}
	for _, cancel := range cancels {
		cancel()
	}
	until(t, "the parts are freed", func() bool {
		return cancelled(t) == before+count && metric(t, "hashlane_streams") == 1
	})
	answers, err := exchange(stream, []*pb.DigestRequest{{Data: []byte("bc")}})
	if err := checkOne(answers, err, 0, []byte("abc")); err != nil {
		t.Fatal(err)
	}
}

// A cancel right after the headers, before or while the first bytes are on their way.
func TestCancelAtOnce(t *testing.T) {
	for connection := range 10 {
		c := client(t)
		stream, err := c.Digest(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Send(&pb.DigestRequest{Data: []byte("a")}); err != nil {
			t.Fatal(err)
		}
		for i := range 16 {
			canceled, cancel := context.WithCancel(soon(t))
			gone, err := c.Digest(canceled)
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				_ = gone.Send(&pb.DigestRequest{Data: pattern(100_000, connection)})
			}
			cancel()
			if _, err := gone.Recv(); status.Code(err) != codes.Canceled {
				t.Fatal(err)
			}
		}
		// The other stream of the connection goes on.
		answers, err := exchange(stream, []*pb.DigestRequest{{Data: []byte("bc")}})
		if err := checkOne(answers, err, 0, []byte("abc")); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "no stream is left", func() bool {
		return metric(t, "hashlane_streams") == 0 && metric(t, "hashlane_open_jobs") == 0
	})
}

func TestDeadline(t *testing.T) {
	c := client(t)
	before := cancelled(t)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	stream, err := c.Digest(short)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(&pb.DigestRequest{Data: []byte("and then nothing")}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); status.Code(err) != codes.DeadlineExceeded {
		t.Fatal(err)
	}
	until(t, "the part is freed", func() bool { return cancelled(t) == before+1 && metric(t, "hashlane_streams") == 0 })
}
