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

// again calls try until it succeeds, fails for good, or has been called as often as allowed. Between
// calls it waits until an endpoint has rested. try tells the pool of its failures, and whether it
// may be called again.
func (c *Client) again(ctx context.Context, try func() (mayRepeat bool, err error)) error {
	for attempt := 1; ; attempt++ {
		mayRepeat, err := try()
		if err == nil || !mayRepeat || attempt >= c.options.attempts || !isRetryable(err) {
			return err
		}
		timer := time.NewTimer(c.pool.wait())
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			// Why it was to be tried again tells more than that time is up.
			return err
		}
	}
}
