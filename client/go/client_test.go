package hashlane_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hashlane "github.com/hashlane/hashlane/client/go"
)

func sum256(data []byte) hashlane.Digest {
	sum := sha256.Sum256(data)
	return hashlane.Digest{Algorithm: hashlane.SHA256, Bytes: sum[:]}
}

func wantSHA256(t *testing.T, answer hashlane.PartDigest, err error, data []byte) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(answer.Of(hashlane.SHA256), sum256(data).Bytes) || answer.SizeBytes != uint64(len(data)) {
		t.Fatalf("of %d bytes: %v", len(data), answer)
	}
}

func TestAlgorithms(t *testing.T) {
	all := hashlane.Algorithms()
	info, err := shared(t).ServerInfo(soon(t))
	if err != nil || len(all) != 28 || len(info.Algorithms) != len(all) {
		t.Fatal(len(all), info, err)
	}
	for _, algorithm := range all {
		parsed, err := hashlane.ParseAlgorithm(algorithm.String())
		if err != nil || parsed != algorithm {
			t.Error(algorithm, parsed, err)
		}
	}
	for _, name := range []string{"md6", "SHA256", "unspecified", ""} {
		if _, err := hashlane.ParseAlgorithm(name); err == nil || !strings.Contains(err.Error(), "sha256") {
			t.Error(name, err)
		}
	}
}

// Sizes around the edges of blocks, messages and windows.
func TestDigestOfBytes(t *testing.T) {
	client := shared(t)
	for _, length := range []int{0, 1, 63, 64, 65, 64<<10 - 1, 64 << 10, 64<<10 + 1, 5*mib + 7} {
		data := pattern(length, 1)
		answer, err := client.Digest(soon(t), hashlane.Bytes(data))
		wantSHA256(t, answer, err, data)
	}
}

func TestOddSplits(t *testing.T) {
	client := shared(t)
	data := pattern(5*mib, 2)
	answer, err := client.Digest(soon(t), hashlane.Reader(iotest.HalfReader(bytes.NewReader(data))))
	wantSHA256(t, answer, err, data)
	small := pattern(100_003, 3)
	answer, err = client.Digest(soon(t), hashlane.Reader(iotest.OneByteReader(iotest.DataErrReader(bytes.NewReader(small)))))
	wantSHA256(t, answer, err, small)
	stream := client.OpenDigestStream(soon(t))
	for _, piece := range []int{1009, 64 << 10, 100_001, 1_000_003} {
		part, err := stream.Part(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		for rest := data; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			if n, err := part.Write(rest[:min(piece, len(rest))]); err != nil || n != min(piece, len(rest)) {
				t.Fatal(n, err)
			}
		}
		answer, err := part.Finish(soon(t))
		wantSHA256(t, answer, err, data)
	}
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
}

// Algorithms that Go's library computes; the others must have their length and a value for each
// message.
func TestEveryAlgorithm(t *testing.T) {
	data := pattern(300_001, 4)
	answer, err := shared(t).Digest(soon(t), hashlane.Bytes(data), hashlane.Algorithms()...)
	if err != nil || len(answer.Digests) != 28 {
		t.Fatal(answer, err)
	}
	for i, digest := range answer.Digests {
		if digest.Algorithm != hashlane.Algorithms()[i] || len(digest.Bytes) != digest.Algorithm.DigestBytes() {
			t.Error(digest)
		}
	}
	one, five, twelve := md5.Sum(data), sha1.Sum(data), sha512.Sum512(data)
	crc := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	for algorithm, want := range map[hashlane.Algorithm][]byte{
		hashlane.SHA256: sum256(data).Bytes, hashlane.MD5: one[:], hashlane.SHA1: five[:], hashlane.SHA512: twelve[:],
		hashlane.CRC32C: {byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)},
	} {
		if !bytes.Equal(answer.Of(algorithm), want) {
			t.Error(algorithm)
		}
	}
	if answer.Of(hashlane.Algorithm(0)) != nil {
		t.Error("a digest that nobody asked for")
	}
}

