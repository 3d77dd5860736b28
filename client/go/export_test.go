package hashlane

import "time"

func (c *Client) memories() (all []*memory) {
	for _, endpoint := range c.pool.endpoints {
		all = append(all, endpoint.memory)
	}
	return all
}

// Slots counts those that are free and all, of the memory that a client shares now.
func (c *Client) Slots() (free, all int) {
	for _, memory := range c.memories() {
		memory.mu.Lock()
		if region := memory.region; region != nil {
			region.mu.Lock()
			free, all = free+len(region.free), all+len(region.slots)
			region.mu.Unlock()
		}
		memory.mu.Unlock()
	}
	return free, all
}

// HasRested is whether an endpoint ever rested after a failure.
func (c *Client) HasRested() bool {
	for _, endpoint := range c.pool.endpoints {
		if !endpoint.restUntil.IsZero() {
			return true
		}
	}
	return false
}

// CallIsOver is whether the part knows that its call is over.
func (w *writer) CallIsOver() bool {
	select {
	case <-w.part.call.done:
		return true
	default:
		return false
	}
}

// CallIsOver is that of the message's part.
func (h *Hash) CallIsOver() bool { return h.part.CallIsOver() }

// SetKeepAliveInterval returns the interval before.
func SetKeepAliveInterval(interval time.Duration) time.Duration {
	before := keepAliveInterval
	keepAliveInterval = interval
	return before
}

// IsPausing is whether the client asked for memory and got none.
func (c *Client) IsPausing() bool {
	for _, memory := range c.memories() {
		memory.mu.Lock()
		isPausing := time.Now().Before(memory.pauseUntil)
		memory.mu.Unlock()
		if isPausing {
			return true
		}
	}
	return false
}

// EndMemoryPause lets the client ask for memory at once.
func (c *Client) EndMemoryPause() {
	for _, memory := range c.memories() {
		memory.mu.Lock()
		memory.pauseUntil = time.Time{}
		memory.mu.Unlock()
	}
}
