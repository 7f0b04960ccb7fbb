package llm

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// probeSeed is the seed that is asked with where the options have none.
const probeSeed = 7

// telling is the question that is asked again and again: whether settings are taken, the system message is obeyed, and the
// reply is the same each time.
func (d *doctor) telling() question {
	q := question{format: FormatText, room: d.room, temperature: d.o.Temperature, seed: d.o.Seed, messages: []Message{
		{Role: System, Content: "You write one short sentence at a time. Begin every reply with the word OTTER and a colon."},
		{Role: User, Content: "Write a sentence about a lighthouse."},
	}}
	if q.seed == nil {
		seed := int64(probeSeed)
		q.seed = &seed
	}
	return q
}

// tell asks with temperature, seed and a system message, and gives the outcome to compare others with.
func (d *doctor) tell(ctx context.Context) outcome {
	out := d.ask(ctx, d.telling())
	if out.reply != nil && d.room < thoughtRoom && out.reply.Finish == "length" && thinks(out.reply) {
		d.room = thoughtRoom
		out = d.ask(ctx, d.telling())
	}
	d.temperature(out)
	d.seed(out)
	d.system(out)
	return out
}

// byHand notes that a member of the request is given with the extra body, so that nothing is to be checked.
func (d *doctor) byHand(check string, names ...string) bool {
	for _, name := range names {
		if _, ok := d.o.ExtraBody[name]; ok {
			d.note(check, VerdictOK, "--extra-body gives "+name+", and the endpoint takes it", "")
			return true
		}
	}
	return false
}

// about tells whether a refusal is about a member of the request.
func (o outcome) about(name string) bool {
	if o.failed == nil || o.failed.Kind != KindRefused {
		return false
	}
	return o.failed.Param == name || mention(strings.ToLower(o.failed.said), name) != nil
}

func (d *doctor) temperature(out outcome) {
	if d.byHand(checkTemperature, "temperature") {
		return
	}
	if d.o.Temperature == nil {
		d.note(checkTemperature, VerdictOK, "none is sent: the endpoint's own counts", "")
		return
	}
	value := strconv.FormatFloat(*d.o.Temperature, 'f', -1, 64)
	found, advice, none := out.verdict()
	switch {
	case slices.Contains(d.learned.Drop, "temperature"):
		d.note(checkTemperature, VerdictWarn, value+" is refused and left out, so that the endpoint's own counts", "results note it; --temperature none or 1 says what is done")
	case out.about("temperature"):
		d.note(checkTemperature, VerdictFail, value+" is refused: "+reason(out.failed), "give another --temperature")
	case none:
		d.note(checkTemperature, VerdictUnknown, found, advice)
	default:
		d.note(checkTemperature, VerdictOK, value+" is accepted", "")
	}
}

func (d *doctor) seed(out outcome) {
	if d.byHand(checkSeed, "seed") {
		return
	}
	found, advice, none := out.verdict()
	switch {
	case slices.Contains(d.learned.Drop, "seed"):
		d.note(checkSeed, VerdictWarn, "it is refused and left out", "give no --seed-request")
	case out.about("seed"):
		d.note(checkSeed, VerdictWarn, "it is refused: "+reason(out.failed), "give another --seed-request, or none")
	case none:
		d.note(checkSeed, VerdictUnknown, found, advice)
	default:
		d.note(checkSeed, VerdictOK, "it is accepted; whether it is used cannot be seen", "")
	}
}

func (d *doctor) system(out outcome) {
	found, advice, none := out.verdict()
	switch {
	case d.learned.MergeSystem:
		d.note(checkSystem, VerdictWarn, "it is refused: what it says is put in front of the first user message", "results note it; compare the scores of models with the same note")
	case none:
		d.note(checkSystem, VerdictUnknown, found, advice)
	case strings.Contains(strings.ToUpper(answered(out.reply)), "OTTER"):
		d.note(checkSystem, VerdictOK, "it is accepted and obeyed", "")
	case strings.TrimSpace(out.reply.Text) == "":
		d.note(checkSystem, VerdictUnknown, "the reply is empty (finish reason "+said(out.reply.Finish)+")", "")
	default:
		d.note(checkSystem, VerdictWarn, "it is accepted and not obeyed: the reply is "+sample(answered(out.reply)),
			"see whether the server's chat template has a place for system messages; a weak model may just not follow it")
	}
}

