package hashlane_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	hashlane "github.com/hashlane/hashlane/client/go"
)

// A proxy that loses its server in the middle of a call ends the stream in its own way: nginx resets
// it, HAProxy ends it without trailers. Neither is an answer, so the part goes to another server.
func TestAStreamThatAProxyCutIsSentAgain(t *testing.T) {
	ways := map[string]func(){
		"a reset":     func() { panic(http.ErrAbortHandler) },
		"no trailers": func() {},
	}
	for way, end := range ways {
		t.Run(way, func(t *testing.T) {
			var calls atomic.Int64
			proxy := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				calls.Add(1)
				w.Header().Set("content-type", "application/grpc")
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
				end()
			}))
			proxy.Config.Protocols = new(http.Protocols)
			proxy.Config.Protocols.SetUnencryptedHTTP2(true)
			proxy.Start()
			t.Cleanup(proxy.Close)

			data := pattern(100_000, 3)
			client := connect(t, []string{proxy.Listener.Addr().String(), address})
			answer, err := client.Digest(soon(t), hashlane.Bytes(data))
			wantSHA256(t, answer, err, data)
			if calls.Load() != 1 {
				t.Fatalf("the proxy got %d calls", calls.Load())
			}
		})
	}
}
