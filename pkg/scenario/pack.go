package scenario

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
)

// packedLine is how many bytes a line of a packed file carries.
const packedLine = 96

// Pack makes text of data that is small enough to embed: deflated, in lines of base64. The bytes that it gives may differ between
// versions of Go; [Unpack] always gives data again.
func Pack(data []byte) ([]byte, error) {
	var small bytes.Buffer
	w, err := flate.NewWriter(&small, flate.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if _, err := w.Write(data); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	var out []byte
	for left := small.Bytes(); len(left) > 0; {
		n := min(len(left), packedLine)
		out = append(base64.StdEncoding.AppendEncode(out, left[:n]), '\n')
		left = left[n:]
	}
	return out, nil
}

// Unpack gives what Pack was given, or an error where text is not whole.
func Unpack(text []byte) ([]byte, error) {
	r := flate.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)))
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return data, nil
}
