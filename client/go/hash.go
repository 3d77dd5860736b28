package hashlane

import (
	"context"
	"hash"
	"io"
	"slices"
)

// Hash digests what is written to it: a hash.Hash, with these differences. A digest may fail: then
// Sum appends nothing and Err says why, or use Digest. The server computes the digest once, so Sum
// ends the message: it gives the same digest again, and Write fails until Reset. Written bytes go
// to the server at once and cannot be sent again: use Client.Digest with a Source if it must
// survive a lost connection.
type Hash struct {
	client    *Client
	ctx       context.Context
	algorithm Algorithm
	stream    *DigestStream
	part      *DigestPart
	// The message has ended with this digest.
	digest []byte
	// Why there is no digest, until Reset.
	err error
}

var (
	_ hash.Hash     = (*Hash)(nil)
	_ io.ReaderFrom = (*Hash)(nil)
)

// NewHash begins a message. The call begins with the first Write, or with Sum. ctx bounds it. The
// server ends a call on which nothing comes for a minute, unless it has another part_idle_timeout.
func (c *Client) NewHash(ctx context.Context, algorithm Algorithm) *Hash {
	return &Hash{client: c, ctx: ctx, algorithm: algorithm}
}

// Write takes the message's next bytes.
func (h *Hash) Write(data []byte) (int, error) {
	if err := h.begin(); err != nil {
		return 0, err
	}
	written, err := h.part.Write(data)
	if err != nil {
		h.end(err)
	}
	return written, err
}

// ReadFrom takes all that the reader gives; io.Copy calls it.
func (h *Hash) ReadFrom(reader io.Reader) (int64, error) {
	if err := h.begin(); err != nil {
		return 0, err
	}
	read, err := h.part.ReadFrom(reader)
	if err != nil {
		h.end(err)
	}
	return read, err
}

// Digest ends the message and gives its digest.
func (h *Hash) Digest() ([]byte, error) {
	if h.digest != nil {
		return slices.Clone(h.digest), nil
	}
	if err := h.begin(); err != nil {
		return nil, err
	}
	answer, err := h.part.Finish(h.ctx)
	if err != nil {
		h.end(err)
		return nil, err
	}
	<-h.part.part.call.done
	h.end(nil)
	h.digest = answer.Of(h.algorithm)
	return slices.Clone(h.digest), nil
}

// Sum ends the message and appends its digest to b. If there is none it appends nothing: see Err.
func (h *Hash) Sum(b []byte) []byte {
	digest, _ := h.Digest()
	return append(b, digest...)
}

// Err is why the message has no digest, if it failed.
func (h *Hash) Err() error { return h.err }

// Reset abandons the message and begins another one. After Close it does nothing.
func (h *Hash) Reset() {
	if h.err != errHashClosed {
		h.end(nil)
	}
}

// Close abandons the message, if Sum has not ended it, and no other one follows.
func (h *Hash) Close() error {
	h.end(errHashClosed)
	return nil
}

var errHashClosed = argument("the hash is closed: make another one")

// Size is the bytes of a digest.
func (h *Hash) Size() int { return h.algorithm.DigestBytes() }

// BlockSize is the length of writes that is cheapest.
func (h *Hash) BlockSize() int { return messageBytes }

func (h *Hash) begin() error {
	if h.digest != nil {
		return argument("Sum has ended the message: call Reset to begin another one")
	}
	if h.err != nil || h.part != nil {
		return h.err
	}
	h.stream = &DigestStream{h.client.newLoneStream(h.ctx, digestMethod)}
	part, err := h.stream.Part(h.ctx, h.algorithm)
	if err != nil {
		h.end(err)
		return err
	}
	h.part = part
	return nil
}

// end ends the call, too: its status is not awaited.
func (h *Hash) end(err error) {
	if h.stream != nil {
		h.stream.stream.cancel()
	}
	h.stream, h.part, h.digest, h.err = nil, nil, nil, err
}
