package hashlane_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hashlane "github.com/hashlane/hashlane/client/go"
)

const (
	slot      = 128 << 10
	bytesRead = "hashlane_shared_memory_bytes_total"
)

// unixServer is a server with a Unix socket of this path.
func unixServer(t *testing.T, path string, flags ...string) *server {
	t.Helper()
	return ownServer(t, freeAddress(), append([]string{"--listen-unix", path}, flags...)...)
}

func socketPath(t *testing.T) string { return filepath.Join(t.TempDir(), "s") }

// logged gathers what is logged during the test.
func logged(t *testing.T) *bytes.Buffer {
	t.Helper()
	before, log := slog.Default(), &bytes.Buffer{}
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return log
}

// sharing is a client that shares memory. A busy machine may be late for a reply.
func sharing(t *testing.T, path string, options ...hashlane.Option) *hashlane.Client {
	t.Helper()
	client := connect(t, []string{"unix:" + path}, options...)
	until(t, "memory is shared", func() bool {
		client.EndMemoryPause()
		answer, err := client.Digest(soon(t), hashlane.Bytes(nil))
		wantSHA256(t, answer, err, nil)
		_, all := client.Slots()
		return all > 0
	})
	return client
}

// wantSlotsFree waits until nothing uses the memory, of which there must be some.
func wantSlotsFree(t *testing.T, client *hashlane.Client) {
	t.Helper()
	until(t, "all slots are free", func() bool {
		free, all := client.Slots()
		return free == all && all > 0
	})
}

func TestBytesInSharedMemory(t *testing.T) {
	path := socketPath(t)
	own := unixServer(t, path)
	client := sharing(t, path, hashlane.WithConnections(1))
	file := filepath.Join(t.TempDir(), "file")
	for _, length := range []int{0, 1, 16<<10 - 1, 16 << 10, 100_000, slot - 1, slot, slot + 1, slot + 16<<10, 3*mib + 5} {
		data := pattern(length, length)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, source := range map[string]hashlane.Source{
			"bytes": hashlane.Bytes(data), "file": hashlane.File(file),
			"reader": hashlane.Reader(iotest.HalfReader(bytes.NewReader(data))),
		} {
			before := own.metric(t, bytesRead)
			answer, err := client.Digest(soon(t), source)
			wantSHA256(t, answer, err, data)
			// A message of less than 16 KiB goes through the socket.
			want := length
			if last := length % slot; last < 16<<10 {
				want -= last
			}
			if read := own.metric(t, bytesRead) - before; read != float64(want) {
				t.Errorf("%s of %d: %v in memory, not %d", name, length, read, want)
			}
		}
	}
	data := pattern(2*mib, 3)
	if answer, err := client.Verify(soon(t), hashlane.Bytes(data), sum256(data)); err != nil || !answer.IsMatch() {
		t.Fatal(answer, err)
	}
	wantSlotsFree(t, client)
	before := own.metric(t, bytesRead)
	without := connect(t, []string{"unix:" + path}, hashlane.WithSharedMemoryBytes(0))
	answer, err := without.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if own.metric(t, bytesRead) != before {
		t.Fatal("memory is used that the client must not share")
	}
	answer, err = sharing(t, "//"+path).Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if own.metric(t, bytesRead) != before+2*mib {
		t.Fatal("unix:// shares no memory")
	}
	for _, bytes := range []int{-1, 64<<20 + 1} {
		if _, err := hashlane.Connect([]string{"unix:" + path}, hashlane.WithSharedMemoryBytes(bytes)); status.Code(err) != codes.InvalidArgument {
			t.Error(bytes, err)
		}
	}
}

