package hashlane

import (
	"context"
	"errors"
	"time"
)

func retryAfter(err error) time.Duration {
	var known *Error
	if errors.As(err, &known) {
		return known.RetryAfter
	}
	return 0
}

// again calls try until it succeeds, fails for good, or the time for retries is over. That time
// begins with the first failure, so that a long upload has it too. Between calls it waits until an
// endpoint has rested. A mistake in the settings is final once every endpoint has one, all of them
// since the last failure of another kind. try reports its failures to the pool, and returns whether
// it may be called again.
func (c *Client) again(ctx context.Context, try func() (mayRepeat bool, err error)) error {
	var until time.Time
	// The endpoints where this call met a mistake since its last failure of another kind.
	mistaken := map[*endpoint]bool{}
	for {
		mayRepeat, err := try()
		if isMistake(err) {
			mistaken[endpointOf(err)] = true
		} else {
			clear(mistaken)
		}
		mayHelp := isRetryable(err) || isMistake(err) && len(mistaken) < len(c.pool.endpoints)
		if err == nil || !mayRepeat || !mayHelp {
			return err
		}
		if until.IsZero() {
			until = time.Now().Add(c.options.retryTime)
		}
		wait := c.pool.wait()
		if time.Now().Add(wait).After(until) {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			// The error that caused the retry tells more than a timeout.
			return err
		}
	}
}
