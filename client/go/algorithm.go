package hashlane

import (
	"fmt"
	"strings"

	pb "github.com/hashlane/hashlane/client/go/hashlanev1"
)

// Algorithm is a digest algorithm of the contract. Server.Algorithms lists those that a server
// computes.
type Algorithm int32

// The algorithms. MD5 and SHA1 are not safe against collisions. JLanes and MultiHash are tree
// modes: their digests are not those of the plain hash.
const (
	SHA256             = Algorithm(pb.Algorithm_ALGORITHM_SHA256)
	SHA224             = Algorithm(pb.Algorithm_ALGORITHM_SHA224)
	SHA512             = Algorithm(pb.Algorithm_ALGORITHM_SHA512)
	SHA384             = Algorithm(pb.Algorithm_ALGORITHM_SHA384)
	SHA1               = Algorithm(pb.Algorithm_ALGORITHM_SHA1)
	MD5                = Algorithm(pb.Algorithm_ALGORITHM_MD5)
	CRC32              = Algorithm(pb.Algorithm_ALGORITHM_CRC32)
	CRC32C             = Algorithm(pb.Algorithm_ALGORITHM_CRC32C)
	CRC64NVME          = Algorithm(pb.Algorithm_ALGORITHM_CRC64NVME)
	XXHash64           = Algorithm(pb.Algorithm_ALGORITHM_XXHASH64)
	XXHash3            = Algorithm(pb.Algorithm_ALGORITHM_XXHASH3)
	XXHash128          = Algorithm(pb.Algorithm_ALGORITHM_XXHASH128)
	BLAKE3             = Algorithm(pb.Algorithm_ALGORITHM_BLAKE3)
	SHA256JLanesX4     = Algorithm(pb.Algorithm_ALGORITHM_SHA256_JLANES_X4)
	SHA256JLanesX8     = Algorithm(pb.Algorithm_ALGORITHM_SHA256_JLANES_X8)
	SHA256JLanesX16    = Algorithm(pb.Algorithm_ALGORITHM_SHA256_JLANES_X16)
	MD5MultiHashX4     = Algorithm(pb.Algorithm_ALGORITHM_MD5_MULTIHASH_X4)
	MD5MultiHashX8     = Algorithm(pb.Algorithm_ALGORITHM_MD5_MULTIHASH_X8)
	MD5MultiHashX16    = Algorithm(pb.Algorithm_ALGORITHM_MD5_MULTIHASH_X16)
	SHA1MultiHashX4    = Algorithm(pb.Algorithm_ALGORITHM_SHA1_MULTIHASH_X4)
	SHA1MultiHashX8    = Algorithm(pb.Algorithm_ALGORITHM_SHA1_MULTIHASH_X8)
	SHA1MultiHashX16   = Algorithm(pb.Algorithm_ALGORITHM_SHA1_MULTIHASH_X16)
	SHA256MultiHashX4  = Algorithm(pb.Algorithm_ALGORITHM_SHA256_MULTIHASH_X4)
	SHA256MultiHashX8  = Algorithm(pb.Algorithm_ALGORITHM_SHA256_MULTIHASH_X8)
	SHA256MultiHashX16 = Algorithm(pb.Algorithm_ALGORITHM_SHA256_MULTIHASH_X16)
	SHA512MultiHashX4  = Algorithm(pb.Algorithm_ALGORITHM_SHA512_MULTIHASH_X4)
	SHA512MultiHashX8  = Algorithm(pb.Algorithm_ALGORITHM_SHA512_MULTIHASH_X8)
	SHA512MultiHashX16 = Algorithm(pb.Algorithm_ALGORITHM_SHA512_MULTIHASH_X16)
)

// Bytes of digests, by the first word of the algorithm's name. Tree modes have the length of their
// hash.
var digestBytes = map[string]int{
	"sha256": 32, "sha224": 28, "sha512": 64, "sha384": 48, "sha1": 20, "md5": 16,
	"crc32": 4, "crc32c": 4, "crc64nvme": 8,
	"xxhash64": 8, "xxhash3": 8, "xxhash128": 16, "blake3": 32,
}

// Algorithms gives every algorithm of the contract.
func Algorithms() []Algorithm {
	all := make([]Algorithm, 0, len(pb.Algorithm_name)-1)
	for number := Algorithm(1); number.known(); number++ {
		all = append(all, number)
	}
	return all
}

// ParseAlgorithm finds an algorithm by its name, such as "sha256".
func ParseAlgorithm(name string) (Algorithm, error) {
	number, ok := pb.Algorithm_value["ALGORITHM_"+strings.ToUpper(name)]
	if !ok || number == 0 || strings.ToLower(name) != name {
		return 0, argument("unknown algorithm %.40q, expected one of %v", name, Algorithms())
	}
	return Algorithm(number), nil
}

// String is the contract's name without ALGORITHM_, in lower case.
func (a Algorithm) String() string {
	if !a.known() {
		return fmt.Sprintf("algorithm %d", int32(a))
	}
	return strings.ToLower(strings.TrimPrefix(pb.Algorithm(a).String(), "ALGORITHM_"))
}

// DigestBytes is the length of a digest.
func (a Algorithm) DigestBytes() int {
	name, _, _ := strings.Cut(a.String(), "_")
	return digestBytes[name]
}

func (a Algorithm) known() bool {
	_, ok := pb.Algorithm_name[int32(a)]
	return ok && a != 0
}

// distinct refuses algorithms that the server would refuse.
func distinct(algorithms []Algorithm) error {
	seen := map[Algorithm]bool{}
	for _, algorithm := range algorithms {
		if !algorithm.known() {
			return argument("%v is unknown", algorithm)
		}
		if seen[algorithm] {
			return argument("%v is named twice: name it once", algorithm)
		}
		seen[algorithm] = true
	}
	return nil
}

// orDefault is SHA256 if no algorithm is named.
func orDefault(algorithms []Algorithm) []Algorithm {
	if len(algorithms) == 0 {
		return []Algorithm{SHA256}
	}
	return algorithms
}

func toWire(algorithms []Algorithm) []pb.Algorithm {
	wire := make([]pb.Algorithm, len(algorithms))
	for i, algorithm := range algorithms {
		wire[i] = pb.Algorithm(algorithm)
	}
	return wire
}
