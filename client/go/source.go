package hashlane

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync"
	"time"

	"google.golang.org/grpc/mem"
)

// A slow source's bytes are sent after this long, though they fill no message: servers end streams
// on which nothing comes.
const flushAfter = time.Second

// Source is where the bytes of a part come from. If it can be read again, a part that a server left
// unanswered is sent again.
type Source struct {
	// open gives the bytes from their beginning.
	open func() (io.ReadCloser, error)
	// canReopen is whether it does so after bytes were read.
	canReopen bool
	sizeBytes *uint64
}

// Bytes are in memory. They must not change until the call has returned.
func Bytes(data []byte) Source {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return Source{open: open, canReopen: true}
}

// File is read from its beginning to its end.
func File(path string) Source {
	return Source{open: func() (io.ReadCloser, error) { return os.Open(path) }, canReopen: true}
}

// Reader is read to its end. An io.Seeker is read again from where it stood; what another reader
// gave is gone.
func Reader(reader io.Reader) Source {
	var start *int64
	seeker, canSeek := reader.(io.Seeker)
	if canSeek {
		// A pipe is an *os.File, and cannot seek.
		_, err := seeker.Seek(0, io.SeekCurrent)
		canSeek = err == nil
	}
	open := func() (io.ReadCloser, error) {
		if !canSeek {
			return io.NopCloser(reader), nil
		}
		if start != nil {
			_, err := seeker.Seek(*start, io.SeekStart)
			return io.NopCloser(reader), err
		}
		at, err := seeker.Seek(0, io.SeekCurrent)
		start = &at
		return io.NopCloser(reader), err
	}
	return Source{open: open, canReopen: canSeek}
}

// Sized says how long the source is. If it has another length there is an error and no digest.
func (s Source) Sized(sizeBytes uint64) Source {
	s.sizeBytes = &sizeBytes
	return s
}

// attempts calls try with a reader of the source, and again if the call failed and the bytes are
// still there.
func (c *Client) attempts(ctx context.Context, source Source, try func(io.Reader) error) error {
	return c.again(ctx, func() (mayRepeat bool, err error) {
		opened, err := source.open()
		if err != nil {
			return false, unreadable(err)
		}
		defer opened.Close()
		reader := &watched{Reader: opened}
		err = try(reader)
		return source.canReopen || !reader.wasRead, err
	})
}

// watched knows whether anything was read.
type watched struct {
	io.Reader
	wasRead bool
}

func (w *watched) Read(p []byte) (int, error) {
	w.wasRead = true
	return w.Reader.Read(p)
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

// readMessage reads until a message is full, the source has ended (io.EOF), or bytes have waited for
// flushAfter. The caller frees the buffer, or sends it.
func readMessage(reader io.Reader) (mem.Buffer, error) {
	buffer := buffers.Get(messageBytes)
	room := *buffer
	length := 0
	var first time.Time
	var err error
	for length < len(room) && err == nil {
		var read int
		read, err = reader.Read(room[length:])
		if read > 0 && length+read < len(room) && err == nil {
			if now := time.Now(); first.IsZero() {
				first = now
			} else if now.Sub(first) >= flushAfter {
				length += read
				break
			}
		}
		length += read
	}
	*buffer = room[:length]
	return mem.NewBuffer(buffer, &buffers), err
}
