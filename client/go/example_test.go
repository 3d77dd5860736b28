package hashlane_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	hashlane "github.com/hashlane/hashlane/client/go"
)

func Example() {
	client, err := hashlane.Connect([]string{address})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	answer, err := client.Digest(ctx, hashlane.Bytes([]byte("abc")), hashlane.SHA1, hashlane.MD5)
	if err != nil {
		log.Fatal(err)
	}
	for _, digest := range answer.Digests {
		fmt.Println(digest, answer.SizeBytes)
	}
	// Output:
	// sha1:a9993e364706816aba3e25717850c26c9cd0d89d 3
	// md5:900150983cd24fb0d6963f7d28e17f72 3
}

func example() (context.Context, *hashlane.Client) {
	client, err := hashlane.Connect([]string{address})
	if err != nil {
		log.Fatal(err)
	}
	return context.Background(), client
}

func ExampleClient_Verify() {
	ctx, client := example()
	defer client.Close()

	expected, err := hashlane.ParseDigest(hashlane.MD5, "900150983cd24fb0d6963f7d28e17f72")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := client.Verify(ctx, hashlane.Bytes([]byte("abd")), expected)
	if err != nil {
		log.Fatal(err) // there is no answer
	}
	var mismatch *hashlane.MismatchError
	if errors.As(answer.Err(), &mismatch) {
		fmt.Println(mismatch)
	}
	// Output:
	// hashlane: mismatch over 3 bytes; expected md5:900150983cd24fb0d6963f7d28e17f72, computed 4911e516e5aa21d327512e0c8b197616
}

func ExampleClient_OpenDigestStream() {
	ctx, client := example()
	defer client.Close()

	stream := client.OpenDigestStream(ctx)
	defer stream.Close()
	first, err := stream.Part(ctx, hashlane.MD5)
	if err != nil {
		log.Fatal(err)
	}
	defer first.Discard() // after Finish it does nothing
	fmt.Fprint(first, "he")
	// A whole source as a part: sent again on another server where this one drains or is lost.
	second, err := stream.Digest(ctx, hashlane.Bytes([]byte("123456789")), hashlane.CRC32)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(first, "llo")
	answer, err := first.Finish(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(second.Digests[0], answer.Digests[0])
	// Output:
	// crc32:cbf43926 md5:5d41402abc4b2a76b9719d911017c592
}

func ExampleClient_NewHash() {
	ctx, client := example()
	defer client.Close()

	hash := client.NewHash(ctx, hashlane.SHA1)
	defer hash.Close()
	if _, err := io.Copy(hash, strings.NewReader("abc")); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%x\n", hash.Sum(nil))
	if err := hash.Err(); err != nil {
		log.Fatal(err) // where a hash.Hash cannot fail
	}
	// Output:
	// a9993e364706816aba3e25717850c26c9cd0d89d
}

func ExampleClient_Compose() {
	ctx, client := example()
	defer client.Close()

	blobs := [][]byte{[]byte("one"), []byte("two"), []byte("three")}
	answers, err := client.DigestBatch(ctx, blobs, hashlane.MD5)
	if err != nil {
		log.Fatal(err)
	}
	object := hashlane.Object{Algorithm: hashlane.MD5}
	for _, answer := range answers {
		object.PartDigests = append(object.PartDigests, answer.Of(hashlane.MD5))
	}
	digest, err := client.Compose(ctx, object)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(digest.ETag)
	// Output:
	// 1742aed2976bd6a0871db76d97698c8b-3
}

// Every example of README.md is one of those above, so that it runs.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllSubmatch(readme, -1)
	if len(examples) != 5 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		indented := regexp.MustCompile(`(?m)^(.)`).ReplaceAll(example[1], []byte("\t$1"))
		if !bytes.Contains(source, indented) {
			t.Errorf("not in example_test.go:\n%s", example[1])
		}
	}
}
