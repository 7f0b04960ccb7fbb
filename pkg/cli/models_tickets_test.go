package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const ownTickets = "body,queue,priority\nthe printer is on fire,ops,high\nhello,sales,low\nthe door does not open,ops,low\n"

func TestAModelPlaysImportedTickets(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, `answers: {fixed: '{"queue":"ops","priority":"low"}'}`+"\nform: {exact: 1, fenced: 1}\nseed: 2\n")
	args := func(out string, more ...string) []string {
		return r.args("run", append([]string{"--tickets", r.file(t, "tickets.csv", ownTickets), "--workers", "1", "--no-meta", "--out", r.file(t, out, "")}, more...)...)
	}
	out, _ := r.play(t, ExitOK, args("run", "--prices", r.file(t, "prices.yaml", fakePrices))...)
	for _, want := range []string{"│ llamacpp:fake │ queue    │ nominal │      2 │ 3 │    0.667 │", "│ llamacpp:fake │ priority │ ordered │      2 │ 3 │    0.667 │", "│ llamacpp:fake │ tickets │         3 │", "│ llamacpp:fake │ tickets │          3 │    0 │       0 │"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	f := readResults(t, r.dir, "run", "results-llamacpp_fake.json")
	if k := f.Tasks["tickets"]; k.N != 3 || *k.Score.Mean != 0.666667 || k.Model == nil || k.Model.Decisions != 3 || k.Model.CostNano == nil || len(f.Agent.Settings["prompt_hash"]) != 16 {
		t.Errorf("results %+v", f)
	}
	// several trials and perturbed tickets
	out, _ = r.play(t, ExitOK, args("trials", "--trials", "3", "--perturb", "upper", "injection")...)
	for _, want := range []string{"Reliability over trials", "│ llamacpp:fake           │ tickets │       3 │      3 │", "The same tickets, perturbed", "│ llamacpp:fake │ tickets │ injection    │ 9 │      0.667 │           0.667 │"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// the interval is over tickets: playing each three times does not narrow it
	one, three := readFile(t, r.dir, "run", "results-llamacpp_fake.json"), readFile(t, r.dir, "trials", "results-llamacpp_fake.json")
	score := func(text string) string {
		text, _, _ = strings.Cut(after(t, text, `"score": {`), "}")
		return text
	}
	if d := cmp.Diff(score(one), score(three)); d != "" {
		t.Errorf("score (-once +three times):\n%s", d)
	}
	// it cannot be graded again
	if _, errs := r.play(t, ExitUsage, "score", r.file(t, "run", "")); !strings.Contains(errs, "DIR/run: a run of imported tickets cannot be graded again: their labels are in the tickets' file; play it again, models from the cache") {
		t.Errorf("it says %s", errs)
	}
}

func TestAModelThatFailsOnImportedTicketsHasNoScoreForThem(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "answers: {fixed: '{\"queue\":\"ops\"}'}\nfaults:\n  - {calls: 2, reply: 400}\n")
	tickets := r.file(t, "tickets.csv", "body,queue\na printer,ops\nhello,sales\na door,ops\n")
	out, errs := r.play(t, ExitEpisodes, r.args("run", "--tickets", tickets, "--workers", "1", "--trials", "2")...)
	if !strings.Contains(out, "n=5 of 6: 1 episode broke through no fault of the agent; what broke is in none of these figures.") || !strings.Contains(errs, "1 episode failed") {
		t.Errorf("it says %s and prints %s", errs, out)
	}
	stopped := newModelRig(t, "key: another\n")
	out, errs = stopped.play(t, ExitUnavailable, stopped.args("run", "--tickets", tickets)...)
	if !strings.Contains(out, "Stopped: 0 of 3 episodes were finished.\nThey are kept nowhere: --out DIR would have kept them.") || !strings.Contains(errs, "401") || strings.Contains(out, "NaN") {
		t.Errorf("it says %s and prints %s", errs, out)
	}
}

// TestTheMajorityPlaysPerturbedTicketsToo has an agent whose answers do not depend on the text.
func TestTheMajorityPlaysPerturbedTicketsToo(t *testing.T) {
	t.Parallel()
	r := newModelRig(t, "")
	a := newTestApp()
	out, _ := r.playIn(t, a, ExitOK, "run", "--agent", "constant", "--tickets", r.file(t, "tickets.csv", ownTickets), "--perturb", "typos", "--format", "csv", "--progress", "off")
	if !strings.Contains(out, "perturbations,constant,tickets,typos,3,0.666667,0.666667,0,0,0") {
		t.Errorf("it prints %s", out)
	}
}
