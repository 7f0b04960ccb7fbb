package config_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/triagebench/triage/pkg/config"
)

// given are the flags of a command "run", as they are parsed.
type given struct {
	Seed    int
	Rate    float64
	Bank    string
	Agents  []string
	Only    []string
	NoMeta  bool
	Tickets string
}

// commands are all commands with their flags; "tickets" is a flag of run as well.
var commands = map[string][]string{"run": {"agent", "bank", "no-meta", "only", "rate", "seed", "tickets"}, "baseline": {"output", "seed"}, "tickets show": {"format"}, "tickets": nil}

func flagSet(t testing.TB, args ...string) (*pflag.FlagSet, *given) {
	t.Helper()
	g := &given{}
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.IntVar(&g.Seed, "seed", 42, "")
	f.Float64Var(&g.Rate, "rate", 0.5, "")
	f.StringVar(&g.Bank, "bank", "", "")
	f.StringSliceVar(&g.Agents, "agent", []string{"heuristic"}, "")
	f.StringArrayVar(&g.Only, "only", nil, "")
	f.BoolVar(&g.NoMeta, "no-meta", false, "")
	f.StringVar(&g.Tickets, "tickets", "", "")
	f.Bool("help", false, "")
	f.String("config", "", "")
	f.Bool("print-config", false, "")
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f, g
}

// source is a file and an environment of NAME=value.
func source(file string, environ ...string) config.Source {
	s := config.Source{Name: "c.yaml", Command: "run", Commands: commands, Environ: environ, Lookup: func(name string) (string, bool) {
		for _, pair := range environ {
			if k, v, _ := strings.Cut(pair, "="); k == name {
				return v, true
			}
		}
		return "", false
	}}
	if file != "" {
		s.File = []byte(file)
	}
	return s
}

func TestDefaultFileVariableFlag(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		file    string
		environ []string
		args    []string
		seed    int
		from    string
	}{
		{"default", "", nil, nil, 42, "default"},
		{"file", "seed: 1", nil, nil, 1, "file c.yaml"},
		{"variable", "", []string{"TRIAGE_SEED=2"}, nil, 2, "variable TRIAGE_SEED"},
		{"flag", "", nil, []string{"--seed=3"}, 3, "flag"},
		{"file and variable", "seed: 1", []string{"TRIAGE_SEED=2"}, nil, 2, "variable TRIAGE_SEED"},
		{"file and flag", "seed: 1", nil, []string{"--seed=3"}, 3, "flag"},
		{"variable and flag", "", []string{"TRIAGE_SEED=2"}, []string{"--seed=3"}, 3, "flag"},
		{"all", "seed: 1", []string{"TRIAGE_SEED=2"}, []string{"--seed=3"}, 3, "flag"},
		{"a flag that gives the default", "seed: 1", []string{"TRIAGE_SEED=2"}, []string{"--seed=42"}, 42, "flag"},
		{"the command's section", "run: {seed: 4}", nil, nil, 4, "file c.yaml"},
		{"the command's section over all commands", "seed: 1\nrun:\n  seed: 4", nil, nil, 4, "file c.yaml"},
		{"the same the other way round", "run:\n  seed: 4\nseed: 1", nil, nil, 4, "file c.yaml"},
		{"another command's section", "baseline: {seed: 4}", nil, nil, 42, "default"},
		{"another command's section and all commands", "baseline: {seed: 4}\nseed: 1", nil, nil, 1, "file c.yaml"},
		{"another command's flag", "output: x", nil, nil, 42, "default"},
		{"a bad value that a variable covers", "seed: x", []string{"TRIAGE_SEED=2"}, nil, 2, "variable TRIAGE_SEED"},
		{"a bad variable that a flag covers", "", []string{"TRIAGE_SEED=x"}, []string{"--seed=3"}, 3, "flag"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags, got := flagSet(t, tt.args...)
			settings, warnings, err := config.Apply(flags, source(tt.file, tt.environ...))
			if err != nil {
				t.Fatal(err)
			}
			if got.Seed != tt.seed || len(warnings) != 0 {
				t.Errorf("seed %d, want %d; warnings %v", got.Seed, tt.seed, warnings)
			}
			for _, s := range settings {
				want := "default"
				if s.Name == "seed" {
					want = tt.from
				}
				if s.From != want {
					t.Errorf("%s comes from %s, want %s", s.Name, s.From, want)
				}
			}
			if changed := flags.Changed("seed"); changed != (tt.from != "default") {
				t.Errorf("the flag counts as given: %v", changed)
			}
		})
	}
}

