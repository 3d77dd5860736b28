// Command baseline is a plain server of the contract's Digest, with grpc-go and crypto/sha256. The
// load generator compares hashlane with it: loadtest/clients/README.md.
//
// It digests any number of parts of a stream with SHA-256 and answers each when it ends. Its admin
// port has /readyz, and /metrics without a metric.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"hash"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "hashlane.test/interop/hashlanev1"
)

// The server's limits: as hashlane's.
const (
	messageBytesMax   = 4 << 20
	partsPerStreamMax = 1024
	streamsMax        = 1024
)

var (
	listen      = flag.String("listen", "127.0.0.1:50051", "the `host:port` of gRPC")
	adminListen = flag.String("admin-listen", "127.0.0.1:9464", "the `host:port` of /readyz and /metrics")
	windowBytes = flag.Int("window-bytes", 0, "both windows of HTTP/2; 0 is grpc-go's choice, which grows")
)

type service struct{ pb.UnimplementedHashServiceServer }

type part struct {
	sum       hash.Hash
	sizeBytes uint64
}

func (p *part) answer(number uint64) *pb.DigestResponse {
	return &pb.DigestResponse{
		Part:      number,
		SizeBytes: p.sizeBytes,
		Digests:   []*pb.AlgorithmDigest{{Algorithm: pb.Algorithm_ALGORITHM_SHA256, Digest: p.sum.Sum(nil)}},
	}
}

func (service) Digest(stream grpc.BidiStreamingServer[pb.DigestRequest, pb.DigestResponse]) error {
	parts := map[uint64]*part{}
	messages := 0
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		messages++
		if open := request.GetOpen(); open != nil && !isPlain(open) {
			return status.Error(codes.Unimplemented, "the baseline digests with SHA-256 alone")
		}
		p := parts[request.Part]
		if p == nil {
			if len(parts) == partsPerStreamMax {
				return status.Error(codes.ResourceExhausted, "too many open parts")
			}
			p = &part{sum: sha256.New()}
			parts[request.Part] = p
		}
		p.sum.Write(request.Data)
		p.sizeBytes += uint64(len(request.Data))
		if request.Last {
			delete(parts, request.Part)
			if err := stream.Send(p.answer(request.Part)); err != nil {
				return err
			}
		}
	}
	if messages == 0 {
		parts[0] = &part{sum: sha256.New()}
	}
	for number, p := range parts {
		if err := stream.Send(p.answer(number)); err != nil {
			return err
		}
	}
	return nil
}

func isPlain(open *pb.PartOptions) bool {
	algorithms := open.Algorithms
	sha := pb.Algorithm_ALGORITHM_SHA256
	return open.SizeBytes == nil && (len(algorithms) == 0 || len(algorithms) == 1 && algorithms[0] == sha)
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("baseline: ")
	flag.Parse()
	socket, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	admin, err := net.Listen("tcp", *adminListen)
	if err != nil {
		log.Fatal(err)
	}
	options := []grpc.ServerOption{
		grpc.MaxConcurrentStreams(streamsMax),
		grpc.MaxRecvMsgSize(messageBytesMax),
	}
	if *windowBytes > 0 {
		window := int32(*windowBytes)
		options = append(options, grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window))
	}
	server := grpc.NewServer(options...)
	pb.RegisterHashServiceServer(server, service{})
	ended, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ended.Done()
		server.Stop()
	}()
	mux := http.NewServeMux()
	// An empty answer with status 200.
	ok := func(http.ResponseWriter, *http.Request) {}
	mux.HandleFunc("GET /readyz", ok)
	mux.HandleFunc("GET /metrics", ok)
	go func() { log.Fatal(http.Serve(admin, mux)) }()
	if err := server.Serve(socket); err != nil {
		log.Fatal(err)
	}
}
