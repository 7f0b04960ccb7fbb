package linear

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
)

// A file is: the magic, a byte of version, the options that make vectors, the buckets that are features (each as its distance
// from the one before) with the examples that had them, the models, and the SHA-256 of all that. Whole numbers are uvarints,
// others float32; strings have their length first. The weights of a feature are a bit for each class, set where the weight is
// not 0, and those weights. So what a reader allocates is at most a few times what it was given.
const (
	magic   = "triage linear model\n"
	version = 1

	maxModels  = 64
	maxClasses = 10_000
	maxBits    = 22
	maxString  = 1 << 16
	maxFile    = 256 << 20
)

// Write writes the bundle in a form that [Read] reads: the same bytes for the same bundle.
func (b *Bundle) Write(w io.Writer) error {
	if _, err := w.Write(b.encode()); err != nil {
		return fmt.Errorf("writing model: %w", err)
	}
	return nil
}

// Digest is the SHA-256 of the bundle's file, in hexadecimal.
func (b *Bundle) Digest() string {
	data := b.encode()
	return hex.EncodeToString(data[len(data)-sha256.Size:])
}

func (b *Bundle) encode() []byte {
	s := b.space
	var e encoder
	e.data = append(e.data, magic...)
	e.data = append(e.data, version)
	for _, n := range []int{s.opt.Words + 1, s.opt.MinChars, s.opt.Chars + 1, s.opt.Bits, s.opt.MaxBytes, int(math.Round(s.opt.FieldWeight * one)), s.n, len(s.keys)} {
		e.number(n)
	}
	last := uint32(0)
	for i, key := range s.keys {
		e.number(int(key - last))
		e.number(int(s.docs[i]))
		last = key
	}
	e.number(len(b.models))
	for _, m := range b.models {
		e.model(m)
	}
	sum := sha256.Sum256(e.data)
	return append(e.data, sum[:]...)
}

type encoder struct{ data []byte }

func (e *encoder) number(n int) { e.data = binary.AppendUvarint(e.data, uint64(n)) }

func (e *encoder) float(v float64) {
	e.data = binary.LittleEndian.AppendUint32(e.data, math.Float32bits(float32(v)))
}

func (e *encoder) text(s string) {
	e.number(len(s))
	e.data = append(e.data, s...)
}

func (e *encoder) flag(set bool) {
	if set {
		e.number(1)
		return
	}
	e.number(0)
}

func (e *encoder) model(m *Model) {
	e.text(m.name)
	e.flag(m.ordered)
	e.flag(m.cost != nil)
	e.number(len(m.values))
	e.float(m.temperature)
	for c, value := range m.values {
		e.text(value)
		e.number(m.seen[c])
		e.float(m.scale[c])
		e.float(m.bias[c])
	}
	for _, row := range m.cost {
		for _, v := range row {
			e.float(v)
		}
	}
	mask := make([]byte, (len(m.values)+7)/8)
	for row := range len(m.weights.start) - 1 {
		clear(mask)
		classes, weights := m.weights.row(int32(row))
		for _, c := range classes {
			mask[c/8] |= 1 << (c % 8)
		}
		e.data = append(e.data, mask...)
		for _, w := range weights {
			e.data = append(e.data, byte(w))
		}
	}
}

// ErrNotModel is wrapped by the error of [Read] where what was read is no model file at all.
var ErrNotModel = errors.New("not a model file of this program")

// Read reads what [Bundle.Write] wrote. It is an error that says what is wrong if the data is something else ([ErrNotModel]), of
// another version, cut off or changed, or larger than 256 MiB. It allocates in proportion to what it reads.
func Read(r io.Reader) (*Bundle, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading model: %w", err)
	}
	b, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("reading model: %w", err)
	}
	return b, nil
}

func decode(data []byte) (*Bundle, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("more than %d bytes", maxFile)
	}
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		if len(data) == 0 {
			return nil, fmt.Errorf("%w: it is empty", ErrNotModel)
		}
		return nil, fmt.Errorf("%w: it begins with %q", ErrNotModel, data[:min(len(data), len(magic))])
	}
	if len(rest) < 1+sha256.Size {
		return nil, errors.New("cut off: it ends before its checksum")
	}
	if rest[0] != version {
		return nil, fmt.Errorf("version %d: this program reads version %d", rest[0], version)
	}
	end := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, errors.New("cut off or changed: its checksum is another")
	}
	d := decoder{data: rest[1 : len(rest)-sha256.Size]}
	b := d.bundle()
	if d.err == nil && len(d.data) > 0 {
		d.fail("%d bytes too many", len(d.data))
	}
	if d.err != nil {
		return nil, d.err
	}
	b.space.fill()
	return b, nil
}
