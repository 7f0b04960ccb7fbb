package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// noter notes what it is shown and told.
type noter struct {
	keys     []triage.Key
	attached triage.Env
	closed   int
	usage    triage.Usage
	acted    []triage.Observation
}

func (n *noter) Act(_ context.Context, o triage.Observation) (triage.Action, error) {
	n.acted = append(n.acted, o)
	return triage.Action{Track: triage.Desk}, errors.New("no idea")
}
func (n *noter) Start(key triage.Key)                 { n.keys = append(n.keys, key) }
func (n *noter) Told() (*triage.Usage, *triage.Reply) { return &n.usage, nil }
func (n *noter) Attach(env triage.Env) error          { n.attached = env; return errors.New("not this one") }
func (n *noter) Close() error                         { n.closed++; return errors.New("stuck") }
func (n *noter) View(o triage.Observation) triage.Observation {
	if o.Desk != nil {
		desk := *o.Desk
		desk.Message = "seen: " + desk.IssueText
		o.Desk = &desk
	}
	return o
}

// plain is an agent that can do nothing but act.
type plain struct{}

func (plain) Act(context.Context, triage.Observation) (triage.Action, error) {
	return triage.Action{}, nil
}

func perturb(t testing.TB, kind string, inner triage.Agent, key triage.Key) *perturber {
	t.Helper()
	a, err := Perturb(kind, inner)
	if err != nil {
		t.Fatal(err)
	}
	p := a.(*perturber)
	p.Start(key)
	return p
}

const subject, body = "Export fails with E-4012", "Hello,\n\nsince Tuesday the nightly export to https://files.example.com/a?b=c has failed twice.\n" +
	"Order INV_2031, contact anna.berg@example.com, version 4.2; our servers are app.example.com and 10.0.0.7.\n\n> earlier mail\n\nKind regards,\nAnna"

func queueTicket() triage.Observation {
	return triage.Observation{Queue: &triage.QueueObservation{Task: "queue-hard", Position: 2, TotalTickets: 12, Remaining: 10, Stats: &triage.QueueStats{Processed: 2},
		Ticket: &triage.QueueTicket{ID: "TKT-7", Subject: subject, Description: body, Metadata: triage.Metadata{Channel: "email", CustomerTier: triage.Business, Language: "de-AT", WaitTimeHours: 3.5}}}}
}

func deskTicket() triage.Observation {
	return triage.Observation{Desk: &triage.DeskObservation{TicketID: "TKT-8", CustomerName: "Anna Berg", IssueText: subject + "\n\n" + body, Message: "Answer with category."}}
}

func datasetTicket() triage.Observation {
	return triage.Observation{Dataset: &triage.DatasetObservation{TicketID: "3", Subject: subject, Body: body, Fields: map[string]string{"language": "en"},
		Labels: map[string][]string{"queue": {"sales", "support"}, "type": {"incident"}, "empty": nil}}}
}

func observations() map[string]func() triage.Observation {
	return map[string]func() triage.Observation{"queue": queueTicket, "desk": deskTicket, "dataset": datasetTicket}
}

// textsOf are subject and body of an observation.
func textsOf(o triage.Observation) (string, string) {
	p, _ := perturbedOf(o)
	return p.subject, p.body
}

func TestAPerturbationChangesTextOnlyAndNotWhatItIsGiven(t *testing.T) {
	t.Parallel()
	for track, make := range observations() {
		for _, kind := range PerturbKinds() {
			given := make()
			got := perturb(t, kind, plain{}, triage.Key{Task: "x", Seed: 5}).View(given)
			if d := cmp.Diff(make(), given); d != "" {
				t.Errorf("%s, %s: the observation that was given is changed (-before +after):\n%s", track, kind, d)
			}
			if (got.Order != 0) != (kind == PerturbFieldOrder) {
				t.Errorf("%s, %s: order %d", track, kind, got.Order)
			}
			if s, b := textsOf(got); kind == PerturbFieldOrder && (s != subject || b != body) || kind != PerturbFieldOrder && kind != PerturbTypos && b == body {
				t.Errorf("%s, %s: the text is %q, %q", track, kind, s, b)
			}
			// with its own text it is the one that was given
			switch {
			case got.Queue != nil:
				got.Queue.Ticket.Subject, got.Queue.Ticket.Description = subject, body
			case got.Desk != nil:
				got.Desk.IssueText = subject + "\n\n" + body
			default:
				got.Dataset.Subject, got.Dataset.Body = subject, body
			}
			got.Order = 0
			if d := cmp.Diff(given, got); d != "" {
				t.Errorf("%s, %s: more than the text is changed (-want +got):\n%s", track, kind, d)
			}
		}
	}
}

