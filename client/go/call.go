package hashlane

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// response is the answer of either RPC to a part.
type response interface {
	proto.Message
	GetPart() uint64
	GetError() *pb.PartError
	GetMemoryMessagesRead() uint64
}

// method is Digest or Verify.
type method struct {
	name        string
	newResponse func() response
}

var (
	digestMethod = method{pb.HashService_Digest_FullMethodName, func() response { return &pb.DigestResponse{} }}
	verifyMethod = method{pb.HashService_Verify_FullMethodName, func() response { return &pb.VerifyResponse{} }}
)

// isAnswer is whether a response answers a part: it may tell only how much memory was read.
func isAnswer(response response) bool {
	if response.GetMemoryMessagesRead() == 0 || response.GetError() != nil {
		return true
	}
	switch response := response.(type) {
	case *pb.DigestResponse:
		return len(response.GetDigests()) > 0
	case *pb.VerifyResponse:
		return len(response.GetVerdicts()) > 0
	}
	return true
}

// call is one call of Digest or Verify, with any number of parts.
//
// Numbers of parts are never used twice. Answers come to the pending part by its number, from
// receive, which runs until the call is over.
type call struct {
	stream grpc.ClientStream
	lease  *lease
	cancel context.CancelFunc
	// Closing it ends the call and everything that waits in it. May be nil.
	ends <-chan struct{}
	// One message at a time. Sending waits for the server's flow control.
	sending sync.Mutex
	// The memory that it may use, or nil.
	region *region
	// Slots in the order of their messages, until the server has read them. To send one waits for room.
	unread chan *slot
	// How many slots the server has read. Only receive uses it.
	read uint64

	mu      sync.Mutex
	next    uint64
	pending map[uint64]*pending
	// Parts whose last message is not sent yet.
	unfinished int
	// No new parts: one failed that another server may answer, or the stream is closed.
	closing    bool
	halfClosed bool
	// Why the call is over. Set before done is closed; io.EOF if it ended as it should.
	err  error
	done chan struct{}
}

// pending is a part that is not answered.
type pending struct {
	asked asked
	// Nothing more will be written.
	ended bool
	// Set before answered is closed. If neither is set, the call is over.
	response response
	answered chan struct{}
	// Closed when the answer is no longer awaited.
	dropped chan struct{}
}

func (c *Client) open(ctx context.Context, m method) (*call, error) {
	ctx, cancel := context.WithCancel(ctx)
	lease := c.pool.lease()
	region := lease.endpoint.memory.get()
	lease.region = region
	stream, err := func() (grpc.ClientStream, error) {
		ctx, err := c.authorized(ctx)
		if err != nil {
			return nil, err
		}
		if region != nil {
			ctx = metadata.AppendToOutgoingContext(ctx, "hashlane-memory", region.id)
		}
		description := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
		return lease.connection.NewStream(ctx, description, m.name, forceCodec)
	}()
	if err != nil {
		err = lease.ofStatus(ctx, err)
		cancel()
		lease.ended(err)
		return nil, err
	}
	opened := &call{
		stream: stream, lease: lease, cancel: cancel,
		region: region, unread: make(chan *slot, unreadSlotsMax),
		pending: map[uint64]*pending{}, done: make(chan struct{}),
	}
	go opened.receive(m)
	return opened, nil
}

// receive hands answers to parts until the call is over.
func (c *call) receive(m method) {
	err := c.answers(m)
	c.mu.Lock()
	if errors.Is(err, io.EOF) && len(c.pending) > 0 {
		err = broken("the stream ended with parts unanswered")
	}
	c.err = err
	c.closing = true
	c.mu.Unlock()
	// Before a retry chooses an endpoint.
	if errors.Is(err, io.EOF) {
		err = nil
	}
	c.lease.ended(err)
	close(c.done)
	// Also tells grpc-go that the stream is no longer read.
	c.cancel()
	c.giveUnread()
}

func (c *call) answers(m method) error {
	answer := m.newResponse()
	for {
		err := c.stream.RecvMsg(answer)
		if errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			return c.lease.ofStatus(c.stream.Context(), err)
		}
		if err := c.memoryRead(answer.GetMemoryMessagesRead()); err != nil {
			return err
		}
		if !isAnswer(answer) {
			continue
		}
		if err := c.answer(answer); err != nil {
			return err
		}
		answer = m.newResponse()
	}
}

// memoryRead gives back the slots that the server has read, of those that were ever sent.
func (c *call) memoryRead(read uint64) error {
	for ; c.read < read; c.read++ {
		select {
		case slot := <-c.unread:
			slot.give()
		default:
			return broken("more memory was read than was sent")
		}
	}
	return nil
}

