package hashlane

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc"
)

const (
	// The first wait after a failure, and the longest one.
	backoffMin = 100 * time.Millisecond
	backoffMax = 5 * time.Second
)

// pool has all connections. A call goes to an endpoint that does not rest after a failure: to the
// one with the fewest calls, and there to the connection with the fewest.
type pool struct {
	mu        sync.Mutex
	endpoints []*endpoint
	// Where the next search begins: after the endpoint of the last call, so that equals take turns. If
	// it passed every endpoint in turn, the one after an endpoint that rests would have two turns.
	next     int
	isClosed bool
}

type endpoint struct {
	connections []*connection
	memory      *memory
	open        int
	// Failures in a row.
	failures  int
	restUntil time.Time
}

type connection struct {
	*grpc.ClientConn
	open int
}

// lease is a call's lease of a connection.
type lease struct {
	pool       *pool
	endpoint   *endpoint
	connection *connection
	// The memory that the call uses.
	region *region
	// The call, or a part of it, has failed.
	failed bool
}

func (p *pool) lease() *lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	at := p.next
	for i := range p.endpoints {
		other := (p.next + i) % len(p.endpoints)
		if p.endpoints[other].isBetter(p.endpoints[at], now) {
			at = other
		}
	}
	p.next = (at + 1) % len(p.endpoints)
	return p.take(p.endpoints[at])
}

// leaseAt leases a connection to this endpoint, even if it rests.
func (p *pool) leaseAt(endpoint *endpoint) *lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.take(endpoint)
}

// take leases the connection with the fewest calls. The caller holds the lock.
func (p *pool) take(endpoint *endpoint) *lease {
	connection := endpoint.connections[0]
	for _, each := range endpoint.connections[1:] {
		if each.open < connection.open {
			connection = each
		}
	}
	endpoint.open++
	connection.open++
	return &lease{pool: p, endpoint: endpoint, connection: connection}
}

func (e *endpoint) isBetter(other *endpoint, now time.Time) bool {
	rests, otherRests := e.restUntil.After(now), other.restUntil.After(now)
	switch {
	case rests != otherRests:
		return otherRests
	case rests:
		return e.restUntil.Before(other.restUntil)
	default:
		return e.open < other.open
	}
}

// ofStatus is the error of the lease's call.
func (l *lease) ofStatus(ctx context.Context, err error) error {
	err = ofStatus(ctx, err)
	var known *Error
	if errors.As(err, &known) {
		known.endpoint = l.endpoint
	}
	return err
}

// ended returns the connection, with the outcome of the call.
func (l *lease) ended(err error) {
	l.pool.mu.Lock()
	l.endpoint.open--
	l.connection.open--
	l.pool.mu.Unlock()
	if isOfMemory(err) {
		l.endpoint.memory.forget(l.region)
	}
	l.learned(err)
}

// learned makes an endpoint that failed rest. Calls that fail together count as one failure.
func (l *lease) learned(err error) {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	isOfEndpoint := isRetryable(err) && !isIdle(err) && !isOfMemory(err) || isMistake(err)
	if !isOfEndpoint {
		// A call may succeed although one of its parts has failed.
		if err == nil && !l.failed {
			l.endpoint.failures = 0
		}
		return
	}
	l.failed = true
	now := time.Now()
	if l.endpoint.restUntil.After(now) {
		return
	}
	rest := backoffMin << min(l.endpoint.failures, 10)
	rest = min(rest, backoffMax)
	// With jitter, clients that failed together do not retry together.
	rest = rest/2 + rand.N(rest/2)
	l.endpoint.failures++
	l.endpoint.restUntil = now.Add(max(rest, retryAfter(err)))
}

// wait is the time until an endpoint has rested.
func (p *pool) wait() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	least := time.Until(p.endpoints[0].restUntil)
	for _, each := range p.endpoints[1:] {
		least = min(least, time.Until(each.restUntil))
	}
	return max(least, 0)
}

// close closes all connections, once.
func (p *pool) close() error {
	p.mu.Lock()
	wasClosed := p.isClosed
	p.isClosed = true
	p.mu.Unlock()
	if wasClosed {
		return nil
	}
	var first error
	for _, endpoint := range p.endpoints {
		endpoint.memory.close()
		for _, connection := range endpoint.connections {
			if err := connection.Close(); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}
