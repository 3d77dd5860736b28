package hashlane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// sink is the stream of a call whose flow control holds messages while it is not open.
type sink struct {
	grpc.ClientStream
	open  chan struct{}
	heads []*pb.VerifyRequest
	// When each message was sent, since the first part began.
	times        []time.Duration
	begin        time.Time
	isHalfClosed bool
}

func (s *sink) Context() context.Context { return context.Background() }

func (s *sink) SendMsg(value any) error {
	<-s.open
	sent, head := value.(*message), &pb.VerifyRequest{}
	encoded := sent.head
	if sent.data != nil {
		encoded = slices.Concat(encoded, sent.data.ReadOnlyData())
		sent.data.Free()
	}
	if err := proto.Unmarshal(encoded, head); err != nil {
		return err
	}
	s.heads = append(s.heads, head)
	s.times = append(s.times, time.Since(s.begin))
	return nil
}

func (s *sink) CloseSend() error {
	s.isHalfClosed = true
	return nil
}

// newSink gives a call that sends into a sink.
func newSink() (*sink, *call) {
	sink := &sink{open: make(chan struct{}), begin: time.Now()}
	return sink, &call{stream: sink, pending: map[uint64]*pending{}, done: make(chan struct{})}
}

// slow gives a byte after each pause.
type slow struct{ pauses []time.Duration }

func (s *slow) Read(p []byte) (int, error) {
	if len(s.pauses) == 0 {
		return 0, io.EOF
	}
	time.Sleep(s.pauses[0])
	s.pauses = s.pauses[1:]
	p[0] = 'a'
	return 1, nil
}

// A server ends a stream that is idle for a minute: a byte that comes late does not wait for the
// next one, and a source that gives nothing sends messages without bytes.
func TestSlowBytesAreSentAtOnce(t *testing.T) {
	pauses := []time.Duration{31 * time.Second, 59 * time.Second, 100 * time.Millisecond, 59 * time.Second}
	want := []time.Duration{31 * time.Second, 90 * time.Second, 149*time.Second + 100*time.Millisecond}
	for name, write := range map[string]func(*part) error{
		"read": func(p *part) error { return p.readFrom(context.Background(), &slow{pauses}) },
		"written": func(p *part) error {
			w := &writer{stream: &stream{ctx: context.Background()}, part: p}
			for _, pause := range pauses {
				time.Sleep(pause)
				if _, err := w.Write([]byte("a")); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			sink, call := newSink()
			close(sink.open)
			if err := write(call.newPart(asked{}, nil, func() {})); err != nil {
				t.Fatal(name, err)
			}
			var times []time.Duration
			last, longest := time.Duration(0), time.Duration(0)
			for i, at := range sink.times {
				if len(sink.heads[i].Data) > 0 {
					times = append(times, at)
				}
				longest, last = max(longest, at-last), at
			}
			if !slices.Equal(times, want) || name == "read" && longest != keepAliveInterval {
				t.Error(name, times, longest)
			}
			if begun := slices.IndexFunc(sink.heads, func(h *pb.VerifyRequest) bool { return h.Open == nil }); begun != 1 {
				t.Error(name, "the part begins", begun, "times")
			}
		})
	}
}

// Bytes that were gathered on a call that is over go to the next one, though its messages are smaller.
func TestGatheredBytesOutliveAnIdleCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, idle := newSink()
		second, next := newSink()
		close(first.open)
		close(second.open)
		idle.region = &region{}
		stream := (&Client{}).newStream(t.Context(), digestMethod)
		stream.current = idle
		w, err := stream.newWriter(t.Context(), asked{algorithms: []Algorithm{MD5}})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 100_003)
		for i := range data {
			data[i] = byte(i % 251)
		}
		if _, err := w.Write(data[:100_000]); err != nil {
			t.Fatal(err)
		}
		idle.err, idle.closing = &Error{Code: codes.DeadlineExceeded, Reason: "STREAM_IDLE"}, true
		close(idle.done)
		stream.current = next
		if _, err := w.Write(data[100_000:]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if len(first.heads) != 0 || len(second.heads) == 0 {
			t.Fatal(len(first.heads), len(second.heads))
		}
		var sent []byte
		for _, head := range second.heads {
			sent = append(sent, head.Data...)
		}
		algorithms := second.heads[0].Open.GetAlgorithms()
		if !bytes.Equal(sent, data) || !slices.Equal(algorithms, toWire(w.asked.algorithms)) {
			t.Error(len(sent), algorithms)
		}
	})
}

// Messages that flow control holds are sent later, in order, and then release their slots.
func TestContextsEndWhatFlowControlHolds(t *testing.T) {
	data := bytes.Repeat([]byte("a"), messageBytes+1)
	for name, held := range map[string]struct {
		work func(context.Context, *stream) error
		// Of each message the bytes, and 'l' for the last one.
		want []string
	}{
		"Finish, bytes": {func(ctx context.Context, s *stream) error {
			w, err := s.newWriter(ctx, asked{})
			if err == nil {
				_, err = w.Write([]byte("a"))
			}
			if err == nil {
				_, _, err = w.finish(ctx, nil)
			}
			return err
		}, []string{"1", "0l"}},
		"Finish, the end": {func(ctx context.Context, s *stream) error {
			w, err := s.newWriter(ctx, asked{})
			if err == nil {
				_, _, err = w.finish(ctx, nil)
			}
			return err
		}, []string{"0l"}},
		"Digest": {func(ctx context.Context, s *stream) error {
			_, err := s.digest(ctx, Bytes(data), nil)
			return err
		}, []string{"65536", "0l"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			sink, call := newSink()
			stream := (&Client{}).newStream(t.Context(), digestMethod)
			stream.current = call
			ctx, cancel := context.WithCancel(t.Context())
			var err error
			done := make(chan struct{})
			go func() {
				err = held.work(ctx, stream)
				close(done)
			}()
			synctest.Wait()
			cancel()
			synctest.Wait()
			select {
			case <-done:
			default:
				t.Errorf("%s waits for flow control, and not for its context", name)
			}
			call.close()
			isEarly := sink.isHalfClosed || len(stream.slots) == 0
			close(sink.open)
			synctest.Wait()
			var sent []string
			for _, head := range sink.heads {
				text := fmt.Sprint(len(head.Data))
				if head.Last {
					text += "l"
				}
				sent = append(sent, text)
			}
			if !errors.Is(err, context.Canceled) || isEarly || !slices.Equal(sent, held.want) ||
				!sink.isHalfClosed || len(stream.slots) > 0 || len(call.pending) > 0 {
				t.Error(name, err, isEarly, sent, sink.isHalfClosed, len(stream.slots), len(call.pending))
			}
		})
	}
}
