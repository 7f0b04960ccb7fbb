package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/near"
	"github.com/triagebench/triage/pkg/triage"
)

// list is a flag whose values are a closed list. It takes "a b c" after the flag, "a,b,c", and repetition.
type list struct {
	values  *[]string
	allowed []string
	changed bool
}

var _ pflag.Value = (*list)(nil)

// String renders the values.
func (l *list) String() string {
	if l.values == nil {
		return ""
	}
	return strings.Join(*l.values, ",")
}

// Type names the flag's kind in help.
func (l *list) Type() string { return "list" }

// Set adds the values of a comma-separated text; the first call replaces the default. A text without a value is refused:
// an empty variable of a script must not mean everything.
func (l *list) Set(text string) error {
	values := split(text)
	if len(values) == 0 {
		return fmt.Errorf("%q has no value; allowed are %s", text, strings.Join(l.allowed, ", "))
	}
	if !l.changed {
		*l.values, l.changed = nil, true
	}
	for _, v := range values {
		if !slices.Contains(l.allowed, v) {
			return notOneOf(v, l.allowed)
		}
		if !slices.Contains(*l.values, v) {
			*l.values = append(*l.values, v)
		}
	}
	return nil
}

// notOneOf says what is allowed, and what may have been meant.
func notOneOf(text string, allowed []string) error {
	hint := near.Hint(text, allowed)
	var tasks []string
	for _, a := range allowed { // a difficulty or track in the place of a task
		if strings.HasPrefix(a, text+"-") || strings.HasSuffix(a, "-"+text) {
			tasks = append(tasks, a)
		}
	}
	if len(tasks) > 0 && text != "" {
		hint = "; did you mean " + strings.Join(tasks, ",") + "?"
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(allowed, ", "), hint)
}

// split gives the values of a comma-separated text.
func split(text string) []string {
	var out []string
	for _, v := range strings.Split(text, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// takes tells whether a word holds allowed values only.
func (l *list) takes(word string) bool {
	values := split(word)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(l.allowed, v) })
}

// choice is a flag with one value of a closed list.
type choice struct {
	value   *string
	allowed []string
}

var _ pflag.Value = (*choice)(nil)

// String gives the value.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type names the flag's kind in help.
func (c *choice) Type() string { return "choice" }

// Set takes one of the allowed values.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.allowed, text) {
		return notOneOf(text, c.allowed)
	}
	*c.value = text
	return nil
}

// number is a flag with a decimal integer: 010 is ten.
type number[T int | int64] struct{ value *T }

// String gives the number.
func (n *number[T]) String() string {
	if n.value == nil {
		return "0"
	}
	return strconv.FormatInt(int64(*n.value), 10)
}

// Type names the flag's kind in help.
func (n *number[T]) Type() string { return "int" }

// Set reads a decimal integer.
func (n *number[T]) Set(text string) error {
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && int64(T(v)) != v:
		return fmt.Errorf("%q is out of range", text)
	case err != nil:
		return fmt.Errorf("%q is not an integer", text)
	}
	*n.value = T(v)
	return nil
}

func intFlag[T int | int64](f *pflag.FlagSet, p *T, name string, def T, usage string) {
	*p = def
	f.Var(&number[T]{p}, name, usage)
}

func listFlag(f *pflag.FlagSet, p *[]string, name string, allowed []string, usage string) {
	f.Var(&list{values: p, allowed: allowed}, name, usage+" ("+strings.Join(allowed, ", ")+")")
}

func choiceFlag(f *pflag.FlagSet, p *string, name, def string, allowed []string, usage string) {
	*p = def
	f.Var(&choice{value: p, allowed: allowed}, name, usage+" ("+strings.Join(allowed, ", ")+")")
}

// joinLists lets values of list flags stand as separate words: "--difficulties easy medium hard". Words are taken as long
// as they are allowed values of the flag.
func joinLists(root *cobra.Command, args []string) []string {
	cmd, _, err := root.Find(args)
	if err != nil {
		return args
	}
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i:]...)
		}
		name, value, joined := strings.Cut(a, "=")
		l := listOf(cmd, name)
		if l == nil || !joined && i+1 == len(args) {
			out = append(out, a)
			continue
		}
		if !joined {
			i++
			value = args[i]
		}
		values := []string{value}
		for i+1 < len(args) && l.takes(args[i+1]) {
			values = append(values, args[i+1])
			i++
		}
		out = append(out, name+"="+strings.Join(values, ","))
	}
	return out
}

// listOf gives the list flag that a word such as --tasks names, or nil.
func listOf(cmd *cobra.Command, word string) *list {
	name, ok := strings.CutPrefix(word, "--")
	f := cmd.Flags().Lookup(name)
	if !ok || f == nil {
		return nil
	}
	l, _ := f.Value.(*list)
	return l
}

// noArgs refuses arguments and says what may have been meant.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError("%sunexpected argument %q: this command takes flags only; see `%s --help`", place(cmd), args[0], cmd.CommandPath())
}

// fileProblem names a file once.
func fileProblem(doing, name string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &triage.Error{Code: triage.CodeFiles, Message: doing + " " + name, Err: err}
}

func taskNames() []string {
	var out []string
	for _, t := range triage.Tasks() {
		out = append(out, t.Name)
	}
	return out
}

func names[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
