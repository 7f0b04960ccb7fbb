package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/config"
)

// CommandReference is one command as its help tells it.
type CommandReference struct {
	// Path is what is typed: "triage tickets show"; Usage is the whole line, with its arguments.
	Path, Usage string
	// Short is a line, Long what help says in full (Short where it says no more), Example command lines, indented by two blanks.
	Short, Long, Example string
	Flags                []FlagReference
	// Subcommands are the paths of the commands below it.
	Subcommands []string
}

// FlagReference is one flag of a command.
type FlagReference struct {
	// Name is without dashes, Shorthand one letter or empty. Value is what stands for the flag's value, empty for switches.
	Name, Shorthand, Value string
	// Usage says what it does, Default what it is where nothing sets it, empty for nothing.
	Usage, Default string
	// Variable is the environment variable that sets it, empty where none does.
	Variable string
}

// Reference gives all commands, sorted by path, the root first with the flags that all of them take. Hidden commands and flags are left out.
func Reference(app *App) []CommandReference {
	var out []CommandReference
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		r := CommandReference{Path: c.CommandPath(), Usage: c.UseLine(), Short: c.Short, Long: c.Long, Example: c.Example, Flags: flagsOf(c)}
		if r.Long == "" {
			r.Long = c.Short
		}
		at := len(out)
		out = append(out, r)
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				out[at].Subcommands = append(out[at].Subcommands, sub.CommandPath())
			}
			walk(sub)
		}
	}
	walk(newRoot(app))
	slices.SortStableFunc(out, func(a, b CommandReference) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// flagsOf gives a command's own flags, and the root's that all commands take, sorted by name.
func flagsOf(c *cobra.Command) []FlagReference {
	var out []FlagReference
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	flags := c.LocalFlags()
	set := config.FlagNames(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		r := FlagReference{Name: f.Name, Shorthand: f.Shorthand, Value: value, Usage: usage}
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
			r.Default = f.DefValue
		}
		if slices.Contains(set, f.Name) {
			r.Variable = config.Variable(f.Name)
		}
		out = append(out, r)
	})
	return out
}
