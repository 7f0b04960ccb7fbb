// Package load is a cheap client of OpenEnv's WebSocket protocol and a crowd of them: it plays whole episodes and counts steps,
// and does so little for each message that the server is what is measured.
package load

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
)

// Opcodes of the WebSocket protocol, with the bit that says that the frame is whole.
const (
	opText  = 0x81
	opClose = 0x88
	opPing  = 0x89
	opPong  = 0x8a
)

// mask is the key that all frames are masked with. Clients must mask; that the key be unforeseeable matters in browsers only.
var mask = [4]byte{0x37, 0xfa, 0x21, 0x3d}

// AppendFrame appends a masked frame with the payload to dst. The payload may have up to 65,535 bytes.
func AppendFrame(dst []byte, opcode byte, payload []byte) []byte {
	const long, masked = 126, 0x80
	dst = append(dst, opcode)
	if len(payload) < long {
		dst = append(dst, masked|byte(len(payload)))
	} else {
		dst = binary.BigEndian.AppendUint16(append(dst, masked|long), uint16(len(payload)))
	}
	dst = append(dst, mask[:]...)
	for i, b := range payload {
		dst = append(dst, b^mask[i%len(mask)])
	}
	return dst
}

// AppendReset appends the payload of a reset with a seed.
func AppendReset(dst []byte, seed int) []byte {
	dst = append(dst, `{"type":"reset","data":{"seed":`...)
	return append(strconv.AppendInt(dst, int64(seed), 10), "}}"...)
}

// Step is the payload of a step with an action, given as JSON.
func Step(action string) []byte { return []byte(`{"type":"step","data":` + action + `}`) }

var (
	observation = []byte(`{"type":"observation"`)
	doneKey     = []byte(`"done":`)
	yes         = []byte("true")
)

// Done tells from the bytes of an answer whether the episode is over, without decoding it: `done` is a key of the envelope and
// stands near the end. The key cannot be mistaken in a text, where its quotes are escaped. An answer that is no observation, or
// that has no such key, is an error with its beginning.
func Done(answer []byte) (bool, error) {
	const tail = 64 // where it stands but in last observations, whose metadata follows it
	if !bytes.HasPrefix(answer, observation) {
		return false, fmt.Errorf("the answer is no observation: %s", head(answer))
	}
	from := max(0, len(answer)-tail)
	at := bytes.LastIndex(answer[from:], doneKey)
	if at < 0 {
		from, at = 0, bytes.LastIndex(answer, doneKey)
	}
	if at < 0 {
		return false, fmt.Errorf(`the observation has no "done": %s`, head(answer))
	}
	value := answer[from+at+len(doneKey):]
	return bytes.HasPrefix(bytes.TrimLeft(value, " "), yes), nil
}

// head is as much of an answer as a message shows.
func head(answer []byte) []byte { return answer[:min(len(answer), 300)] }
