package hashlane

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Bytes that come this long after a part's last message are sent at once, even if they fill no
// message: servers end idle streams.
const flushAfter = time.Second

// Source is where the bytes of a part come from. If the source can be read again, a part that a
// server left unanswered is sent again.
type Source struct {
	// open gives the bytes from their beginning, if nothing was read yet or the source can be reopened.
	open      func(context.Context) (*opened, error)
	sizeBytes *uint64
}

// opened is an open source.
type opened struct {
	io.ReadCloser
	// canReopen is whether the source gives the same bytes again after these were read.
	canReopen bool
	wasRead   bool
}

func (o *opened) Read(p []byte) (int, error) {
	o.wasRead = true
	return o.ReadCloser.Read(p)
}

// Bytes are in memory. They must not change until the call has returned.
func Bytes(data []byte) Source {
	return Source{open: func(context.Context) (*opened, error) {
		return &opened{ReadCloser: io.NopCloser(bytes.NewReader(data)), canReopen: true}, nil
	}}
}

// File is read from its beginning to its end, also if it grows. If it becomes shorter meanwhile, that
// is an error. A pipe or a terminal can be read only once.
func File(path string) Source {
	return Source{open: func(ctx context.Context) (*opened, error) {
		file, err := openFile(ctx, path)
		if err != nil {
			return nil, err
		}
		info, err := file.Stat()
		if err != nil {
			file.Close()
			return nil, err
		}
		kind := info.Mode().Type()
		isKept := kind == 0 || kind == fs.ModeDevice // a regular file or a block device
		whole := &wholeFile{file: file, sizeBytes: regularBytes(info)}
		return &opened{ReadCloser: whole, canReopen: isKept}, nil
	}}
}

// wholeFile is a file that fails if it ends before the length that it had when it was opened.
type wholeFile struct {
	file *os.File
	// Zero where that tells nothing, as of pipes and of most files in /proc.
	sizeBytes int64
	// Where the next read begins.
	at int64
}

func (f *wholeFile) Read(p []byte) (int, error) {
	read, err := f.file.Read(p)
	f.at += int64(read)
	if err == io.EOF && f.at < f.sizeBytes && f.isShorter() {
		err = errShorter
	}
	return read, err
}

func (f *wholeFile) Close() error { return f.file.Close() }

var errShorter = fmt.Errorf("the file became shorter while it was read: %w", io.ErrUnexpectedEOF)

// isShorter is whether the file was cut, perhaps to be written again. Files in /sys always end before
// the length that they claim.
func (f *wholeFile) isShorter() bool {
	info, err := f.file.Stat()
	if err != nil || info.Size() != f.sizeBytes {
		return true
	}
	read, err := f.file.Read(make([]byte, 1))
	return read > 0 || err != io.EOF
}

func regularBytes(info fs.FileInfo) int64 {
	if !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// openFile does not wait longer than ctx: a named pipe is open once a program opens it to write. The
// file is closed if it opens later.
func openFile(ctx context.Context, path string) (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	opening := make(chan result)
	go func() {
		file, err := os.Open(path)
		select {
		case opening <- result{file, err}:
		case <-ctx.Done():
			_ = file.Close()
		}
	}()
	select {
	case opened := <-opening:
		return opened.file, opened.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Reader is read to its end. An io.Seeker is read again from its first position; other readers can
// be read only once. An *os.File must not become shorter meanwhile.
func Reader(reader io.Reader) Source {
	if reader == nil {
		return Source{}
	}
	var start *int64
	seeker, canSeek := reader.(io.Seeker)
	if canSeek {
		// A pipe is an *os.File, and cannot seek.
		_, err := seeker.Seek(0, io.SeekCurrent)
		canSeek = err == nil
	}
	return Source{open: func(context.Context) (*opened, error) {
		given := &opened{ReadCloser: io.NopCloser(reader), canReopen: canSeek}
		if !canSeek {
			return given, nil
		}
		if start == nil {
			at, err := seeker.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, err
			}
			start = &at
		} else if _, err := seeker.Seek(*start, io.SeekStart); err != nil {
			return nil, err
		}
		if file, ok := reader.(*os.File); ok {
			info, err := file.Stat()
			if err != nil {
				return nil, err
			}
			given.ReadCloser = io.NopCloser(&wholeFile{file: file, sizeBytes: regularBytes(info), at: *start})
		}
		return given, nil
	}}
}

// Sized sets the length of the source. If the source has another length, the result is an error,
// not a digest.
func (s Source) Sized(sizeBytes uint64) Source {
	s.sizeBytes = &sizeBytes
	return s
}

// attempts calls try with a reader of the source, and again if the call failed and the bytes can be
// read again.
func (c *Client) attempts(ctx context.Context, source Source, try func(io.Reader) error) error {
	if source.open == nil {
		return argument("an empty Source, or a nil Reader: make one with Bytes, File or Reader")
	}
	reader := &opened{ReadCloser: io.NopCloser(nil), wasRead: true}
	defer func() { _ = reader.Close() }()
	return c.again(ctx, func() (mayRepeat bool, err error) {
		// An unread source stays open: a pipe that is closed loses its bytes.
		if reader.wasRead {
			_ = reader.Close()
			again, err := source.open(ctx)
			switch {
			case err != nil && ctx.Err() != nil:
				return false, ofContext(ctx)
			case err != nil:
				return false, unreadable(err)
			}
			reader = again
		}
		err = try(reader)
		return reader.canReopen || !reader.wasRead, err
	})
}
