package agent

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/triagebench/triage/pkg/linear"
	"github.com/triagebench/triage/pkg/triage"
)

// LinearModel is what the linear agent knows: a file of `triage train`. It does not change; many agents may share it.
type LinearModel struct {
	// Bundle has a model for each label: of the bank's tickets those of [LinearBankLabels], else one for each label column.
	Bundle *linear.Bundle
	About  LinearAbout
	// Digest tells models apart: 16 hex digits of the SHA-256 of the file.
	Digest string
}

// LinearAbout says what a model was trained on.
type LinearAbout struct {
	// Bank says that it was trained on generated tickets and plays the tasks of the bank.
	Bank bool `json:"bank"`
	// Source is the digest of the tickets' file, or the generator's version; Side is the side of the file that was used, or empty.
	Source string `json:"source"`
	Side   string `json:"side,omitempty"`
	// Tickets is how many tickets were learned from.
	Tickets int `json:"tickets"`
}

// LinearMagic begins a model file: its first line is this and the version, the second is [LinearAbout] as JSON, and the bundle follows.
const LinearMagic = "triage linear model "

const (
	linearVersion = 1
	// mostAbout is the longest first two lines, in bytes.
	mostAbout = 1 << 16
)

// Write writes the file and sets the digest.
func (m *LinearModel) Write(w io.Writer) error {
	about, err := json.Marshal(m.About)
	if err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	h := sha256.New()
	both := io.MultiWriter(w, h)
	if _, err := fmt.Fprintf(both, "%s%d\n%s\n", LinearMagic, linearVersion, about); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	if err := m.Bundle.Write(both); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	m.Digest = hex.EncodeToString(h.Sum(nil))[:16]
	return nil
}

// ReadLinear reads a file of [LinearModel.Write]. What is no such file, or not a whole one, is an error that the user can mend
// ([triage.CodeUsage]).
func ReadLinear(r io.Reader) (*LinearModel, error) {
	h := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, h), mostAbout)
	first, err := in.ReadSlice('\n')
	version, ok := strings.CutPrefix(string(bytes.TrimSuffix(first, []byte("\n"))), LinearMagic)
	switch {
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
		return nil, err
	case len(first) == 0:
		return nil, modelError("the file is empty")
	case !ok:
		return nil, modelError("it is no model: a file of `triage train` begins with %q", LinearMagic+strconv.Itoa(linearVersion))
	case version != strconv.Itoa(linearVersion):
		return nil, modelError("it is a model of version %q, and this program reads version %d: train it again", cutText(version, 20), linearVersion)
	}
	m := &LinearModel{}
	second, err := in.ReadSlice('\n')
	if err != nil {
		return nil, modelError("it ends in its second line: the file is not whole")
	}
	if err := json.Unmarshal(second, &m.About); err != nil {
		return nil, modelError("line 2 does not say what it was trained on: %v", err)
	}
	if m.Bundle, err = linear.Read(in); err != nil {
		return nil, modelError("%v", err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, modelError("something follows the model: the file is not what `triage train` wrote")
	}
	if m.About.Bank {
		for _, name := range LinearBankLabels() {
			if err := m.checkBank(name); err != nil {
				return nil, err
			}
		}
	}
	m.Digest = hex.EncodeToString(h.Sum(nil))[:16]
	return m, nil
}

// checkBank refuses a model of the bank that answers in other words than the bank's.
func (m *LinearModel) checkBank(name string) error {
	model, err := m.Bundle.Model(name)
	if err != nil {
		return modelError("it says it is of the bank, but %v", err)
	}
	if got, want := strings.Join(model.Values(), ", "), strings.Join(linearBankValues(name), ", "); got != want {
		return modelError("its labels of %s are not those of the bank, which are %s", name, want)
	}
	return nil
}

func modelError(format string, args ...any) error {
	return &triage.Error{Code: triage.CodeUsage, Message: fmt.Sprintf(format, args...)}
}

// cutText gives the first n bytes.
func cutText(s string, n int) string { return s[:min(len(s), n)] }
