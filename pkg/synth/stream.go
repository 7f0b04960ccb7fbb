package synth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"sync"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

// MinSecret is the least number of bytes of a secret.
const MinSecret = 32

// The names of the streams.
const (
	streamFacts = "facts"
	streamText  = "text"
	streamForm  = "form"
	streamIDs   = "ids"
)

// keyer derives the keys of streams: HMAC-SHA256(secret, length-prefixed fields). It is safe for concurrent use.
type keyer struct{ pool sync.Pool }

func newKeyer(secret []byte) *keyer {
	return &keyer{pool: sync.Pool{New: func() any { return &macState{mac: hmac.New(sha256.New, secret)} }}}
}

type macState struct {
	mac hash.Hash
	buf []byte
}

// key is the 32-byte key of one stream.
func (k *keyer) key(name string, split triage.Split, task string, seed, position int64) (out [32]byte) {
	s := k.pool.Get().(*macState)
	defer k.pool.Put(s)
	b := s.buf[:0]
	b = binary.AppendUvarint(b, scenario.StreamNumber)
	for _, f := range [...]string{name, string(split), task} {
		b = binary.AppendUvarint(b, uint64(len(f)))
		b = append(b, f...)
	}
	b = binary.BigEndian.AppendUint64(b, uint64(seed))
	b = binary.BigEndian.AppendUint64(b, uint64(position))
	s.mac.Reset()
	s.mac.Write(b)
	s.buf = s.mac.Sum(b[:0])
	copy(out[:], s.buf)
	return out
}

// Fingerprint tells secrets apart without giving them away: 8 hex digits of an HMAC under its own label. It is empty for
// no secret.
func Fingerprint(secret []byte) string {
	if len(secret) == 0 {
		return ""
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("triage secret fingerprint"))
	return hex.EncodeToString(mac.Sum(nil))[:8]
}

// CheckSecret refuses secrets that are too short to hide anything.
func CheckSecret(secret []byte) error {
	if n := len(secret); n > 0 && n < MinSecret {
		return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(
			"the secret has %d bytes, needs at least %d; `triage secret new` makes one", n, MinSecret)}
	}
	return nil
}

// draws is a stream of random numbers.
type draws struct {
	*rand.Rand
	source rand.ChaCha8
}

func (d *draws) seed(key [32]byte) {
	d.source.Seed(key)
	if d.Rand == nil {
		d.Rand = rand.New(&d.source)
	}
}

// chance is true with probability p.
func (d *draws) chance(p float64) bool { return p > 0 && d.Float64() < p }

// pick draws one of a list, or gives "" for an empty one.
func (d *draws) pick(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[d.IntN(len(list))]
}

// weighted draws an index with chances in proportion to the weights, which must not all be 0.
func (d *draws) weighted(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	x := d.IntN(sum)
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return len(weights) - 1
}

// mix is the finalizer of SplitMix64: it spreads a hash over all bits.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// slugHash is FNV-1a.
func slugHash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
