package hashlane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Error says why there is no answer. A mismatch is an answer: see Verification.
type Error struct {
	Code codes.Code
	// Reason is the server's, in UPPER_SNAKE_CASE; docs/protocol.md lists them. Empty if there is none.
	Reason  string
	Message string
	// RetryAfter is how long the server asks to wait. Zero if the server names no time.
	RetryAfter time.Duration
	// OfPart is whether one part failed. The other parts of its stream go on.
	OfPart bool

	cause error
	// What is wrong with the connection, if that is known.
	fault *connectionFault
	// The endpoint of the call. Nil if the error is not the status of a call.
	endpoint *endpoint
}

// connectionFault is why no connection can be made, known by the words of grpc-go and crypto/tls.
type connectionFault struct {
	words, advice string
	// Every other try there would fail, too. An end of the connection may have other causes.
	isLasting bool
}

var connectionFaults = []connectionFault{
	{"tls: failed to verify certificate",
		"name the roots that the server's certificate leads to (WithCA), and a host that it is for", true},
	{"remote error: tls: certificate required", "give a client certificate (WithCertificate)", true},
	{"remote error: tls: unknown certificate authority", "give a client certificate that the server trusts", true},
	{"tls: first record does not look like a TLS handshake", "the port has no TLS: give a server's gRPC port, with http://", true},
	{"remote error: tls: no application protocol", notHTTP2, true},
	{"missing selected ALPN property", notHTTP2, true},
	{"http2: frame too large",
		"the port does not speak HTTP/2 without TLS: give a server's gRPC port, with https:// if it has TLS", true},
	{"authentication handshake failed: EOF", "the port may have no TLS: then use http://", false},
	{"error reading server preface: unexpected EOF", mayHaveTLS, false},
	{"error reading server preface: EOF", mayHaveTLS, false},
	{"connection refused", "start hashlane-server there, or give another endpoint", false},
}

// Of connections that are being made grpc-go says one of these.
var makingConnections = []string{
	"transport: Error while dialing", "transport: authentication handshake failed", "error reading server preface",
}

const (
	notHTTP2   = "the port does not speak HTTP/2: give a server's gRPC port"
	mayHaveTLS = "the port may have TLS: then use https://"
)

// Advice by reason, where the message has none.
var advice = map[string]string{
	"DRAINING":            "the server shuts down: try another server, or the same one later",
	"SERVER_BUSY":         "try later, or send less at once",
	"STREAM_IDLE":         "open a part when there is data for it",
	"SIZE_MISMATCH":       "the source changed or was cut: send the part again",
	"NO_EXPECTED_DIGEST":  "give an expected digest, or use Digest",
	"PART_TOO_LARGE":      "send smaller parts",
	"KERNEL_FAULT":        "send it again; if it fails again, to another server",
	"PART_ALREADY_FAILED": "stop sending a part that has failed",
}

func (e *Error) Error() string {
	text := "hashlane: " + e.Message + " (" + e.Code.String()
	if e.Reason != "" {
		text += ", " + e.Reason
	}
	text += ")"
	switch does, ok := advice[e.Reason]; {
	case ok:
		text += ": " + does
	case e.cause != nil && e.Code == codes.FailedPrecondition:
		text += ": give a source that can be read"
	case e.Code == codes.Unauthenticated:
		text += ": give a valid token (WithToken) or client certificate (WithCertificate)"
	case e.fault != nil:
		text += ": " + e.fault.advice
	case e.Code == codes.Unavailable:
		text += ": check the endpoint, that the server runs, and TLS on both sides"
	}
	return text
}

// Unwrap gives the cause: the error of a source, or the context's error.
func (e *Error) Unwrap() error { return e.cause }

// GRPCStatus lets status.Code and status.Convert read the error.
func (e *Error) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }

// Retryable is whether the same bytes may be answered later or by another server. The client has
// then tried so already, if it could read the bytes again.
func (e *Error) Retryable() bool {
	switch e.Code {
	case codes.Unavailable:
		return !isMistake(e)
	case codes.ResourceExhausted:
		// Limits that a retry cannot change come without a delay.
		return e.RetryAfter > 0
	default:
		return e.Reason == "KERNEL_FAULT" || isIdle(e) || isOfMemory(e)
	}
}

func isRetryable(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.Retryable()
}

func reasonOf(err error) string {
	var known *Error
	if errors.As(err, &known) {
		return known.Reason
	}
	return ""
}

// isOfMemory is whether the server does not know the memory of the call. The next call has none.
func isOfMemory(err error) bool { return reasonOf(err) == "MEMORY_UNKNOWN" }

// isIdle is whether the server ended the call because nothing came for a while. The server is sound.
func isIdle(err error) bool { return reasonOf(err) == "STREAM_IDLE" }

// isMistake is whether no connection can be made before the endpoint or the settings change.
func isMistake(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.fault != nil && known.fault.isLasting
}

func endpointOf(err error) *endpoint {
	var known *Error
	if errors.As(err, &known) {
		return known.endpoint
	}
	return nil
}

func argument(format string, values ...any) error {
	return &Error{Code: codes.InvalidArgument, Message: fmt.Sprintf(format, values...)}
}

func broken(what string) error {
	return &Error{Code: codes.Internal, Message: "the server broke the contract: " + what}
}

func unreadable(err error) error {
	return &Error{Code: codes.FailedPrecondition, Message: fmt.Sprintf("cannot read the source: %v", err), cause: err}
}

// ofStatus is the error of a call.
func ofStatus(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	wire := status.Convert(err)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		wire = status.FromContextError(err)
	}
	made := &Error{Code: wire.Code(), Message: inWords(wire.Message())}
	for _, detail := range wire.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			made.Reason = detail.GetReason()
		case *errdetails.RetryInfo:
			made.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	if made.Reason == "" && isCut(wire) {
		made.Code = codes.Unavailable
	}
	if made.Code == codes.Unavailable && made.Reason == "" {
		made.fault = faultOf(wire.Message())
	}
	if ctx.Err() != nil && (made.Code == codes.Canceled || made.Code == codes.DeadlineExceeded) {
		made.cause = ctx.Err()
	}
	return made
}

// isCut is whether the stream ended before the server's status came, as a proxy ends it that has lost
// its server: with a reset, or without trailers. grpc-go has no other sign of it than these words.
func isCut(wire *status.Status) bool {
	switch wire.Code() {
	case codes.Internal, codes.Canceled, codes.Unknown:
		return strings.Contains(wire.Message(), "RST_STREAM") || strings.Contains(wire.Message(), "without sending trailers")
	default:
		return false
	}
}

// faultOf finds the fault of a connection that was never made. The loss of an established
// connection can have the same words, so only errors while connecting count.
func faultOf(message string) *connectionFault {
	_, description, isOfConnection := strings.Cut(message, `connection error: desc = "`)
	isMaking := func(begin string) bool { return strings.HasPrefix(description, begin) }
	if !isOfConnection || !slices.ContainsFunc(makingConnections, isMaking) {
		return nil
	}
	for i := range connectionFaults {
		if strings.Contains(message, connectionFaults[i].words) {
			return &connectionFaults[i]
		}
	}
	return nil
}

// inWords explains grpc-go's own messages.
func inWords(message string) string {
	switch {
	case strings.Contains(message, "client connection is closing"):
		return "the client is closed"
	case strings.Contains(message, "no children to pick from"):
		return "the name of the endpoint's host has no address"
	default:
		return message
	}
}

// ofContext is the error of work that its context ended.
func ofContext(ctx context.Context) error {
	wire := status.FromContextError(ctx.Err())
	return &Error{Code: wire.Code(), Message: wire.Message(), cause: ctx.Err()}
}