func TestValuesOfAFile(t *testing.T) {
	t.Parallel()
	unset := given{Seed: 42, Rate: 0.5, Agents: []string{"heuristic"}}
	with := func(change func(g *given)) given {
		g := unset
		change(&g)
		return g
	}
	for file, want := range map[string]given{
		"":                               unset,
		"# nothing":                      unset,
		"---":                            unset,
		"{}":                             unset,
		"run:":                           unset,
		"run: {}":                        unset,
		"seed: 7":                        with(func(g *given) { g.Seed = 7 }),
		"seed: '7'":                      with(func(g *given) { g.Seed = 7 }),
		"seed: 0x10":                     with(func(g *given) { g.Seed = 16 }),
		"seed: 1e3":                      with(func(g *given) { g.Seed = 1000 }),
		"seed: -1":                       with(func(g *given) { g.Seed = -1 }),
		"rate: 1":                        with(func(g *given) { g.Rate = 1 }),
		"rate: 0.25":                     with(func(g *given) { g.Rate = 0.25 }),
		"no-meta: true":                  with(func(g *given) { g.NoMeta = true }),
		"no-meta: 'true'":                with(func(g *given) { g.NoMeta = true }),
		"bank: my bank":                  with(func(g *given) { g.Bank = "my bank" }),
		"bank: ''":                       unset,
		"bank: 12":                       with(func(g *given) { g.Bank = "12" }),
		"bank: true":                     with(func(g *given) { g.Bank = "true" }),
		"tickets: t.csv":                 with(func(g *given) { g.Tickets = "t.csv" }),
		"agent: random":                  with(func(g *given) { g.Agents = []string{"random"} }),
		"agent: random,constant":         with(func(g *given) { g.Agents = []string{"random", "constant"} }),
		"agent: [random]":                with(func(g *given) { g.Agents = []string{"random"} }),
		"agent: [random, constant]":      with(func(g *given) { g.Agents = []string{"random", "constant"} }),
		"agent:\n- random\n- 'exec:a,b'": with(func(g *given) { g.Agents = []string{"random", "exec:a,b"} }),
		"only: ['queue-hard:1:2', 'desk-easy:3']": with(func(g *given) { g.Only = []string{"queue-hard:1:2", "desk-easy:3"} }),
		"only: queue-hard:1:2":                    with(func(g *given) { g.Only = []string{"queue-hard:1:2"} }),
		"tickets:\nseed: 5":                       with(func(g *given) { g.Seed = 5 }),
		"tickets show: {format: csv}\nseed: 5":    with(func(g *given) { g.Seed = 5 }),
		"run: {seed: 5, agent: [a, b], bank: x}":  with(func(g *given) { g.Seed, g.Agents, g.Bank = 5, []string{"a", "b"}, "x" }),
	} {
		flags, got := flagSet(t)
		_, _, err := config.Apply(flags, source(file))
		if err != nil {
			t.Errorf("%q: %v", file, err)
			continue
		}
		if d := cmp.Diff(want, *got); d != "" {
			t.Errorf("%q (-want +got):\n%s", file, d)
		}
	}
}

func TestMistakesNameThePlaceAndWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file, variable string
		want                 string
	}{
		{"unknown key", "episods: 3", "", `c.yaml: unknown key "episods": it is neither a flag nor a command`},
		{"key of another case", "Seed: 3", "", `c.yaml: unknown key "Seed": it is neither a flag nor a command`},
		{"key with an underscore", "no_meta: true", "", `c.yaml: unknown key "no_meta": it is neither a flag nor a command`},
		{"a flag that no file sets", "help: true", "", `c.yaml: unknown key "help": it is neither a flag nor a command`},
		{"the file in the file", "config: x", "", `c.yaml: unknown key "config": it is neither a flag nor a command`},
		{"unknown section", "runs: {seed: 1}", "", `c.yaml: unknown key "runs": it is neither a flag nor a command`},
		{"unknown key in a section", "run: {output: x}", "", `c.yaml: run: unknown key "output": run knows agent, bank, no-meta, only, rate, seed, tickets`},
		{"unknown key in another command's section", "baseline: {agent: x}", "", `c.yaml: baseline: unknown key "agent": baseline knows output, seed`},
		{"a value for a command", "run: 3", "", `c.yaml: run: it is a command, and holds settings of that command: agent, bank, no-meta, only, rate, seed, tickets`},
		{"no value", "seed:", "", `c.yaml: seed: there is no value`},
		{"no value in a section", "run: {seed: ~}", "", `c.yaml: run: seed: there is no value`},
		{"a bad number", "seed: soon", "", `c.yaml: seed: "soon" is not an integer`},
		{"a fraction", "seed: 1.5", "", `c.yaml: seed: "1.5" is not an integer`},
		{"too large", "seed: 99999999999999999999", "", `c.yaml: seed: "100000000000000000000": value out of range`},
		{"a bad truth", "no-meta: yes", "", `c.yaml: no-meta: "yes" is not true or false`},
		{"an object", "bank: {dir: x}", "", `c.yaml: bank: map[dir:x] is no text, number or list of them`},
		{"an object for a list", "agent: {a: b}", "", `c.yaml: agent: map[a:b] is no text, number or list of them`},
		{"a list of lists", "agent: [[a], [b]]", "", `c.yaml: agent: [a] is no text, number or list of them`},
		{"a list with a hole", "agent: [a, ~]", "", `c.yaml: agent: <nil> is no text, number or list of them`},
		{"an empty list", "agent: []", "", `c.yaml: agent: the list is empty: leave the key out, or give a value`},
		{"a list for a number", "seed: [1, 2]", "", `c.yaml: seed: "1,2" is not an integer`},
		{"a date", "bank: 2026-01-02", "", `c.yaml: bank: a date: write it in quotes`},
		{"no YAML", "seed: 3\n  tasks: [", "", "c.yaml: yaml: line 2: mapping values are not allowed in this context"},
		{"a list as a file", "- seed", "", "c.yaml: yaml: unmarshal errors:\n  line 1: cannot unmarshal !!seq into map[string]interface {}"},
		{"a key twice", "seed: 1\nseed: 2", "", "c.yaml: yaml: unmarshal errors:\n  line 2: mapping key \"seed\" already defined at line 1"},
		{"two documents", "seed: 1\n---\nseed: 2", "", "c.yaml: a second document begins after the first; one is read"},
		{"a bad variable", "", "TRIAGE_SEED=x", `TRIAGE_SEED: "x" is not an integer`},
		{"an empty variable", "", "TRIAGE_SEED=", `TRIAGE_SEED: "" is not an integer`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags, _ := flagSet(t)
			var environ []string
			if tt.variable != "" {
				environ = []string{tt.variable}
			}
			_, _, err := config.Apply(flags, source(tt.file, environ...))
			if err == nil {
				t.Fatal("no error")
			}
			if d := cmp.Diff(tt.want, err.Error()); d != "" {
				t.Errorf("message (-want +got):\n%s", d)
			}
		})
	}
}