// sample shows the beginning of a reply.
func sample(text string) string { return strconv.Quote(oneLine(text, 40)) }

func said(word string) string {
	if word == "" {
		return "none"
	}
	return word
}

// repeat asks the same once more, and then twice at once.
func (d *doctor) repeat(ctx context.Context, first outcome) {
	if first.reply == nil {
		found, advice, _ := first.verdict()
		d.note(checkRepeat, VerdictUnknown, found, advice)
		d.note(checkAtOnce, VerdictUnknown, found, advice)
		return
	}
	second := d.ask(ctx, d.telling())
	if second.reply == nil {
		found, advice, _ := second.verdict()
		d.note(checkRepeat, VerdictUnknown, found, advice)
	} else {
		d.compare(first.reply, second.reply)
	}
	if d.stopped != "" || d.err != nil {
		return
	}
	d.atOnce(ctx, first.reply, second.reply)
}

// compare judges two replies to the same question.
func (d *doctor) compare(a, b *Reply) {
	hot := d.o.Temperature == nil || *d.o.Temperature > 0 || slices.Contains(d.learned.Drop, "temperature")
	marks := prints(a, b)
	switch {
	case equal(a, b) && strings.TrimSpace(a.Text) == "":
		d.note(checkRepeat, VerdictUnknown, "both replies are empty; "+marks, "")
	case equal(a, b):
		d.note(checkRepeat, VerdictOK, "the same reply twice; "+marks, "")
	case hot:
		d.note(checkRepeat, VerdictWarn, "two replies to the same question, as is to be expected at this temperature; "+marks, spread)
	default:
		d.note(checkRepeat, VerdictWarn, "two replies to the same question, at temperature 0: "+sample(a.Text)+" and "+sample(b.Text)+"; "+marks, spread)
	}
}

const spread = "scores vary from run to run: play several times with --trials, and keep replies with --cache or --record"

func equal(a, b *Reply) bool { return a.Text == b.Text && a.Tool == b.Tool && a.Finish == b.Finish }

// prints says what the fingerprints tell.
func prints(a, b *Reply) string {
	switch {
	case a.Fingerprint == "" && b.Fingerprint == "":
		return "no system_fingerprint"
	case a.Fingerprint == b.Fingerprint:
		return "the same system_fingerprint"
	}
	return "another system_fingerprint"
}

// atOnce asks the same twice at once: where requests are computed together the numbers differ, and so may the replies.
func (d *doctor) atOnce(ctx context.Context, first, second *Reply) {
	if second == nil || !equal(first, second) {
		d.note(checkAtOnce, VerdictUnknown, "not asked, since replies are not the same one after the other either", "")
		return
	}
	c, err := d.client(d.telling())
	if err != nil {
		d.err = err
		return
	}
	limits := d.net.limited()
	var both [2]outcome
	var wg sync.WaitGroup
	for i := range both {
		wg.Go(func() { both[i] = d.attempts(ctx, c, d.telling()) })
	}
	wg.Wait()
	for _, out := range both {
		d.take(ctx, out)
	}
	if d.net.limited() > limits {
		d.note(checkAtOnce, VerdictWarn, "a call of two at once was refused with 429", "give --concurrency 1")
		return
	}
	for _, out := range both {
		if found, advice, none := out.verdict(); none {
			d.note(checkAtOnce, VerdictUnknown, found, advice)
			return
		}
	}
	if equal(first, both[0].reply) && equal(first, both[1].reply) {
		d.note(checkAtOnce, VerdictOK, "two calls at once give the same reply", "")
		return
	}
	d.note(checkAtOnce, VerdictWarn, "two calls at once give other replies than one call alone", "for runs that repeat give --concurrency 1; "+spread)
}
