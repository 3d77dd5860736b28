package hashlane

import (
	"context"

	"google.golang.org/grpc"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Bytes that a blob takes in its message beyond its own: a tag and a length of at most five bytes.
const blobOverheadBytes = 6

// DigestBatch digests many small blobs, in as few requests as the server's limits allow, and gives
// the digests of each in the same order. A blob that fits no request is streamed.
func (c *Client) DigestBatch(ctx context.Context, blobs [][]byte, algorithms ...Algorithm) ([]PartDigest, error) {
	if err := distinct(algorithms); err != nil {
		return nil, err
	}
	bounds, areNew := c.limits.Load(), false
	if bounds == nil {
		var err error
		if bounds, err = c.askLimits(ctx); err != nil {
			return nil, err
		}
	}
	// The server's bound on digests is not among its limits: it is found by halving.
	blobsMax := int(bounds.BatchBlobsMax)
	answers := make([]PartDigest, 0, len(blobs))
	for rest := blobs; len(rest) > 0; {
		// Each algorithm is a number of one byte; they share a tag and a length.
		bytesMax := int(bounds.MessageBytesMax) - len(algorithms) - 2
		count := fitting(rest, bytesMax, blobsMax)
		if count == 0 {
			answer, err := c.Digest(ctx, Bytes(rest[0]), algorithms...)
			if err != nil {
				return nil, err
			}
			answers, rest = append(answers, answer), rest[1:]
			continue
		}
		batch, err := c.oneBatch(ctx, rest[:count], algorithms)
		switch reason := reasonOf(err); {
		case err == nil:
			answers, rest = append(answers, batch...), rest[count:]
		case reason == "TOO_MANY_DIGESTS":
			blobsMax = count / 2
		case (reason == "MESSAGE_TOO_LARGE" || reason == "TOO_MANY_BLOBS") && !areNew:
			// The server was restarted with other limits, or it is another server.
			if bounds, err = c.askLimits(ctx); err != nil {
				return nil, err
			}
			areNew, blobsMax = true, int(bounds.BatchBlobsMax)
		default:
			return nil, err
		}
	}
	return answers, nil
}

// fitting is how many of the first blobs fit one request.
func fitting(blobs [][]byte, bytesMax, blobsMax int) int {
	bytes := 0
	for count, blob := range blobs {
		bytes += len(blob) + blobOverheadBytes
		if bytes > bytesMax || count == blobsMax {
			return count
		}
	}
	return len(blobs)
}

func (c *Client) oneBatch(ctx context.Context, blobs [][]byte, algorithms []Algorithm) ([]PartDigest, error) {
	request := &pb.DigestBatchRequest{Algorithms: toWire(algorithms), Blobs: blobs}
	var answer *pb.DigestBatchResponse
	err := c.unary(ctx, func(ctx context.Context, connection grpc.ClientConnInterface) (err error) {
		answer, err = pb.NewHashServiceClient(connection).DigestBatch(ctx, request)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(answer.GetBlobs()) != len(blobs) {
		return nil, broken("not one answer for each blob of a batch")
	}
	answers := make([]PartDigest, len(blobs))
	for i, wire := range answer.GetBlobs() {
		digests, err := fromWire(wire.GetDigests())
		if err == nil {
			err = checkAsked(digests, orDefault(algorithms))
		}
		if err != nil {
			return nil, err
		}
		answers[i] = PartDigest{digests, uint64(len(blobs[i]))}
	}
	return answers, nil
}