func TestUnknownVariablesAreWarnings(t *testing.T) {
	t.Parallel()
	flags, got := flagSet(t)
	_, warnings, err := config.Apply(flags, source("", "TRIAGE_SED=1", "TRIAGE_OUTPUT=x", "TRIAGE_CONFIG=c.yaml", "HOME=/", "TRIAGE_seed=7", "TRIAGE_HELP=1", "TRIAGE_=1",
		"TRIAGE_NO-META=true", "TRIAGE_NO_META=true", "triage_bank=x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"variable TRIAGE_ sets nothing: no command has a flag --",
		"variable TRIAGE_HELP sets nothing: no command has a flag --help",
		"variable TRIAGE_NO-META sets nothing: the name is TRIAGE_NO_META",
		"variable TRIAGE_SED sets nothing: no command has a flag --sed",
		"variable TRIAGE_seed sets nothing: the name is TRIAGE_SEED",
	}
	if d := cmp.Diff(want, warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	if !got.NoMeta || got.Seed != 42 {
		t.Errorf("flags %+v", *got)
	}
}

func TestFlagNamesLeaveOutWhatOnlyAFlagSets(t *testing.T) {
	t.Parallel()
	flags, _ := flagSet(t)
	if d := cmp.Diff([]string{"agent", "bank", "no-meta", "only", "rate", "seed", "tickets"}, config.FlagNames(flags)); d != "" {
		t.Errorf("names (-want +got):\n%s", d)
	}
}

func TestSettingsPrintWithTheirOrigin(t *testing.T) {
	t.Parallel()
	flags, _ := flagSet(t, "--bank", "# my: bank")
	settings, _, err := config.Apply(flags, source("agent: [a, b]", "TRIAGE_RATE=0.1"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := config.Print(&b, settings); err != nil {
		t.Fatal(err)
	}
	want := "agent: [a, b] # file c.yaml\nbank: '# my: bank' # flag\n# no-meta: false # default\n# only: [] # default\nrate: 0.1 # variable TRIAGE_RATE\n" +
		"# seed: 42 # default\n# tickets: \"\" # default\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("settings (-want +got):\n%s", d)
	}
	if err := config.Print(failing{}, settings); !errors.Is(err, errFull) {
		t.Errorf("a writer that fails gives the error %v", err)
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func FuzzApply(f *testing.F) {
	for _, s := range []string{"", "seed: 1", "run: {agent: [a, b]}", "- x", "seed: [", "a: &a [*a]", "seed: 1\n---\n", "bank: 2026-01-02", "? [a]\n: b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		flags, _ := flagSet(t)
		settings, _, err := config.Apply(flags, source(file))
		if err != nil && settings != nil {
			t.Errorf("%q gives settings and the error %v", file, err)
		}
		if err == nil && len(settings) != len(config.FlagNames(flags)) {
			t.Errorf("%q gives %d settings", file, len(settings))
		}
	})
}

func TestVariablesOfKubernetesAreNoSettings(t *testing.T) {
	t.Parallel()
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	port := flags.Int("port", 7860, "")
	const link = "tcp://10.0.0.7:7860"
	_, warnings, err := config.Apply(flags, config.Source{Command: "serve", Commands: map[string][]string{"serve": {"port"}},
		Lookup:  func(name string) (string, bool) { return link, name == "TRIAGE_PORT" },
		Environ: []string{"TRIAGE_PORT=" + link, "TRIAGE_PORT_7860_TCP=" + link, "TRIAGE_BINARY=/usr/bin/triage", "TRIAGE_PROT=1"}})
	if err != nil || *port != 7860 {
		t.Errorf("port %d, error %v", *port, err)
	}
	if d := cmp.Diff([]string{"variable TRIAGE_PROT sets nothing: no command has a flag --prot"}, warnings); d != "" {
		t.Error(d)
	}
}
