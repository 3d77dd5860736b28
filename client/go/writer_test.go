package hashlane_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// writable is what parts of both kinds have.
type writable interface {
	io.Writer
	io.ReaderFrom
	Flush() error
}

// A part that has lost bytes has no digest and no verdict, whatever is done with it then, and the
// server frees it. The other parts of its stream go on.
func TestAPartIsDeadAfterItsFirstError(t *testing.T) {
	own := ownServer(t, freeAddress())
	client := connect(t, []string{own.address})
	digests, verdicts := client.OpenDigestStream(soon(t)), client.OpenVerifyStream(soon(t))
	data := pattern(400_000, 1)
	lost := errors.New("the disk is gone")
	failures := map[string]func([]byte) (int, error){
		"an error":                 func([]byte) (int, error) { return 0, lost },
		"an error that wraps EOF":  func([]byte) (int, error) { return 0, fmt.Errorf("%w: %w", lost, io.EOF) },
		"an error with last bytes": func(p []byte) (int, error) { return copy(p, "abc"), lost },
		"a panic":                  func([]byte) (int, error) { panic(lost) },
	}
	for failure, read := range failures {
		digest, err := digests.Part(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		verify, err := verdicts.Part(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		finishes := map[writable]func() error{
			digest: func() error { _, err := digest.Finish(soon(t)); return err },
			verify: func() error { _, err := verify.Finish(soon(t), sum256(data[:300_000])); return err },
		}
		for part, finish := range finishes {
			name := fmt.Sprintf("%T, %s", part, failure)
			var first error
			func() {
				defer func() { _ = recover() }()
				_, first = part.ReadFrom(io.MultiReader(bytes.NewReader(data[:300_000]), readerFunc(read)))
			}()
			if failure != "a panic" && !errors.Is(first, lost) {
				t.Error(name, first)
			}
			_, again := part.ReadFrom(bytes.NewReader(data[300_000:]))
			_, write := part.Write(data[300_000:])
			for _, later := range []error{again, write, part.Flush(), finish(), finish()} {
				if later == nil || first != nil && later != first {
					t.Errorf("%s: after %v it gives %v", name, first, later)
				}
			}
		}
		until(t, "the server's parts are freed", func() bool { return own.metric(t, "hashlane_open_jobs") == 0 })
	}
	answer, err := digests.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if answer, err := verdicts.Verify(soon(t), hashlane.Bytes(data), sum256(data)); err != nil || !answer.IsMatch() {
		t.Fatal(answer, err)
	}
	if err := errors.Join(digests.Close(), verdicts.Close()); err != nil {
		t.Fatal(err)
	}
}

// A server ends idle calls. A part or a message of which nothing was sent loses nothing by that.
func TestAPartThatWaitsForItsFirstBytes(t *testing.T) {
	own := ownServer(t, freeAddress(), "--part-idle-timeout", "1s")
	client, data := connect(t, []string{own.address}), pattern(300_000, 1)
	stream := client.OpenDigestStream(soon(t))
	untouched, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	hash := client.NewHash(soon(t), hashlane.SHA256)
	defer hash.Close()
	if _, err := hash.Write(nil); err != nil {
		t.Fatal(err)
	}
	until(t, "the calls are over", func() bool { return untouched.CallIsOver() && hash.CallIsOver() })
	answer, err := untouched.Finish(soon(t))
	wantSHA256(t, answer, err, nil)
	if _, err := hash.Write(data); err != nil {
		t.Fatal(err)
	}
	if sum := hash.Sum(nil); !bytes.Equal(sum, sum256(data).Bytes) {
		t.Fatal(sum, hash.Err())
	}
	// Bytes that were sent are lost.
	part, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		t.Fatal(err)
	}
	until(t, "the call is over", part.CallIsOver)
	var known *hashlane.Error
	if _, err := part.Finish(soon(t)); !errors.As(err, &known) || known.Reason != "STREAM_IDLE" {
		t.Fatal(err)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
}

// A source whose error wraps io.EOF is cut, too.
func TestASourceThatFailsWithAWrappedEOF(t *testing.T) {
	cut := readerFunc(func([]byte) (int, error) { return 0, fmt.Errorf("the connection is lost: %w", io.EOF) })
	source := io.MultiReader(bytes.NewReader(pattern(100_000, 1)), cut)
	if answer, err := shared(t).Digest(soon(t), hashlane.Reader(source)); err == nil {
		t.Fatal("a digest of cut bytes", answer)
	}
}
