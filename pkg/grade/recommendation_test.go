package grade_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/handbook"
	"github.com/triagebench/triage/pkg/triage"
)

// ticket is a truth that recommendations are graded against, with the facts of login by default.
func ticket(c triage.Category) *triage.DeskTruth {
	w := login
	w.Category = c
	return &w
}

// everyWord holds every kind word of some categories.
func everyWord(categories ...triage.Category) string {
	var out []string
	for _, c := range categories {
		for _, k := range handbook.KindWords(c) {
			out = append(out, k.Word)
		}
	}
	slices.Reverse(out) // in another order than in the handbook
	return strings.Join(out, " and ")
}

func words(n int) string { return strings.TrimSpace(strings.Repeat("so ", n)) }

func TestRecommendationsEarnTheirParts(t *testing.T) {
	t.Parallel()
	const bug, wish, question = triage.Bug, triage.FeatureRequest, triage.Question
	for _, tt := range []struct {
		name     string
		category triage.Category
		text     string
		value    float64
		why      string
	}{
		// The two examples of the contract.
		{"first example", bug, "Check authentication service logs for failed login attempts", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"second example", bug, "Investigate authentication service for repeated login failures", 1, "2 of 2 kind words, 2 of 2 entities"},

		// Kind.
		{"one kind word", bug, "Check the authentication service logs and the login page.", 0.15 + 0.5 + 0.2, "1 of 2 kind words, 2 of 2 entities"},
		{"the same kind word twice", bug, "Check the logs of the login and log what the authentication service does.", 0.85, "1 of 2 kind words, 2 of 2 entities"},
		{"more than two add nothing", bug, "Investigate, reproduce and debug the login error of the authentication service.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"kind of another category", wish, full, 0.7, "0 of 2 kind words, 2 of 2 entities"},
		{"a wish", wish, "Evaluate a second login for the authentication service and put it on the roadmap.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"a question", question, "Explain the password reset and guide the sender to the login page.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"synonyms of the handbook", wish, "Assess a second login for the authentication service and add it to our backlog.", 1, "2 of 2 kind words, 2 of 2 entities"},

		// Specific.
		{"one entity", bug, "Investigate why the login shows that error to everyone.", 0.3 + 0.25 + 0.2, "2 of 2 kind words, 1 of 2 entities"},
		{"two synonyms are one entity", bug, "Investigate the login, that is the sign-in, and reproduce it.", 0.75, "2 of 2 kind words, 1 of 2 entities"},
		{"no entity", bug, "Investigate the matter and reproduce the error soon.", 0.5, "2 of 2 kind words, 0 of 2 entities"},
		{"plurals and other forms", bug, "Investigate the authentication services and reproduce failing logins.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"parts of an entity's name are not its name", bug, "Investigate the service and reproduce the authentication error.", 0.5, "2 of 2 kind words, 0 of 2 entities"},
		{"a distractor", bug, "Investigate the login of the authentication service, reproduce the error, and repair the export button.", 0.5,
			`2 of 2 kind words, 2 of 2 entities; names "export button", which is not what the ticket is about`},
		{"a distractor in another form", bug, "Investigate the login and the authentication service, then reproduce it with the invoices.", 0.5,
			`2 of 2 kind words, 2 of 2 entities; names "invoice", which is not what the ticket is about`},

		// Form.
		{"one word", bug, "Investigate", 0.15, "1 of 2 kind words, 0 of 2 entities; tells nobody to do something"},
		{"five words", bug, "Debug the authentication service login", 0.15 + 0.5, "1 of 2 kind words, 2 of 2 entities; 5 words, asked for are 6 to 80"},
		{"six words", bug, "Debug the authentication service login now", 0.85, "1 of 2 kind words, 2 of 2 entities"},
		{"eighty words", bug, "Debug the authentication service login " + words(75), 0.85, "1 of 2 kind words, 2 of 2 entities"},
		{"81 words", bug, "Debug the authentication service login " + words(76), 0.65, "1 of 2 kind words, 2 of 2 entities; 81 words, asked for are 6 to 80"},
		{"nobody is told to do something", bug, "The authentication service has an error, the login is its fault.", 0.2, "2 of 2 kind words, 2 of 2 entities; tells nobody to do something"},
		{"told after a polite word", bug, "Could someone please investigate the login error of the authentication service", 1, "2 of 2 kind words, 2 of 2 entities"},

		// Capped.
		{"nothing", bug, "", 0, "no recommendation"},
		{"space only", bug, " \n\t", 0, "no recommendation"},
		{"punctuation only", bug, "… — !?", 0, "no recommendation"},
		{"a list without a verb", bug, "authentication service, login, error, failure, regression, fault", 0.2, "2 of 2 kind words, 2 of 2 entities; tells nobody to do something"},
		{"a list in lines", bug, "- authentication service\n- login\n- error 4012\n- failure\n- fault", 0.2, "2 of 2 kind words, 2 of 2 entities; tells nobody to do something"},
		{"a list of verbs", bug, "investigate, debug, fix, repair, trace, login, authentication service", 0.2, "2 of 2 kind words, 2 of 2 entities; tells nobody to do something"},
		{"a list behind an order", bug, "Investigate and reproduce this: login, authentication service, password reset, error, failure.", 0.2, "2 of 2 kind words, 2 of 2 entities; a list of words"},
		{"four short items are no list", bug, "Investigate and reproduce this for: login, authentication service, password reset, error 4012.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"numbers with points are no list", bug, "Reproduce the login error at 10.0.0.1 and 10.0.0.2 with version 2.3.1.7 of the authentication service at 14:30.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"every word of every category", bug, "Investigate the login of the authentication service: " + everyWord(bug, wish, question), 0.2,
			"2 of 2 kind words, 2 of 2 entities; holds the vocabulary of every category"},
		{"the words of the other two categories", bug, "Check the login of the authentication service: " + everyWord(wish, question), 0.2,
			"0 of 2 kind words, 2 of 2 entities; holds the vocabulary of every category"},
		{"two words of each other category", bug, "Investigate the login error of the authentication service, evaluate a feature, and explain it in an article.", 0.2,
			"2 of 2 kind words, 2 of 2 entities; holds the vocabulary of every category"},
		{"two words of one other category only", bug, "Investigate the login error of the authentication service and explain it in an article.", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"the ticket pasted back", bug, "Investigate: " + login.Text, 0.2,
			`2 of 2 kind words, 2 of 2 entities; names "invoice", which is not what the ticket is about; mostly copied from the ticket or the handbook`},
		{"the ticket pasted back in other punctuation", bug, strings.NewReplacer(" ", "-", ".", "!").Replace("Investigate the login page refuses every password with error 4012 and the reset link does not help"), 0.2,
			"2 of 2 kind words, 2 of 2 entities; mostly copied from the ticket or the handbook"},
		{"the handbook pasted back", bug, "Fix the login: Read the whole text first, also what stands under the signature and in brackets. Where two lines of a table fit, the upper one counts.", 0.2,
			"1 of 2 kind words, 1 of 2 entities; mostly copied from the ticket or the handbook"},
		{"half copied is not over half", bug, "login page refuses every password with error and please investigate it with a trace", 0.75, "2 of 2 kind words, 1 of 2 entities"},

		// Other alphabets, typography and invisible characters.
		{"curly quotes, dashes and no-break spaces", bug, "Check “authentication service” logs for “failed login” attempts — today", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"bullets", bug, "• Investigate the authentication service\n• Reproduce the login failure", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"soft hyphens and joiners", bug, "Check authen\u00adtication service lo\u200bgs for failed log\u200din attempts", 1, "2 of 2 kind words, 2 of 2 entities"},
		{"capitals", bug, strings.ToUpper(full), 1, "2 of 2 kind words, 2 of 2 entities"},
		{"another alphabet", bug, "Проверьте журналы службы входа и повторите ошибку", 0, "0 of 2 kind words, 0 of 2 entities; tells nobody to do something"},
		{"emoji", bug, "🙂🙂🙂", 0, "no recommendation"},
		{"bytes that are no UTF-8", bug, "Check \xff\xfe authentication service logs for failed login attempts", 1, "2 of 2 kind words, 2 of 2 entities"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := grade.Recommendation(ticket(tt.category), tt.text)
			if math.Abs(p.Value-tt.value) > 1e-12 {
				t.Errorf("value %v, want %v: %s", p.Value, tt.value, p.Why)
			}
			if p.Name != "recommendation" || p.Why.Code != triage.WhyText || p.Why.String() != tt.why {
				t.Errorf("part %q, reason %q, want %q", p.Name, p.Why, tt.why)
			}
		})
	}
}

func TestTheLongestRecommendationIsGraded(t *testing.T) {
	t.Parallel()
	text := full + " " + strings.Repeat("and so on ", 300)
	text = text[:triage.MaxRecommendation]
	if got := grade.Recommendation(&login, text); math.Abs(got.Value-0.8) > 1e-12 {
		t.Errorf("2,000 characters earn %v, want 0.8: %s", got.Value, got.Why)
	}
	long := strings.Repeat("日", triage.MaxRecommendation)
	if got := grade.Recommendation(&login, long); got.Value != 0 {
		t.Errorf("2,000 characters without a space earn %v: %s", got.Value, got.Why)
	}
}

func TestPastingBackOfAnyPartOfTheTicketEarnsLittle(t *testing.T) {
	t.Parallel()
	list := strings.Fields(login.Text)
	for from := range list {
		for to := from + 8; to <= len(list); to += 7 {
			text := strings.Join(list[from:to], " ")
			if got := grade.Recommendation(&login, text); got.Value > 0.2 {
				t.Errorf("%q earns %v: %s", text, got.Value, got.Why)
			}
		}
	}
	for c := range strings.SplitSeq(handbook.Text(), "\n\n") {
		if strings.Contains(c, handbook.Examples()[0]) {
			continue // the examples are to be learned from
		}
		if got := grade.Recommendation(&login, c); got.Value > 0.2 {
			t.Errorf("a paragraph of the handbook earns %v: %s\n%s", got.Value, got.Why, c)
		}
	}
}

func TestADistractorInsideAnEntitysNameDoesNotCount(t *testing.T) {
	t.Parallel()
	w := login
	w.Entities = [][]string{{"invoice export"}, {"login"}}
	w.Distractors = []string{"export", "export schedule", "  "}
	for text, want := range map[string]float64{
		"Investigate the invoice export and reproduce the login error.":                          1,
		"Investigate the invoice exports and reproduce the login error of the export.":           0.5,
		"Investigate the invoice export schedule and reproduce the login error.":                 0.5,
		"Investigate the export and reproduce the login error of the invoice with the exporters": 0.5,
	} {
		if got := grade.Recommendation(&w, text); math.Abs(got.Value-want) > 1e-12 {
			t.Errorf("%q earns %v, want %v: %s", text, got.Value, want, got.Why)
		}
	}
}

func TestFormsOfAWordMeet(t *testing.T) {
	t.Parallel()
	for _, forms := range []string{
		"invoice invoices invoiced invoicing", "setting settings", "booking bookings", "policy policies", "cookie cookies", "box boxes",
		"address addresses addressed", "status statuses", "process processes processed processing", "plan plans planned planning",
		"cancel cancels cancelled cancelling", "label labels labelled labelling", "apply applies applied applying", "fix fixes fixed fixing",
		"issue issues issued issuing", "sync syncs synced syncing", "share shares shared sharing", "crash crashes crashed crashing",
		"access accesses accessed accessing", "queue queues queued queuing", "string strings", "speed speeds", "bill bills billed billing",
		"retry retries retried retrying", "batch batches", "class classes",
	} {
		list := strings.Fields(forms)
		for _, entity := range list {
			w := triage.DeskTruth{Category: triage.Bug, Entities: [][]string{{entity}, {"login"}}}
			for _, form := range list {
				text := "Investigate and reproduce the login error with the " + form + "."
				if got := grade.Recommendation(&w, text); got.Value != 1 {
					t.Errorf("%q does not name %q: %s", form, entity, got.Why)
				}
			}
		}
	}
	for entity, other := range map[string]string{"setting": "set", "user": "use", "form": "format", "port": "portal", "invoice": "voice", "plan": "plant"} {
		w := triage.DeskTruth{Category: triage.Bug, Entities: [][]string{{entity}, {"login"}}}
		if got := grade.Recommendation(&w, "Investigate and reproduce the login error with the "+other+"."); got.Value > 0.76 {
			t.Errorf("%q names %q: %s", other, entity, got.Why)
		}
	}
}

// phrases draws texts of the words that matter, and of others.
func phrases() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom(strings.Fields("Investigate investigate the login authentication service logs failed error 4012 password reset and invoice "+
				"export button evaluate roadmap guide explain please check . , ; so now page refuses every")),
			rapid.SampledFrom([]string{full, "sign-in service", "reset link", login.Text, "\n", "日本", "é", "\xff"}),
			rapid.StringN(0, 8, -1),
		), 0, 30).Draw(t, "pieces")
		return strings.Join(pieces, " ")
	})
}

func TestRecommendationsStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkRecommendation(t, ticket(rapid.SampledFrom(triage.Categories()).Draw(t, "category")), phrases().Draw(t, "text"))
	})
}

// checkRecommendation checks what holds for every text.
func checkRecommendation(t interface {
	Errorf(format string, args ...any)
}, w *triage.DeskTruth, text string) {
	p := grade.Recommendation(w, text)
	if p.Value < 0 || p.Value > 1 || math.IsNaN(p.Value) {
		t.Errorf("%q earns %v", text, p.Value)
	}
	if again := grade.Recommendation(w, text); again.Value != p.Value || again.Why != p.Why {
		t.Errorf("%q earns %v and then %v", text, p.Value, again.Value)
	}
	if p.Why.String() == "" || !utf8.ValidString(p.Why.String()) {
		t.Errorf("%q has the reason %q", text, p.Why)
	}
	if lower := grade.Recommendation(w, strings.ToLower(text)); lower.Value != p.Value {
		t.Errorf("%q earns %v, in lower case %v", text, p.Value, lower.Value)
	}
	if spaced := grade.Recommendation(w, "  "+text+" \n"); spaced.Value != p.Value {
		t.Errorf("%q earns %v, with space around %v", text, p.Value, spaced.Value)
	}
	without := *w
	without.Distractors = nil
	if more := grade.Recommendation(&without, text); more.Value < p.Value {
		t.Errorf("%q earns %v, without distractors only %v", text, p.Value, more.Value)
	}
}

func FuzzRecommendation(f *testing.F) {
	for _, s := range append(handbook.Examples(), "", login.Text, "• Fix\u00a0it", "\xff", "日本語のログイン", strings.Repeat("a ", 1000), everyWord(triage.Categories()...)) {
		f.Add(uint8(0), s)
		f.Add(uint8(1), s)
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		checkRecommendation(t, ticket(triage.Categories()[which%3]), text)
	})
}