func TestConnectionsShareOneMemory(t *testing.T) {
	path, data := socketPath(t), pattern(mib, 10)
	own := unixServer(t, path)
	client := sharing(t, path, hashlane.WithConnections(4))
	var parts []*hashlane.DigestPart
	for range 4 {
		stream := client.OpenDigestStream(soon(t))
		part, err := stream.Part(soon(t))
		if err == nil {
			_, err = part.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	until(t, "the server has one memory", func() bool {
		return own.metric(t, `hashlane_budget_used{budget="shared_memory_regions"`) == 1
	})
	for _, part := range parts {
		answer, err := part.Finish(soon(t))
		wantSHA256(t, answer, err, data)
	}
	if read := own.metric(t, bytesRead); read != 4*mib {
		t.Fatalf("%v bytes in memory", read)
	}
}

// Written bytes are gathered, and a reader reads straight into memory.
func TestWritersInSharedMemory(t *testing.T) {
	path := socketPath(t)
	own := unixServer(t, path)
	client := sharing(t, path, hashlane.WithConnections(1))
	data := pattern(5*mib, 4)
	random := rand.New(rand.NewPCG(1, 2))
	stream := client.OpenDigestStream(soon(t))
	part, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	for rest := data; len(rest) > 0; {
		length := min(len(rest), random.IntN(300_000))
		if _, err := part.Write(rest[:length]); err != nil {
			t.Fatal(err)
		}
		rest = rest[length:]
	}
	answer, err := part.Finish(soon(t))
	wantSHA256(t, answer, err, data)
	if read := own.metric(t, bytesRead); read != 5*mib {
		t.Fatalf("%v of the bytes written are in memory", read)
	}
	if part, err = stream.Part(soon(t)); err != nil {
		t.Fatal(err)
	}
	const total = 64 * mib
	rest := total
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	read, err := io.Copy(part, readerFunc(func(p []byte) (int, error) {
		if rest == 0 {
			return 0, io.EOF
		}
		if len(p) != slot {
			t.Errorf("a read of %d bytes", len(p))
		}
		rest -= len(p)
		clear(p)
		return len(p), nil
	}))
	runtime.ReadMemStats(&after)
	if err != nil || read != total {
		t.Fatal(read, err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > total/8 {
		t.Errorf("%d bytes are allocated", allocated)
	}
	answer, err = part.Finish(soon(t))
	wantSHA256(t, answer, err, make([]byte, total))
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	wantSlotsFree(t, client)
}

// Two clients, more writers than slots, and parts that are cancelled, discarded or fail.
func TestSlotsComeBack(t *testing.T) {
	path := socketPath(t)
	unixServer(t, path)
	clients := []*hashlane.Client{
		sharing(t, path, hashlane.WithConnections(2)),
		sharing(t, path, hashlane.WithSharedMemoryBytes(5*slot)),
	}
	stopped := errors.New("stopped")
	one := func(client *hashlane.Client, stream *hashlane.DigestStream, i int) error {
		data := pattern(600_000+i, i)
		ctx, cancel := context.WithCancel(soon(t))
		defer cancel()
		broken := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(stopped))
		switch i % 6 {
		case 0:
			broken = io.MultiReader(bytes.NewReader(data), readerFunc(func([]byte) (int, error) {
				cancel()
				return 0, io.EOF
			}))
			if _, err := client.Digest(ctx, hashlane.Reader(broken)); status.Code(err) != codes.Canceled {
				return fmt.Errorf("cancelled: %w", err)
			}
			return nil
		case 1:
			if _, err := client.Digest(ctx, hashlane.Reader(broken)); !errors.Is(err, stopped) {
				return fmt.Errorf("unreadable: %w", err)
			}
			return nil
		case 2:
			part, err := stream.Part(ctx)
			if err == nil {
				_, err = part.Write(data)
				part.Discard()
			}
			return err
		case 3:
			if _, err := stream.Digest(ctx, hashlane.Bytes(data).Sized(uint64(len(data)-1))); status.Code(err) != codes.InvalidArgument {
				return fmt.Errorf("another size: %w", err)
			}
			return nil
		case 4:
			brief, cancel := context.WithTimeout(ctx, time.Duration(i)*100*time.Microsecond)
			defer cancel()
			if _, err := stream.Digest(brief, hashlane.Bytes(data)); err != nil && status.Code(err) != codes.DeadlineExceeded {
				return fmt.Errorf("late: %w", err)
			}
			return nil
		}
		answer, err := stream.Digest(ctx, hashlane.Bytes(data), hashlane.SHA256)
		if err == nil && !bytes.Equal(answer.Of(hashlane.SHA256), sum256(data).Bytes) {
			err = errors.New("a wrong digest")
		}
		return err
	}
	for range 3 {
		errs := each(2, func(i int) error {
			stream := clients[i].OpenDigestStream(soon(t))
			errs := each(60, func(j int) error { return one(clients[i], stream, j) })
			return errors.Join(append(errs, stream.Close())...)
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, client := range clients {
		wantSlotsFree(t, client)
	}
}

// A source that is silent keeps its slot, and the others go through the socket.
func TestNoPartWaitsForASlot(t *testing.T) {
	path := socketPath(t)
	own := unixServer(t, path)
	client := sharing(t, path, hashlane.WithConnections(1), hashlane.WithSharedMemoryBytes(slot))
	reader, writer := io.Pipe()
	reading := make(chan struct{})
	var once sync.Once
	done := make(chan error)
	go func() {
		_, err := client.Digest(soon(t), hashlane.Reader(readerFunc(func(p []byte) (int, error) {
			once.Do(func() { close(reading) })
			return reader.Read(p)
		})))
		done <- err
	}()
	<-reading
	data := pattern(mib, 5)
	answer, err := client.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if read := own.metric(t, bytesRead); read != 0 {
		t.Fatalf("%v bytes in memory", read)
	}
	writer.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	answer, err = client.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if own.metric(t, bytesRead) == 0 {
		t.Fatal("the slot is not used again")
	}
}

func TestAServerThatIsRestartedSharesAgain(t *testing.T) {
	path := socketPath(t)
	first := unixServer(t, path)
	client := sharing(t, path, hashlane.WithConnections(1))
	data := pattern(mib, 6)
	answer, err := client.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	first.kill()
	second := unixServer(t, path)
	answer, err = client.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if second.metric(t, bytesRead) == 0 {
		t.Fatal("no memory is shared any more")
	}
	// A call that finds no server does not keep later ones from its successor's memory for long.
	second.kill()
	done := make(chan error, 1)
	go func() {
		_, err := client.Digest(soon(t), hashlane.Bytes(data))
		done <- err
	}()
	until(t, "the client has asked for memory", client.IsPausing)
	second = unixServer(t, path)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); second.metric(t, bytesRead) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			t.Fatal("no memory is shared for long")
		}
		answer, err = client.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
	}
	// A server that goes during a call: the bytes are sent again, and the next server shares nothing.
	var once sync.Once
	log := logged(t)
	seeker := bytes.NewReader(data)
	answer, err = client.Digest(soon(t), hashlane.Reader(struct {
		io.Reader
		io.Seeker
	}{readerFunc(func(p []byte) (int, error) {
		if seeker.Len() < mib/2 {
			once.Do(func() {
				second.kill()
				unixServer(t, path, "--shared-memory=false")
			})
		}
		return seeker.Read(p)
	}), seeker}))
	wantSHA256(t, answer, err, data)
	if strings.Count(log.String(), "the server shares no memory") != 1 {
		t.Fatal(log)
	}
}

// memoryServer answers requests for memory of the server at this path, and counts them.
func memoryServer(t *testing.T, path string, answer func(*net.UnixConn)) *atomic.Int64 {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path + ".memory", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	count := &atomic.Int64{}
	group.Go(func() {
		for {
			socket, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			count.Add(1)
			// It ends with the client, or here.
			group.Go(func() {
				defer socket.Close()
				request := make([]byte, 16)
				if _, err := io.ReadFull(socket, request); err != nil || string(request[:8]) != "HLSM\x00\x00\x00\x01" {
					t.Errorf("%q %v", request, err)
				}
				answer(socket)
				_, _ = io.Copy(io.Discard, socket)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); group.Wait() })
	return count
}

// memoryReply is a reply with a file of so many bytes; none if there are no bytes.
func memoryReply(t *testing.T, magic string, status uint32, length int) func(*net.UnixConn) {
	return func(socket *net.UnixConn) {
		reply := binary.BigEndian.AppendUint32([]byte(magic), status)
		reply = append(reply, bytes.Repeat([]byte{0xab}, 16)...)
		reply = binary.BigEndian.AppendUint64(reply, uint64(length))
		var rights []byte
		if length > 0 {
			file, err := os.CreateTemp(t.TempDir(), "memory")
			if err == nil {
				defer file.Close()
				err = file.Truncate(int64(length))
			}
			if err != nil {
				t.Error(err)
				return
			}
			rights = syscall.UnixRights(int(file.Fd()))
		}
		if _, _, err := socket.WriteMsgUnix(reply, rights, nil); err != nil {
			t.Error(err)
		}
	}
}

// Whatever the server replies, the bytes arrive. It is asked again after a while.
func TestServersThatShareNoMemory(t *testing.T) {
	const wanted = 32 * mib
	// It is asked for 32, 16, 8, 4, 2 and 1 MiB.
	asks := map[string]int64{"no room": 6}
	data := pattern(mib, 7)
	for name, answer := range map[string]func(*net.UnixConn){
		"no room":          memoryReply(t, "HLSM", 4, 0),
		"refused":          memoryReply(t, "HLSM", 2, 0),
		"no descriptor":    memoryReply(t, "HLSM", 0, 0),
		"another protocol": memoryReply(t, "HTTP", 0, wanted),
		"too small":        memoryReply(t, "HLSM", 0, wanted-1),
		"cut":              func(socket *net.UnixConn) { _, _ = socket.Write([]byte("HLSM")) },
		"silent":           func(*net.UnixConn) {},
		"gone":             func(socket *net.UnixConn) { socket.Close() },
	} {
		path := socketPath(t)
		unixServer(t, path, "--shared-memory=false")
		log := logged(t)
		client := connect(t, []string{"unix:" + path})
		count := memoryServer(t, path, answer)
		digest := func() {
			t.Helper()
			errs := each(8, func(int) error {
				answer, err := client.Digest(soon(t), hashlane.Bytes(data))
				if err == nil && !bytes.Equal(answer.Of(hashlane.SHA256), sum256(data).Bytes) {
					err = errors.New("a wrong digest")
				}
				return err
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(name, err)
			}
		}
		began := time.Now()
		digest()
		digest()
		lines, want := strings.Count(log.String(), "\n"), max(asks[name], 1)
		if lines != 1 || !strings.Contains(log.String(), "level=INFO") || count.Load() != want {
			t.Errorf("%s: asked %d times: %s", name, count.Load(), log)
		}
		if name == "silent" && time.Since(began) > 20*time.Second {
			t.Error("the client waits long for memory")
		}
		client.EndMemoryPause()
		digest()
		if count.Load() != 2*want {
			t.Errorf("%s: asked %d times after the pause", name, count.Load())
		}
		client.Close()
	}
}

// A server with less room than the client wants shares what it has.
func TestAServerWithLittleMemory(t *testing.T) {
	data := pattern(mib, 7)
	for limit, shared := range map[string]int{"16MiB": 8 * mib, "2MiB": mib, "1MiB": 0} {
		path := socketPath(t)
		// A client has half.
		own := unixServer(t, path, "--shared-memory-bytes-max", limit)
		var client *hashlane.Client
		if shared > 0 {
			client = sharing(t, path)
		} else {
			client = connect(t, []string{"unix:" + path})
		}
		answer, err := client.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
		_, all := client.Slots()
		if read := own.metric(t, bytesRead); all != shared/slot || (read > 0) != (shared > 0) {
			t.Errorf("of %s the client has %d slots; %v bytes in memory", limit, all, read)
		}
	}
}

// One server shares memory, and another one is called.
func TestMemoryThatTheServerDoesNotKnow(t *testing.T) {
	path, data := socketPath(t), pattern(mib, 8)
	own := unixServer(t, path)
	link := socketPath(t)
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	count := memoryServer(t, link, memoryReply(t, "HLSM", 0, 32*mib))
	client := connect(t, []string{"unix:" + link}, hashlane.WithConnections(1))
	answer, err := client.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	client.EndMemoryPause()
	answer, err = client.Digest(soon(t), hashlane.Reader(iotest.HalfReader(bytes.NewReader(data))))
	var known *hashlane.Error
	if err == nil {
		// The call was refused before the reader was read, so another call had all its bytes.
		wantSHA256(t, answer, err, data)
	} else if !errors.As(err, &known) || known.Reason != "MEMORY_UNKNOWN" || !known.Retryable() {
		t.Fatal(err)
	}
	answer, err = client.Digest(soon(t), hashlane.Reader(iotest.HalfReader(bytes.NewReader(data))))
	wantSHA256(t, answer, err, data)
	if count.Load() != 2 || own.metric(t, bytesRead) != 0 {
		t.Fatal(count.Load(), own.metric(t, bytesRead))
	}
	if strings.Contains(openMaps(t), t.Name()) {
		t.Fatal("the memory is still mapped")
	}
}

func openMaps(t *testing.T) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return string(maps)
}

// held counts this process's descriptors and its mappings of memory.
func held(t *testing.T) (descriptors, mapped int) {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open), strings.Count(openMaps(t), "memfd:")
}

func TestClientsLeaveNothing(t *testing.T) {
	path, data := socketPath(t), pattern(mib, 9)
	unixServer(t, path)
	until(t, "earlier tests have closed theirs", func() bool { _, mapped := held(t); return mapped == 0 })
	descriptors, _ := held(t)
	for range 100 {
		client, err := hashlane.Connect([]string{"unix:" + path})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all is closed", func() bool {
		now, mapped := held(t)
		return now <= descriptors && mapped == 0
	})
}

// Memory stays while a reader fills it, even if the client is closed.
func TestCloseDuringARead(t *testing.T) {
	path := socketPath(t)
	unixServer(t, path)
	client := sharing(t, path)
	var once sync.Once
	_, err := client.Digest(soon(t), hashlane.Reader(readerFunc(func(p []byte) (int, error) {
		once.Do(func() { client.Close() })
		time.Sleep(10 * time.Millisecond)
		clear(p)
		return len(p), nil
	})))
	if err == nil {
		t.Fatal("a digest of a client that is closed")
	}
	until(t, "it is unmapped", func() bool { _, mapped := held(t); return mapped == 0 })
}
