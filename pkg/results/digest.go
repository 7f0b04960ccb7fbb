package results

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sort"
)

// Digest is the first 16 hex digits of the SHA-256 of the settings' length-prefixed names and values, in the order of
// their names.
func (s Settings) Digest() string {
	names := make([]string, 0, len(s))
	for n := range s {
		names = append(names, n)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, n := range names {
		for _, f := range [...]string{n, s[n]} {
			h.Write(binary.AppendUvarint(nil, uint64(len(f))))
			h.Write([]byte(f))
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
