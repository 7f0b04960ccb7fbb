package openenv

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/triage"
)

// Reset are the options of a reset as a client gives them. Zero values mean: not given.
type Reset struct {
	Seed       *int64 // 0 … 2^63−1
	EpisodeID  string // at most 255 characters
	Difficulty triage.Difficulty
	Split      triage.Split
	Index      *int64 // of a task in its split, see [TaskAt]
	Tickets    int
	Rewards    triage.Rewards
	OnInvalid  triage.OnInvalid
	Handbook   bool
	// Ignored names the keys that are no options, sorted, at most [MaxIgnored] of them: a misspelt option is one.
	Ignored []string
	// Given names the options that were given with a value, in the order of the wire.
	Given []string
}

// Has tells whether an option was given with a value.
func (r *Reset) Has(name string) bool { return slices.Contains(r.Given, name) }

// The names of the options of a reset.
const (
	OptionSeed       = "seed"
	OptionEpisodeID  = "episode_id"
	OptionDifficulty = "difficulty"
	OptionSplit      = "split"
	OptionIndex      = "index"
	OptionTickets    = "tickets"
	OptionRewards    = "rewards"
	OptionOnInvalid  = "on_invalid"
	OptionHandbook   = "handbook"
)

// MaxEpisodeID is the longest episode id that is accepted, in characters.
const MaxEpisodeID = 255

// MaxTickets is more than any task has; the environment knows its own number.
const MaxTickets = 1000

// RewardModes lists the ways to spread the rewards of an episode over its steps.
func RewardModes() []triage.Rewards {
	return []triage.Rewards{triage.RewardsDense, triage.RewardsTicket, triage.RewardsEpisode}
}

// InvalidModes lists what can be done with an action that holds a wrong value.
func InvalidModes() []triage.OnInvalid {
	return []triage.OnInvalid{triage.InvalidIsError, triage.InvalidIsEmpty}
}

// MaxIgnored is how many keys that are no options are told.
const MaxIgnored = 20

// ParseReset reads the options of a reset from the body of an HTTP request or the data of a frame. Unknown keys are left out,
// as the reference does. Locations of details begin with prefix. What is no JSON object gives a detail too.
func ParseReset(data []byte, prefix ...any) (Reset, []Detail) {
	var r Reset
	if Crowded(data) {
		return r, []Detail{TooMany(Loc(prefix...), data)}
	}
	var room [8]triage.Member
	members, err := triage.AppendMembers(room[:0], data)
	if err != nil {
		return r, []Detail{bodyDetail(data, prefix, err)}
	}
	o := options{members: members, prefix: prefix, given: &r.Given}
	if v, ok := o.whole(OptionSeed, 0, triage.MaxSeed); ok {
		r.Seed = &v
	}
	r.EpisodeID = o.text(OptionEpisodeID)
	r.Difficulty = word(&o, OptionDifficulty, triage.Difficulties())
	r.Split = word(&o, OptionSplit, triage.Splits())
	if v, ok := o.whole(OptionIndex, 0, NumTasks-1); ok {
		r.Index = &v
	}
	if v, ok := o.whole(OptionTickets, 1, MaxTickets); ok {
		r.Tickets = int(v)
	}
	r.Rewards = word(&o, OptionRewards, RewardModes())
	r.OnInvalid = word(&o, OptionOnInvalid, InvalidModes())
	r.Handbook = o.truth(OptionHandbook)
	r.Ignored = ignored(members)
	return r, o.details
}

// Options lists the options of a reset.
func Options() []string {
	return []string{OptionSeed, OptionEpisodeID, OptionDifficulty, OptionSplit, OptionIndex, OptionTickets, OptionRewards, OptionOnInvalid, OptionHandbook}
}

// ignored names the keys that are no options.
func ignored(members []triage.Member) []string {
	var out []string
	for _, m := range members {
		if !slices.Contains(Options(), string(m.Key)) {
			out = append(out, shorten(string(m.Key)))
		}
	}
	slices.Sort(out)
	return out[:min(len(out), MaxIgnored)]
}

// bodyDetail says why a body is not an object.
func bodyDetail(data []byte, prefix []any, err error) Detail {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return BadJSON(prefix, syntax)
	}
	return NotObject(Loc(prefix...), data)
}

// options takes the options of a request one after another and collects what is wrong with them.
type options struct {
	members []triage.Member
	prefix  []any
	given   *[]string
	details []Detail
}

// take finds an option that has a value other than null.
func (o *options) take(name string) (value json.RawMessage, loc []any, ok bool) {
	for _, m := range o.members {
		if string(m.Key) == name && string(m.Value) != "null" {
			if o.given != nil {
				*o.given = append(*o.given, name)
			}
			return m.Value, append(o.prefix[:len(o.prefix):len(o.prefix)], name), true
		}
	}
	return nil, nil, false
}

func (o *options) refuse(d Detail) { o.details = append(o.details, d) }

func (o *options) whole(name string, low, high int64) (int64, bool) {
	raw, loc, ok := o.take(name)
	if !ok {
		return 0, false
	}
	v, ok := triage.WholeNumber(raw)
	switch {
	case !ok:
		o.refuse(NotInt(loc, raw))
	case v < low:
		o.refuse(Beyond(loc, raw, "ge", low))
	case v > high || v == triage.MaxSeed && !exactly(raw):
		o.refuse(Beyond(loc, raw, "le", high)) // what is beyond the range was clamped to its end
	default:
		return v, true
	}
	return 0, false
}

// exactly tells whether a number is written as an integer that an int64 holds.
func exactly(raw json.RawMessage) bool {
	_, err := strconv.ParseInt(strings.Trim(string(raw), "\" \t\r\n"), 10, 64)
	return err == nil
}

// text takes a string of at most [MaxEpisodeID] characters.
func (o *options) text(name string) string {
	raw, loc, ok := o.take(name)
	if !ok {
		return ""
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		o.refuse(NotText(loc, raw))
		return ""
	}
	if utf8.RuneCountInString(s) > MaxEpisodeID {
		o.refuse(TooLong(loc, raw, MaxEpisodeID))
		return ""
	}
	return s
}

func word[T ~string](o *options, name string, allowed []T) T {
	raw, loc, ok := o.take(name)
	if !ok {
		return ""
	}
	var s string
	words := make([]string, len(allowed))
	for i, a := range allowed {
		words[i] = string(a)
	}
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		for _, a := range allowed {
			if s == string(a) {
				return a
			}
		}
	}
	o.refuse(NotOneOf(loc, raw, words))
	return ""
}

func (o *options) truth(name string) bool {
	raw, loc, ok := o.take(name)
	if !ok {
		return false
	}
	switch strings.ToLower(strings.Trim(string(raw), `"`)) {
	case "true", "1", "1.0", "yes", "on", "t", "y":
		return true
	case "false", "0", "0.0", "no", "off", "f", "n":
		return false
	}
	o.refuse(NotBool(loc, raw))
	return false
}

// Message renders details as one sentence: each place, the value and what is wrong with it.
func Message(doing string, details []Detail) string {
	parts := make([]string, len(details))
	for i, d := range details {
		place := make([]string, len(d.Loc))
		for j, k := range d.Loc {
			place[j] = fmt.Sprint(k)
		}
		parts[i] = fmt.Sprintf("%s %s: %s", strings.Join(place, "."), d.Input, d.Msg)
	}
	return doing + ": " + strings.Join(parts, "; ")
}
