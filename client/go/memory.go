package hashlane

import (
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// Bytes of a slot, and so the most of a message that names one.
	slotBytes = 128 << 10
	// A message with fewer bytes goes through the socket: that costs less than to be told that a slot
	// is free.
	slotUsedBytesMin = 16 << 10
	// Slots of a call that the server has not read. More only leave the cache.
	unreadSlotsMax = 4
	// More than the server shares with one connection.
	memoryBytesMax = 64 << 20
	// Time for the server's reply.
	memoryReplyTimeout = time.Second
	// After a server shared no memory, it is asked again no sooner than this.
	memoryPause = time.Minute
)

// memory is the memory that one connection shares with a server on this machine: see "Shared memory"
// in docs/protocol.md. A nil memory is none.
type memory struct {
	// Where the server shares memory.
	socket string
	bytes  int
	asked  *memoryAsked

	mu       sync.Mutex
	region   *region
	isClosed bool
}

// memoryAsked is what the connections to one endpoint know about its server.
type memoryAsked struct {
	mu sync.Mutex
	// No request for memory before this, once the server shared none.
	pauseUntil time.Time
}

// memories gives the memory of each connection to an endpoint.
func memories(endpoint string, bytes int) func() *memory {
	path, isUnix := strings.CutPrefix(endpoint, "unix:")
	path = strings.TrimPrefix(path, "//")
	if !isUnix || !canShareMemory || bytes < slotBytes {
		return func() *memory { return nil }
	}
	asked := &memoryAsked{}
	return func() *memory { return &memory{socket: path + ".memory", bytes: bytes, asked: asked} }
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
	if !m.isClosed {
		m.region = m.asked.region(m.socket, m.bytes)
	}
	return m.region
}

func (a *memoryAsked) region(socket string, bytes int) *region {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Now().Before(a.pauseUntil) {
		return nil
	}
	shared, err := askRegion(socket, bytes)
	if err != nil {
		slog.Info("hashlane: the server shares no memory", "socket", socket, "error", err)
		a.pauseUntil = time.Now().Add(memoryPause)
		return nil
	}
	return shared
}

// forget gives up memory that the server does not know.
func (m *memory) forget() {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.drop()
	m.mu.Unlock()
	m.asked.mu.Lock()
	m.asked.pauseUntil = time.Now().Add(memoryPause)
	m.asked.mu.Unlock()
}

// close ends the sharing. Memory that is still written stays until then.
func (m *memory) close() {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.isClosed = true
	m.drop()
	m.mu.Unlock()
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
}

func newRegion(id string, mapped []byte, isAlive func() bool, release func()) *region {
	r := &region{id: id, isAlive: isAlive, release: release, slots: make([]slot, len(mapped)/slotBytes)}
	for i := range r.slots {
		offset := i * slotBytes
		r.slots[i] = slot{region: r, offset: offset, memory: mapped[offset : offset+slotBytes : offset+slotBytes]}
		r.free = append(r.free, &r.slots[i])
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

// give gives a slot back.
func (s *slot) give() {
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
