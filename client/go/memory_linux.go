package hashlane

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

const canShareMemory = true

const memoryReplyBytes = 32

// askRegion asks for memory.
func askRegion(path string, bytes int, deadline time.Time) (*region, error) {
	dialed, err := (&net.Dialer{Deadline: deadline}).Dial("unix", path)
	if err != nil {
		return nil, err
	}
	socket := dialed.(*net.UnixConn)
	shared, err := shareOver(socket, bytes, deadline)
	if err != nil {
		socket.Close()
		return nil, err
	}
	return shared, nil
}

func shareOver(socket *net.UnixConn, bytes int, deadline time.Time) (*region, error) {
	if err := socket.SetDeadline(deadline); err != nil {
		return nil, err
	}
	request := binary.BigEndian.AppendUint32([]byte("HLSM"), 1)
	request = binary.BigEndian.AppendUint64(request, uint64(bytes))
	if _, err := socket.Write(request); err != nil {
		return nil, err
	}
	reply, file, err := receiveReply(socket)
	if err != nil {
		return nil, err
	}
	if file != nil {
		// The mapping needs it no more.
		defer file.Close()
	}
	if string(reply[:4]) != "HLSM" {
		return nil, errors.New("the reply is not of this protocol")
	}
	if status := refusal(binary.BigEndian.Uint32(reply[4:])); status != 0 {
		return nil, status
	}
	if file == nil {
		return nil, errors.New("the reply has no descriptor")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	// Beyond the end of the file there is no memory.
	if info.Size() < int64(bytes) {
		return nil, errors.New("the memory is smaller than asked for")
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	mapped, err := syscall.Mmap(int(file.Fd()), 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	isAlive := func() bool { return isOpen(raw) }
	release := func() {
		_ = syscall.Munmap(mapped)
		_ = socket.Close()
	}
	return newRegion(hex.EncodeToString(reply[8:24]), mapped, isAlive, release), nil
}

// receiveReply receives a reply and its descriptor, if it has one.
func receiveReply(socket *net.UnixConn) (reply []byte, file *os.File, err error) {
	reply, ancillary := make([]byte, memoryReplyBytes), make([]byte, syscall.CmsgSpace(4))
	length, ancillaryLength, _, _, err := socket.ReadMsgUnix(reply, ancillary)
	if err != nil {
		return nil, nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(ancillary[:ancillaryLength])
	if err != nil {
		return nil, nil, err
	}
	for i := range messages {
		// Other messages have none.
		descriptors, _ := syscall.ParseUnixRights(&messages[i])
		for _, descriptor := range descriptors {
			if file != nil {
				file.Close()
			}
			file = os.NewFile(uintptr(descriptor), "hashlane memory")
		}
	}
	// The server sends a reply at once.
	if length < memoryReplyBytes {
		if file != nil {
			file.Close()
		}
		return nil, nil, fmt.Errorf("the reply is cut: %w", io.ErrUnexpectedEOF)
	}
	return reply, file, nil
}

// isAway is whether nobody answered: there is no socket, or its server ended before it replied.
func isAway(err error) bool {
	for _, away := range []error{
		syscall.ENOENT, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, away) {
			return true
		}
	}
	return false
}

// isOpen is whether the server has not closed the socket: nothing else ever arrives.
func isOpen(raw syscall.RawConn) bool {
	var received error
	err := raw.Control(func(socket uintptr) {
		_, _, received = syscall.Recvfrom(int(socket), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	})
	return err == nil && errors.Is(received, syscall.EAGAIN)
}
