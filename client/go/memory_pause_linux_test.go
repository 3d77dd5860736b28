package hashlane

import (
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// A server that starts again is asked soon; a server that refuses is asked later.
func TestHowSoonMemoryIsAskedForAgain(t *testing.T) {
	accept := func(answer func(*net.UnixConn)) func(*net.UnixListener) {
		return func(listener *net.UnixListener) {
			socket, err := listener.AcceptUnix()
			if err != nil {
				t.Error(err)
				return
			}
			answer(socket)
			socket.Close()
		}
	}
	for name, each := range map[string]struct {
		serve func(*net.UnixListener)
		pause time.Duration
	}{
		"no socket":           {nil, memoryAwayPause},
		"a server that ended": {func(listener *net.UnixListener) {}, memoryAwayPause},
		"a server that ends before it reads": {accept(func(socket *net.UnixConn) {
			_, _ = io.ReadFull(socket, make([]byte, 1))
		}), memoryAwayPause},
		"a server that takes no more connections": {accept(func(socket *net.UnixConn) {
			_, _ = io.ReadFull(socket, make([]byte, 16))
		}), memoryPause},
		"a server that refuses": {accept(func(socket *net.UnixConn) {
			_, _ = io.ReadFull(socket, make([]byte, 16))
			_, _ = socket.Write(append([]byte("HLSM\x00\x00\x00\x02"), make([]byte, 24)...))
		}), memoryPause},
	} {
		path, done := filepath.Join(t.TempDir(), "s"), make(chan struct{})
		if each.serve == nil {
			close(done)
		} else {
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path + ".memory", Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			listener.SetUnlinkOnClose(false)
			go func() {
				each.serve(listener)
				listener.Close()
				close(done)
			}()
			if name == "a server that ended" {
				<-done
			}
		}
		m := newMemory("unix:"+path, memoryBytesMax)
		if m.get() != nil {
			t.Fatal(name, "shares memory")
		}
		<-done
		if pause := time.Until(m.pauseUntil); pause > each.pause || pause < each.pause-30*time.Second {
			t.Errorf("%s is asked again in %v, not %v", name, pause, each.pause)
		}
	}
}
