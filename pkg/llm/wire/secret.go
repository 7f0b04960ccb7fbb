package wire

import (
	"fmt"
	"log/slog"
	"strings"
)

const redacted = "[redacted]"

// Secret is a text that must not be written anywhere, such as a key. However it is printed, encoded or logged it says
// "[redacted]", and nothing where it is empty. Only [Secret.Reveal] gives it. Two places see only that it is a string: fmt
// where it stands in a field that is not exported, and encoding/json where it is the key of a map. Keep it out of both.
type Secret string

// ParseSecret reads a secret as people keep it in a variable: space and line ends around it are cut, so are quotes and a
// "Bearer " before it. It is an error, which names the variable and not the value, where nothing is left or where it holds
// what cannot stand in a header: space inside, control characters, bytes that are not ASCII.
func ParseSecret(variable, text string) (Secret, error) {
	s := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		s = strings.TrimSpace(s[1 : n-1])
	}
	if rest, ok := cutFold(s, "bearer "); ok {
		s = strings.TrimSpace(rest)
	}
	if s == "" {
		return "", fmt.Errorf("key in %s is empty", variable)
	}
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			return "", fmt.Errorf("key in %s holds %s at byte %d of %d: a key is one word of letters, digits and signs", variable, nameByte(c), i+1, len(s))
		}
	}
	return Secret(s), nil
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func nameByte(c byte) string {
	switch {
	case c == '\n' || c == '\r':
		return "a line end"
	case c == ' ' || c == '\t':
		return "a space"
	case c >= 0x80:
		return "a character that is not ASCII"
	}
	return fmt.Sprintf("the control character %#02x", c)
}

// Reveal gives the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String gives "[redacted]".
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString gives "[redacted]".
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// Format writes "[redacted]" for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) } // fmt keeps the writer's error

// MarshalText gives "[redacted]".
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON gives "[redacted]".
func (s Secret) MarshalJSON() ([]byte, error) { return quote(s.String()), nil }

// LogValue gives "[redacted]".
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
