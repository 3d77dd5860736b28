package hashlane

import (
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A mistake at one endpoint is not final while another endpoint has only failed for now.
func TestMistakesAreFinalOnceEveryEndpointHasOne(t *testing.T) {
	failure := func(description string) error {
		return status.Errorf(codes.Unavailable, "connection error: desc = %q", description)
	}
	mistake := failure("error reading server preface: http2: frame too large")
	refused := failure("transport: Error while dialing: connection refused")
	for name, test := range map[string]struct {
		// The outcomes at each endpoint. The last one repeats.
		outcomes [2][]error
		// How long each endpoint rests at least after the refusal.
		rest time.Duration
		want codes.Code
		// The first tries, if their order is certain.
		order []int
	}{
		"the other endpoint comes back": {
			[2][]error{{mistake}, {refused, nil}}, time.Second, codes.OK, []int{0, 1, 0, 0},
		},
		"both have a mistake": {
			[2][]error{{mistake}, {mistake}}, 0, codes.Unavailable, []int{0, 1},
		},
		"the other endpoint comes back with a mistake": {
			[2][]error{{mistake}, {refused, mistake}}, 0, codes.Unavailable, nil,
		},
		"a mistake before a failure of another kind": {
			[2][]error{{mistake, refused, nil}, {refused, mistake}}, 0, codes.OK, nil,
		},
		"a mistake that passes": {
			[2][]error{{mistake, nil}, {refused}}, time.Hour, codes.OK, []int{0, 1, 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := &Client{options: options{retryTime: time.Hour}, pool: &pool{}}
			for range test.outcomes {
				made := &endpoint{connections: []*connection{{}}}
				client.pool.endpoints = append(client.pool.endpoints, made)
			}
			var order []int
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := client.again(ctx, func() (mayRepeat bool, err error) {
				lease := client.pool.lease()
				at := slices.Index(client.pool.endpoints, lease.endpoint)
				order = append(order, at)
				outcomes := test.outcomes[at]
				err = lease.ofStatus(ctx, outcomes[0])
				if len(outcomes) > 1 {
					test.outcomes[at] = outcomes[1:]
				}
				if isRetryable(err) {
					err.(*Error).RetryAfter = test.rest
				}
				lease.ended(err)
				return true, err
			})
			if status.Code(err) != test.want || ctx.Err() != nil {
				t.Error(order, err)
			}
			if isMistake(err) != (test.want != codes.OK) {
				t.Error("the error is not the mistake:", err)
			}
			if len(order) < len(test.order) || !slices.Equal(order[:len(test.order)], test.order) {
				t.Errorf("the tries were at %v, want %v", order, test.order)
			}
		})
	}
}
