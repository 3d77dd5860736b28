package hashlane

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/mem"
)

// A part whose source gives nothing for this long sends a message without bytes, because servers end
// idle streams. A quarter of a server's default part_idle_timeout. Only tests change it.
var keepAliveInterval = 15 * time.Second

// keepAlive keeps a part alive during each read of its source. Between begin and end only keepAlive
// uses the part.
type keepAlive struct {
	part *part
	ctx  context.Context

	mu        sync.Mutex
	timer     *time.Timer
	isReading bool
}

// begin begins a read.
func (k *keepAlive) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.isReading = true
	if k.timer == nil {
		k.timer = time.AfterFunc(keepAliveInterval, k.send)
	} else {
		k.timer.Reset(keepAliveInterval)
	}
}

// end ends the read. It waits for a message that is being sent.
func (k *keepAlive) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.isReading = false
	k.timer.Stop()
}

func (k *keepAlive) send() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.isReading {
		return
	}
	// If this fails, the next message of the part fails, too.
	if k.part.send(k.ctx, payload{buffer: mem.SliceBuffer(nil)}) == nil {
		k.timer.Reset(keepAliveInterval)
	}
}
