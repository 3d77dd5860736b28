package hashlane

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"google.golang.org/grpc"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Object is an object that was uploaded in parts.
type Object struct {
	// Algorithm of the parts' digests, SHA256 if it is not set.
	Algorithm Algorithm
	// PartDigests are raw, in part order: 1 to 10,000.
	PartDigests [][]byte
	// PartSizesBytes are the parts' lengths. With them the value is S3's FULL_OBJECT, for CRC32,
	// CRC32C and CRC64NVME. Without them it is the COMPOSITE; for MD5 that is the ETag.
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
// answer, not an error.
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
	return object.answer(answer)
}

// answer derives the value's forms and the verdict from the digest: an answer that contradicts them
// is an error.
func (o *Object) answer(wire *pb.ComposeResponse) (ObjectDigest, error) {
	digest, err := digestOf(pb.Algorithm(o.Algorithm), wire.GetDigest())
	if err != nil {
		return ObjectDigest{}, err
	}
	suffix := ""
	if o.PartSizesBytes == nil {
		suffix = fmt.Sprintf("-%d", len(o.PartDigests))
	}
	inHex, inBase64 := digest.Hex(), base64.StdEncoding.EncodeToString(digest.Bytes)
	if wire.GetHex() != inHex+suffix || wire.GetComposite() != inBase64+suffix {
		return ObjectDigest{}, broken("the value's forms differ")
	}
	value := ObjectDigest{
		Bytes:       digest.Bytes,
		Base64:      wire.GetComposite(),
		ETag:        wire.GetHex(),
		WasCompared: wire.GetVerdict() != pb.Verdict_VERDICT_UNSPECIFIED,
		IsMatch:     wire.GetVerdict() == pb.Verdict_VERDICT_MATCH,
	}
	if value.WasCompared != (o.Expected != "") {
		return ObjectDigest{}, broken("a verdict that was not asked for, or none that was")
	}
	// S3 leaves the number of parts out in some places.
	expected := strings.TrimSuffix(strings.Trim(o.Expected, `"`), suffix)
	isMatch := strings.EqualFold(expected, inHex) || expected == inBase64
	if value.WasCompared && !says(wire.GetVerdict(), isMatch) {
		return ObjectDigest{}, broken("the verdict contradicts the value")
	}
	return value, nil
}
