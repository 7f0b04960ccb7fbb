package linear

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// decoder takes numbers off the front of the data. After the first error it gives zeros.
type decoder struct {
	data []byte
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("damaged: "+format, args...)
	}
	d.data = nil
}

// number takes a whole number of lo to hi.
func (d *decoder) number(what string, lo, hi int) int {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.fail("it ends in %s", what)
		return lo
	}
	d.data = d.data[size:]
	if n < uint64(lo) || n > uint64(hi) {
		d.fail("%s is %d: allowed are %d to %d", what, n, lo, hi)
		return lo
	}
	return int(n)
}

func (d *decoder) bytes(what string, n int) []byte {
	if n > len(d.data) {
		d.fail("it ends in %s", what)
		return nil
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}

// float takes a number from lo to hi.
func (d *decoder) float(what string, lo, hi float64) float64 {
	b := d.bytes(what, 4)
	if b == nil {
		return lo
	}
	v := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	if !(v >= lo && v <= hi) {
		d.fail("%s is %v: allowed are %v to %v", what, v, lo, hi)
		return lo
	}
	return v
}

func (d *decoder) text(what string) string {
	return strings.Clone(string(d.bytes(what, d.number("the length of "+what, 0, maxString))))
}

func (d *decoder) bundle() *Bundle {
	s := &space{}
	s.opt.Words = d.number("words", 0, 9) - 1
	s.opt.MinChars = d.number("min chars", 1, 8)
	s.opt.Chars = d.number("chars", 0, 9) - 1
	s.opt.Bits = d.number("bits", 8, maxBits)
	s.opt.MaxBytes = d.number("max bytes", 1, 1<<24)
	s.opt.FieldWeight = float64(d.number("field weight", 0, 100*one)) / one
	s.n = d.number("examples", 1, math.MaxInt32)
	// Each feature is two bytes at least.
	features := d.number("features", 0, min(1<<s.opt.Bits, len(d.data)/2))
	for i, last := 0, 0; i < features && d.err == nil; i++ {
		if last += d.number("a feature", min(i, 1), 1<<s.opt.Bits); last >= 1<<s.opt.Bits {
			d.fail("feature %d is in bucket %d of %d", i, last, 1<<s.opt.Bits)
		}
		s.keys = append(s.keys, uint32(last))
		s.docs = append(s.docs, uint32(d.number("the examples of a feature", 0, s.n)))
	}
	b := &Bundle{space: s}
	for range d.number("models", 1, maxModels) {
		if m := d.model(features); d.err == nil {
			if slices.ContainsFunc(b.models, func(o *Model) bool { return o.name == m.name }) {
				d.fail("two models are named %q", m.name)
			}
			b.models = append(b.models, m)
		}
	}
	return b
}

func (d *decoder) model(features int) *Model {
	m := &Model{name: d.text("the name of a model")}
	m.ordered = d.number("whether ordered", 0, 1) == 1
	costed := d.number("whether costed", 0, 1) == 1
	// Each class is ten bytes at least.
	classes := d.number("values", 1, max(min(maxClasses, len(d.data)/10), 1))
	m.temperature = d.float("the temperature", coldest/2, hottest*2)
	some := 0
	for range classes {
		m.values = append(m.values, d.text("a value"))
		m.seen = append(m.seen, d.number("the examples of a value", 0, math.MaxInt32))
		m.scale = append(m.scale, d.float("a scale", 0, math.MaxFloat32))
		m.bias = append(m.bias, d.float("a bias", -math.MaxFloat32, math.MaxFloat32))
		some = max(some, m.seen[len(m.seen)-1])
	}
	if some == 0 {
		d.fail("no value of model %q has examples", m.name)
	}
	if costed {
		d.cost(m)
	}
	d.weights(m, features)
	return m
}

func (d *decoder) cost(m *Model) {
	classes := len(m.values)
	if need := 4 * classes * classes; need > len(d.data) {
		d.fail("it ends in the costs")
		return
	}
	for range classes {
		row := make([]float64, classes)
		for c := range row {
			row[c] = d.float("a cost", 0, math.MaxFloat32)
		}
		m.cost = append(m.cost, row)
	}
}

func (d *decoder) weights(m *Model, features int) {
	m.weights.start = append(m.weights.start, 0)
	for range features {
		mask := d.bytes("the weights", (len(m.values)+7)/8)
		for c := range m.values {
			if mask == nil || mask[c/8]&(1<<(c%8)) == 0 {
				continue
			}
			w := d.bytes("the weights", 1)
			if w == nil || w[0] == 0 {
				d.fail("a weight that is not there or 0")
				return
			}
			m.weights.class, m.weights.weight = append(m.weights.class, uint16(c)), append(m.weights.weight, int8(w[0]))
		}
		if d.err != nil {
			return
		}
		m.weights.start = append(m.weights.start, uint32(len(m.weights.weight)))
	}
}
