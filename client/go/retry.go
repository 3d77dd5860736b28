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
// endpoint has rested. try reports its failures to the pool, and returns whether it may be called
// again.
func (c *Client) again(ctx context.Context, try func() (mayRepeat bool, err error)) error {
	var until time.Time
	for {
		mayRepeat, err := try()
		if err == nil || !mayRepeat || !isRetryable(err) {
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