func TestVerify(t *testing.T) {
	client := shared(t)
	data := pattern(200_000, 5)
	right, md := sum256(data), md5.Sum(data)
	wrong := hashlane.Digest{Algorithm: hashlane.MD5, Bytes: bytes.Repeat([]byte{1}, 16)}
	answer, err := client.Verify(soon(t), hashlane.Bytes(data), right, hashlane.Digest{Algorithm: hashlane.MD5, Bytes: md[:]})
	if err != nil || !answer.IsMatch() || answer.Err() != nil || answer.SizeBytes != 200_000 {
		t.Fatal(answer, err)
	}
	answer, err = client.Verify(soon(t), hashlane.Bytes(data), right, wrong)
	if err != nil || answer.IsMatch() || len(answer.Mismatches()) != 1 {
		t.Fatal(answer, err)
	}
	var mismatch *hashlane.MismatchError
	if !errors.As(answer.Err(), &mismatch) || !strings.Contains(mismatch.Error(), wrong.String()) ||
		!strings.Contains(mismatch.Error(), fmt.Sprintf("computed %x", md)) {
		t.Fatal(answer.Err())
	}
	// Nothing expected is no match.
	if (hashlane.Verification{}).IsMatch() {
		t.Fatal("a match of nothing")
	}
	// An empty part is one.
	answer, err = client.Verify(soon(t), hashlane.Bytes(nil), sum256(nil))
	if err != nil || !answer.IsMatch() {
		t.Fatal(answer, err)
	}
	answer, err = client.Verify(soon(t), hashlane.Bytes(nil), right)
	if err != nil || answer.IsMatch() {
		t.Fatal(answer, err)
	}
}

// Found before anything is sent.
func TestArguments(t *testing.T) {
	client := connect(t, []string{"127.0.0.1:1"})
	ctx, data := soon(t), hashlane.Bytes([]byte("abc"))
	_, twice := client.Digest(ctx, data, hashlane.MD5, hashlane.MD5)
	_, unknown := client.Digest(ctx, data, hashlane.Algorithm(99))
	_, nothing := client.Verify(ctx, data)
	_, short := client.Verify(ctx, data, hashlane.Digest{Algorithm: hashlane.SHA256, Bytes: []byte{1}})
	_, batch := client.DigestBatch(ctx, nil, hashlane.MD5, hashlane.MD5)
	_, hex := hashlane.ParseDigest(hashlane.MD5, "abcd")
	_, zero := client.Verify(ctx, data, hashlane.Digest{})
	if zero == nil || !strings.Contains(zero.Error(), "algorithm 0 is unknown") {
		t.Error(zero)
	}
	_, reader := client.Digest(ctx, hashlane.Reader(nil))
	_, option := hashlane.Connect([]string{address}, nil)
	for _, err := range []error{twice, unknown, nothing, short, batch, hex, zero, reader, option} {
		if status.Code(err) != codes.InvalidArgument {
			t.Error(err)
		}
	}
}

