package hashlane

import (
	"testing"
	"time"
)

// An endpoint that rests gets no calls, and its neighbour no more than others.
func TestEqualEndpointsTakeTurnsThoughAnotherOneRests(t *testing.T) {
	p := &pool{}
	for range 3 {
		p.endpoints = append(p.endpoints, &endpoint{connections: []*connection{{}}})
	}
	p.endpoints[1].restUntil = time.Now().Add(time.Hour)
	calls := map[*endpoint]int{}
	for range 30 {
		lease := p.lease()
		calls[lease.endpoint]++
		lease.ended(nil)
	}
	for i, want := range []int{15, 0, 15} {
		if got := calls[p.endpoints[i]]; got != want {
			t.Errorf("endpoint %d got %d of 30 calls, want %d", i, got, want)
		}
	}
}
