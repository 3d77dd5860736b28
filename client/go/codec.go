package hashlane

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// message is a message of a request stream: its data, and the encoded other fields, which precede
// it. The data is not copied into a message, but sent from the buffer that it was read into, which
// the transport then frees.
type message struct {
	head []byte
	data mem.Buffer
}

// codec writes messages, and everything else as grpc-go does.
type codec struct{ encoding.CodecV2 }

func (c codec) Marshal(value any) (mem.BufferSlice, error) {
	m, ok := value.(*message)
	if !ok {
		return c.CodecV2.Marshal(value)
	}
	if m.data == nil {
		return mem.BufferSlice{mem.SliceBuffer(m.head)}, nil
	}
	return mem.BufferSlice{mem.SliceBuffer(m.head), m.data}, nil
}

var forceCodec = grpc.ForceCodecV2(codec{encoding.GetCodecV2(proto.Name)})
