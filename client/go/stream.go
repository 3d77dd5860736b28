package hashlane

import (
	"context"
	"io"
	"sync"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// stream has many parts at once on one call. When that call's server drains or is gone, new parts
// go to a new call, on the best endpoint at that time.
type stream struct {
	client *Client
	method method
	ctx    context.Context
	cancel context.CancelFunc
	// The end of the context that the stream was opened with.
	ends <-chan struct{}
	// A slot for each part that is not answered.
	slots chan struct{}
	// Its calls end with their first part.
	isLone bool

	mu       sync.Mutex
	current  *call
	opening  *opening
	calls    []*call
	isClosed bool
}

// opening is a call that is being opened, shared by all that wait for it.
type opening struct {
	// Set before done is closed.
	err  error
	done chan struct{}
}

func (c *Client) newStream(ctx context.Context, m method) *stream {
	ends := ctx.Done()
	ctx, cancel := context.WithCancel(ctx)
	slots := make(chan struct{}, partsMax)
	return &stream{client: c, method: m, ctx: ctx, cancel: cancel, ends: ends, slots: slots}
}

// newLoneStream is for one part. If the part is abandoned, its call is cancelled, so that no digest of
// a truncated part exists anywhere.
func (c *Client) newLoneStream(ctx context.Context, m method) *stream {
	s := c.newStream(ctx, m)
	s.isLone = true
	return s
}

// part begins a part. It waits while too many parts are unanswered.
func (s *stream) part(ctx context.Context, asked asked, size *uint64) (*part, error) {
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ofContext(ctx)
	case <-s.ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.isClosed {
			return nil, errClosed
		}
		return nil, ofContext(s.ctx)
	}
	release := func() { <-s.slots }
	for {
		part, opening, err := s.begin(asked, size, release)
		if part != nil {
			if s.isLone {
				part.call.close()
			}
			return part, nil
		}
		if err == nil {
			select {
			case <-opening.done:
				err = opening.err
			case <-ctx.Done():
				err = ofContext(ctx)
			}
		}
		if err != nil {
			release()
			return nil, err
		}
	}
}

// begin begins a part, if there is a call that takes parts. Otherwise it returns the opening to
// wait for.
func (s *stream) begin(asked asked, size *uint64, release func()) (*part, *opening, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return nil, nil, errClosed
	}
	if s.current != nil {
		if part := s.current.newPart(asked, size, release); part != nil {
			return part, nil, nil
		}
		// The call takes no new parts, and ends when its parts are answered.
		s.current.close()
		s.current = nil
	}
	if s.opening == nil {
		s.opening = &opening{done: make(chan struct{})}
		go s.open(s.opening)
	}
	return nil, s.opening, nil
}

func (s *stream) open(opening *opening) {
	opened, err := s.client.open(s.ctx, s.method)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		opened.ends = s.ends
		s.calls = append(s.running(), opened)
		s.current = opened
		if s.isClosed {
			opened.close()
		}
	}
	s.opening, opening.err = nil, err
	close(opening.done)
}

var errClosed = argument("the stream is closed: open another one")

// running are the calls that are not over.
func (s *stream) running() (calls []*call) {
	for _, call := range s.calls {
		select {
		case <-call.done:
		default:
			calls = append(calls, call)
		}
	}
	return calls
}

// close waits until every part that has ended is answered, abandons the others and ends the stream.
func (s *stream) close() error {
	s.mu.Lock()
	s.isClosed = true
	calls := s.running()
	s.mu.Unlock()
	for _, call := range calls {
		call.close()
		if !call.settle() {
			call.cancel()
		}
		<-call.done
	}
	s.cancel()
	return nil
}

// whole sends a source as one part and gives its answer.
func (s *stream) whole(ctx context.Context, source Source, asked *asked) (answer response, err error) {
	asked.isWhole = true
	err = s.client.attempts(ctx, source, func(reader io.Reader) error {
		part, err := s.part(ctx, *asked, source.sizeBytes)
		if err != nil {
			return err
		}
		defer part.over()
		err = part.readFrom(ctx, reader)
		if err == nil {
			answer, err = part.finish(ctx, asked.expected)
			asked.sizeBytes = part.sizeBytes
		}
		if s.isLone {
			if err != nil {
				part.call.cancel()
			}
			<-part.call.done
		}
		return err
	})
	return answer, err
}

