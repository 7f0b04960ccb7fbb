package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/triage"
)

type storedTask struct {
	N           int               `json:"n"`
	Errors      int               `json:"errors"`
	Refused     int               `json:"refused"`
	Score       storedEstimate    `json:"score"`
	WithErrors  *storedEstimate   `json:"score_with_errors"`
	Reward      stored            `json:"reward"`
	Efficiency  stored            `json:"efficiency"`
	SuccessRate stored            `json:"success_rate"`
	Parts       map[string]stored `json:"parts"`
	Exact       map[string]stored `json:"accuracy"`
	Pass        bool              `json:"pass"`
	Floor       *struct {
		Agent string `json:"agent"`
		Score stored `json:"score"`
	} `json:"floor"`
	FloorReason string            `json:"floor_reason"`
	Model       *storedModel      `json:"model"`
	Seeds       []storedSeed      `json:"seeds"`
	Confidence  *storedConfidence `json:"confidence"`
	Cost        *storedCosts      `json:"cost"`
	Answers     string            `json:"answers"`
	Broken      []storedSeed      `json:"broken"`
}

// storedSeed is an episode; one that broke has no figures.
type storedSeed struct {
	Seed       int64  `json:"seed"`
	Position   *int32 `json:"position"`
	Trial      int16  `json:"trial"`
	Score      stored `json:"score"`
	Efficiency stored `json:"efficiency"`
}

func (s *storedSeed) playing() Playing {
	p := Playing{Seed: s.Seed, Position: -1, Trial: s.Trial}
	if s.Position != nil {
		p.Position = *s.Position
	}
	return p
}

type storedModel struct {
	Decisions    int            `json:"decisions"`
	Stages       map[string]int `json:"stages"`
	Causes       map[string]int `json:"causes"`
	Coerced      int            `json:"coerced"`
	Reasked      int            `json:"reasked"`
	Calls        int            `json:"calls"`
	In           *int64         `json:"tokens_in"`
	Out          *int64         `json:"tokens_out"`
	Cached       *int64         `json:"tokens_cached"`
	Reasoning    *int64         `json:"tokens_reasoning"`
	Cost         *int64         `json:"cost_nano_usd"`
	Strict       storedEstimate `json:"strict_score"`
	Served       map[string]int `json:"served"`
	Fingerprints map[string]int `json:"fingerprints"`
}

// readTask reads a task; imported says that the file is of imported tickets, of which no single episodes are kept.
func readTask(name string, data json.RawMessage, imported bool) (TaskSummary, error) {
	var s *storedTask
	if err := json.Unmarshal(data, &s); err != nil {
		return TaskSummary{}, outOfRange(err)
	}
	if s == nil {
		return TaskSummary{}, errors.New("it is null")
	}
	if err := s.check(taskNamed(name), imported); err != nil {
		return TaskSummary{}, err
	}
	return s.summary(name), nil
}

// outOfRange words what is wrong with the type or size of a value.
func outOfRange(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s is a %s, which is not %s", wrong.Field, wrong.Value, allowedFor(wrong.Type.Kind().String()))
}

func allowedFor(kind string) string {
	switch kind {
	case "int16":
		return "an integer up to 32767"
	case "int32":
		return "an integer up to 2147483647"
	case "int", "int64":
		return "an integer up to 9223372036854775807"
	case "float64":
		return "a number"
	case "struct", "map":
		return "an object"
	case "slice":
		return "a list"
	}
	return "a " + kind
}

// mostPlayings is the most episodes that one task of a file may tell of: as many as one run plays.
const mostPlayings = 50_000_000

// check says how a task contradicts itself.
func (s *storedTask) check(task triage.Task, imported bool) error {
	for _, c := range []namedCount{{"n", s.N}, {"errors", s.Errors}, {"refused", s.Refused}} {
		if c.n < 0 {
			return fmt.Errorf("%s is %d, and must be 0 or more", c.name, c.n)
		}
	}
	if s.N > mostPlayings || s.Errors > mostPlayings {
		return fmt.Errorf("n is %d and errors %d; a run has at most %d episodes", s.N, s.Errors, mostPlayings)
	}
	if s.Model != nil {
		if err := s.Model.check(); err != nil {
			return err
		}
	}
	if s.Confidence != nil {
		if err := s.Confidence.check(); err != nil {
			return err
		}
	}
	if err := s.checkShares(); err != nil {
		return err
	}
	if s.Answers != "" && (len(s.Answers) != answersLength || strings.Trim(s.Answers, "0123456789abcdef") != "") {
		return fmt.Errorf("answers are %.40q, and must be %d hex digits", s.Answers, answersLength)
	}
	if imported || task.Track == triage.Dataset && len(s.Seeds) == 0 {
		return nil
	}
	return s.checkEpisodes()
}

type namedCount struct {
	name string
	n    int
}

// checkShares holds everything that is a share against 0 and 1.
func (s *storedTask) checkShares() error {
	all := map[string]stored{"score.mean": s.Score.Mean, "reward": s.Reward, "efficiency": s.Efficiency, "success_rate": s.SuccessRate}
	for name, v := range s.Parts {
		all["parts."+name] = v
	}
	for name, v := range s.Exact {
		all["accuracy."+name] = v
	}
	if s.WithErrors != nil {
		all["score_with_errors.mean"] = s.WithErrors.Mean
	}
	if s.Floor != nil {
		all["floor.score"] = s.Floor.Score
	}
	if s.Model != nil {
		all["model.strict_score.mean"] = s.Model.Strict.Mean
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := all[name].share(name); err != nil {
			return err
		}
	}
	return nil
}

