// Package config merges settings: default < config file < environment variable < flag. It is the only package that knows
// viper. A setting has the name of its flag; nothing else can be set.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// Prefix begins the names of environment variables: --max-errors is TRIAGE_MAX_ERRORS.
const Prefix = "TRIAGE_"

// others are variables that begin like ours and are those of the Python client and of the tests.
var others = []string{Prefix + "BINARY", Prefix + "CHROMIUM", Prefix + "AXE"}

// linked begins the values that Kubernetes gives variables such as TRIAGE_PORT where a service is called triage: they are no settings.
const linked = "tcp://"

// never are flags that no file or variable sets.
var never = []string{"help", "config", "print-config"}

// Source is where settings come from beside flags.
type Source struct {
	File     []byte // a YAML document, or nil
	Name     string // of the file, for messages
	Lookup   func(string) (string, bool)
	Environ  []string
	Command  string              // the path of the command, such as "tickets show"
	Commands map[string][]string // all commands with their flags
}

// Setting is a merged value with where it came from.
type Setting struct {
	Name  string
	Value any // as YAML has it
	From  string
}

// fromDefault is the origin of what nobody set.
const fromDefault = "default"

// FlagNames lists the flags that can be set from a file or variable.
func FlagNames(flags *pflag.FlagSet) []string {
	var out []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(never, f.Name) {
			out = append(out, f.Name)
		}
	})
	return out
}

// Apply sets the flags that were not given from the environment and the file, and gives all settings with their origin. A
// key or value that is not known is an error that names file, key and what is allowed; an unknown variable with the
// prefix is a warning.
func Apply(flags *pflag.FlagSet, s Source) ([]Setting, []string, error) {
	values, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	var out []Setting
	for _, name := range FlagNames(flags) {
		f := flags.Lookup(name)
		from := fromDefault
		variable := Variable(name)
		text, ok := s.Lookup(variable)
		if ok = ok && !strings.HasPrefix(text, linked); f.Changed {
			from = "flag"
		} else if ok {
			from = "variable " + variable
			if err := set(flags, f, text); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", variable, err)
			}
		} else if values.IsSet(name) {
			from = "file " + s.Name
			if err := setFromFile(flags, f, values.Get(name)); err != nil {
				return nil, nil, fmt.Errorf("%s: %s: %w", s.Name, name, err)
			}
		}
		out = append(out, Setting{Name: name, Value: valueOf(f), From: from})
	}
	return out, s.unknownVariables(), nil
}

func set(flags *pflag.FlagSet, f *pflag.Flag, text string) error {
	if err := flags.Set(f.Name, text); err != nil {
		cause := err
		for next := errors.Unwrap(cause); next != nil; next = errors.Unwrap(cause) {
			cause = next
		}
		if what, ok := kinds[f.Value.Type()]; ok && errors.Is(cause, strconv.ErrSyntax) {
			return fmt.Errorf("%q is not %s", text, what)
		}
		if strings.HasPrefix(cause.Error(), strconv.Quote(text)) { // the flag has said it all
			return cause
		}
		if f.Value.Type() == "duration" {
			return fmt.Errorf("%q is %s", text, NoDuration)
		}
		return fmt.Errorf("%q: %w", text, cause)
	}
	return nil
}

// NoDuration is what is said of a text that is no duration, in flags, files and variables.
const NoDuration = "no duration; allowed is a number with its unit, such as 500ms, 10s or 2m"

// kinds say in words what flags of a type take.
var kinds = map[string]string{"int": "an integer", "int64": "an integer", "bool": "true or false", "float64": "a number"}

// valueOf gives a flag's value as YAML has it: a number, a truth, a list or a text.
func valueOf(f *pflag.Flag) any {
	text := f.Value.String()
	switch f.Value.Type() {
	case "int", "int64", "float64", "bool":
		var v any
		if yaml.Unmarshal([]byte(text), &v) == nil {
			return v
		}
	case "list":
		if text == "" {
			return []string{}
		}
		return strings.Split(text, ",")
	}
	if l, ok := f.Value.(pflag.SliceValue); ok {
		return l.GetSlice()
	}
	return text
}

