package hashlane

import (
	"context"
	"io"
	"slices"
	"time"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// writer gathers written bytes into messages.
type writer struct {
	part   *part
	buffer []byte
}

var (
	_ io.Writer     = (*DigestPart)(nil)
	_ io.ReaderFrom = (*DigestPart)(nil)
	_ io.Writer     = (*VerifyPart)(nil)
)

// Write takes the part's next bytes. It waits while the server's flow control holds the stream. An
// error is final: the part has no digest.
func (w *writer) Write(data []byte) (int, error) {
	if err := w.part.failed(); err != nil {
		return 0, err
	}
	taken, messageBytes := 0, w.part.messageBytes()
	for taken < len(data) {
		piece := data[taken:min(len(data), taken+messageBytes-len(w.buffer))]
		if len(w.buffer) == 0 && len(piece) == messageBytes {
			if err := w.part.sendCopy(context.Background(), piece); err != nil {
				return taken, err
			}
		} else {
			w.buffer = append(w.buffer, piece...)
		}
		taken += len(piece)
		if len(w.buffer) == messageBytes {
			if err := w.Flush(); err != nil {
				return taken, err
			}
		}
	}
	if len(w.buffer) > 0 && time.Since(w.part.lastSent) >= flushAfter {
		return taken, w.Flush()
	}
	return taken, nil
}

// ReadFrom sends all that the reader gives; io.Copy calls it. The reader reads straight into shared
// memory, if the server shares any: nothing is copied.
func (w *writer) ReadFrom(reader io.Reader) (int64, error) {
	if err := w.Flush(); err != nil {
		return 0, err
	}
	before := w.part.sizeBytes
	err := w.part.readFrom(context.Background(), reader)
	return int64(w.part.sizeBytes - before), err
}

// Flush sends the gathered bytes, even if they fill no message.
func (w *writer) Flush() error { return w.flush(context.Background()) }

func (w *writer) flush(ctx context.Context) error {
	if len(w.buffer) == 0 {
		return w.part.failed()
	}
	err := w.part.sendCopy(ctx, w.buffer)
	w.buffer = w.buffer[:0]
	return err
}

// Discard abandons the part. After Finish it does nothing, so that it can be deferred.
func (w *writer) Discard() { w.part.over() }

func (w *writer) finish(ctx context.Context, expected []Digest) (response, *asked, error) {
	defer w.part.over()
	if err := w.flush(ctx); err != nil {
		return nil, nil, err
	}
	answer, err := w.part.finish(ctx, expected)
	return answer, &w.part.pending.asked, err
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
