package audit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestWorkersDoNotChangeTheChecks(t *testing.T) {
	t.Parallel()
	o := small(t, "queue-medium", "desk-hard")
	serial := o
	serial.Workers = 1
	want, err := Run(t.Context(), deps(t), serial)
	if err != nil {
		t.Fatal(err)
	}
	o.Workers = 3
	got, err := Run(t.Context(), deps(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("three workers give other checks than one (-one +three):\n%s", d)
	}
}

func TestEveryAttackHasItsLines(t *testing.T) {
	t.Parallel()
	steps := 0
	o := small(t, "queue-hard", "desk-hard")
	o.Step = func(done, total int) {
		if steps++; done != steps || total != 6 {
			t.Errorf("step %d says %d of %d", steps, done, total)
		}
	}
	checks, err := Run(t.Context(), deps(t), o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	add := func(ids ...string) { want = append(want, ids...) }
	for _, task := range o.Tasks {
		add(task.Name+"/constant", task.Name+"/majority", task.Name+"/random")
	}
	for _, task := range o.Tasks {
		for _, f := range fieldAgents(task.Track) {
			add(task.Name + "/" + f)
		}
	}
	add("queue-hard/keyword", "queue-hard/heuristic", "queue-hard/heuristic:lead", "queue-hard/oracle",
		"desk-hard/keyword", "desk-hard/heuristic", "desk-hard/oracle")
	for _, s := range stuffings(nil) {
		add("desk-hard/recommendation:" + s.name)
	}
	for _, rest := range []string{"idle:repeats idle:quits idle:wrong-values idle:empty idle:flood idle:flood:refused", "train-table",
		"replay:same replay:new-environments replay:fewer-tickets", "regenerator:open regenerator:secret",
		"phrasebook:public phrasebook:secret phrasebook:private",
		"tree:ids:route tree:lengths:route tree:own-lengths:route tree:ids:urgency tree:lengths:urgency tree:own-lengths:urgency tree:ids:category tree:lengths:category tree:own-lengths:category"} {
		for _, task := range o.Tasks {
			for _, name := range strings.Fields(rest) {
				if onlyOn, ok := map[string]triage.Track{"replay:fewer-tickets": triage.Queue, "tree:ids:route": triage.Queue,
					"tree:lengths:route": triage.Queue, "tree:ids:urgency": triage.Queue, "tree:lengths:urgency": triage.Queue,
					"tree:ids:category": triage.Desk, "tree:own-lengths:route": triage.Queue, "tree:own-lengths:urgency": triage.Queue, "tree:own-lengths:category": triage.Desk, "tree:lengths:category": triage.Desk}[name]; !ok || onlyOn == task.Track {
					add(task.Name + "/" + name)
				}
			}
		}
	}
	var got []string
	for _, c := range checks {
		got = append(got, c.ID)
		if c.Description == "" || c.Expected == "" || c.Seen == "" || c.Skipped != "" {
			t.Errorf("check is not filled in: %+v", c)
		}
		if c.Printed != (c.Expected == "printed") {
			t.Errorf("%s is printed: %t, but expects %q", c.ID, c.Printed, c.Expected)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
}

func TestTrainIsNotHeldAgainstTheTableOfTrain(t *testing.T) {
	t.Parallel()
	o := small(t, "desk-easy")
	o.Split = triage.Train
	checks, err := run(t.Context(), deps(t), o, []section{{enterTable, judgeTable}})
	if err != nil {
		t.Fatal(err)
	}
	if c := find(t, checks, "desk-easy/train-table"); c.Skipped == "" {
		t.Errorf("the table is checked on train: %+v", c)
	}
}

func TestWhatCannotBePlayedIsAnError(t *testing.T) {
	t.Parallel()
	cause := errors.New("out of order")
	for _, c := range []struct {
		name, want string
		d          func(Deps) Deps
	}{
		{"no environment", "audit desk-hard: out of order", func(d Deps) Deps {
			d.NewEnv = func(triage.Task, triage.Split, []byte) (triage.Env, error) { return nil, cause }
			return d
		}},
		{"no tickets", "audit desk-hard: out of order", func(d Deps) Deps {
			d.Source = func(triage.Task, triage.Split) (Tickets, error) { return nil, cause }
			return d
		}},
		{"no constant agent", "audit desk-hard: out of order", func(d Deps) Deps {
			d.NewAgent = func(string) (triage.Agent, error) { return nil, cause }
			return d
		}},
		{"no keyword agent", "audit desk-hard: keyword/desk-hard/42: out of order", func(d Deps) Deps {
			whole := d.NewAgent
			d.NewAgent = func(name string) (triage.Agent, error) {
				if name == nameKeyword {
					return nil, cause
				}
				return whole(name)
			}
			return d
		}},
		{"an episode breaks", "audit desk-hard: constant/desk-hard/42: the episode broke: step: out of order", func(d Deps) Deps {
			return breaking(d, broken{step: func(*broken, triage.Action) (triage.StepResult, error) { return triage.StepResult{}, cause }})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := small(t, "desk-hard")
			o.Workers, o.Train = 1, 10
			_, err := run(t.Context(), c.d(deps(t)), o, []section{{enterBlind, judgeBlind}, {enterReaders, judgeReaders}})
			if err == nil || err.Error() != c.want {
				t.Errorf("error is %v, want %s", err, c.want)
			}
		})
	}
}

func TestRunRefusesNothing(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Workers: 1}, {Episodes: 1}} {
		if _, err := Run(t.Context(), deps(t), o); triage.CodeOf(err) != triage.CodeUsage {
			t.Errorf("%+v gives %v", o, err)
		}
	}
}

func TestAnInterruptionEndsTheAudit(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	o := small(t, "desk-easy")
	o.Train, o.Workers = 10, 1
	o.Step = func(int, int) { cancel(cause) }
	if _, err := Run(ctx, deps(t), o); !errors.Is(err, cause) {
		t.Errorf("error is %v, want %v", err, cause)
	}
}
