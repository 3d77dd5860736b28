package hashlane

import (
	"context"
)

// Hash digests what is written to it, as a hash.Hash does. It is not one: a digest may fail, so Sum
// has an error, and the server computes it once, so Sum ends the message. Write after it fails until
// Reset. What is written goes to the server at once and cannot be sent again: use Client.Digest with
// a Source where a lost connection should not matter.
type Hash struct {
	client    *Client
	ctx       context.Context
	algorithm Algorithm
	stream    *DigestStream
	part      *DigestPart
	// Why it is over, until Reset.
	err error
}

// NewHash begins a message. The call begins with the first Write, or with Sum. ctx bounds it.
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

// Sum ends the message and appends its digest to b.
func (h *Hash) Sum(b []byte) ([]byte, error) {
	if err := h.begin(); err != nil {
		return b, err
	}
	answer, err := h.part.Finish(h.ctx)
	if err != nil {
		h.end(err)
		return b, err
	}
	<-h.part.part.call.done
	h.end(argument("Sum has ended the message: call Reset to begin another one"))
	return append(b, answer.Of(h.algorithm)...), nil
}

// Reset gives the message up and begins another one.
func (h *Hash) Reset() {
	h.end(nil)
}

// Close gives the message up, if Sum has not ended it.
func (h *Hash) Close() error {
	h.end(argument("the hash is closed"))
	return nil
}

// Size is the bytes of a digest.
func (h *Hash) Size() int { return h.algorithm.DigestBytes() }

// BlockSize is the length of writes that is cheapest.
func (h *Hash) BlockSize() int { return messageBytes }

func (h *Hash) begin() error {
	if h.err != nil || h.part != nil {
		return h.err
	}
	h.stream = h.client.OpenDigestStream(h.ctx)
	part, err := h.stream.Part(h.ctx, h.algorithm)
	if err != nil {
		h.end(err)
		return err
	}
	// No other part follows: the call ends with this one.
	part.part.call.close()
	h.part = part
	return nil
}

// end is the end of the call too: nothing waits for its status.
func (h *Hash) end(err error) {
	if h.stream != nil {
		h.stream.stream.cancel()
	}
	h.stream, h.part, h.err = nil, nil, err
}
