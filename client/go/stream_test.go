package hashlane_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// All parts are open at once, on one call, and are written in turn.
func TestInterleavedParts(t *testing.T) {
	const count = 64
	own := ownServer(t, freeAddress())
	stream := connect(t, []string{own.address}).OpenDigestStream(soon(t))
	parts := make([]*hashlane.DigestPart, count)
	for i := range parts {
		part, err := stream.Part(soon(t), hashlane.MD5, hashlane.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		parts[i] = part
	}
	for round := range 5 {
		for i, part := range parts {
			if _, err := part.Write(pattern(100+37_003*i/10, round)); err != nil {
				t.Fatal(err)
			}
			if err := part.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	until(t, "all parts are open, on one call", func() bool {
		return own.metric(t, "hashlane_open_jobs") == 2*count && own.metric(t, "hashlane_streams") == 1
	})
	for i := count - 1; i >= 0; i-- {
		var data []byte
		for round := range 5 {
			data = append(data, pattern(100+37_003*i/10, round)...)
		}
		answer, err := parts[i].Finish(soon(t))
		wantSHA256(t, answer, err, data)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestConcurrentWriters(t *testing.T) {
	const count = 64
	stream := shared(t).OpenVerifyStream(soon(t))
	errs := each(count, func(i int) error {
		data := pattern(1+i*30_011, i)
		expected := sum256(data)
		isWrong := i%3 == 0
		if isWrong {
			expected.Bytes[i%32] ^= 1
		}
		part, err := stream.Part(soon(t))
		if err != nil {
			return err
		}
		for rest := data; len(rest) > 0; rest = rest[min(10_007, len(rest)):] {
			if _, err := part.Write(rest[:min(10_007, len(rest))]); err != nil {
				return err
			}
		}
		answer, err := part.Finish(soon(t), expected)
		if err == nil && answer.IsMatch() == isWrong {
			err = fmt.Errorf("part %d: %v", i, answer)
		}
		return err
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Part(soon(t)); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}

// A failure of one part leaves the others alone.
func TestFailuresStayWithTheirPart(t *testing.T) {
	stream := shared(t).OpenVerifyStream(soon(t))
	good, err := stream.Part(soon(t), hashlane.MD5)
	if err != nil {
		t.Fatal(err)
	}
	given, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := given.Write([]byte("given up")); err != nil {
		t.Fatal(err)
	}
	given.Discard()
	if _, err := given.Write([]byte("more")); err == nil {
		t.Fatal("a part that was given up takes bytes")
	}
	never, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	never.Discard()
	other, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	md := hashlane.Digest{Algorithm: hashlane.MD5, Bytes: bytes.Repeat([]byte{7}, 16)}
	if _, err := other.Finish(soon(t), md); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
	var known *hashlane.Error
	long := hashlane.Bytes([]byte("abc")).Sized(2)
	if _, err := stream.Verify(soon(t), long, sum256([]byte("abc"))); !errors.As(err, &known) || known.Reason != "SIZE_MISMATCH" {
		t.Fatal(err)
	}
	if _, err := good.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	right, err := hashlane.ParseDigest(hashlane.MD5, "900150983CD24FB0D6963F7D28E17F72")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := good.Finish(soon(t), right); err != nil || !answer.IsMatch() {
		t.Fatal(answer, err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
}

// More parts than a stream may have unanswered: the rest wait their turn.
func TestMorePartsThanMayWait(t *testing.T) {
	stream := shared(t).OpenDigestStream(soon(t))
	var mu sync.Mutex
	answered := 0
	errs := each(1500, func(i int) error {
		data := pattern(i, i)
		answer, err := stream.Digest(soon(t), hashlane.Bytes(data))
		if err == nil && !answer.Digests[0].Equal(sum256(data)) {
			err = fmt.Errorf("part %d: %v", i, answer)
		}
		mu.Lock()
		answered++
		mu.Unlock()
		return err
	})
	if err := errors.Join(errs...); err != nil || answered != 1500 {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
}

// A call that cannot be opened yet keeps neither a part longer than its context nor Close.
func TestOpeningIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(soon(t))
	opens := soon(t)
	client := connect(t, []string{address}, hashlane.WithTokenSource(func() (string, error) {
		cancel()
		<-opens.Done()
		return "", opens.Err()
	}))
	stream := client.OpenDigestStream(soon(t))
	if _, err := stream.Part(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := stream.Close(); err != nil || opens.Err() != nil {
		t.Error(err, opens.Err())
	}
}