func TestEveryTrialAndStepSeesTheSameAndOtherTicketsAnother(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{PerturbFieldOrder, PerturbInjection} {
		base := triage.Key{Agent: "llm+" + kind, Task: "queue-hard", Seed: 42}
		see := func(key triage.Key, place int) any {
			o := queueTicket()
			o.Queue.Position = place
			o = perturb(t, kind, plain{}, key).View(o)
			return [2]any{o.Order, o.Queue.Ticket.Description}
		}
		first := see(base, 2)
		trial, named, alone, task, seed := base, base, base, base, base
		trial.Trial, named.Agent, alone.Position, task.Task, seed.Seed = 3, "other", triage.IntOf(2), "queue-easy", 43
		for name, got := range map[string]any{"another trial": see(trial, 2), "another agent": see(named, 2), "the ticket played alone": see(alone, 0)} {
			if got != first {
				t.Errorf("%s: %s sees %v, not %v", kind, name, got, first)
			}
		}
		for name, got := range map[string]any{"another task": see(task, 2), "another seed": see(seed, 2), "another position": see(base, 3)} {
			if got == first {
				t.Errorf("%s: %s sees the same", kind, name)
			}
		}
	}
}

func TestAPerturbedAgentPassesOnEverything(t *testing.T) {
	t.Parallel()
	n := &noter{}
	key := triage.Key{Agent: "llm@p+upper+typos", Task: "desk-easy", Seed: 4, Trial: 2}
	a := perturb(t, PerturbTypos, perturb(t, PerturbUpper, n, triage.Key{}), key)
	n.keys = n.keys[1:] // of making it
	seen := a.View(deskTicket())
	if !strings.HasPrefix(seen.Desk.Message, "seen: EXPORT FAILS") {
		t.Errorf("it shows %+v", seen.Desk)
	}
	_, err := a.Act(t.Context(), seen)
	usage, reply := a.Told()
	if err == nil || err.Error() != "no idea" || usage != &n.usage || reply != nil {
		t.Errorf("it answers with %v and tells %v, %v", err, usage, reply)
	}
	if err := a.Attach(nil); err == nil || err.Error() != "not this one" {
		t.Errorf("attach gives %v", err)
	}
	if err := a.Close(); err == nil || n.closed != 1 {
		t.Errorf("close gives %v after %d", err, n.closed)
	}
	want := key
	want.Agent = "llm@p"
	if d := cmp.Diff([]triage.Key{want}, n.keys); d != "" {
		t.Errorf("the inner agent is told of (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]triage.Observation{seen}, n.acted); d != "" {
		t.Errorf("the inner agent acts on (-want +got):\n%s", d)
	}
	bare := perturb(t, PerturbUpper, plain{}, key)
	if usage, reply := bare.Told(); usage != nil || reply != nil || bare.Attach(nil) != nil || bare.Close() != nil {
		t.Error("an agent that can only act is asked for more")
	}
}

func TestAnObservationWithoutATicketIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, o := range []triage.Observation{{}, {Queue: &triage.QueueObservation{Message: "The queue is done."}}} {
		for _, kind := range PerturbKinds() {
			if d := cmp.Diff(o, perturb(t, kind, plain{}, triage.Key{}).View(o)); d != "" {
				t.Errorf("%s (-want +got):\n%s", kind, d)
			}
		}
	}
}

func TestNamesOfPerturbedAgents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, inner, kind string
		ok                bool
	}{
		{"heuristic+typos", "heuristic", "typos", true}, {"a+upper+field-order", "a+upper", "field-order", true}, {"+upper", "", "upper", true},
		{"heuristic", "heuristic", "", false}, {"c++", "c++", "", false}, {"m+nonsense", "m+nonsense", "", false}, {"typos", "typos", "", false}, {"", "", "", false},
	} {
		inner, kind, ok := CutPerturbed(tt.name)
		if inner != tt.inner || kind != tt.kind || ok != tt.ok || ok && PerturbedName(inner, kind) != tt.name {
			t.Errorf("%q is %q and %q, %v", tt.name, inner, kind, ok)
		}
	}
	_, err := Perturb("sarcasm", plain{})
	const want = `unknown perturbation "sarcasm": the perturbations are typos, field-order, greeting, upper, injection`
	if err == nil || err.Error() != want || triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("error %v, want %s", err, want)
	}
}
