package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/triagebench/triage/clients/bench/figures"
)

// options are the flags.
type options struct {
	triage    string // binary
	python    string // interpreter
	reference string // folder to run `python -m reference` in
	limit     int    // sessions that the reference is asked for when memory is measured
	rounds    int
	duration  time.Duration // of a measurement
	seeds     int           // that are played over and over
	starts    int
	servers   []string
	against   string // the Python server that the bars speak of
	format    string
	strict    bool
	frames    string // file
	timeout   time.Duration
}

// The servers, by the names that -servers takes.
const (
	nameReference = "reference" // as the openenv package's template has it
	nameTuned     = "tuned"     // the same server with all that makes Python faster
	nameEcho      = figures.Echo
	nameOurs      = figures.Ours
)

// names are all servers, in the order in which they play.
func names() []string { return []string{nameReference, nameTuned, nameEcho, nameOurs} }

// parse reads the flags of a run.
func parse(sys system, args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(sys.err)
	f.StringVar(&o.triage, "triage", "./triage", "the triage binary")
	f.StringVar(&o.python, "python", ".venv/bin/python", "a Python interpreter that has the openenv package")
	f.StringVar(&o.reference, "reference", "clients/python", "the folder in which `python -m reference` starts the reference server")
	f.IntVar(&o.limit, "reference-sessions", 500, "`sessions` to measure the reference's memory at; ours and the echo are measured at 2,000")
	f.IntVar(&o.rounds, "rounds", 3, "rounds, each on all servers")
	seconds := f.Float64("seconds", 2, "`seconds` of each measurement")
	f.IntVar(&o.seeds, "seeds", 0, "`number` of seeds that are played over and over, as a trainer does with its tasks; 0: no seed comes twice")
	f.IntVar(&o.starts, "starts", 5, "starts that are timed")
	servers := f.String("servers", strings.Join(names(), ","), "servers to measure, a comma between them")
	f.StringVar(&o.against, "against", nameReference, "the Python server that the bars speak of: reference, or tuned, which is the same one with all that makes Python faster")
	f.StringVar(&o.format, "format", "table", "table or json")
	f.BoolVar(&o.strict, "strict", false, "exit 1 if a bar is missed or was not measured")
	f.StringVar(&o.frames, "frames", "", "`file` of answers for the echo, one a line; without it those of an episode on ours")
	f.DurationVar(&o.timeout, "timeout", 3*time.Minute, "longest time for all of it")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.duration = time.Duration(*seconds * float64(time.Second))
	o.servers = strings.Split(*servers, ",")
	for _, name := range o.servers {
		if !slices.Contains(names(), name) {
			return nil, fmt.Errorf("-servers %s is not allowed; allowed are %s", name, strings.Join(names(), ", "))
		}
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is not a flag", f.Arg(0))
	case o.seeds < 0:
		return nil, fmt.Errorf("-seeds %d is not allowed; allowed is 0 or more", o.seeds)
	case o.rounds < 1 || o.starts < 1 || o.limit < 1:
		return nil, fmt.Errorf("-rounds %d, -starts %d, -reference-sessions %d: each must be 1 or more", o.rounds, o.starts, o.limit)
	case o.duration <= 0 || o.timeout <= 0:
		return nil, fmt.Errorf("-seconds %g, -timeout %v: each must be more than 0", *seconds, o.timeout)
	case o.against != nameReference && o.against != nameTuned:
		return nil, fmt.Errorf("-against %s is not allowed; allowed is reference or tuned", o.against)
	case o.format != "table" && o.format != "json":
		return nil, fmt.Errorf("-format %s is not allowed; allowed is table or json", o.format)
	}
	return o, nil
}

// wants tells whether a server is to be measured.
func (o *options) wants(name string) bool { return slices.Contains(o.servers, name) }
