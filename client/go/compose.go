package hashlane

import (
	"context"
	"encoding/hex"

	"google.golang.org/grpc"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Object is an object that was uploaded in parts.
type Object struct {
	// Algorithm of the parts' digests, SHA256 if it is not set.
	Algorithm Algorithm
	// PartDigests are raw, in part order: 1 to 10,000.
	PartDigests [][]byte
	// PartSizesBytes are the parts' lengths. With them the value is S3's FULL_OBJECT, of CRC32, CRC32C
	// and CRC64NVME. Without, it is COMPOSITE; that of MD5 is the ETag.
	PartSizesBytes []uint64
	// Expected is compared with the value: hex or base64, with "-N" or without, with or without the
	// quotes of an ETag. Nothing is compared if it is empty.
	Expected string
}

// ObjectDigest is S3's value of an object.
type ObjectDigest struct {
	// Bytes is the raw value.
	Bytes []byte
	// Base64 is as S3 writes checksums, with "-N" if it is a COMPOSITE.
	Base64 string
	// ETag is as S3 writes ETags, without the quotes: hex, with "-N" if it is a COMPOSITE.
	ETag string
	// WasCompared is whether a value was expected, and IsMatch whether it is this one.
	WasCompared, IsMatch bool
}

// Compose gives the value of an object from those of its parts, and compares it. A mismatch is an
// answer and no error.
func (c *Client) Compose(ctx context.Context, object Object) (ObjectDigest, error) {
	request := &pb.ComposeRequest{
		Algorithm:     pb.Algorithm(object.Algorithm),
		PartDigests:   object.PartDigests,
		Expected:      object.Expected,
		ChecksumType:  pb.ChecksumType_CHECKSUM_TYPE_COMPOSITE,
		PartSizeBytes: object.PartSizesBytes,
	}
	if object.PartSizesBytes != nil {
		request.ChecksumType = pb.ChecksumType_CHECKSUM_TYPE_FULL_OBJECT
	}
	var answer *pb.ComposeResponse
	err := c.unary(ctx, func(ctx context.Context, connection grpc.ClientConnInterface) (err error) {
		answer, err = pb.NewHashServiceClient(connection).Compose(ctx, request)
		return err
	})
	if err != nil {
		return ObjectDigest{}, err
	}
	digest := ObjectDigest{
		Bytes:       answer.GetDigest(),
		Base64:      answer.GetComposite(),
		ETag:        answer.GetHex(),
		WasCompared: answer.GetVerdict() != pb.Verdict_VERDICT_UNSPECIFIED,
		IsMatch:     answer.GetVerdict() == pb.Verdict_VERDICT_MATCH,
	}
	if digest.WasCompared != (object.Expected != "") {
		return ObjectDigest{}, broken("a verdict that was not asked for, or none that was")
	}
	length := hex.EncodedLen(len(digest.Bytes))
	if len(digest.ETag) < length || digest.ETag[:length] != hex.EncodeToString(digest.Bytes) {
		return ObjectDigest{}, broken("the value's two forms differ")
	}
	return digest, nil
}