// giveUnread gives back all slots of a call that is over. The server may still read them, for digests
// that nobody gets.
func (c *call) giveUnread() {
	for {
		select {
		case slot := <-c.unread:
			slot.give()
		default:
			return
		}
	}
}

func (c *call) answer(answer response) error {
	number := answer.GetPart()
	failure := partError(answer.GetError())
	// The server drains, or has a faulty kernel.
	leaves := isRetryable(failure)
	if leaves {
		c.lease.learned(failure)
	}
	c.mu.Lock()
	part, ok := c.pending[number]
	opened := number < c.next || (number == 0 && c.next == 0)
	ended := ok && part.ended
	if ok {
		delete(c.pending, number)
		part.response = answer
	}
	c.closing = c.closing || leaves
	c.mu.Unlock()
	switch {
	case !opened:
		return broken("an answer for a part that was not opened")
	case ok && !ended && answer.GetError() == nil:
		return broken("a part was answered before it ended")
	case ok:
		close(part.answered)
	}
	// A part without an entry failed early or was abandoned.
	if leaves {
		c.closeIfIdle()
	}
	return nil
}

// part begins a part. ok is false if the call takes no new parts.
func (c *call) part(asked asked) (number uint64, part *pending, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return 0, nil, false
	}
	number = c.next
	c.next++
	c.unfinished++
	part = &pending{asked: asked, answered: make(chan struct{}), dropped: make(chan struct{})}
	c.pending[number] = part
	return number, part, true
}

// drop removes a part: an answer to it is discarded.
func (c *call) drop(number uint64) {
	c.mu.Lock()
	if part, ok := c.pending[number]; ok {
		delete(c.pending, number)
		close(part.dropped)
	}
	c.mu.Unlock()
}

// finished is called once for each part: its last message is sent, or no message ever was.
func (c *call) finished() {
	c.mu.Lock()
	c.unfinished--
	c.mu.Unlock()
	c.closeIfIdle()
}

// close stops new parts, and half-closes as soon as every part has ended: half-closing earlier
// would end parts as if they were complete.
func (c *call) close() {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	c.closeIfIdle()
}

// settle waits for the answers of parts that end by themselves: those of a whole source, and those
// that have ended. It returns whether there are no others.
func (c *call) settle() bool {
	ends := func(part *pending) bool { return part.ended || part.asked.isWhole }
	c.mu.Lock()
	var ending []*pending
	for _, part := range c.pending {
		if ends(part) {
			ending = append(ending, part)
		}
	}
	c.mu.Unlock()
	for _, part := range ending {
		select {
		case <-part.answered:
		case <-part.dropped:
		case <-c.done:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, part := range c.pending {
		if !ends(part) {
			return false
		}
	}
	return true
}

func (c *call) closeIfIdle() {
	c.mu.Lock()
	now := c.closing && c.unfinished == 0 && !c.halfClosed
	c.halfClosed = c.halfClosed || now
	c.mu.Unlock()
	if now {
		c.sending.Lock()
		// Fails if the call is over; receive reports that.
		_ = c.stream.CloseSend()
		c.sending.Unlock()
	}
}

// send sends a message of a part and frees its data. It waits for the server's flow control, or
// until the server has read memory.
func (c *call) send(head *pb.VerifyRequest, data payload) error {
	if head.Last {
		defer c.finished()
	}
	encoded, err := proto.Marshal(head)
	if err == nil {
		encoded = data.appendTo(encoded)
		c.sending.Lock()
		err = c.sendEncoded(&message{encoded, data.buffer}, data.slot)
		c.sending.Unlock()
	} else {
		data.free()
	}
	if errors.Is(err, io.EOF) {
		// receive gets the status of the call.
		<-c.done
		return c.over()
	}
	return c.lease.ofStatus(c.stream.Context(), err)
}

func (c *call) sendEncoded(message *message, slot *slot) error {
	if slot != nil {
		slot.mayBeSent(c.done)
		select {
		case c.unread <- slot:
		case <-c.done:
			slot.give()
			return io.EOF
		}
		// A call that ended meanwhile may have given its slots back before this one.
		select {
		case <-c.done:
			c.giveUnread()
			return io.EOF
		default:
		}
	}
	// Frees the data, even if it fails.
	return c.stream.SendMsg(message)
}

// over is why the call is over, once it is.
func (c *call) over() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(c.err, io.EOF) {
		return broken("the server ended the stream")
	}
	return c.err
}