func TestFiles(t *testing.T) {
	client := shared(t)
	path := filepath.Join(t.TempDir(), "file")
	data := pattern(mib+1, 6)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	answer, err := client.Digest(soon(t), hashlane.File(path).Sized(uint64(len(data))))
	wantSHA256(t, answer, err, data)
	_, err = client.Digest(soon(t), hashlane.File(path).Sized(uint64(len(data))+1))
	var known *hashlane.Error
	if !errors.As(err, &known) || known.Reason != "SIZE_MISMATCH" || !known.OfPart {
		t.Fatal(err)
	}
	_, err = client.Digest(soon(t), hashlane.File(path+"-"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A truncated source has no digest, and the call is cancelled.
func TestUnreadableSource(t *testing.T) {
	own := ownServer(t, freeAddress())
	client := connect(t, []string{own.address})
	// It fails once the server has seen the part: before that there is nothing to cancel.
	failing := readerFunc(func([]byte) (int, error) {
		until(t, "the part is open", func() bool { return own.metric(t, "hashlane_open_jobs") == 1 })
		return 0, errors.New("the disk is gone")
	})
	source := io.MultiReader(bytes.NewReader(pattern(200_000, 7)), failing)
	ctx := soon(t)
	_, err := client.Digest(ctx, hashlane.Reader(source))
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatal("only the deadline has ended the call")
	}
	until(t, "the call is over", func() bool {
		return own.metric(t, `hashlane_parts_total{rpc="Digest",outcome="cancelled"`) == 1
	})
	if answered := own.metric(t, `hashlane_parts_total{rpc="Digest",outcome="digest"`); answered != 0 {
		t.Fatal("a truncated part was digested")
	}
}

func TestBatch(t *testing.T) {
	client := shared(t)
	blobs := [][]byte{nil, []byte("abc"), pattern(3*mib, 8), pattern(3*mib, 9), pattern(5*mib, 10)}
	for i := range 11_000 {
		blobs = append(blobs, pattern(i%100, i))
	}
	answers, err := client.DigestBatch(soon(t), blobs, hashlane.SHA256, hashlane.CRC32)
	if err != nil || len(answers) != len(blobs) {
		t.Fatal(len(answers), err)
	}
	for i, blob := range blobs {
		crc := fmt.Sprintf("%08x", crc32.ChecksumIEEE(blob))
		if !answers[i].Digests[0].Equal(sum256(blob)) || answers[i].Digests[1].Hex() != crc {
			t.Fatalf("blob %d", i)
		}
	}
	if answers, err := client.DigestBatch(soon(t), nil); err != nil || len(answers) != 0 {
		t.Fatal(answers, err)
	}
}

// A server computes fewer digests for one batch than blobs times algorithms may be, or too few even
// for one blob.
func TestBatchOfManyDigests(t *testing.T) {
	for _, limits := range [][]string{
		{"--unary-bytes-max", "5MiB", "--batch-blobs-max", "1000"},
		{"--unary-bytes-max", "1MiB", "--message-bytes-max", "1MiB", "--batch-blobs-max", "5"},
	} {
		client := connect(t, []string{ownServer(t, freeAddress(), limits...).address})
		wantBatch(t, client, 1000, 20, hashlane.Algorithms()...)
	}
}

// A restarted server may have lower limits than the client has stored.
func TestBatchAfterLowerLimits(t *testing.T) {
	for _, limit := range [][]string{{"--message-bytes-max", "4KiB"}, {"--batch-blobs-max", "10"}} {
		own := ownServer(t, freeAddress())
		client := connect(t, []string{own.address})
		wantBatch(t, client, 100, 100)
		own.kill()
		ownServer(t, own.address, limit...)
		wantBatch(t, client, 100, 100)
	}
}

// wantBatch digests `count` blobs of one length.
func wantBatch(t *testing.T, client *hashlane.Client, count, length int, algorithms ...hashlane.Algorithm) {
	t.Helper()
	blobs := make([][]byte, count)
	for i := range blobs {
		blobs[i] = pattern(length, i)
	}
	answers, err := client.DigestBatch(soon(t), blobs, algorithms...)
	if err != nil || len(answers) != count {
		t.Fatal(len(answers), err)
	}
	for i, answer := range answers {
		wantSHA256(t, answer, nil, blobs[i])
	}
}

// Three parts of 5 MiB of 'A', 'B' and 'C', as S3 answers them.
func TestCompose(t *testing.T) {
	client := shared(t)
	var sha, md, crcs [][]byte
	for _, letter := range "ABC" {
		data := bytes.Repeat([]byte{byte(letter)}, 5*mib)
		answer, err := client.Digest(soon(t), hashlane.Bytes(data), hashlane.SHA256, hashlane.MD5, hashlane.CRC32)
		if err != nil {
			t.Fatal(err)
		}
		sha = append(sha, answer.Of(hashlane.SHA256))
		md = append(md, answer.Of(hashlane.MD5))
		crcs = append(crcs, answer.Of(hashlane.CRC32))
	}
	const composite, etag = "uWBwpe1dxI4Vw8Gf0X9ynOdw/SS6VBzfWm9giiv1sf4=-3", "b2add96cc9702bbf4efb0ccdfc6b7747-3"
	digest, err := client.Compose(soon(t), hashlane.Object{PartDigests: sha, Expected: composite})
	if err != nil || digest.Base64 != composite || !digest.WasCompared || !digest.IsMatch {
		t.Fatal(digest, err)
	}
	digest, err = client.Compose(soon(t), hashlane.Object{Algorithm: hashlane.MD5, PartDigests: md})
	if err != nil || digest.ETag != etag || digest.WasCompared {
		t.Fatal(digest, err)
	}
	digest, err = client.Compose(soon(t), hashlane.Object{Algorithm: hashlane.MD5, PartDigests: md[:2], Expected: `"` + etag + `"`})
	if err != nil || digest.IsMatch || !digest.WasCompared {
		t.Fatal(digest, err)
	}
	whole := slicesOf("ABC", 5*mib)
	digest, err = client.Compose(soon(t), hashlane.Object{
		Algorithm: hashlane.CRC32, PartDigests: crcs, PartSizesBytes: []uint64{5 * mib, 5 * mib, 5 * mib},
	})
	if err != nil || digest.ETag != fmt.Sprintf("%08x", crc32.ChecksumIEEE(whole)) {
		t.Fatal(digest, err)
	}
	_, err = client.Compose(soon(t), hashlane.Object{PartDigests: sha, Expected: "no digest"})
	var known *hashlane.Error
	if !errors.As(err, &known) || known.Reason != "MALFORMED_EXPECTED" || known.Retryable() {
		t.Fatal(err)
	}
}

func slicesOf(letters string, length int) (whole []byte) {
	for _, letter := range letters {
		whole = append(whole, bytes.Repeat([]byte{byte(letter)}, length)...)
	}
	return whole
}

func TestHash(t *testing.T) {
	client := shared(t)
	hash := client.NewHash(soon(t), hashlane.MD5)
	data := pattern(300_000, 11)
	want := md5.Sum(data)
	for range 2 {
		if _, err := io.Copy(hash, bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			sum := hash.Sum([]byte("prefix"))
			if hash.Err() != nil || !bytes.Equal(sum, append([]byte("prefix"), want[:]...)) {
				t.Fatal(sum, hash.Err())
			}
		}
		if _, err := hash.Write(data); err == nil || !strings.Contains(err.Error(), "Reset") {
			t.Fatal(err)
		}
		hash.Reset()
	}
	// An abandoned message leaves nothing in the next one.
	if _, err := hash.Write([]byte("given up")); err != nil {
		t.Fatal(err)
	}
	hash.Reset()
	empty := md5.Sum(nil)
	if sum, err := hash.Digest(); err != nil || !bytes.Equal(sum, empty[:]) {
		t.Fatal(sum, err)
	}
	if hash.Size() != 16 || hash.BlockSize() != 64<<10 || hash.Close() != nil {
		t.Fatal("not md5's")
	}
	if _, err := hash.Write(data); err == nil {
		t.Fatal("a closed hash takes bytes")
	}
	hash.Reset()
	if sum := hash.Sum(nil); len(sum) != 0 || hash.Err() == nil {
		t.Fatal("a closed hash has a digest", sum, hash.Err())
	}
}

func TestHashOfEveryAlgorithm(t *testing.T) {
	client, data := shared(t), pattern(200_000, 14)
	all := hashlane.Algorithms()
	want, err := client.Digest(soon(t), hashlane.Bytes(data), all...)
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range all {
		hash := client.NewHash(soon(t), algorithm)
		for _, write := range [][]byte{data[:1], data[1:100_000], data[100_000:]} {
			if _, err := hash.Write(write); err != nil {
				t.Fatal(algorithm, err)
			}
		}
		if sum := hash.Sum(nil); !bytes.Equal(sum, want.Of(algorithm)) || len(sum) != hash.Size() {
			t.Errorf("%v: %x %v", algorithm, sum, hash.Err())
		}
	}
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	client := shared(t)
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := client.Digest(soon(t), hashlane.File(missing))
	if !errors.Is(err, fs.ErrNotExist) || status.Code(err) == codes.Canceled {
		t.Fatal(err)
	}
	if _, err := client.Digest(soon(t), hashlane.Source{}); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}

func TestCloseOfAStreamGivesUpPartsThatHaveNotEnded(t *testing.T) {
	own := ownServer(t, freeAddress())
	client := connect(t, []string{own.address})
	stream := client.OpenDigestStream(soon(t))
	part, err := stream.Part(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(pattern(200_000, 13)); err != nil {
		t.Fatal(err)
	}
	until(t, "the part is open", func() bool { return own.metric(t, "hashlane_open_jobs") == 1 })
	// The part is neither finished nor discarded.
	if err := stream.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(pattern(200_000, 13)); err == nil {
		t.Fatal("a part of a closed stream takes bytes")
	}
	until(t, "the part is freed", func() bool { return own.metric(t, "hashlane_open_jobs") == 0 })
}

func TestASecondCloseIsNoError(t *testing.T) {
	client, err := hashlane.Connect([]string{address})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.Digest(soon(t), hashlane.Bytes(nil)); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Fatal(err)
	}
}

func TestHealth(t *testing.T) {
	if healthy, err := shared(t).Healthy(soon(t)); err != nil || !healthy {
		t.Fatal(healthy, err)
	}
	// Each server is asked once.
	gone := freeAddress()
	if healthy, err := connect(t, []string{gone, gone, address}).Healthy(soon(t)); err != nil || !healthy {
		t.Fatal(healthy, err)
	}
	ctx := soon(t)
	nobody := connect(t, []string{gone, gone}, hashlane.WithRetryTime(time.Hour))
	if healthy, err := nobody.Healthy(ctx); status.Code(err) != codes.Unavailable || healthy || ctx.Err() != nil {
		t.Fatal(healthy, err)
	}
}

// An endpoint that gives no answer does not rest. The others are asked all the same.
func TestHealthAsksEachEndpointOnce(t *testing.T) {
	var asked []string
	var until []time.Time
	silent := func(
		ctx context.Context, _ string, _, _ any, connection *grpc.ClientConn,
		_ grpc.UnaryInvoker, _ ...grpc.CallOption,
	) error {
		deadline, _ := ctx.Deadline()
		asked, until = append(asked, connection.Target()), append(until, deadline)
		return status.Error(codes.DeadlineExceeded, "no answer")
	}
	client := connect(t, []string{address, "127.0.0.1:1", "127.0.0.1:2"},
		hashlane.WithDialOptions(grpc.WithUnaryInterceptor(silent)))
	// The first endpoint has an open call.
	stream := client.OpenDigestStream(soon(t))
	if _, err := stream.Part(soon(t)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if healthy, err := client.Healthy(ctx); healthy || status.Code(err) != codes.DeadlineExceeded {
		t.Fatal(healthy, err)
	}
	want := []string{"dns:///" + address, "dns:///127.0.0.1:1", "dns:///127.0.0.1:2"}
	if !slices.Equal(asked, want) {
		t.Fatalf("asked %v, want %v", asked, want)
	}
	// The last endpoint has all the time that is left, the others leave some.
	end, _ := ctx.Deadline()
	left := func(at int) time.Duration { return end.Sub(until[at]) }
	if left(0) < 39*time.Minute || left(1) < 29*time.Minute || left(2) != 0 {
		t.Error(left(0), left(1), left(2))
	}
}

func TestCancel(t *testing.T) {
	own := ownServer(t, freeAddress())
	client := connect(t, []string{own.address})
	ctx, cancel := context.WithCancel(soon(t))
	reader, writer := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := client.Digest(ctx, hashlane.Reader(reader))
		done <- err
	}()
	if _, err := writer.Write(pattern(200_000, 12)); err != nil {
		t.Fatal(err)
	}
	until(t, "the part is open", func() bool { return own.metric(t, "hashlane_open_jobs") == 1 })
	cancel()
	// The server frees the part although the source is silent.
	until(t, "the part is freed", func() bool { return own.metric(t, "hashlane_open_jobs") == 0 })
	writer.Close()
	if err := <-done; !errors.Is(err, context.Canceled) || status.Code(err) != codes.Canceled {
		t.Fatal(err)
	}
}
