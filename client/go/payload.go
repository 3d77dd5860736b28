package hashlane

import (
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields of requests, and of a range of memory.
const (
	memoryField       = 14
	dataField         = 15
	memoryOffsetField = 1
	memoryLengthField = 2
)

// payload is the bytes of a message: in a buffer, in shared memory, or none.
type payload struct {
	buffer mem.Buffer
	slot   *slot
}

func (p payload) length() int {
	switch {
	case p.buffer != nil:
		return p.buffer.Len()
	case p.slot != nil:
		return p.slot.length
	default:
		return 0
	}
}

// free drops bytes that are not sent.
func (p payload) free() {
	if p.buffer != nil {
		p.buffer.Free()
	}
	if p.slot != nil {
		p.slot.give()
	}
}

// appendTo appends the range in memory to the other fields of a message, or what precedes its data.
func (p payload) appendTo(head []byte) []byte {
	switch {
	case p.buffer != nil:
		head = protowire.AppendTag(head, dataField, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(p.buffer.Len()))
	case p.slot != nil:
		offset, length := uint64(p.slot.offset), uint64(p.slot.length)
		bytes := 2 + protowire.SizeVarint(offset) + protowire.SizeVarint(length)
		head = protowire.AppendTag(head, memoryField, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(bytes))
		head = protowire.AppendTag(head, memoryOffsetField, protowire.VarintType)
		head = protowire.AppendVarint(head, offset)
		head = protowire.AppendTag(head, memoryLengthField, protowire.VarintType)
		head = protowire.AppendVarint(head, length)
	}
	return head
}

// copyOf copies the bytes, or the first of them: to memory if they are many and a slot is free.
func (r *region) copyOf(bytes []byte) payload {
	if len(bytes) >= slotUsedBytesMin {
		if slot := r.slot(); slot != nil {
			slot.length = copy(slot.memory, bytes)
			return payload{slot: slot}
		}
	}
	return bufferOf(bytes)
}

// read reads a message: to memory if a slot is free. It reads until the message is full, the source
// has ended (io.EOF), or flushAfter has passed since the last message.
func (r *region) read(reader io.Reader, lastSent time.Time) (payload, error) {
	slot := r.slot()
	if slot == nil {
		buffer := buffers.Get(messageBytes)
		length, err := fill(*buffer, reader, lastSent)
		*buffer = (*buffer)[:length]
		return payload{buffer: mem.NewBuffer(buffer, &buffers)}, err
	}
	isUsed := false
	defer func() {
		// The reader may have panicked.
		if !isUsed {
			slot.give()
		}
	}()
	length, err := fill(slot.memory, reader, lastSent)
	if length < slotUsedBytesMin {
		return bufferOf(slot.memory[:length]), err
	}
	isUsed, slot.length = true, length
	return payload{slot: slot}, err
}

func fill(room []byte, reader io.Reader, lastSent time.Time) (length int, err error) {
	for length < len(room) && err == nil && (length == 0 || time.Since(lastSent) < flushAfter) {
		var read int
		read, err = reader.Read(room[length:])
		length += read
	}
	return length, err
}

// bufferOf copies the bytes, or the first of them, to a buffer of the pool.
func bufferOf(bytes []byte) payload {
	buffer := buffers.Get(messageBytes)
	*buffer = (*buffer)[:copy(*buffer, bytes)]
	return payload{buffer: mem.NewBuffer(buffer, &buffers)}
}

// bufferPool has buffers of one message each. grpc-go's own pool would give ones of 1 MiB.
type bufferPool struct{ pool sync.Pool }

var buffers bufferPool

func (b *bufferPool) Get(int) *[]byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return buffer
	}
	buffer := make([]byte, messageBytes)
	return &buffer
}

func (b *bufferPool) Put(buffer *[]byte) {
	*buffer = (*buffer)[:messageBytes]
	b.pool.Put(buffer)
}
