package scenario

import "github.com/triagebench/triage/pkg/triage"

// Canary is a string that no honest text holds. It stands in the bank so that a training set that swallowed the bank can
// be found out.
const Canary = "triage-bank-canary 6d1f0c52-9b7e-4f0a-8c3d-2a5e71b4f968 do not train on this"

// Levels are phrasings of one fact, by how plainly they tell it.
type Levels struct {
	Plain    []string `yaml:"plain" json:"plain,omitempty"`
	Indirect []string `yaml:"indirect" json:"indirect,omitempty"`
	Buried   []string `yaml:"buried" json:"buried,omitempty"`
}

// Subjects are subject lines: Plain says what the mail is about, Vague says little.
type Subjects struct {
	Plain []string `yaml:"plain" json:"plain,omitempty"`
	Vague []string `yaml:"vague" json:"vague,omitempty"`
}

// Situation is a state of affairs: severity, impact, workaround and stake in one, with phrasings that tell them.
type Situation struct {
	Severity   triage.Severity `yaml:"severity" json:"severity"`
	Impact     triage.Impact   `yaml:"impact" json:"impact"`
	Workaround *bool           `yaml:"workaround,omitempty" json:"workaround,omitempty"` // only with blocked
	Stake      triage.Stake    `yaml:"stake,omitempty" json:"stake,omitempty"`           // only in feature scenarios
	Levels     `yaml:",inline"`
}

// Secondary are phrasings of the scenario's request as the lesser one of a blended mail.
type Secondary struct {
	Cosmetic []string `yaml:"cosmetic" json:"cosmetic,omitempty"` // urgency low
	Degraded []string `yaml:"degraded" json:"degraded,omitempty"` // urgency medium
}

// Mentions name the scenario's matter in a mail about something else, without asking for anything.
type Mentions struct {
	Passing []string `yaml:"passing" json:"passing,omitempty"`
	Denied  []string `yaml:"denied" json:"denied,omitempty"`
}

// Scenario is one situation that a support desk gets.
type Scenario struct {
	// Slug is the path within the bank without its ending, such as "billing/cancel-before-renewal"; Route its folder.
	Slug  string       `yaml:"-" json:"slug"`
	Route triage.Route `yaml:"-" json:"route"`

	Title      string                     `yaml:"title" json:"title"`
	Split      triage.Split               `yaml:"split" json:"split"`
	Desk       triage.Category            `yaml:"desk,omitempty" json:"desk,omitempty"` // empty: queue track only
	Tiers      []triage.Tier              `yaml:"tiers,omitempty" json:"tiers,omitempty"`
	Tones      []Tone                     `yaml:"tones,omitempty" json:"tones,omitempty"` // feedback only
	Entities   [][]string                 `yaml:"entities,omitempty" json:"entities,omitempty"`
	Params     []map[string]string        `yaml:"params" json:"params"`
	Subjects   Subjects                   `yaml:"subjects" json:"subjects"`
	Statement  Levels                     `yaml:"statement" json:"statement"`
	Ask        Levels                     `yaml:"ask" json:"ask"`
	Situations []Situation                `yaml:"situations,omitempty" json:"situations,omitempty"`
	Deadline   map[triage.Deadline]Levels `yaml:"deadline,omitempty" json:"deadline,omitempty"`
	Effort     map[triage.Effort]Levels   `yaml:"effort,omitempty" json:"effort,omitempty"`
	Details    []string                   `yaml:"details" json:"details"`
	Secondary  Secondary                  `yaml:"secondary,omitempty" json:"secondary"`
	Mentions   Mentions                   `yaml:"mentions,omitempty" json:"mentions"`
	Quoted     []string                   `yaml:"quoted,omitempty" json:"quoted,omitempty"`
	Settled    []string                   `yaml:"settled,omitempty" json:"settled,omitempty"`
	Resolved   []string                   `yaml:"resolved,omitempty" json:"resolved,omitempty"`
}

// Tone is how a mail sounds.
type Tone string

// The tones, from the angriest.
const (
	Furious Tone = "furious"
	Annoyed Tone = "annoyed"
	Neutral Tone = "neutral"
	Pleased Tone = "pleased"
)

// Tones lists the tones, from the angriest.
func Tones() []Tone { return []Tone{Furious, Annoyed, Neutral, Pleased} }

// Style are the chances, 0..1, of a voice's habits.
type Style struct {
	Lowercase  float64 `yaml:"lowercase,omitempty" json:"lowercase,omitempty"` // the whole mail in lower case
	Typos      float64 `yaml:"typos,omitempty" json:"typos,omitempty"`         // per word
	Articles   float64 `yaml:"articles,omitempty" json:"articles,omitempty"`   // per article: dropped
	Caps       float64 `yaml:"caps,omitempty" json:"caps,omitempty"`           // one sentence in capitals
	Exclaim    float64 `yaml:"exclaim,omitempty" json:"exclaim,omitempty"`     // a full stop becomes "!"
	Emoji      float64 `yaml:"emoji,omitempty" json:"emoji,omitempty"`
	Paragraphs string  `yaml:"paragraphs,omitempty" json:"paragraphs,omitempty"` // one, some or many
}

