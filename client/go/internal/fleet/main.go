// Command fleet keeps sending parts until its standard input ends, then tells what became of them:
// the load of deploy/tests/fleet.sh, which breaks servers meanwhile. deploy/tests/fleet/README.md
// describes the load and the line at the end; client/examples/fleet.rs is the same in Rust.
package main

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/json"
	"flag"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	hashlane "github.com/hashlane/hashlane/client/go"
)

const (
	// All parts are slices of this many random bytes.
	dataBytes = 1 << 20
	// The most bytes of an ordinary part, and the bytes of a part that takes a second.
	partBytesMax   = 64 << 10
	slowPartBytes  = 64 << 10
	slowPieceBytes = slowPartBytes / 8
	slowPiecePause = 125 * time.Millisecond
)

var (
	servers   = flag.String("servers", "", "the servers' `host:port`s, separated by commas")
	workers   = flag.Int("workers", 24, "parts at once")
	interval  = flag.Int("interval-ms", 100, "each worker begins a part this often")
	algorithm = flag.String("algorithm", "sha1", "sha1 alone")
)

// outcome is what became of the parts.
type outcome struct {
	Parts     int `json:"parts"`
	Tries     int `json:"tries"`
	Corrupted int `json:"corrupted"`
	Wrong     int `json:"wrong"`
	Lost      int `json:"lost"`
	// Errors that the client returned after its retries, and how often.
	Errors         map[string]int `json:"errors"`
	SlowestSeconds float64        `json:"slowest_seconds"`
}

// tried is the bytes of a part. It counts how often they are read from the beginning.
type tried struct {
	data   []byte
	at     int
	isSlow bool
	tries  *atomic.Int64
}

func (t *tried) Read(p []byte) (int, error) {
	if t.at == 0 {
		t.tries.Add(1)
	}
	if t.at == len(t.data) {
		return 0, io.EOF
	}
	if t.isSlow {
		time.Sleep(slowPiecePause)
		p = p[:min(len(p), slowPieceBytes)]
	}
	count := copy(p, t.data[t.at:])
	t.at += count
	return count, nil
}

func (t *tried) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekStart {
		t.at = int(offset)
	}
	return int64(t.at), nil
}

type load struct {
	client *hashlane.Client
	data   []byte
	tries  atomic.Int64
	isOver atomic.Bool
	mu     sync.Mutex
	all    outcome
}

// send sends a part. isRight is false if the answer is wrong.
func (l *load) send(data []byte, kind int, isSlow bool) (isRight bool, err error) {
	ctx := context.Background()
	sum := sha1.Sum(data)
	expected := hashlane.Digest{Algorithm: hashlane.SHA1, Bytes: sum[:]}
	if kind == 2 {
		data = bytes.Clone(data)
		data[len(data)/2] ^= 1
	}
	source := hashlane.Reader(&tried{data: data, isSlow: isSlow, tries: &l.tries})
	if kind == 0 {
		answer, err := l.client.Digest(ctx, source, hashlane.SHA1)
		return err == nil && bytes.Equal(answer.Of(hashlane.SHA1), sum[:]), err
	}
	answer, err := l.client.Verify(ctx, source, expected)
	return err == nil && answer.IsMatch() == (kind == 1), err
}

func (l *load) work(index int) {
	random := rand.New(rand.NewPCG(uint64(index), 0))
	isSlow := index%2 == 1
	every := time.Duration(*interval) * time.Millisecond
	// Workers do not begin in step.
	time.Sleep(time.Duration(random.Float64() * float64(every)))
	for ticks := time.NewTicker(every); !l.isOver.Load(); <-ticks.C {
		size := 1 + random.IntN(partBytesMax)
		if isSlow {
			size = slowPartBytes
		}
		at, kind := random.IntN(dataBytes-size), random.IntN(3)
		started := time.Now()
		isRight, err := l.send(l.data[at:at+size], kind, isSlow)
		took := time.Since(started).Seconds()

		l.mu.Lock()
		l.all.Parts++
		if kind == 2 {
			l.all.Corrupted++
		}
		switch {
		case err != nil:
			l.all.Lost++
			l.all.Errors[err.Error()]++
		case !isRight:
			l.all.Wrong++
		}
		l.all.SlowestSeconds = max(l.all.SlowestSeconds, took)
		l.mu.Unlock()
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("hashlane-go fleet: ")
	flag.Parse()
	if *algorithm != "sha1" {
		log.Fatal("-algorithm: this load has sha1 alone")
	}
	client, err := hashlane.Connect(strings.Split(*servers, ","))
	if err != nil {
		log.Fatal(err)
	}
	l := &load{client: client, data: make([]byte, dataBytes), all: outcome{Errors: map[string]int{}}}
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(l.data)
	var running sync.WaitGroup
	for index := range *workers {
		running.Go(func() { l.work(index) })
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	l.isOver.Store(true)
	running.Wait()
	l.all.Tries = int(l.tries.Load())
	if err := json.NewEncoder(os.Stdout).Encode(l.all); err != nil {
		log.Fatal(err)
	}
}
