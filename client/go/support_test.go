package hashlane_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	hashlane "github.com/hashlane/hashlane/client/go"
)

const (
	mib = 1 << 20
	// No condition of these tests takes this long, on any machine.
	patience = 60 * time.Second
)

// address is the server's of all tests that need no server of their own.
var address string

func TestMain(m *testing.M) {
	if os.Getenv("HASHLANE_SERVER") == "" {
		fmt.Fprintln(os.Stderr, "HASHLANE_SERVER does not name the server's program: run deploy/tests/clients.sh")
		os.Exit(2)
	}
	server, err := startServer(freeAddress())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	address = server.address
	status := m.Run()
	server.kill()
	os.Exit(status)
}

type server struct {
	address string
	admin   string
	process *exec.Cmd
	ended   chan struct{}
	log     bytes.Buffer
}

func freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func startServer(address string, flags ...string) (*server, error) {
	s := &server{address: address, admin: freeAddress(), ended: make(chan struct{})}
	flags = append([]string{"--listen", address, "--admin-listen", s.admin, "--workers", "1", "--pin=false"}, flags...)
	s.process = exec.Command(os.Getenv("HASHLANE_SERVER"), flags...)
	s.process.Stderr = &s.log
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.process.Wait()
		close(s.ended)
	}()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.ended:
			return nil, fmt.Errorf("the server ended at once: %s", s.log.String())
		default:
		}
		response, err := http.Get("http://" + s.admin + "/readyz")
		if err != nil {
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return s, nil
		}
	}
	s.kill()
	return nil, fmt.Errorf("the server is not ready")
}

func (s *server) kill() {
	_ = s.process.Process.Kill()
	<-s.ended
}

// drain asks the server to end, as an operator does.
func (s *server) drain() { _ = s.process.Process.Signal(syscall.SIGTERM) }

// metric is the sum of the samples with this prefix: a name, perhaps with its first labels.
func (s *server) metric(t *testing.T, begin string) (total float64) {
	t.Helper()
	response, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for line := range strings.Lines(string(text)) {
		var value float64
		if rest, ok := strings.CutPrefix(line, begin); ok && strings.ContainsAny(rest[:1], " {,}") {
			if _, err := fmt.Sscan(rest[strings.LastIndexByte(rest, ' ')+1:], &value); err != nil {
				t.Fatal(err)
			}
			total, found = total+value, true
		}
	}
	if !found {
		t.Fatalf("no metric %s", begin)
	}
	return total
}

// ownServer is a server that the test may end.
func ownServer(t *testing.T, address string, flags ...string) *server {
	t.Helper()
	s, err := startServer(address, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

func connect(t *testing.T, endpoints []string, options ...hashlane.Option) *hashlane.Client {
	t.Helper()
	client, err := hashlane.Connect(endpoints, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func shared(t *testing.T) *hashlane.Client { return connect(t, []string{address}) }

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// pattern gives bytes of period 251, so that swapped blocks show.
func pattern(length, seed int) []byte {
	data := make([]byte, length)
	for i := range data {
		data[i] = byte((i + 7*seed) % 251)
	}
	return data
}

// until waits until the condition holds.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}

// each runs work for every number below count, all at once, and gives the errors.
func each(count int, work func(int) error) []error {
	var group sync.WaitGroup
	errs := make([]error, count)
	for i := range count {
		group.Go(func() { errs[i] = work(i) })
	}
	group.Wait()
	return errs
}
