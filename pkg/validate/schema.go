package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is a JSON Schema of draft 2020-12 that values are held against.
type schema struct {
	compiled *jsonschema.Schema
	// unread are patterns that cannot be read here: values are not held against them.
	unread []string
}

const (
	// schemaURL is where a schema stands in a compiler: nowhere.
	schemaURL = "mem:///schema.json"
	// patience is how long a schema may take. Schemas of strangers can be made to take for ever.
	patience = 3 * time.Second
	// maxExponent is the largest exponent of a number that is computed with exactly.
	maxExponent = 400
)

var errRemote = errors.New("it refers to another document, which is not fetched")

// noLoader refuses every document that a schema refers to.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: %w", url, errRemote)
}

// compileSchema reads a schema and checks it against draft 2020-12, whatever it says of itself.
func compileSchema(raw json.RawMessage) (*schema, error) {
	doc, err := decode(raw)
	if err != nil {
		return nil, err
	}
	if remote(doc) {
		return nil, errRemote
	}
	if weigh(doc) > heaviest {
		return nil, errHeavy
	}
	if m, ok := doc.(map[string]any); ok {
		delete(m, "$schema")
	}
	out := &schema{}
	err = patiently(func() error {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.UseLoader(noLoader{})
		c.UseRegexpEngine(out.pattern)
		if err := c.AddResource(schemaURL, doc); err != nil {
			return err
		}
		var err error
		out.compiled, err = c.Compile(schemaURL)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("it is no schema of draft 2020-12: %s", plainly(err))
	}
	return out, nil
}

// anything matches every text.
type anything string

// MatchString matches.
func (anything) MatchString(string) bool { return true }

// String gives the pattern.
func (a anything) String() string { return string(a) }

// pattern reads a regular expression. One that Go does not have (it looks ahead, or back) matches everything, and is noted.
func (s *schema) pattern(text string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		s.unread = append(s.unread, text)
		return anything(text), nil //nolint:nilerr // a pattern of another dialect is no mistake
	}
	return re, nil
}

// problems says what is wrong with a value, or nothing.
func (s *schema) problems(value any) error {
	err := patiently(func() error { return s.compiled.Validate(value) })
	if err != nil {
		return errors.New(plainly(err))
	}
	return nil
}

var errImpatient = fmt.Errorf("it is not done within %s", patience)

// patiently runs f for as long as schemas may take. What is not done by then is left to itself.
func patiently(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errImpatient
	}
}

// plainly renders a validation error on one line.
func plainly(err error) string {
	lines := strings.Split(err.Error(), "\n")
	var v *jsonschema.ValidationError
	if errors.As(err, &v) && len(lines) > 1 {
		lines = lines[1:]
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimSpace(l), "- ")
	}
	return strings.Join(lines, "; ")
}

// remote tells whether a schema refers to anything outside of itself.
func remote(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			if key == "$ref" || key == "$dynamicRef" {
				if s, ok := child.(string); !ok || !strings.HasPrefix(s, "#") {
					return true
				}
			}
			if remote(child) {
				return true
			}
		}
	case []any:
		for _, child := range v {
			if remote(child) {
				return true
			}
		}
	}
	return false
}

var errTrailing = errors.New("there is something after the value")

// decode reads JSON with its numbers as they are written. Numbers that nobody can compute with are refused.
func decode(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return v, computable(v)
}

var errBeyond = errors.New("a number beyond what can be computed with")

func computable(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			if err := computable(child); err != nil {
				return err
			}
		}
	case []any:
		for _, child := range v {
			if err := computable(child); err != nil {
				return err
			}
		}
	case json.Number:
		_, exponent, _ := strings.Cut(strings.ToLower(string(v)), "e")
		if n, err := strconv.Atoi(exponent); exponent != "" && (err != nil || n > maxExponent || n < -maxExponent) || len(v) > maxExponent {
			return fmt.Errorf("%w: %s", errBeyond, brief([]byte(v)))
		}
	}
	return nil
}
