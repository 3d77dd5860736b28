// Command load sends parts with this client. What it prints and waits for is in
// loadtest/clients/README.md.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"flag"
	"fmt"
	"hash"
	"io"
	"log"
	"os"
	"strings"
	"time"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// Data repeats after this many different messages.
const ringMessages = 16

var (
	server      = flag.String("server", "", "the server's `host:port`, or unix:/path")
	memoryBytes = flag.Int("shared-memory-bytes", 32<<20, "memory that is shared with a server at unix:/path")
	names       = flag.String("algorithms", "sha256", "the digests: sha256, md5 or both, with a comma")
	connections = flag.Int("connections", 4, "connections")
	streams     = flag.Int("streams", 32, "streams over all connections")
	chunkBytes  = flag.Int("chunk-bytes", 64<<10, "bytes of a piece of data; messages are the client's")
	partChunks  = flag.Int("part-chunks", 128, "pieces of a part")
	warmupBytes = flag.Int("warmup-bytes", 0, "bytes to send before the first line is printed")
	loadBytes   = flag.Int("bytes", 0, "bytes to send after it")
)

// load is what all streams send, and what they expect.
type load struct {
	client     *hashlane.Client
	algorithms []hashlane.Algorithm
	data       []byte
	// The digests of the first n+1 pieces, one after the other.
	digests [][]byte
}

func newLoad(client *hashlane.Client) *load {
	l := &load{client: client}
	var sums []hash.Hash
	for name := range strings.SplitSeq(*names, ",") {
		switch algorithm, _ := hashlane.ParseAlgorithm(name); algorithm {
		case hashlane.SHA256:
			sums = append(sums, sha256.New())
			l.algorithms = append(l.algorithms, algorithm)
		case hashlane.MD5:
			sums = append(sums, md5.New())
			l.algorithms = append(l.algorithms, algorithm)
		default:
			log.Fatalf("-algorithms: not %q", name)
		}
	}
	for i := range *partChunks {
		piece := make([]byte, *chunkBytes)
		for j := range piece {
			piece[j] = byte((j + 7*(i%ringMessages)) % 251)
		}
		l.data = append(l.data, piece...)
		var digests []byte
		for _, sum := range sums {
			sum.Write(piece)
			digests = sum.Sum(digests)
		}
		l.digests = append(l.digests, digests)
	}
	return l
}

// part sends a part of `pieces` pieces and checks its digests.
func (l *load) part(pieces int) error {
	source := hashlane.Bytes(l.data[:pieces**chunkBytes])
	answer, err := l.client.Digest(context.Background(), source, l.algorithms...)
	var digests []byte
	for _, digest := range answer.Digests {
		digests = append(digests, digest.Bytes...)
	}
	if err == nil && !bytes.Equal(digests, l.digests[pieces-1]) {
		err = fmt.Errorf("a part of %d pieces has a wrong digest: %v", pieces, answer)
	}
	return err
}

// run sends bytes over all streams at once and returns how many.
func (l *load) run(bytes int) int {
	each := bytes / *streams / *chunkBytes
	failures := make(chan error, *streams)
	for i := range *streams {
		go func() {
			// First parts differ in length, so that streams do not end in step.
			next, left := 1 + (*partChunks-1)*i / *streams, each
			var err error
			for left > 0 && err == nil {
				pieces := min(next, left)
				err = l.part(pieces)
				left -= pieces
				next = *partChunks
			}
			failures <- err
		}()
	}
	for range *streams {
		if err := <-failures; err != nil {
			log.Fatal(err)
		}
	}
	return each * *streams * *chunkBytes
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("hashlane-go load: ")
	flag.Parse()
	client, err := hashlane.Connect([]string{*server}, hashlane.WithConnections(*connections),
		hashlane.WithSharedMemoryBytes(*memoryBytes))
	if err != nil {
		log.Fatal(err)
	}
	l, input := newLoad(client), bufio.NewReader(os.Stdin)
	l.run(*warmupBytes)
	fmt.Println("ready")
	if _, err := input.ReadString('\n'); err != nil {
		log.Fatal("nobody said go")
	}
	started := time.Now()
	sent := l.run(*loadBytes)
	fmt.Println("done", sent, time.Since(started).Seconds())
	// The measuring program reads the CPU time of this process before it ends.
	_, _ = io.Copy(io.Discard, input)
}
