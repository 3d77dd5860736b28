// Command load sends Digest streams with grpc-go. What it prints and waits for is in
// loadtest/clients/README.md.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"hash"
	"io"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	pb "hashlane.test/interop/hashlanev1"
)

// A part is cut from a ring of so many different messages.
const ringMessages = 16

var (
	server      = flag.String("server", "", "the server's `host:port`")
	connections = flag.Int("connections", 4, "connections")
	streams     = flag.Int("streams", 32, "streams over all connections")
	chunkBytes  = flag.Int("chunk-bytes", 64<<10, "bytes of data in a message")
	partChunks  = flag.Int("part-chunks", 128, "messages of a part")
	warmupBytes = flag.Int("warmup-bytes", 0, "bytes to send before the first line is printed")
	loadBytes   = flag.Int("bytes", 0, "bytes to send after it")
)

// load is what all streams send, and what they expect.
type load struct {
	ring []*pb.DigestRequest
	// The digest of the first n+1 messages.
	digests [][]byte
}

func newLoad() *load {
	l := &load{}
	var sum hash.Hash = sha256.New()
	for i := range ringMessages {
		data := make([]byte, *chunkBytes)
		for j := range data {
			data[j] = byte((j + 7*i) % 251)
		}
		l.ring = append(l.ring, &pb.DigestRequest{Data: data})
	}
	for i := range *partChunks {
		sum.Write(l.ring[i%ringMessages].Data)
		l.digests = append(l.digests, sum.Sum(nil))
	}
	return l
}

// part sends a part of so many messages and checks its digest.
func (l *load) part(ctx context.Context, c pb.HashServiceClient, messages int) error {
	stream, err := c.Digest(ctx)
	if err != nil {
		return err
	}
	for i := range messages {
		// What the call ended with is what Recv tells.
		if err := stream.Send(l.ring[i%ringMessages]); err != nil {
			break
		}
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	answer, err := stream.Recv()
	if err != nil {
		return err
	}
	if len(answer.Digests) != 1 || !bytes.Equal(answer.Digests[0].Digest, l.digests[messages-1]) {
		return fmt.Errorf("a part of %d messages has a wrong digest: %v", messages, answer)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("the call did not end after its answer: %w", err)
	}
	return nil
}

// run sends bytes over all streams at once and tells how many that were.
func (l *load) run(clients []pb.HashServiceClient, bytes int) int {
	each := bytes / *streams / *chunkBytes
	failures := make(chan error, *streams)
	for i := range *streams {
		go func() {
			// First parts differ in length, so that streams do not end in step.
			next, left := 1+(*partChunks-1)*i / *streams, each
			var err error
			for left > 0 && err == nil {
				messages := min(next, left)
				err = l.part(context.Background(), clients[i%len(clients)], messages)
				left -= messages
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
	log.SetPrefix("grpc-go load: ")
	flag.Parse()
	var clients []pb.HashServiceClient
	for range *connections {
		connection, err := grpc.NewClient(*server, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			log.Fatal(err)
		}
		clients = append(clients, pb.NewHashServiceClient(connection))
	}
	l, input := newLoad(), bufio.NewReader(os.Stdin)
	l.run(clients, *warmupBytes)
	fmt.Println("ready")
	if _, err := input.ReadString('\n'); err != nil {
		log.Fatal("nobody said go")
	}
	started := time.Now()
	sent := l.run(clients, *loadBytes)
	fmt.Println("done", sent, time.Since(started).Seconds())
	// Whoever measures looks at this process before it ends.
	_, _ = io.Copy(io.Discard, input)
}
