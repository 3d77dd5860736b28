package hashlane

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Digest is a raw digest and its algorithm.
type Digest struct {
	Algorithm Algorithm
	Bytes     []byte
}

// ParseDigest reads hex of either case.
func ParseDigest(algorithm Algorithm, text string) (Digest, error) {
	raw, err := hex.DecodeString(text)
	if err != nil {
		return Digest{}, argument("a digest of %v is hex: %v", algorithm, err)
	}
	digest := Digest{algorithm, raw}
	return digest, digest.check()
}

// String is "algorithm:hex".
func (d Digest) String() string { return d.Algorithm.String() + ":" + d.Hex() }

// Hex is the digest in lower case, without the algorithm.
func (d Digest) Hex() string { return hex.EncodeToString(d.Bytes) }

// Equal is whether algorithm and bytes are the same.
func (d Digest) Equal(other Digest) bool {
	return d.Algorithm == other.Algorithm && bytes.Equal(d.Bytes, other.Bytes)
}

func (d Digest) check() error {
	if !d.Algorithm.known() {
		return argument("a digest's %v is unknown: name one, or use ParseDigest", d.Algorithm)
	}
	if want := d.Algorithm.DigestBytes(); len(d.Bytes) != want {
		return argument("a digest of %v has %d bytes, not %d", d.Algorithm, want, len(d.Bytes))
	}
	return nil
}

// PartDigest is the answer to a part of Digest.
type PartDigest struct {
	// Digests in the order in which they were asked for.
	Digests []Digest
	// SizeBytes is how many bytes were hashed.
	SizeBytes uint64
}

// Of is the digest of an algorithm, or nil if it was not asked for.
func (p PartDigest) Of(algorithm Algorithm) []byte {
	for _, digest := range p.Digests {
		if digest.Algorithm == algorithm {
			return digest.Bytes
		}
	}
	return nil
}

// Comparison is the comparison of one digest.
type Comparison struct {
	Expected, Computed Digest
}

// IsMatch is whether the digest is the expected one.
func (c Comparison) IsMatch() bool { return c.Expected.Equal(c.Computed) }

// Verification is the answer to a part of Verify.
type Verification struct {
	// Comparisons in the order in which digests were expected.
	Comparisons []Comparison
	// SizeBytes is how many bytes were hashed.
	SizeBytes uint64
}

// IsMatch is whether every digest is the expected one. It is false for a Verification without
// digests.
func (v Verification) IsMatch() bool { return len(v.Comparisons) > 0 && len(v.Mismatches()) == 0 }

// Mismatches are the comparisons whose digest is not the expected one.
func (v Verification) Mismatches() (wrong []Comparison) {
	for _, comparison := range v.Comparisons {
		if !comparison.IsMatch() {
			wrong = append(wrong, comparison)
		}
	}
	return wrong
}

// Err is nil if everything matches, and otherwise a *MismatchError.
func (v Verification) Err() error {
	if v.IsMatch() {
		return nil
	}
	return &MismatchError{v}
}

// MismatchError says which digests differ. Only Verification.Err makes one.
type MismatchError struct{ Verification Verification }

func (e *MismatchError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "hashlane: mismatch over %d bytes", e.Verification.SizeBytes)
	for _, wrong := range e.Verification.Mismatches() {
		fmt.Fprintf(&text, "; expected %v, computed %s", wrong.Expected, wrong.Computed.Hex())
	}
	return text.String()
}

func fromWire(wire []*pb.AlgorithmDigest) ([]Digest, error) {
	digests := make([]Digest, 0, len(wire))
	for _, each := range wire {
		digest, err := digestOf(each.GetAlgorithm(), each.GetDigest())
		if err != nil {
			return nil, err
		}
		digests = append(digests, digest)
	}
	return digests, nil
}

// digestOf is a digest from a server, which may leave SHA-256 unnamed.
func digestOf(algorithm pb.Algorithm, raw []byte) (Digest, error) {
	if algorithm == pb.Algorithm_ALGORITHM_UNSPECIFIED {
		algorithm = pb.Algorithm_ALGORITHM_SHA256
	}
	digest := Digest{Algorithm(algorithm), raw}
	if digest.check() != nil {
		return Digest{}, broken("a digest of an unknown algorithm, or of the wrong length")
	}
	return digest, nil
}

// checkAsked checks that the digests are those that were asked for.
func checkAsked(digests []Digest, asked []Algorithm) error {
	same := slices.EqualFunc(digests, asked, func(d Digest, a Algorithm) bool { return d.Algorithm == a })
	if !same {
		return broken("not exactly the digests that were asked for")
	}
	return nil
}

// asked is what was asked for, to check the answer.
type asked struct {
	algorithms []Algorithm
	// The digests that Verify expects.
	expected []Digest
	// Bytes sent.
	sizeBytes uint64
	// The part comes from a source, so it ends by itself.
	isWhole bool
}

func (a *asked) checkSize(answered uint64) error {
	if answered != a.sizeBytes {
		return broken(fmt.Sprintf("the server hashed %d bytes of %d", answered, a.sizeBytes))
	}
	return nil
}

func partDigest(response *pb.DigestResponse, asked *asked) (PartDigest, error) {
	digests, err := fromWire(response.GetDigests())
	if err == nil {
		err = checkAsked(digests, asked.algorithms)
	}
	if err == nil {
		err = asked.checkSize(response.GetSizeBytes())
	}
	if err != nil {
		return PartDigest{}, err
	}
	return PartDigest{digests, response.GetSizeBytes()}, nil
}

// verification compares the digests itself: a verdict that contradicts them is an error.
func verification(response *pb.VerifyResponse, asked *asked) (Verification, error) {
	v := Verification{SizeBytes: response.GetSizeBytes()}
	for i, wire := range response.GetVerdicts() {
		expected, err := digestOf(wire.GetAlgorithm(), wire.GetExpected())
		if err != nil {
			return Verification{}, err
		}
		computed, err := digestOf(wire.GetAlgorithm(), wire.GetComputed())
		if err != nil {
			return Verification{}, err
		}
		if i >= len(asked.expected) || !expected.Equal(asked.expected[i]) {
			return Verification{}, broken("the verdict is on other digests")
		}
		comparison := Comparison{expected, computed}
		if !says(wire.GetVerdict(), comparison.IsMatch()) {
			return Verification{}, broken("the verdict contradicts its digests")
		}
		v.Comparisons = append(v.Comparisons, comparison)
	}
	if len(v.Comparisons) != len(asked.expected) {
		return Verification{}, broken("the verdict is on other digests")
	}
	if !says(response.GetVerdict(), v.IsMatch()) {
		return Verification{}, broken("the verdict contradicts its digests")
	}
	return v, asked.checkSize(v.SizeBytes)
}

func says(verdict pb.Verdict, isMatch bool) bool {
	if isMatch {
		return verdict == pb.Verdict_VERDICT_MATCH
	}
	return verdict == pb.Verdict_VERDICT_MISMATCH
}

func partError(wire *pb.PartError) error {
	if wire == nil {
		return nil
	}
	code := codes.Code(wire.GetCode())
	return &Error{Code: code, Reason: wire.GetReason(), Message: wire.GetMessage(), OfPart: true}
}