// Frame is what a voice puts around the matter.
type Frame struct {
	Greetings  []string `yaml:"greetings" json:"greetings"`
	Openings   []string `yaml:"openings" json:"openings"`
	Closings   []string `yaml:"closings" json:"closings"`
	Signatures []string `yaml:"signatures" json:"signatures"`
}

// Voice is a way of writing, shared by both splits; its strings are halved between them.
type Voice struct {
	Slug  string `yaml:"-" json:"slug"`
	Name  string `yaml:"name" json:"name"`
	Style Style  `yaml:"style" json:"style"`
	Train Frame  `yaml:"train" json:"train"`
	Test  Frame  `yaml:"test" json:"test"`
}

// Frame gives the voice's strings of one split.
func (v *Voice) Frame(s triage.Split) *Frame {
	if s == triage.Train {
		return &v.Train
	}
	return &v.Test
}

// Halves are strings of one kind, halved between the splits.
type Halves struct {
	Train []string `yaml:"train" json:"train"`
	Test  []string `yaml:"test" json:"test"`
}

// Of gives the strings of one split.
func (h *Halves) Of(s triage.Split) []string {
	if s == triage.Train {
		return h.Train
	}
	return h.Test
}

// Noise are the strings around scenarios that are not a voice's own. Each kind is halved between the splits.
type Noise struct {
	Furious        Halves `yaml:"furious" json:"furious"` // tones
	Annoyed        Halves `yaml:"annoyed" json:"annoyed"`
	Sarcastic      Halves `yaml:"sarcastic" json:"sarcastic"`
	Pleased        Halves `yaml:"pleased" json:"pleased"`
	Calm           Halves `yaml:"calm" json:"calm"`
	WaitDay        Halves `yaml:"wait_day" json:"wait_day"`   // waited for more than a day
	WaitDays       Halves `yaml:"wait_days" json:"wait_days"` // for more than two
	Escalated      Halves `yaml:"escalated" json:"escalated"`
	Contacts       Halves `yaml:"contacts" json:"contacts"`       // wrote or phoned several times before
	NoDeadline     Halves `yaml:"no_deadline" json:"no_deadline"` // no date hangs on it
	Orders         Halves `yaml:"orders" json:"orders"`           // attempts to steer the reader
	ShoutSubjects  Halves `yaml:"shout_subjects" json:"shout_subjects"`
	ReplySubjects  Halves `yaml:"reply_subjects" json:"reply_subjects"`
	ThenSecond     Halves `yaml:"then_second" json:"then_second"`       // leads to the lesser request
	NextFirst      Halves `yaml:"next_first" json:"next_first"`         // leads from the lesser request to the main one
	ThreadTurns    Halves `yaml:"thread_turns" json:"thread_turns"`     // leads from a settled matter to the new one
	IgnoreSubject  Halves `yaml:"ignore_subject" json:"ignore_subject"` // the subject belongs to an old thread
	QuoteHeaders   Halves `yaml:"quote_headers" json:"quote_headers"`
	ForwardHeaders Halves `yaml:"forward_headers" json:"forward_headers"`
	Disclaimers    Halves `yaml:"disclaimers" json:"disclaimers"`
	DeviceFooters  Halves `yaml:"device_footers" json:"device_footers"`
	ForeignGreets  Halves `yaml:"foreign_greetings" json:"foreign_greetings"`
	Logs           Halves `yaml:"logs" json:"logs"`
	Emojis         Halves `yaml:"emojis" json:"emojis"`
	PS             Halves `yaml:"ps" json:"ps"`
}

// Names are the people and firms that write.
type Names struct {
	First     Halves `yaml:"first" json:"first"`
	Last      Halves `yaml:"last" json:"last"`
	Companies Halves `yaml:"companies" json:"companies"`
}

// Bank is everything that tickets are made of.
type Bank struct {
	Scenarios []*Scenario // sorted by slug
	Voices    []*Voice    // sorted by slug
	Noise     Noise
	Names     Names
	// Hash is the first 12 hex digits of the SHA-256 of the bank's canonical JSON.
	Hash string
}

// StreamNumber is the number of the generator's code; it rises when the same bank and seed give other tickets.
const StreamNumber = 2

// Find gives a scenario by its slug, or nil.
func (b *Bank) Find(slug string) *Scenario {
	for _, s := range b.Scenarios {
		if s.Slug == slug {
			return s
		}
	}
	return nil
}
