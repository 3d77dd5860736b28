package hashlane

import (
	"context"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Version of this package.
const Version = "0.1.0"

// Client is a client of one hashlane service, at one or several endpoints.
type Client struct {
	options options
	pool    *pool
	// Requested by the first batch, and again after a batch that was too large for a server.
	limits atomic.Pointer[Limits]
}

// Connect makes a client of the endpoints, each "https://host:port", "http://host:port" or
// "host:port" without TLS, or "unix:/path". Calls spread over them, and over all addresses of each
// name. Connections are made when there are calls for them.
func Connect(endpoints []string, settings ...Option) (*Client, error) {
	o := options{connections: 4, retryTime: 30 * time.Second, memoryBytes: 32 << 20}
	for _, set := range settings {
		if set == nil {
			return nil, argument("an option is nil: leave it out")
		}
		set(&o)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if len(endpoints) == 0 {
		return nil, argument("no endpoint")
	}
	client := &Client{options: o, pool: &pool{}}
	for _, name := range endpoints {
		made, err := o.connect(name)
		if err != nil {
			_ = client.Close()
			return nil, err
		}
		client.pool.endpoints = append(client.pool.endpoints, made)
	}
	return client, nil
}

func (o *options) connect(name string) (*endpoint, error) {
	target, err := parseTarget(name)
	if err != nil {
		return nil, err
	}
	dial, err := o.dialOptions(target, name)
	if err != nil {
		return nil, err
	}
	made := &endpoint{memory: newMemory(name, o.memoryBytes)}
	for range o.connections {
		dialed, err := grpc.NewClient(target.name, dial...)
		if err != nil {
			return nil, argument("endpoint %.80q: %v", name, err)
		}
		made.connections = append(made.connections, &connection{ClientConn: dialed})
	}
	return made, nil
}

// Close closes all connections. Running calls fail.
func (c *Client) Close() error { return c.pool.close() }

// Digest digests a source, with SHA256 if no algorithm is named. The source is read once for all of
// them, and again if the server is lost.
func (c *Client) Digest(ctx context.Context, source Source, algorithms ...Algorithm) (PartDigest, error) {
	s := c.newLoneStream(ctx, digestMethod)
	defer s.cancel()
	return s.digest(ctx, source, algorithms)
}

// Verify compares a source's digests with the expected ones, on the server: all must match. A
// mismatch is an answer, not an error: see IsMatch or Err of the Verification.
func (c *Client) Verify(ctx context.Context, source Source, expected ...Digest) (Verification, error) {
	s := c.newLoneStream(ctx, verifyMethod)
	defer s.cancel()
	return s.verify(ctx, source, expected)
}

// Healthy is whether a server serves. It asks the endpoints in their order, each once, until one
// answers. If none answers, that is the error: a server that drains takes no new calls. Each
// endpoint has an equal share of the time that is left, so that a silent one leaves time for the
// others. Without a deadline each has 5 seconds.
func (c *Client) Healthy(ctx context.Context) (bool, error) {
	var answer *grpc_health_v1.HealthCheckResponse
	var err error
	check := func(ctx context.Context, connection grpc.ClientConnInterface) (err error) {
		request := &grpc_health_v1.HealthCheckRequest{Service: pb.HashService_ServiceDesc.ServiceName}
		answer, err = grpc_health_v1.NewHealthClient(connection).Check(ctx, request)
		return err
	}
	for asked, endpoint := range c.pool.endpoints {
		share := healthTimeout
		if deadline, ok := ctx.Deadline(); ok {
			share = time.Until(deadline) / time.Duration(len(c.pool.endpoints)-asked)
		}
		err = c.attempt(ctx, c.pool.leaseAt(endpoint), share, check)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING, err
}

// unaryCall makes a call of one message on a connection.
type unaryCall func(context.Context, grpc.ClientConnInterface) error

// unary makes a call of one message, and retries it where that is allowed.
func (c *Client) unary(ctx context.Context, call unaryCall) error {
	return c.again(ctx, func() (mayRepeat bool, err error) {
		timeout := callTimeout
		if deadline, ok := ctx.Deadline(); ok {
			timeout = time.Until(deadline)
		}
		return true, c.attempt(ctx, c.pool.lease(), timeout, call)
	})
}

// attempt makes a call of one message once.
func (c *Client) attempt(
	ctx context.Context, lease *lease, timeout time.Duration, call unaryCall,
) (err error) {
	defer func() { lease.ended(err) }()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if ctx, err = c.authorized(ctx); err != nil {
		return err
	}
	return lease.ofStatus(ctx, call(ctx, lease.connection))
}

// authorized adds the token.
func (c *Client) authorized(ctx context.Context) (context.Context, error) {
	if c.options.token == nil {
		return ctx, nil
	}
	token, err := c.options.token()
	if err != nil {
		return nil, argument("the token source: %v", err)
	}
	if err := checkToken(token); err != nil {
		return nil, err
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token), nil
}
