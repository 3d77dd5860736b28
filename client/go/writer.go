package hashlane

import (
	"context"
	"io"
	"slices"
	"time"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// writer gathers written bytes into messages. Its first error is its last: bytes may be lost then,
// so the part is given up, and every later call fails.
type writer struct {
	stream *stream
	asked  asked
	part   *part
	buffer []byte
	// The first error.
	err error
}

var (
	_ io.Writer     = (*DigestPart)(nil)
	_ io.ReaderFrom = (*DigestPart)(nil)
	_ io.Writer     = (*VerifyPart)(nil)
)

// newWriter begins a part to be written.
func (s *stream) newWriter(ctx context.Context, asked asked) (*writer, error) {
	w := &writer{stream: s, asked: asked}
	if err := w.begin(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// begin begins the part and retries if that fails, since nothing of it is sent yet.
func (w *writer) begin(ctx context.Context) error {
	return w.stream.client.again(ctx, func() (mayRepeat bool, err error) {
		begun, err := w.stream.part(ctx, w.asked, nil)
		if err == nil {
			w.part = begun
		}
		return true, err
	})
}

// Write takes the part's next bytes. It waits while the server's flow control holds the stream. An
// error is final: the part has no digest, and later calls fail with that error.
func (w *writer) Write(data []byte) (int, error) {
	if err := w.usable(w.stream.ctx); err != nil {
		return 0, err
	}
	taken, err := w.gather(data)
	return taken, w.final(err)
}

func (w *writer) gather(data []byte) (taken int, err error) {
	messageBytes := w.part.messageBytes()
	for taken < len(data) {
		// A call before may have had larger messages.
		room := max(0, messageBytes-len(w.buffer))
		piece := data[taken:min(len(data), taken+room)]
		if len(w.buffer) == 0 && len(piece) == messageBytes {
			if err := w.part.sendCopy(context.Background(), piece); err != nil {
				return taken, err
			}
		} else {
			w.buffer = append(w.buffer, piece...)
		}
		taken += len(piece)
		if len(w.buffer) >= messageBytes {
			if err := w.flush(context.Background()); err != nil {
				return taken, err
			}
		}
	}
	if time.Since(w.part.lastSent) >= flushAfter {
		return taken, w.flush(context.Background())
	}
	return taken, nil
}

// ReadFrom sends all that the reader gives; io.Copy calls it. The reader reads straight into shared
// memory, if the server shares any: nothing is copied. An error is final, the reader's too: the part
// has no digest.
func (w *writer) ReadFrom(reader io.Reader) (sent int64, err error) {
	if err := w.Flush(); err != nil {
		return 0, err
	}
	before := w.part.sizeBytes
	// Remains if the reader panics.
	err = argument("the reader of the part panicked: begin another part")
	defer func() { err = w.final(err) }()
	err = w.part.readFrom(context.Background(), reader)
	return int64(w.part.sizeBytes - before), err
}

// Flush sends the gathered bytes, even if they fill no message.
func (w *writer) Flush() error {
	if err := w.usable(w.stream.ctx); err != nil {
		return err
	}
	return w.final(w.flush(context.Background()))
}

func (w *writer) flush(ctx context.Context) error {
	err := w.part.sendCopy(ctx, w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// usable is the error of a part that takes nothing more. A part of which nothing was sent begins on
// another call if its own is over: servers end idle calls.
func (w *writer) usable(ctx context.Context) error {
	if w.err != nil {
		return w.err
	}
	err := w.part.failed()
	if isRetryable(err) && w.part.open != nil {
		w.part.over()
		err = w.begin(ctx)
	}
	return w.final(err)
}

// final gives up the part at its first error, and gives that one.
func (w *writer) final(err error) error {
	if w.err == nil && err != nil {
		w.err = err
		w.part.over()
	}
	return w.err
}

// Discard abandons the part. After Finish it does nothing, so that it can be deferred.
func (w *writer) Discard() { w.part.over() }

func (w *writer) finish(ctx context.Context, expected []Digest) (response, *asked, error) {
	err := w.usable(ctx)
	if err == nil {
		err = w.flush(ctx)
	}
	var answer response
	if err == nil {
		answer, err = w.part.finish(ctx, expected)
	}
	return answer, &w.part.pending.asked, w.final(err)
}

// DigestPart is a part in progress: an io.Writer. One goroutine writes it; others may write other
// parts of the stream meanwhile. End it with Finish or Discard.
type DigestPart struct{ writer }

// Finish ends the part and gives its digests.
func (p *DigestPart) Finish(ctx context.Context) (PartDigest, error) {
	answer, asked, err := p.finish(ctx, nil)
	if err != nil {
		return PartDigest{}, err
	}
	return partDigest(answer.(*pb.DigestResponse), asked)
}

// VerifyPart is a part in progress: an io.Writer. One goroutine writes it; others may write other
// parts of the stream meanwhile. End it with Finish or Discard.
type VerifyPart struct{ writer }

// Finish ends the part and compares its digests with the expected ones, of algorithms that the part
// computes.
func (p *VerifyPart) Finish(ctx context.Context, expected ...Digest) (Verification, error) {
	algorithms, err := expectable(expected)
	for _, algorithm := range algorithms {
		if err == nil && !slices.Contains(p.part.pending.asked.algorithms, algorithm) {
			err = argument("%v is not among the part's algorithms: name it when the part begins", algorithm)
		}
	}
	if err != nil {
		p.Discard()
		return Verification{}, err
	}
	answer, asked, err := p.finish(ctx, expected)
	if err != nil {
		return Verification{}, err
	}
	return verification(answer.(*pb.VerifyResponse), asked)
}
