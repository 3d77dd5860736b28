package hashlane_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	hashlane "github.com/hashlane/hashlane/client/go"
	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// thousand verifies a thousand parts, 32 at once, and calls the events when a quarter and three
// quarters of them are answered. Every third part is expected to have another digest.
func thousand(t *testing.T, verify func(source hashlane.Source, expected hashlane.Digest) (hashlane.Verification, error), quarter, threeQuarters func()) {
	t.Helper()
	const count, workers = 1000, 32
	data := pattern(120_000, 1)
	var answered, next atomic.Int64
	errs := each(workers, func(int) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= count {
				return nil
			}
			part := data[i : 40_000+i*80]
			expected := sum256(part)
			isWrong := i%3 == 0
			if isWrong {
				expected.Bytes[i%32] ^= 0x80
			}
			answer, err := verify(hashlane.Bytes(part), expected)
			if err != nil {
				return fmt.Errorf("part %d: %w", i, err)
			}
			if answer.IsMatch() == isWrong || answer.SizeBytes != uint64(len(part)) {
				return fmt.Errorf("part %d has a wrong verdict: %v", i, answer)
			}
			switch answered.Add(1) {
			case count / 4:
				quarter()
			case 3 * count / 4:
				threeQuarters()
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if answered.Load() != count {
		t.Fatalf("%d of %d are answered", answered.Load(), count)
	}
}

// killThenDrain has two servers: the first is killed in mid-run and started again, then the other
// one drains.
func killThenDrain(t *testing.T, run func(client *hashlane.Client, quarter, threeQuarters func())) {
	first, second := ownServer(t, freeAddress()), ownServer(t, freeAddress())
	client := connect(t, []string{first.address, second.address})
	run(client, func() {
		if first.metric(t, `hashlane_parts_total{rpc="Verify"`) == 0 {
			t.Error("the server that is killed had no part")
		}
		first.kill()
	}, func() {
		ownServer(t, first.address)
		second.drain()
	})
	<-second.ended
}

func TestServersGoDuringCalls(t *testing.T) {
	killThenDrain(t, func(client *hashlane.Client, quarter, threeQuarters func()) {
		thousand(t, func(source hashlane.Source, expected hashlane.Digest) (hashlane.Verification, error) {
			return client.Verify(soon(t), source, expected)
		}, quarter, threeQuarters)
	})
}

func TestServersGoDuringStreams(t *testing.T) {
	killThenDrain(t, func(client *hashlane.Client, quarter, threeQuarters func()) {
		var streams []*hashlane.VerifyStream
		for range 2 {
			streams = append(streams, client.OpenVerifyStream(soon(t)))
		}
		thousand(t, func(source hashlane.Source, expected hashlane.Digest) (hashlane.Verification, error) {
			return streams[rand.N(2)].Verify(soon(t), source, expected)
		}, quarter, threeQuarters)
		for _, stream := range streams {
			if err := stream.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A part that begins while its server drains is answered DRAINING and sent again on another one;
// those that are open finish where they are.
func TestPartsOfADrainingStream(t *testing.T) {
	first := ownServer(t, freeAddress())
	client := connect(t, []string{first.address, address})
	stream := client.OpenDigestStream(soon(t))
	part, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := part.Flush(); err != nil {
		t.Fatal(err)
	}
	until(t, "the part is open", func() bool { return first.metric(t, "hashlane_open_jobs") == 1 })
	first.drain()
	until(t, "the drain has begun", func() bool {
		_, err := net.DialTimeout("tcp", first.address, time.Second)
		return err != nil
	})
	for i := range 5 {
		data := pattern(1000, i)
		answer, err := stream.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
	}
	if _, err := part.Write([]byte("bc")); err != nil {
		t.Fatal(err)
	}
	answer, err := part.Finish(soon(t))
	wantSHA256(t, answer, err, []byte("abc"))
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	<-first.ended
}

// The bytes of a reader cannot be sent again, unless it was never read.
func TestWhatIsReadAgain(t *testing.T) {
	gone, data := freeAddress(), pattern(100_000, 2)
	unread := hashlane.Reader(iotest.HalfReader(bytes.NewReader(data)))
	answer, err := connect(t, []string{gone, gone, address}).Digest(soon(t), unread)
	wantSHA256(t, answer, err, data)

	fake := newFake(t)
	fake.refuse.Store(2)
	client := connect(t, []string{fake.address})
	seeker := bytes.NewReader(append([]byte("before"), data...))
	if _, err := seeker.Seek(6, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	answer, err = client.Digest(soon(t), hashlane.Reader(seeker))
	wantSHA256(t, answer, err, data)
	if calls := fake.calls.Load(); calls != 3 {
		t.Fatalf("%d calls", calls)
	}
	fake.refuse.Store(1)
	_, err = client.Digest(soon(t), hashlane.Reader(iotest.HalfReader(bytes.NewReader(data))))
	var known *hashlane.Error
	if !errors.As(err, &known) || known.Reason != "SERVER_BUSY" || !known.Retryable() || known.RetryAfter != time.Millisecond {
		t.Fatal(err)
	}
	if calls := fake.calls.Load(); calls != 4 {
		t.Fatalf("%d calls: what cannot be read again was sent again", calls)
	}
}

// A file that is a pipe can be read only once.
func TestPipesAreReadOnce(t *testing.T) {
	fake, data := newFake(t), pattern(10_000, 2)
	fake.refuse.Store(1)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	// A pipe has room for this much.
	if _, err := writer.Write(data); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	pipe := hashlane.File(fmt.Sprintf("/dev/fd/%d", reader.Fd()))
	answer, err := connect(t, []string{fake.address}).Digest(soon(t), pipe)
	if status.Code(err) != codes.ResourceExhausted || fake.calls.Load() != 1 {
		t.Fatal(fake.calls.Load(), answer, err)
	}
}

// An unread pipe stays open while servers are tried, because its bytes are lost when it is closed.
func TestAPipeWaitsForAServer(t *testing.T) {
	path, gone, data := filepath.Join(t.TempDir(), "pipe"), freeAddress(), pattern(10_000, 2)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	// It waits for the reader.
	group.Go(func() {
		if err := os.WriteFile(path, data, 0); err != nil {
			t.Error(err)
		}
	})
	// The first server is tried when the pipe has all bytes, and no writer any more.
	written := func() (string, error) { group.Wait(); return "token", nil }
	client := connect(t, []string{gone, gone, address}, hashlane.WithTokenSource(written))
	answer, err := client.Digest(soon(t), hashlane.File(path))
	wantSHA256(t, answer, err, data)
}

// A context ends the wait for a pipe's writer, and the pipe is closed when it opens at last.
func TestAPipeWithoutAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(soon(t), 10*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	client := shared(t)
	go func() {
		_, err := client.Digest(ctx, hashlane.File(path))
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	case <-soon(t).Done():
		t.Error("Digest waits for a writer, and not for its context")
	}
	// Without a reader it cannot be opened.
	var writer *os.File
	until(t, "the pipe opens", func() (opens bool) {
		var err error
		writer, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil
	})
	defer writer.Close()
	until(t, "the pipe is closed", func() bool {
		_, err := writer.Write([]byte("a"))
		return errors.Is(err, syscall.EPIPE)
	})
}

// seeker is slow the first time: it waits after half of its bytes.
type seeker struct {
	*bytes.Reader
	wait func()
}

func (s *seeker) Read(p []byte) (int, error) {
	if half := int(s.Size() / 2); s.wait != nil && s.Len() > half {
		return s.Reader.Read(p[:min(len(p), s.Len()-half)])
	}
	if s.wait != nil {
		s.wait()
		s.wait = nil
	}
	return s.Reader.Read(p)
}

// A server ends a call whose source pauses for too long. The source is sent again, at once: the server
// is sound.
func TestASourceThatPausesIsSentAgain(t *testing.T) {
	own := ownServer(t, freeAddress(), "--part-idle-timeout", "1s")
	client, data := connect(t, []string{own.address}), pattern(1_000_000, 1)
	count := func(begin string) float64 { return own.metric(t, begin) }
	paused := &seeker{Reader: bytes.NewReader(data), wait: func() {
		until(t, "the part is open", func() bool { return count("hashlane_open_jobs") == 1 })
		until(t, "the call is over", func() bool { return count("hashlane_streams") == 0 })
	}}
	answer, err := client.Digest(soon(t), hashlane.Reader(paused))
	wantSHA256(t, answer, err, data)
	if paused.wait != nil {
		t.Fatal("the source did not pause")
	}
	if client.HasRested() {
		t.Fatal("the server rested for what was the source's fault")
	}
}

// No digest was given, and another kernel, or another server, gives a right one.
func TestAPartThatMetAWrongKernelIsSentAgain(t *testing.T) {
	fake, data := newFake(t), pattern(1000, 3)
	fake.fault.Store(1)
	client := connect(t, []string{fake.address})
	answer, err := client.Digest(soon(t), hashlane.Bytes(data))
	wantSHA256(t, answer, err, data)
	if calls := fake.calls.Load(); calls != 2 {
		t.Fatalf("%d calls", calls)
	}
	fake.fault.Store(1)
	_, err = client.Digest(soon(t), hashlane.Reader(iotest.HalfReader(bytes.NewReader(data))))
	var known *hashlane.Error
	if !errors.As(err, &known) || known.Reason != "KERNEL_FAULT" || !known.Retryable() {
		t.Fatal(err)
	}
}

// A server that keeps giving wrong answers rests ever longer, however its parts are sent, and
// another server gets them.
func TestAServerWithAFaultyKernelRests(t *testing.T) {
	faulty, data := newFake(t), pattern(1000, 4)
	faulty.fault.Store(1 << 40)
	briefly := connect(t, []string{faulty.address}, hashlane.WithRetryTime(500*time.Millisecond))
	stream := briefly.OpenDigestStream(soon(t))
	for name, digest := range map[string]func() error{
		"alone":       func() error { _, err := briefly.Digest(soon(t), hashlane.Bytes(data)); return err },
		"on a stream": func() error { _, err := stream.Digest(soon(t), hashlane.Bytes(data)); return err },
	} {
		faulty.calls.Store(0)
		err := digest()
		var known *hashlane.Error
		if !errors.As(err, &known) || known.Reason != "KERNEL_FAULT" {
			t.Fatalf("%s: %v", name, err)
		}
		if calls := faulty.calls.Load(); calls < 1 || calls > 20 {
			t.Fatalf("%s: %d calls", name, calls)
		}
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	faulty.calls.Store(0)
	both := connect(t, []string{faulty.address, address})
	stream = both.OpenDigestStream(soon(t))
	for range 100 {
		answer, err := both.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
		answer, err = stream.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if calls := faulty.calls.Load(); calls > 20 {
		t.Fatalf("%d of 200 parts went to the faulty server", calls)
	}
}

func TestRetriesAreBounded(t *testing.T) {
	fake := newFake(t)
	fake.refuse.Store(100)
	once := connect(t, []string{fake.address}, hashlane.WithRetryTime(0))
	_, err := once.Digest(soon(t), hashlane.Bytes(nil))
	if status.Code(err) != codes.ResourceExhausted || fake.calls.Load() != 1 {
		t.Fatal(fake.calls.Load(), err)
	}
	briefly := connect(t, []string{fake.address}, hashlane.WithRetryTime(500*time.Millisecond))
	_, err = briefly.Digest(soon(t), hashlane.Bytes(nil))
	if calls := fake.calls.Load(); status.Code(err) != codes.ResourceExhausted || calls < 3 || calls > 20 {
		t.Fatal(calls, err)
	}
	// A deadline ends the wait, and the error says what was awaited.
	patient := connect(t, []string{freeAddress()}, hashlane.WithRetryTime(time.Hour))
	ctx, cancel := context.WithTimeout(soon(t), 500*time.Millisecond)
	defer cancel()
	if _, err := patient.ServerInfo(ctx); status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
}

// The server is lost while a part's reader is read: that is the error, not that the call is over.
func TestReadFromTellsWhy(t *testing.T) {
	own := ownServer(t, freeAddress())
	stream := connect(t, []string{own.address}).OpenDigestStream(soon(t))
	part, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = part.ReadFrom(readerFunc(func(p []byte) (int, error) {
		own.kill()
		until(t, "the call is over", part.CallIsOver)
		return len(p), nil
	}))
	if status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
}

// A verdict that contradicts its digests, or another length, is no answer.
func TestAnswersAreChecked(t *testing.T) {
	fake := newFake(t)
	client := connect(t, []string{fake.address})
	data := []byte("abc")
	other := sum256([]byte("other"))
	for name, forge := range map[string]func(*pb.VerifyResponse){
		"part matches":    func(a *pb.VerifyResponse) { a.Verdict = pb.Verdict_VERDICT_MATCH },
		"digest matches":  func(a *pb.VerifyResponse) { a.Verdicts[0].Verdict = pb.Verdict_VERDICT_MATCH },
		"other expected":  func(a *pb.VerifyResponse) { a.Verdicts[0].Expected = a.Verdicts[0].Computed },
		"no verdicts":     func(a *pb.VerifyResponse) { a.Verdicts, a.Verdict = nil, pb.Verdict_VERDICT_MATCH },
		"another length":  func(a *pb.VerifyResponse) { a.SizeBytes++ },
		"other algorithm": func(a *pb.VerifyResponse) { a.Verdicts[0].Algorithm = pb.Algorithm_ALGORITHM_BLAKE3 },
		"other part":      func(a *pb.VerifyResponse) { a.Part = 5 },
	} {
		fake.forge.Store(&forge)
		answer, err := client.Verify(soon(t), hashlane.Bytes(data), other)
		if status.Code(err) != codes.Internal || answer.IsMatch() {
			t.Error(name, answer, err)
		}
	}
	fake.forge.Store(nil)
	if answer, err := client.Verify(soon(t), hashlane.Bytes(data), sum256(data)); err != nil || !answer.IsMatch() {
		t.Fatal(answer, err)
	}
}

// So is S3's value: its forms, its number of parts, and the verdict on it.
func TestValuesOfObjectsAreChecked(t *testing.T) {
	fake := newFake(t)
	client := connect(t, []string{fake.address})
	object := hashlane.Object{Algorithm: hashlane.CRC32, PartDigests: [][]byte{{1, 2, 3, 4}, {5, 6, 7, 8}}}
	ask := func(expected, etag, base64 string, verdict pb.Verdict, digest ...byte) error {
		fake.composed.Store(&pb.ComposeResponse{Digest: digest, Hex: etag, Composite: base64, Verdict: verdict})
		object.Expected = expected
		_, err := client.Compose(soon(t), object)
		if err != nil && status.Code(err) != codes.Internal {
			t.Fatal(err)
		}
		return err
	}
	const etag, base64 = "09080706-2", "CQgHBg==-2"
	const none, match, mismatch = pb.Verdict_VERDICT_UNSPECIFIED, pb.Verdict_VERDICT_MATCH, pb.Verdict_VERDICT_MISMATCH
	if err := ask("", etag, base64, none, 9, 8, 7, 6); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"no digest":     ask("", "-2", "-2", none),
		"a long digest": ask("", "0908070605-2", "CQgHBgU=-2", none, 9, 8, 7, 6, 5),
		"no verdict":    ask(etag, etag, base64, none, 9, 8, 7, 6),
		"a verdict":     ask("", etag, base64, match, 9, 8, 7, 6),
	} {
		if err == nil {
			t.Error(name)
		}
	}
	for _, wrong := range []string{"", "09080706", "09080706-3", "09080707-2"} {
		if ask("", wrong, base64, none, 9, 8, 7, 6) == nil {
			t.Error(wrong)
		}
	}
	for _, wrong := range []string{"", "CQgHBg==", "CQgHBg==-3", "CQgHBw==-2", "CQgHBg-2"} {
		if ask("", etag, wrong, none, 9, 8, 7, 6) == nil {
			t.Error(wrong)
		}
	}
	for expected, isMatch := range map[string]bool{
		"09080706": true, etag: true, `"09080706-2"`: true, "CQgHBg==": true, base64: true,
		"09080707": false, "09080706-3": false, "CQgHBw==": false, "CQgHBg==-1": false,
	} {
		right, wrong := match, mismatch
		if !isMatch {
			right, wrong = wrong, right
		}
		if err := ask(expected, etag, base64, right, 9, 8, 7, 6); err != nil {
			t.Error(expected, err)
		}
		if ask(expected, etag, base64, wrong, 9, 8, 7, 6) == nil {
			t.Error(expected)
		}
	}
}

func TestToken(t *testing.T) {
	fake := newFake(t)
	tokens := []string{"first", "second"}
	client := connect(t, []string{fake.address}, hashlane.WithTokenSource(func() (string, error) {
		token := tokens[0]
		tokens = tokens[1:]
		return token, nil
	}))
	for _, want := range []string{"Bearer first", "Bearer second"} {
		if _, err := client.Digest(soon(t), hashlane.Bytes(nil)); err != nil {
			t.Fatal(err)
		}
		if got := *fake.authorization.Load(); got != want {
			t.Fatal(got)
		}
	}
	for endpoint, isRefused := range map[string]bool{
		"192.0.2.1:50051": true, "http://hashlane.example:50051": true,
		"https://hashlane.example:50052": false, "127.0.0.1:1": false, "[::1]:1": false, "localhost:1": false, "unix:/run/x": false,
	} {
		made, err := hashlane.Connect([]string{endpoint}, hashlane.WithToken("secret"))
		if (err != nil) != isRefused {
			t.Error(endpoint, err)
		}
		if err == nil {
			made.Close()
		} else if bytes.Contains([]byte(err.Error()), []byte("secret")) {
			t.Error("an error tells the token")
		}
	}
	for _, token := range []string{"", "secret\n", "secret\r\n", " secret", "sec ret", "sécret", "secret\x00"} {
		given := hashlane.WithTokenSource(func() (string, error) { return token, nil })
		_, known := hashlane.Connect([]string{fake.address}, hashlane.WithToken(token))
		_, called := connect(t, []string{fake.address}, given).Digest(soon(t), hashlane.Bytes(nil))
		for _, err := range []error{known, called} {
			if status.Code(err) != codes.InvalidArgument || bytes.Contains([]byte(err.Error()), []byte("secret")) {
				t.Errorf("%q: %v", token, err)
			}
		}
	}
	made, err := hashlane.Connect([]string{"192.0.2.1:50051"}, hashlane.WithToken("secret"), hashlane.WithInsecureToken())
	if err != nil {
		t.Fatal(err)
	}
	made.Close()
}

func TestEndpoints(t *testing.T) {
	for _, endpoint := range []string{
		"", "host", "ftp://host:1", "http://", "unix:", "host:", ":1", "host:0", "host:65536", "127.0.0.1:117587",
		"host:-1", "host:+1", "host:abc", "http://host:1/path", "http://host/path:1", "http://host:1?x=1", "http://host?x:1",
		"http://host:1#x", "user@host:1", "https://user:word@host:1", "http://host\n:1", "http://ho st:1",
	} {
		if _, err := hashlane.Connect([]string{endpoint}); status.Code(err) != codes.InvalidArgument {
			t.Error(endpoint, err)
		}
	}
	for _, endpoint := range []string{"host:65535", "http://host:1/", "https://[::1]:1", "a-b.c_d.example:1", "unix:/run/a:b"} {
		made, err := hashlane.Connect([]string{endpoint})
		if err != nil {
			t.Error(endpoint, err)
			continue
		}
		made.Close()
	}
	for _, option := range []hashlane.Option{
		hashlane.WithConnections(0), hashlane.WithRetryTime(-1), hashlane.WithCA([]byte("no PEM")), hashlane.WithCertificate(nil, []byte("key")),
	} {
		if _, err := hashlane.Connect([]string{"https://host:1"}, option); err == nil {
			t.Error("a setting that cannot be")
		}
	}
	if _, err := hashlane.Connect(nil); err == nil {
		t.Error("no endpoint")
	}
	// An error in certificates is reported.
	if _, err := hashlane.Connect([]string{"host:1"}, hashlane.WithCA([]byte("pem"))); err == nil {
		t.Error("certificates without TLS")
	}
}

// fake is a server that misbehaves on demand.
type fake struct {
	pb.UnimplementedHashServiceServer
	address string
	calls   atomic.Int64
	// This many of the next calls are refused after their data was read.
	refuse atomic.Int64
	// Called before a call is refused, with the number of calls so far.
	refused func(calls int64)
	// This many of the next parts meet a kernel that gives wrong answers.
	fault         atomic.Int64
	forge         atomic.Pointer[func(*pb.VerifyResponse)]
	composed      atomic.Pointer[pb.ComposeResponse]
	authorization atomic.Pointer[string]
}

func newFake(t *testing.T) *fake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{address: listener.Addr().String()}
	served := grpc.NewServer()
	pb.RegisterHashServiceServer(served, f)
	var group sync.WaitGroup
	group.Go(func() { _ = served.Serve(listener) })
	t.Cleanup(func() { served.Stop(); group.Wait() })
	return f
}

func (f *fake) begin(ctx context.Context) {
	f.calls.Add(1)
	if values := metadata.ValueFromIncomingContext(ctx, "authorization"); len(values) == 1 {
		f.authorization.Store(&values[0])
	}
}

func (f *fake) Digest(stream grpc.BidiStreamingServer[pb.DigestRequest, pb.DigestResponse]) error {
	f.begin(stream.Context())
	sum, size := sha256.New(), uint64(0)
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		sum.Write(request.Data)
		size += uint64(len(request.Data))
		if request.Last {
			break
		}
	}
	if f.refuse.Add(-1) >= 0 {
		if f.refused != nil {
			f.refused(f.calls.Load())
		}
		refused, err := status.New(codes.ResourceExhausted, "no room").WithDetails(
			&errdetails.ErrorInfo{Domain: "hashlane", Reason: "SERVER_BUSY"},
			&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
		if err != nil {
			return err
		}
		return refused.Err()
	}
	if f.fault.Add(-1) >= 0 {
		fault := &pb.PartError{Code: int32(codes.Internal), Reason: "KERNEL_FAULT", Message: "wrong"}
		return stream.Send(&pb.DigestResponse{Error: fault})
	}
	digest := &pb.AlgorithmDigest{Algorithm: pb.Algorithm_ALGORITHM_SHA256, Digest: sum.Sum(nil)}
	return stream.Send(&pb.DigestResponse{SizeBytes: size, Digests: []*pb.AlgorithmDigest{digest}})
}

func (f *fake) Verify(stream grpc.BidiStreamingServer[pb.VerifyRequest, pb.VerifyResponse]) error {
	f.begin(stream.Context())
	sum, answer := sha256.New(), &pb.VerifyResponse{}
	var expected []byte
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		sum.Write(request.Data)
		answer.SizeBytes += uint64(len(request.Data))
		for _, digest := range request.Expected {
			expected = digest.Digest
		}
	}
	answer.Verdict = pb.Verdict_VERDICT_MISMATCH
	if bytes.Equal(expected, sum.Sum(nil)) {
		answer.Verdict = pb.Verdict_VERDICT_MATCH
	}
	answer.Verdicts = []*pb.DigestVerdict{{
		Algorithm: pb.Algorithm_ALGORITHM_SHA256, Verdict: answer.Verdict, Expected: expected, Computed: sum.Sum(nil),
	}}
	if forge := f.forge.Load(); forge != nil {
		(*forge)(answer)
	}
	return stream.Send(answer)
}

func (f *fake) Compose(context.Context, *pb.ComposeRequest) (*pb.ComposeResponse, error) {
	return f.composed.Load(), nil
}