// share says of a value that is there if it is not from 0 to 1.
func (s stored) share(name string) error {
	if s.v != nil && !(*s.v >= 0 && *s.v <= 1) {
		return fmt.Errorf("%q is %v, and must be from 0 to 1", name, *s.v)
	}
	return nil
}

// checkEpisodes holds the single episodes against the counts and each other.
func (s *storedTask) checkEpisodes() error {
	if len(s.Seeds) != s.N {
		return fmt.Errorf("n is %d, and the seeds are %d episodes: they must be as many", s.N, len(s.Seeds))
	}
	if s.Broken != nil && len(s.Broken) != s.Errors {
		return fmt.Errorf("errors are %d, and the broken are %d episodes: they must be as many", s.Errors, len(s.Broken))
	}
	seen := make(map[Playing]bool, len(s.Seeds)+len(s.Broken))
	for i, list := range [][]storedSeed{s.Seeds, s.Broken} {
		for j := range list {
			x := &list[j]
			p := x.playing()
			switch {
			case p.Seed < 0 || p.Position < -1 || p.Trial < 0:
				return fmt.Errorf("seed %d, position %d, trial %d: none may be negative, but a position of -1 for a whole episode", p.Seed, p.Position, p.Trial)
			case seen[p]:
				return fmt.Errorf("%s occurs twice: an episode must occur once", p)
			}
			seen[p] = true
			if i > 0 {
				continue
			}
			if x.Score.v == nil {
				return fmt.Errorf("%s has no score: it must be from 0 to 1", p)
			}
			if err := errors.Join(x.Score.share("score"), x.Efficiency.share("efficiency")); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
	}
	return nil
}

// String names a playing, such as "seed 42, position 3, trial 1".
func (p Playing) String() string {
	out := fmt.Sprintf("seed %d", p.Seed)
	if p.Position >= 0 {
		out += fmt.Sprintf(", position %d", p.Position)
	}
	if p.Trial > 0 {
		out += fmt.Sprintf(", trial %d", p.Trial)
	}
	return out
}

func (m *storedModel) check() error {
	counts := []namedCount{{"decisions", m.Decisions}, {"coerced", m.Coerced}, {"reasked", m.Reasked}, {"calls", m.Calls}}
	for name, list := range map[string]map[string]int{"stages": m.Stages, "causes": m.Causes, "served": m.Served, "fingerprints": m.Fingerprints} {
		for k, n := range list {
			counts = append(counts, namedCount{name + "." + k, n})
		}
	}
	for name, v := range map[string]*int64{"tokens_in": m.In, "tokens_out": m.Out, "tokens_cached": m.Cached, "tokens_reasoning": m.Reasoning, "cost_nano_usd": m.Cost} {
		if v != nil && *v < 0 {
			counts = append(counts, namedCount{name, int(*v)})
		}
	}
	slices.SortFunc(counts, func(a, b namedCount) int { return strings.Compare(a.name, b.name) })
	for _, c := range counts {
		if c.n < 0 {
			return fmt.Errorf("%q is %d, and must be 0 or more", "model."+c.name, c.n)
		}
	}
	return nil
}

// summary gives what was checked.
func (s *storedTask) summary(name string) TaskSummary {
	out := TaskSummary{Task: taskNamed(name), N: s.N, Errors: s.Errors, Refused: s.Refused, Score: s.Score.estimate(s.N), Reward: s.Reward.value(),
		Efficiency: s.Efficiency.value(), SuccessRate: s.SuccessRate.value(), Parts: storedValues(s.Parts), Exact: storedValues(s.Exact), Pass: s.Pass,
		Answers: s.Answers}
	out.WithErrors = out.Score
	if s.WithErrors != nil {
		out.WithErrors = s.WithErrors.estimate(s.N + s.Errors)
	}
	switch {
	case s.Floor != nil:
		out.Floor = &Floor{Agent: s.Floor.Agent, Score: s.Floor.Score.value()}
	case s.FloorReason != "":
		out.Floor = &Floor{Reason: s.FloorReason}
	}
	if s.Model != nil {
		out.Model = s.Model.figures()
	}
	if s.Cost != nil {
		out.Cost = s.Cost.figures()
	}
	if s.Confidence != nil {
		out.Confidence = s.Confidence.confidence()
	}
	for i := range s.Seeds {
		x := &s.Seeds[i]
		p := x.playing()
		out.Seeds = append(out.Seeds, Seed{Seed: p.Seed, Position: p.Position, Trial: p.Trial, Score: x.Score.value(), Efficiency: x.Efficiency.value()})
	}
	for i := range s.Broken {
		out.Broken = append(out.Broken, s.Broken[i].playing())
	}
	slices.SortFunc(out.Broken, Playing.Compare)
	return out
}

func (m *storedModel) figures() *ModelFigures {
	total := func(v *int64) Total {
		if v == nil {
			return Total{Unknown: 1}
		}
		return Total{Sum: *v}
	}
	return &ModelFigures{Decisions: m.Decisions, Stages: m.Stages, Causes: m.Causes, Coerced: m.Coerced, Reasked: m.Reasked, Calls: m.Calls,
		Served: m.Served, Fingerprints: m.Fingerprints, In: total(m.In), Out: total(m.Out), Cached: total(m.Cached), Reasoning: total(m.Reasoning),
		Cost: total(m.Cost), Strict: m.Strict.estimate(m.Decisions)}
}
