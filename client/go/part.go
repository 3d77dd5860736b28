package hashlane

import (
	"context"
	"io"
	"sync"
	"time"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// part is a part in progress. Its first message announces it to the server, and says how to digest
// it. Only one goroutine writes it.
type part struct {
	call      *call
	number    uint64
	pending   *pending
	open      *pb.PartOptions
	sizeBytes uint64
	// When the last message was sent, or the part began.
	lastSent time.Time
	// A message that its caller did not wait for: it is sent when flow control allows.
	late   <-chan error
	isOver bool
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
func (p *part) send(ctx context.Context, data payload) error {
	if err := p.failed(); err != nil {
		data.free()
		return err
	}
	p.sizeBytes += uint64(data.length())
	return p.sendWithin(ctx, p.head(), data)
}

// sendCopy sends a copy of the bytes, in as many messages as they need.
func (p *part) sendCopy(ctx context.Context, bytes []byte) error {
	for len(bytes) > 0 {
		data := p.call.region.copyOf(bytes)
		bytes = bytes[data.length():]
		if err := p.send(ctx, data); err != nil {
			return err
		}
	}
	return nil
}

// messageBytes is the most bytes of a message that is worth waiting for.
func (p *part) messageBytes() int {
	if p.call.region != nil {
		return slotBytes
	}
	return messageBytes
}

// sendWithin sends a message, and waits until ctx ends. If the message is not sent by then, the
// caller must abandon the part. A context that never ends, or that also ends the call, costs no
// goroutine.
func (p *part) sendWithin(ctx context.Context, head *pb.VerifyRequest, data payload) error {
	defer func() { p.lastSent = time.Now() }()
	if done := ctx.Done(); done == nil || done == p.call.ends {
		return p.call.send(head, data)
	}
	sent := make(chan error, 1)
	go func() { sent <- p.call.send(head, data) }()
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		p.late = sent
		return ofContext(ctx)
	}
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

// readFrom sends what the reader gives, and keeps the part alive while it gives nothing.
func (p *part) readFrom(ctx context.Context, reader io.Reader) error {
	alive := &keepAlive{part: p, ctx: ctx}
	read := func() (payload, error) {
		lastSent := p.lastSent
		alive.begin()
		// The reader may panic.
		defer alive.end()
		return p.call.region.read(reader, lastSent)
	}
	for {
		data, err := read()
		// An error that wraps io.EOF is a failure, as it is for io.Copy.
		if err != nil && err != io.EOF {
			data.free()
			return unreadable(err)
		}
		if ctx.Err() != nil {
			data.free()
			return ofContext(ctx)
		}
		if data.length() == 0 {
			data.free()
		} else if err := p.send(ctx, data); err != nil {
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
	if err := p.sendWithin(ctx, head, payload{}); err != nil {
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

// over abandons the part, if it has not been answered: its end is sent to the server, and its
// answer is discarded. A part of which nothing was sent is only removed. It does not wait for flow
// control.
func (p *part) over() {
	p.once.Do(func() {
		isStarted, isEnded := p.open == nil, p.pending.ended
		p.isOver = true
		p.call.drop(p.number)
		if !isStarted {
			p.call.finished()
		}
		if !isStarted || isEnded && p.late == nil {
			p.release()
			return
		}
		go func() {
			if p.late != nil {
				<-p.late
			}
			if !isEnded {
				// Fails if the call is over, and the part with it.
				_ = p.call.send(&pb.VerifyRequest{Part: p.number, Last: true}, payload{})
			}
			p.release()
		}()
	})
}