func (s *stream) digest(ctx context.Context, source Source, algorithms []Algorithm) (PartDigest, error) {
	if err := distinct(algorithms); err != nil {
		return PartDigest{}, err
	}
	asked := &asked{algorithms: orDefault(algorithms)}
	answer, err := s.whole(ctx, source, asked)
	if err != nil {
		return PartDigest{}, err
	}
	return partDigest(answer.(*pb.DigestResponse), asked)
}

func (s *stream) verify(ctx context.Context, source Source, expected []Digest) (Verification, error) {
	algorithms, err := expectable(expected)
	if err != nil {
		return Verification{}, err
	}
	asked := &asked{algorithms: algorithms, expected: expected}
	answer, err := s.whole(ctx, source, asked)
	if err != nil {
		return Verification{}, err
	}
	return verification(answer.(*pb.VerifyResponse), asked)
}

// DigestStream digests many parts at once on one call. It is safe for concurrent use.
type DigestStream struct{ stream *stream }

// OpenDigestStream opens one. It ends with ctx; then parts that are not answered fail.
func (c *Client) OpenDigestStream(ctx context.Context) *DigestStream {
	return &DigestStream{c.newStream(ctx, digestMethod)}
}

// Digest is as Client.Digest, on this stream.
func (s *DigestStream) Digest(ctx context.Context, source Source, algorithms ...Algorithm) (PartDigest, error) {
	return s.stream.digest(ctx, source, algorithms)
}

// Part begins a part that is written piece by piece. Its bytes cannot be sent again, so its error
// is final. It waits while 1,024 parts are unanswered. The server ends a call on which nothing comes
// for a minute, unless it has another part_idle_timeout.
func (s *DigestStream) Part(ctx context.Context, algorithms ...Algorithm) (*DigestPart, error) {
	if err := distinct(algorithms); err != nil {
		return nil, err
	}
	w, err := s.stream.newWriter(ctx, asked{algorithms: orDefault(algorithms)})
	if err != nil {
		return nil, err
	}
	return &DigestPart{*w}, nil
}

// Close waits for whole sources and for the answers of parts whose Finish was called, and ends the
// stream. Other parts are given up: writing them fails.
func (s *DigestStream) Close() error { return s.stream.close() }

// VerifyStream verifies many parts at once on one call. It is safe for concurrent use.
type VerifyStream struct{ stream *stream }

// OpenVerifyStream opens one. It ends with ctx; then parts that are not answered fail.
func (c *Client) OpenVerifyStream(ctx context.Context) *VerifyStream {
	return &VerifyStream{c.newStream(ctx, verifyMethod)}
}

// Verify is as Client.Verify, on this stream.
func (s *VerifyStream) Verify(ctx context.Context, source Source, expected ...Digest) (Verification, error) {
	return s.stream.verify(ctx, source, expected)
}

// Part begins a part that is written piece by piece, and computes these digests. Finish takes the
// expected digests. Its bytes cannot be sent again, so its error is final.
func (s *VerifyStream) Part(ctx context.Context, algorithms ...Algorithm) (*VerifyPart, error) {
	if err := distinct(algorithms); err != nil {
		return nil, err
	}
	w, err := s.stream.newWriter(ctx, asked{algorithms: orDefault(algorithms)})
	if err != nil {
		return nil, err
	}
	return &VerifyPart{*w}, nil
}

// Close waits for whole sources and for the answers of parts whose Finish was called, and ends the
// stream. Other parts are given up: writing them fails.
func (s *VerifyStream) Close() error { return s.stream.close() }

// expectable gives the algorithms of expected digests that a server takes.
func expectable(expected []Digest) ([]Algorithm, error) {
	if len(expected) == 0 {
		return nil, argument("no digest is expected: give one, or use Digest")
	}
	algorithms := make([]Algorithm, len(expected))
	for i, digest := range expected {
		if err := digest.check(); err != nil {
			return nil, err
		}
		algorithms[i] = digest.Algorithm
	}
	return algorithms, distinct(algorithms)
}