// setFromFile gives a flag the value that stands in the file: one, or a list of them.
func setFromFile(flags *pflag.FlagSet, f *pflag.Flag, value any) error {
	items, isList := value.([]any)
	if !isList {
		text, err := scalar(value)
		if err != nil {
			return err
		}
		return set(flags, f, text)
	}
	if len(items) == 0 {
		return errors.New("the list is empty: leave the key out, or give a value")
	}
	texts := make([]string, len(items))
	for i, item := range items {
		var err error
		if texts[i], err = scalar(item); err != nil {
			return err
		}
	}
	list, ok := f.Value.(pflag.SliceValue)
	if !ok {
		return set(flags, f, strings.Join(texts, ","))
	}
	if err := list.Replace(texts); err != nil {
		return fmt.Errorf("%q: %w", texts, err)
	}
	f.Changed = true
	return nil
}

// scalar renders a value of the file as a flag takes it.
func scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, int, int64, uint64:
		return fmt.Sprint(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case time.Time:
		return "", errors.New("a date: write it in quotes")
	}
	return "", fmt.Errorf("%v is no text, number or list of them", value)
}

// Variable gives the environment variable that sets a flag: --max-errors is TRIAGE_MAX_ERRORS.
func Variable(name string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// read decodes the file: keys are flag names, or command paths that hold flag names of that command.
func (s *Source) read() (*viper.Viper, error) {
	v := viper.NewWithOptions(viper.KeyDelimiter("\x00"))
	if s.File == nil {
		return v, nil
	}
	var raw map[string]any
	dec := yaml.NewDecoder(bytes.NewReader(s.File))
	err := dec.Decode(&raw)
	if err == nil {
		var more any
		if err = dec.Decode(&more); err == nil {
			err = errors.New("a second document begins after the first; one is read")
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	own := map[string]any{}
	for _, key := range sorted(raw) {
		section, isSection := raw[key].(map[string]any)
		flags, isCommand := s.Commands[key]
		switch {
		case isSection && isCommand:
			for _, k := range sorted(section) {
				if !slices.Contains(flags, k) {
					return nil, fmt.Errorf("%s: %s: unknown key %q: %s knows %s", s.Name, key, k, key, strings.Join(flags, ", "))
				}
				if section[k] == nil {
					return nil, fmt.Errorf("%s: %s: %s: there is no value", s.Name, key, k)
				}
			}
		case isCommand && raw[key] == nil: // a section without settings
		case isCommand && !s.known(key):
			return nil, fmt.Errorf("%s: %s: it is a command, and holds settings of that command: %s", s.Name, key, strings.Join(flags, ", "))
		case s.known(key) && raw[key] == nil:
			return nil, fmt.Errorf("%s: %s: there is no value", s.Name, key)
		case !s.known(key):
			return nil, fmt.Errorf("%s: unknown key %q: it is neither a flag nor a command", s.Name, key)
		default:
			own[key] = raw[key]
		}
	}
	if err := v.MergeConfigMap(own); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	if section, ok := raw[s.Command].(map[string]any); ok {
		if err := v.MergeConfigMap(section); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return v, nil
}

func (s *Source) known(flag string) bool {
	for _, flags := range s.Commands {
		if slices.Contains(flags, flag) {
			return true
		}
	}
	return false
}

func (s *Source) unknownVariables() []string {
	var out []string
	for _, pair := range s.Environ {
		name, value, _ := strings.Cut(pair, "=")
		flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, Prefix), "_", "-"))
		if slices.Contains(others, name) || strings.HasPrefix(value, linked) {
			continue
		}
		if strings.HasPrefix(name, Prefix) && flag != "config" && (!s.known(flag) || name != Variable(flag)) {
			why := "no command has a flag --" + flag
			if s.known(flag) {
				why = "the name is " + Variable(flag)
			}
			out = append(out, fmt.Sprintf("variable %s sets nothing: %s", name, why))
		}
	}
	sort.Strings(out)
	return out
}

func sorted(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// Print writes settings as YAML that can be given as a config file again, each with where it came from. Defaults stand in
// comments.
func Print(w io.Writer, settings []Setting) error {
	for _, s := range settings {
		var node yaml.Node
		if err := node.Encode(s.Value); err != nil {
			return err
		}
		node.Style = yaml.FlowStyle
		value, err := yaml.Marshal(&node)
		if err != nil {
			return err
		}
		comment := ""
		if s.From == fromDefault {
			comment = "# "
		}
		if _, err := fmt.Fprintf(w, "%s%s: %s # %s\n", comment, s.Name, strings.TrimSpace(string(value)), s.From); err != nil {
			return err
		}
	}
	return nil
}
