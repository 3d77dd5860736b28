package hashlane

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/mem"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// part is a part in progress. The server hears of it with its first message, which says how to
// digest it. Only one goroutine writes it.
type part struct {
	call      *call
	number    uint64
	pending   *pending
	open      *pb.PartOptions
	sizeBytes uint64
	// When the last message was sent, or the part began.
	lastSent time.Time
	isOver   bool
	// Gives back what the part took of its stream. Called once.
	release func()
	once    sync.Once
}

func (c *call) newPart(asked asked, size *uint64, release func()) *part {
	number, pending, ok := c.part(asked)
	if !ok {
		return nil
	}
	open := &pb.PartOptions{Algorithms: toWire(asked.algorithms), SizeBytes: size}
	return &part{
		call: c, number: number, pending: pending, open: open, lastSent: time.Now(), release: release,
	}
}

// head is the part's next message, without its data.
func (p *part) head() *pb.VerifyRequest {
	head := &pb.VerifyRequest{Part: p.number, Open: p.open}
	p.open = nil
	return head
}

// send sends data, which it frees.
func (p *part) send(head *pb.VerifyRequest, data mem.Buffer) error {
	if err := p.failed(); err != nil {
		if data != nil {
			data.Free()
		}
		return err
	}
	if data != nil {
		p.sizeBytes += uint64(data.Len())
	}
	err := p.call.send(head, data)
	p.lastSent = time.Now()
	return err
}

// failed is the error of a part that was answered early, or of its call.
func (p *part) failed() error {
	if p.isOver {
		return argument("the part has ended")
	}
	select {
	case <-p.pending.answered:
		return partError(p.pending.response.GetError())
	default:
	}
	select {
	case <-p.call.done:
		return p.call.over()
	default:
		return nil
	}
}

// readFrom sends what the reader gives.
func (p *part) readFrom(ctx context.Context, reader io.Reader) error {
	for {
		data, err := readMessage(reader, p.lastSent)
		if err != nil && !errors.Is(err, io.EOF) {
			data.Free()
			return unreadable(err)
		}
		if ctx.Err() != nil {
			data.Free()
			return ofContext(ctx)
		}
		if data.Len() == 0 {
			data.Free()
		} else if err := p.send(p.head(), data); err != nil {
			return err
		}
		if err != nil {
			return nil
		}
	}
}

// finish ends the part and waits for its answer.
func (p *part) finish(ctx context.Context, expected []Digest) (response, error) {
	defer p.over()
	if err := p.failed(); err != nil {
		return nil, err
	}
	p.call.mu.Lock()
	p.pending.asked.sizeBytes = p.sizeBytes
	p.pending.asked.expected = expected
	p.pending.ended = true
	p.call.mu.Unlock()
	head := p.head()
	head.Last = true
	for _, digest := range expected {
		head.Expected = append(head.Expected, &pb.AlgorithmDigest{
			Algorithm: pb.Algorithm(digest.Algorithm), Digest: digest.Bytes,
		})
	}
	err := p.call.send(head, nil)
	p.call.finished()
	if err != nil {
		return nil, err
	}
	return p.answer(ctx)
}

func (p *part) answer(ctx context.Context) (response, error) {
	select {
	case <-p.pending.answered:
	case <-ctx.Done():
		p.call.drop(p.number)
		return nil, ofContext(ctx)
	case <-p.call.done:
		select {
		case <-p.pending.answered:
		default:
			return nil, p.call.over()
		}
	}
	return p.pending.response, partError(p.pending.response.GetError())
}

// over gives the part up, if it has not been answered: the server is told that it ends, and its
// answer is thrown away. Parts that were never sent are forgotten.
func (p *part) over() {
	p.once.Do(func() {
		started := p.open == nil
		ended := p.pending.ended
		p.isOver = true
		if started && !ended {
			head := p.head()
			head.Last = true
			// Fails if the call is over, and the part with it.
			_ = p.call.send(head, nil)
		}
		if !ended {
			p.call.finished()
		}
		p.call.drop(p.number)
		p.release()
	})
}
