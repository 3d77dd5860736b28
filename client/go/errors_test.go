package hashlane

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Only a connection that was never made tells a mistake, and only in grpc-go's own words.
func TestMistakesAreOfConnections(t *testing.T) {
	for message, isLasting := range map[string]bool{
		`connection error: desc = "error reading server preface: http2: frame too large"`:                          true,
		`connection error: desc = "error reading from server: http2: frame too large"`:                             false,
		`connection error: desc = "error reading server preface: EOF"`:                                             false,
		`connection error: desc = "transport: Error while dialing: dial tcp [::1]:1: connect: connection refused"`: false,
		"upstream: remote error: tls: certificate required":                                                        false,
	} {
		err := ofStatus(context.Background(), status.Error(codes.Unavailable, message))
		if isMistake(err) != isLasting || isRetryable(err) == isLasting {
			t.Error(err)
		}
	}
}
