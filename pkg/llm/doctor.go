package llm

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Verdict says how a check of [Diagnose] went.
type Verdict string

// The verdicts.
const (
	VerdictOK      Verdict = "ok"
	VerdictWarn    Verdict = "warn"    // it works, but not as asked for, or not well
	VerdictFail    Verdict = "fail"    // no run can go well with these settings
	VerdictUnknown Verdict = "unknown" // it was not asked, or could not be seen
)

// Finding is what one check found.
type Finding struct {
	Check   string  `json:"check"` // one of [Checks]
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"`  // in one line, without secrets
	Advice  string  `json:"advice"` // what to do, in one line; empty where nothing is to be done
}

// Names of the checks.
const (
	checkAddress     = "address"
	checkKey         = "key"
	checkModel       = "model"
	checkSchema      = "json_schema"
	checkObject      = "json_object"
	checkTools       = "tools"
	checkFormat      = "response_format"
	checkTemperature = "temperature"
	checkSeed        = "seed"
	checkUsage       = "usage"
	checkLimit       = "max_output_tokens"
	checkSystem      = "system_role"
	checkStop        = "stop"
	checkRepeat      = "determinism"
	checkAtOnce      = "concurrency"
	checkReasoning   = "reasoning"
	checkRetryAfter  = "retry_after"
	checkLatency     = "latency"
)

// Checks lists the checks of [Diagnose], in their order.
func Checks() []string {
	return []string{checkAddress, checkKey, checkModel, checkSchema, checkObject, checkTools, checkFormat, checkTemperature, checkSeed, checkUsage,
		checkLimit, checkSystem, checkStop, checkRepeat, checkAtOnce, checkReasoning, checkRetryAfter, checkLatency}
}

// MostDoctorCalls is how many requests [Diagnose] makes at most.
const MostDoctorCalls = 14

// Diagnosis is what was found about one endpoint.
type Diagnosis struct {
	Endpoint Endpoint
	Findings []Finding // one for each of [Checks], in their order
	Learned  Learned   // what the endpoint refuses of what the options ask for, for [Options].Learned of later clients
	Calls    int       // requests that were made
}

// Usable tells whether a run with these settings can go well: no check failed.
func (d *Diagnosis) Usable() bool {
	return !slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.Verdict == VerdictFail })
}

// Diagnose asks an endpoint a few small questions, at most [MostDoctorCalls] and one after the other but for two at once,
// and says what it takes, obeys and tells. It calls no model but the one of the options. Where address, key or model is
// wrong it stops after at most two requests. The options are those of a client; of them Format, Temperature, Seed,
// ReasoningEffort, ExtraBody and Learned decide what is asked, MaxOutputTokens, Budget, RPM, TPM, Limiter and Store do not.
// The error is one of the options, or the cause of ctx where that ended.
func Diagnose(ctx context.Context, o Options) (*Diagnosis, error) {
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	d := &doctor{o: c.o, first: c, learned: cloneLearned(o.Learned), found: map[string]Finding{}, room: usualRoom}
	d.net = &watch{base: c.o.Transport, most: MostDoctorCalls, now: c.o.Now}
	d.examine(ctx)
	if d.err != nil {
		return nil, d.err
	}
	out := &Diagnosis{Endpoint: c.o.Endpoint, Learned: pertinent(d.learned, c.o), Calls: d.net.calls()}
	for _, name := range Checks() {
		f, ok := d.found[name]
		if !ok {
			f = Finding{Verdict: VerdictUnknown, Found: "not asked"}
			if d.stopped != "" {
				f.Found += ", since " + d.stopped
			}
		}
		f.Check = name
		f.Found, f.Advice = oneLine(c.Redact(f.Found), maxErrorText), oneLine(c.Redact(f.Advice), maxErrorText)
		out.Findings = append(out.Findings, f)
	}
	return out, nil
}

// pertinent leaves out what was only asked for to see whether it is taken: a run with these options does not ask for it, so
// that its results would note what never happened.
func pertinent(l Learned, o Options) Learned {
	l = cloneLearned(l)
	without := func(field string) {
		l.Drop = slices.DeleteFunc(l.Drop, func(name string) bool { return name == field })
		l.Notes = slices.DeleteFunc(l.Notes, func(note string) bool { return strings.HasPrefix(note, field+" was ") })
	}
	if o.Seed == nil {
		without("seed")
	}
	if o.MaxOutputTokens == 0 {
		without(maxTokens)
		delete(l.Rename, maxTokens)
	}
	if o.Format != FormatTools {
		without("tool_choice")
	}
	if o.Format != FormatAuto {
		l.Format = ""
		l.Notes = slices.DeleteFunc(l.Notes, func(note string) bool { return strings.HasPrefix(note, "response format ") })
	}
	if len(l.Rename) == 0 {
		l.Rename = nil
	}
	return l
}

// Tokens of replies.
const (
	fewTokens   = 16   // of the reply that is to be cut
	usualRoom   = 64   // of the others
	thoughtRoom = 1024 // of a model that thinks before it writes
)

// doctor asks one endpoint.
type doctor struct {
	o       Options
	first   *Client // for its words and its secrets; it calls nothing
	net     *watch
	learned Learned
	found   map[string]Finding
	replies []*Reply
	room    int    // tokens that a reply needs
	stopped string // why nothing more is asked
	err     error  // the end of the context
}

// note notes a finding. The first one of a check counts.
func (d *doctor) note(check string, v Verdict, found, advice string) {
	if _, ok := d.found[check]; !ok {
		d.found[check] = Finding{Verdict: v, Found: found, Advice: advice}
	}
}

// examine asks everything, in an order in which what matters most comes first.
func (d *doctor) examine(ctx context.Context) {
	if !d.greet(ctx) {
		return
	}
	d.listed(ctx)
	told := d.tell(ctx)
	d.formats(ctx)
	d.stop(ctx)
	d.repeat(ctx, told)
	d.usage()
	d.reasoning()
	d.retryAfter()
	d.latency()
}

// latency is over all replies.
func (d *doctor) latency() {
	var all []time.Duration
	for _, r := range d.replies {
		all = append(all, r.Latency)
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	middle := all[len(all)/2]
	if len(all)%2 == 0 {
		middle = (middle + all[len(all)/2-1]) / 2
	}
	v, advice := VerdictOK, ""
	if last := all[len(all)-1]; last > d.o.Timeout/2 {
		v, advice = VerdictWarn, "replies of a run are longer than these: give more time with --timeout"
	}
	d.note(checkLatency, v, "median "+short(middle)+" of "+counted(len(all), "reply", "replies")+", from "+short(all[0])+" to "+short(all[len(all)-1]), advice)
}

// short rounds a time for people.
func short(t time.Duration) string {
	if t < 10*time.Second {
		return t.Round(time.Millisecond).String()
	}
	return t.Round(100 * time.Millisecond).String()
}
