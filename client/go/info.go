package hashlane

import (
	"context"

	"google.golang.org/grpc"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Server is what a server reports about itself.
type Server struct {
	Version    string
	Workers    uint32
	Algorithms []AlgorithmInfo
	Limits     Limits
}

// AlgorithmInfo is an algorithm and its kernels.
type AlgorithmInfo struct {
	Algorithm Algorithm
	Kernels   []string
	Lanes     uint32
}

// Limits are the bounds a client must keep to. This package does so by itself.
type Limits struct {
	MessageBytesMax         uint64
	PartBytesMax            uint64
	PartsPerStreamMax       uint32
	BatchBlobsMax           uint32
	StreamsPerConnectionMax uint32
}

// ServerInfo asks a server for its version, algorithms, kernels and limits.
func (c *Client) ServerInfo(ctx context.Context) (Server, error) {
	var answer *pb.GetServerInfoResponse
	err := c.unary(ctx, func(ctx context.Context, connection grpc.ClientConnInterface) (err error) {
		answer, err = pb.NewHashServiceClient(connection).GetServerInfo(ctx, &pb.GetServerInfoRequest{})
		return err
	})
	if err != nil {
		return Server{}, err
	}
	bounds := answer.GetLimits()
	if bounds == nil {
		return Server{}, broken("no limits")
	}
	server := Server{
		Version: answer.GetVersion(),
		Workers: answer.GetWorkers(),
		Limits: Limits{
			MessageBytesMax:         bounds.GetMessageBytesMax(),
			PartBytesMax:            bounds.GetPartBytesMax(),
			PartsPerStreamMax:       bounds.GetPartsPerStreamMax(),
			BatchBlobsMax:           bounds.GetBatchBlobsMax(),
			StreamsPerConnectionMax: bounds.GetStreamsPerConnectionMax(),
		},
	}
	for _, wire := range answer.GetAlgorithms() {
		info := AlgorithmInfo{Algorithm(wire.GetAlgorithm()), wire.GetKernels(), wire.GetLanes()}
		server.Algorithms = append(server.Algorithms, info)
	}
	return server, nil
}

// askLimits requests the limits and stores them.
func (c *Client) askLimits(ctx context.Context) (*Limits, error) {
	server, err := c.ServerInfo(ctx)
	if err != nil {
		return nil, err
	}
	c.limits.Store(&server.Limits)
	return &server.Limits, nil
}
