package hashlane_test

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"
	"time"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// A source keeps its part, even if it pauses for longer than the server waits: before its first byte,
// and between others.
func TestASourceThatPausesKeepsItsPart(t *testing.T) {
	const idleTimeout = 2 * time.Second
	before := hashlane.SetKeepAliveInterval(idleTimeout / 20)
	socket := filepath.Join(t.TempDir(), "s")
	own := ownServer(t, freeAddress(), "--part-idle-timeout", idleTimeout.String(), "--listen-unix", socket)
	data := pattern(300_000, 1)
	source := func() io.Reader {
		pause := readerFunc(func([]byte) (int, error) {
			time.Sleep(idleTimeout * 5 / 4)
			return 0, io.EOF
		})
		return io.MultiReader(pause, bytes.NewReader(data[:200_000]), pause, bytes.NewReader(data[200_000:]))
	}
	clients := []*hashlane.Client{connect(t, []string{own.address}), connect(t, []string{"unix:" + socket})}
	t.Cleanup(func() {
		for _, client := range clients {
			client.Close()
		}
		hashlane.SetKeepAliveInterval(before)
	})
	works := []func(client *hashlane.Client) (hashlane.PartDigest, error){
		func(client *hashlane.Client) (hashlane.PartDigest, error) {
			return client.Digest(soon(t), hashlane.Reader(source()))
		},
		func(client *hashlane.Client) (hashlane.PartDigest, error) {
			stream := client.OpenDigestStream(soon(t))
			return stream.Digest(soon(t), hashlane.Reader(source()))
		},
		func(client *hashlane.Client) (hashlane.PartDigest, error) {
			part, err := client.OpenDigestStream(soon(t)).Part(soon(t))
			if err == nil {
				_, err = io.Copy(part, source())
			}
			if err != nil {
				return hashlane.PartDigest{}, err
			}
			return part.Finish(soon(t))
		},
	}
	each(len(works)*len(clients), func(i int) error {
		answer, err := works[i/len(clients)](clients[i%len(clients)])
		if err != nil || !bytes.Equal(answer.Of(hashlane.SHA256), sum256(data).Bytes) || answer.SizeBytes != uint64(len(data)) {
			t.Error(i, answer, err)
		}
		return err
	})
}
