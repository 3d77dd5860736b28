package hashlane

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Bytes of a slot, and so the most of a message that names one.
	slotBytes = 128 << 10
	// A message with fewer bytes goes through the socket: that costs less than to be told that a slot
	// is free.
	slotUsedBytesMin = 16 << 10
	// Slots of all calls that are with the server at a time. More leave the caches before the server
	// reads them.
	sentSlotsMax = 16
	// A slot that the server has not read by then no longer counts: its part may have to wait until
	// others end.
	sentSlotTimeMax = 5 * time.Millisecond
	// Slots of one call that the server has not read, however long. More would leave too few to others.
	unreadSlotsMax = 4
	// The largest region that a server shares.
	memoryBytesMax = 64 << 20
	// A server that refuses a region is asked for half, down to this.
	memoryBytesMin = 1 << 20
	// Time for the server's replies.
	memoryReplyTimeout = time.Second
	// After a server refused to share memory, it is asked again no sooner than this.
	memoryPause = time.Minute
	// Pause after a failed connection, for example during a restart of the server.
	memoryAwayPause = time.Second
)

// memory is the memory that a client shares with a server on this machine: see "Shared memory" in
// docs/protocol.md. A nil memory is none.
type memory struct {
	// Where the server shares memory.
	socket string
	bytes  int

	mu     sync.Mutex
	region *region
	// No request for memory before this, once the server shared none.
	pauseUntil time.Time
	// It was logged that the server shares none.
	isLogged bool
	isClosed bool
}

// newMemory is that of an endpoint.
func newMemory(endpoint string, bytes int) *memory {
	path, isUnix := strings.CutPrefix(endpoint, "unix:")
	path = strings.TrimPrefix(path, "//")
	if !isUnix || !canShareMemory || bytes < slotBytes {
		return nil
	}
	return &memory{socket: path + ".memory", bytes: bytes}
}

// get gives the memory, if the server shares any. The first call asks for it.
func (m *memory) get() *region {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.region != nil && m.region.isAlive() {
		return m.region
	}
	m.drop()
	if m.isClosed || time.Now().Before(m.pauseUntil) {
		return nil
	}
	shared, err := m.ask()
	if err != nil {
		pause := memoryPause
		if isAway(err) {
			pause = memoryAwayPause
		}
		m.pauseUntil = time.Now().Add(pause)
		if !m.isLogged {
			slog.Info("hashlane: the server shares no memory", "socket", m.socket, "error", err)
		}
	}
	m.region, m.isLogged = shared, err != nil
	return shared
}

// ask requests memory. After each refusal for lack of room, it requests half.
func (m *memory) ask() (*region, error) {
	deadline := time.Now().Add(memoryReplyTimeout)
	for bytes := m.bytes; ; bytes = max(bytes/2, memoryBytesMin) {
		shared, err := askRegion(m.socket, bytes, deadline)
		var refused refusal
		if !errors.As(err, &refused) || !refused.isOfBytes() || bytes <= memoryBytesMin {
			return shared, err
		}
	}
}

// refusal is the status of a server that shares no memory: see docs/protocol.md.
type refusal uint32

func (r refusal) Error() string { return fmt.Sprintf("refused: status %d", uint32(r)) }

// isOfBytes is whether the server may share less: it allows less, or it, this client's share of it or
// the system has no more.
func (r refusal) isOfBytes() bool { return 3 <= r && r <= 6 }

// forget gives up the region that a call used and its server does not know. Another may have replaced
// it.
func (m *memory) forget(used *region) {
	if m == nil || used == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.region != used {
		return
	}
	// If its server has ended, the next one is asked.
	if used.isAlive() {
		m.pauseUntil = time.Now().Add(memoryPause)
	}
	m.drop()
}

// close ends the sharing. Memory that is still written stays until then.
func (m *memory) close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.isClosed = true
	m.drop()
}

func (m *memory) drop() {
	if m.region != nil {
		m.region.close()
		m.region = nil
	}
}

// region is memory that is mapped here and by the server, in slots. The race detector does not see
// it. A slot has one owner: the source that fills it, then the call that has sent it, until the
// server has read it.
type region struct {
	// As calls name it.
	id string
	// isAlive is whether the server still shares it. Not called once it is closed.
	isAlive func() bool
	// release unmaps it. The memory lives until then.
	release func()
	slots   []slot
	// Has an element for each slot that counts as sent.
	sent chan struct{}

	mu sync.Mutex
	// The last one is used first, because it is in cache.
	free     []*slot
	isClosed bool
}

// slot is a part of a region.
type slot struct {
	region *region
	offset int
	memory []byte
	// How much of it is filled.
	length int
	// Whether it counts as sent, and what ends that.
	isCounted atomic.Bool
	countEnds *time.Timer
}

func newRegion(id string, mapped []byte, isAlive func() bool, release func()) *region {
	r := &region{
		id: id, isAlive: isAlive, release: release,
		slots: make([]slot, len(mapped)/slotBytes), sent: make(chan struct{}, sentSlotsMax),
	}
	for i := range r.slots {
		offset := i * slotBytes
		s := &r.slots[i]
		s.region, s.offset, s.memory = r, offset, mapped[offset:offset+slotBytes:offset+slotBytes]
		s.countEnds = time.AfterFunc(sentSlotTimeMax, s.uncount)
		s.countEnds.Stop()
		r.free = append(r.free, s)
	}
	return r
}

// slot gives a free slot, or nil: to wait for one could be to wait for another part's source.
func (r *region) slot() *slot {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.free) - 1
	if last < 0 || r.isClosed {
		return nil
	}
	taken := r.free[last]
	r.free = r.free[:last]
	return taken
}

// mayBeSent waits while too many slots count as sent, or until the call is done.
func (s *slot) mayBeSent(done <-chan struct{}) {
	select {
	case s.region.sent <- struct{}{}:
		s.isCounted.Store(true)
		s.countEnds.Reset(sentSlotTimeMax)
	case <-done:
	}
}

func (s *slot) uncount() {
	if s.isCounted.CompareAndSwap(true, false) {
		<-s.region.sent
	}
}

// give gives a slot back.
func (s *slot) give() {
	s.countEnds.Stop()
	s.uncount()
	r := s.region
	r.mu.Lock()
	r.free = append(r.free, s)
	r.releaseIfUnused()
}

// close unmaps the memory once all slots are free.
func (r *region) close() {
	r.mu.Lock()
	r.isClosed = true
	r.releaseIfUnused()
}

// releaseIfUnused also unlocks.
func (r *region) releaseIfUnused() {
	isUnused := r.isClosed && len(r.free) == len(r.slots)
	r.mu.Unlock()
	if isUnused {
		r.release()
	}
}
