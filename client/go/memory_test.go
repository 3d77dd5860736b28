package hashlane

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestFewSlotsAreWithTheServerAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegion("id", make([]byte, 3*sentSlotsMax*slotBytes), nil, nil)
		began, wait := time.Now(), sentSlotTimeMax/5
		send := func(done <-chan struct{}) *slot {
			sent := r.slot()
			sent.mayBeSent(done)
			return sent
		}
		var sent []*slot
		for range sentSlotsMax {
			sent = append(sent, send(nil))
		}
		if waited := time.Since(began); waited != 0 {
			t.Fatal("the first slots waited", waited)
		}
		// The next one waits until the server has read one,
		time.AfterFunc(wait, sent[0].give)
		sent = append(sent[1:], send(nil))
		if waited := time.Since(began); waited != wait {
			t.Fatal("the next slot waited", waited)
		}
		// or until its call is over,
		done := make(chan struct{})
		time.AfterFunc(wait, func() { close(done) })
		sent = append(sent, send(done))
		if waited := time.Since(began); waited != 2*wait {
			t.Fatal("the slot of a call that is over waited", waited)
		}
		// or until the server has not read the others for long.
		sent = append(sent, send(nil))
		if waited := time.Since(began); waited != sentSlotTimeMax {
			t.Fatal("slots that the server does not read held others up for", waited)
		}
		for _, slot := range sent {
			slot.give()
		}
		if len(r.sent) != 0 || len(r.free) != len(r.slots) {
			t.Fatal(len(r.sent), "slots count as sent,", len(r.free), "are free")
		}
	})
}

// A call that fails late must not give up the memory of its server's successor.
func TestOnlyTheRegionThatACallUsedIsGivenUp(t *testing.T) {
	region := func(isAlive bool) *region {
		return newRegion("id", make([]byte, slotBytes), func() bool { return isAlive }, func() {})
	}
	for _, isAlive := range []bool{true, false} {
		used, other := region(isAlive), region(true)
		m := &memory{region: used}
		m.forget(other)
		m.forget(nil)
		if m.region != used || !m.pauseUntil.IsZero() {
			t.Fatal("the memory of another call is given up")
		}
		m.forget(used)
		if m.region != nil || m.pauseUntil.IsZero() == isAlive {
			t.Fatal("alive", isAlive, "pause", m.pauseUntil)
		}
	}
}
