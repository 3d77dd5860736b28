package hashlane

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const (
	// Data of a message. grpc-go cuts it into frames of 16 KiB, whatever the server would take.
	messageBytes = 64 << 10
	// A batch's digests are 40 bytes each and more.
	responseBytesMax = 16 << 20
	connectionsMax   = 256
	connectTimeout   = 5 * time.Second
	// grpc-go's own wait between connections, in addition to the pool's.
	reconnectMax = time.Second
	// Unary calls whose context has no deadline get this one for each attempt.
	callTimeout = 30 * time.Second
	// Programs ask for health to decide something now.
	healthTimeout = 5 * time.Second
	// Unanswered parts of a stream. A server's own bound is in its Limits.
	partsMax = 1024
)

type options struct {
	connections int
	retryTime   time.Duration
	memoryBytes int
	ca          []byte
	// Functions, so that secrets are not printed with a Client.
	certificate   func() (tls.Certificate, error)
	token         func() (string, error)
	tokenError    error
	insecureToken bool
	dial          []grpc.DialOption
}

// Option changes how a Client works.
type Option func(*options)

// WithConnections sets the most connections to each endpoint, 4 by default. A server serves one
// connection with one core.
func WithConnections(count int) Option { return func(o *options) { o.connections = count } }

// WithRetryTime sets how long after its first failure a call is retried, 30 seconds by default.
// With 0 there are no retries. Only calls whose bytes can be sent again are retried.
func WithRetryTime(limit time.Duration) Option { return func(o *options) { o.retryTime = limit } }

// WithSharedMemoryBytes sets the memory that is shared with the server of each "unix:" endpoint, if the
// server does that: bytes then need no socket. 32 MiB by default, at most 64 MiB. With 0 there is none.
func WithSharedMemoryBytes(bytes int) Option { return func(o *options) { o.memoryBytes = bytes } }

// WithCA sets the roots, in PEM, that servers' certificates must lead to. The default is the
// system's roots.
func WithCA(pem []byte) Option { return func(o *options) { o.ca = pem } }

// WithCertificate sets the client's own certificate, with those that lead to its root, and its key,
// both in PEM.
func WithCertificate(certificate, key []byte) Option {
	if certificate == nil && key == nil {
		return func(o *options) { o.certificate = nil }
	}
	pair := func() (tls.Certificate, error) { return tls.X509KeyPair(certificate, key) }
	return func(o *options) { o.certificate = pair }
}

// WithToken sends the token with each call, as "authorization: Bearer TOKEN". Endpoints without TLS
// must then be on this machine.
func WithToken(token string) Option {
	return func(o *options) {
		o.token, o.tokenError = func() (string, error) { return token, nil }, checkToken(token)
	}
}

// WithTokenSource calls token before each call: for tokens that are renewed.
func WithTokenSource(token func() (string, error)) Option {
	return func(o *options) { o.token, o.tokenError = token, nil }
}

// checkToken refuses an invalid token. Its error does not contain the token.
func checkToken(token string) error {
	// RFC 6750, section 2.1.
	const marks = "-._~+/="
	isWrong := func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(marks, r))
	}
	if token == "" || strings.ContainsFunc(token, isWrong) {
		return argument("a token is of letters, digits and %s: of a file, strip the line break at its end", marks)
	}
	return nil
}

// WithInsecureToken lets a token go to other machines without TLS, where anyone on the network path
// can read it.
func WithInsecureToken() Option { return func(o *options) { o.insecureToken = true } }

// WithDialOptions adds options of grpc-go to each connection's.
func WithDialOptions(dial ...grpc.DialOption) Option {
	return func(o *options) { o.dial = append(o.dial, dial...) }
}

func (o *options) check() error {
	if o.connections < 1 || o.connections > connectionsMax {
		return argument("connections is %d, allowed are 1 to %d", o.connections, connectionsMax)
	}
	if o.retryTime < 0 {
		return argument("the time for retries is %v, allowed are 0 and more", o.retryTime)
	}
	if o.memoryBytes < 0 || o.memoryBytes > memoryBytesMax {
		return argument("the bytes of shared memory are %d, allowed are 0 to %d", o.memoryBytes, memoryBytesMax)
	}
	return o.tokenError
}

// target is where one endpoint is, as grpc-go names it.
type target struct {
	name  string
	isTLS bool
	// Whether traffic without TLS stays on this machine.
	isLocal bool
}

func parseTarget(endpoint string) (target, error) {
	if path, ok := strings.CutPrefix(endpoint, "unix:"); ok && path != "" {
		return target{name: endpoint, isLocal: true}, nil
	}
	scheme, authority, found := strings.Cut(endpoint, "://")
	if !found {
		scheme, authority = "http", endpoint
	}
	authority = strings.TrimSuffix(authority, "/")
	host, port, err := net.SplitHostPort(authority)
	if err != nil || !isHost(host) || (scheme != "http" && scheme != "https") {
		return target{}, argument(
			"invalid endpoint %.80q: expected https://host:port, http://host:port, host:port or unix:/path", endpoint)
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
		return target{}, argument("invalid endpoint %.80q: expected a port from 1 to 65535 at its end", endpoint)
	}
	return target{name: "dns:///" + authority, isTLS: scheme == "https", isLocal: isLoopback(host)}, nil
}

// isHost is whether it is a name or an address, without a user, a path or a query.
func isHost(host string) bool {
	return host != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune("/?#@\\", r)
	})
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.IsLoopback()
}

// dialOptions are those of every connection to a target.
func (o *options) dialOptions(t target, endpoint string) ([]grpc.DialOption, error) {
	if !t.isTLS && (o.ca != nil || o.certificate != nil) {
		return nil, argument("certificates go with https://host:port alone, not with %.80q", endpoint)
	}
	if o.token != nil && !t.isTLS && !t.isLocal && !o.insecureToken {
		return nil, argument("a token would go to %.80q in the clear: use https://, or allow it with WithInsecureToken", endpoint)
	}
	secure := insecure.NewCredentials()
	if t.isTLS {
		config, err := o.tls()
		if err != nil {
			return nil, err
		}
		secure = credentials.NewTLS(config)
	}
	dial := []grpc.DialOption{
		grpc.WithTransportCredentials(secure),
		grpc.WithUserAgent("hashlane-go/" + Version),
		// All addresses of a name, such as those of a headless Kubernetes service.
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(responseBytesMax)),
		// The client itself retries: it knows what can be sent again.
		grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: backoffMin, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectMax},
			MinConnectTimeout: connectTimeout,
		}),
		// Detects a server that is gone without closing its connections.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second, Timeout: 10 * time.Second}),
	}
	return append(dial, o.dial...), nil
}

func (o *options) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.ca != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(o.ca) {
			return nil, argument("the ca has no certificate in PEM")
		}
	}
	if o.certificate != nil {
		pair, err := o.certificate()
		if err != nil {
			return nil, argument("the client's certificate and key: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
