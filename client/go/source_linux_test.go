package hashlane_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// atEachCall is a client that calls act before each of its calls: then a source is open, but not read.
func atEachCall(t *testing.T, endpoint string, act func() error) *hashlane.Client {
	t.Helper()
	return connect(t, []string{endpoint}, hashlane.WithTokenSource(func() (string, error) {
		return "token", act()
	}))
}

// must fails the test, at once, if something cannot be done to its files.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sourcesOf is a file as a path, and as an open file whose first ten bytes are read.
func sourcesOf(t *testing.T, path string) map[string]hashlane.Source {
	file, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { file.Close() })
	_, err = file.Seek(10, io.SeekStart)
	must(t, err)
	return map[string]hashlane.Source{"path": hashlane.File(path), "open file": hashlane.Reader(file)}
}

// A file that becomes shorter while it is read has no digest.
func TestAFileThatBecomesShorter(t *testing.T) {
	socket := socketPath(t)
	own := ownServer(t, freeAddress(), "--listen-unix", socket)
	path, data := filepath.Join(t.TempDir(), "file"), pattern(mib, 1)
	for _, endpoint := range []string{own.address, "unix:" + socket} {
		for _, left := range []int64{0, 10, 11, mib / 2, mib - 1} {
			must(t, os.WriteFile(path, data, 0o600))
			for name, source := range sourcesOf(t, path) {
				must(t, os.WriteFile(path, data, 0o600))
				client := atEachCall(t, endpoint, func() error { return os.Truncate(path, left) })
				stream := client.OpenDigestStream(soon(t))
				_, lone := client.Digest(soon(t), source)
				must(t, os.WriteFile(path, data, 0o600))
				_, ofStream := stream.Digest(soon(t), source)
				for _, err := range []error{lone, ofStream} {
					if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "became shorter") {
						t.Errorf("%s of a %s, %d bytes are left: %v", endpoint, name, left, err)
					}
				}
				must(t, stream.Close())
				must(t, client.Close())
			}
		}
	}
}

// A file that grows is read to its end.
func TestAFileThatGrows(t *testing.T) {
	path, data := filepath.Join(t.TempDir(), "file"), pattern(mib, 2)
	must(t, os.WriteFile(path, data[:mib/2], 0o600))
	sources := sourcesOf(t, path)
	client := atEachCall(t, address, func() error { return os.WriteFile(path, data, 0o600) })
	answer, err := client.Digest(soon(t), sources["path"])
	wantSHA256(t, answer, err, data)
	answer, err = client.Digest(soon(t), sources["open file"])
	wantSHA256(t, answer, err, data[10:])
}

// Such files claim to be empty, or to have a page.
func TestFilesOfTheKernel(t *testing.T) {
	for _, path := range []string{"/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for name, source := range sourcesOf(t, path) {
			want := data
			if name == "open file" {
				want = data[10:]
			}
			answer, err := shared(t).Digest(soon(t), source)
			wantSHA256(t, answer, err, want)
		}
	}
}

// A file that changes before it is sent again is read from its beginning.
func TestAFileThatChangesBeforeARetry(t *testing.T) {
	data := [][]byte{pattern(mib, 1), pattern(mib+1, 2), pattern(mib+2, 3)}
	for _, how := range []string{"written", "replaced"} {
		path := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(path, data[0], 0o600))
		fake := newFake(t)
		fake.refuse.Store(2)
		fake.refused = func(calls int64) {
			at := path
			if how == "replaced" {
				at += ".new"
			}
			if err := errors.Join(os.WriteFile(at, data[calls], 0o600), os.Rename(at, path)); err != nil {
				t.Error(err)
			}
		}
		answer, err := connect(t, []string{fake.address}).Digest(soon(t), hashlane.File(path))
		wantSHA256(t, answer, err, data[2])
		if calls := fake.calls.Load(); calls != 3 {
			t.Fatal(how, calls)
		}
	}
}
