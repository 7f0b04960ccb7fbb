// Package reply reads what a language model answered as an object of a known shape: as strictly as it can, then with
// more and more leniency, and it says which. It never closes what is open, never makes up a value, never guesses a word
// from one that looks like it, and never takes a draft out of the model's reasoning for its answer. It knows no tickets
// and calls nobody. It takes time linear in the length of the text. Start at [Read].
package reply

// Kind is what a field's value may be.
type Kind int

// The kinds.
const (
	Enum    Kind = iota // one of the words in Allowed
	Integer             // a whole number from Low to High
	Text                // a text of at most MaxRunes characters
)

// Field is one member of the object that is looked for.
type Field struct {
	Name string
	Kind Kind
	// Allowed are the words of an Enum.
	Allowed []string
	// Aliases gives other names of the words of an Enum: from an alias, in lower case, to the word. What differs only in
	// case, surrounding punctuation, spaces, hyphens and underscores is the same name.
	Aliases map[string]string
	// Low and High bound an Integer, both allowed. From 0 to 100 a percentage in a string ("90%") is the number.
	Low, High int
	// MaxRunes bounds a Text, in characters. 0: no bound.
	MaxRunes int
}

// Shape is the object that is looked for. No field has to be there, but one of them must.
type Shape struct {
	Fields []Field
	// Confidence is the name of a member that may say how sure the model is; empty for none. It alone makes no answer.
	Confidence string
}

// Input is a model's reply.
type Input struct {
	Text string // of the message, or the arguments of a tool call
	// Refusal is the text of the field with which an endpoint says that the model refused.
	Refusal string
	// Finish is the finish_reason as it came. It matters that it is length or content_filter.
	Finish string
	// Tool says that Text are the arguments of a tool call. They are read by the same rules.
	Tool bool
	// Reasoning is what the model thought beside the text. It is never searched for an answer.
	Reasoning string
	// ReasoningTokens is how many tokens that took, or 0.
	ReasoningTokens int64
}

// Stage says how the answer was found.
type Stage string

// The stages, from the strictest.
const (
	// Exact: the whole text, but for white space around it, is one JSON object.
	Exact Stage = "exact"
	// Fenced: the object stands alone in a Markdown code fence, and nothing else is there.
	Fenced Stage = "fenced"
	// Embedded: the object has something around it: prose, reasoning, another object, an array, a string.
	Embedded Stage = "embedded"
	// Repaired: the object is no JSON as it stands, but means one.
	Repaired Stage = "repaired"
	// None: there is no answer.
	None Stage = "none"
)

// Cause says why there is no answer.
type Cause string

// The causes.
const (
	// Truncated: the reply was cut at its limit of tokens before the answer was complete.
	Truncated Cause = "truncated"
	// Refusal: the model, or a filter before or behind it, refused.
	Refusal Cause = "refusal"
	// Empty: there is no text at all.
	Empty Cause = "empty"
	// NoFinalAnswer: there is reasoning, and nothing after it.
	NoFinalAnswer Cause = "no_final_answer"
	// NotJSON: there is text, but no object in it that can be read.
	NotJSON Cause = "not_json"
	// Schema: there is an object, but it is not of the shape.
	Schema Cause = "schema"
	// Ambiguous: there are several answers that differ. Where they stand one after the other the last is taken all the
	// same, and so is the last of several values of one field; of a list none is.
	Ambiguous Cause = "ambiguous"
	// BudgetExhausted: the limit of tokens was used up before the answer began, as a rule by reasoning.
	BudgetExhausted Cause = "budget_exhausted"
)

// Result is what was read.
type Result struct {
	Stage Stage
	// Cause is why Stage is None; of the other stages it is empty or Ambiguous.
	Cause Cause
	// Action is a JSON object with the fields that were given, in the order of the shape, each with an allowed value: a
	// word of Allowed, a whole number, a text. Nil where Stage is None.
	Action []byte
	// Confidence is how sure the model says it is: the JSON of a number from 0 to 1, or of an object of such numbers by field. Nil where
	// it does not say, or not in a form that can be read.
	Confidence []byte
	// Coerced lists what was taken for something else than it is, such as `route: "Technical" as technical`. Of very
	// many the last entry counts those that are not listed.
	Coerced []string
	// Detail says what is wrong and how the text begins (at most 200 bytes of it), for an error message. Empty where
	// nothing is wrong.
	Detail string
}

// MaxText is the longest text that is read, in bytes: 4 MiB. A longer one is NotJSON.
const MaxText = 4 << 20

// Read finds the answer in a reply. All of the following is noted in Coerced, unless the result's Stage or Cause tells it.
//
// Text is read from left to right. Reasoning is cut, through its last end mark (think tags, [THINK], the analysis channel
// of the harmony form); where it is begun and not ended there is no answer. Of the objects that are left, nested ones not
// counted, those are answers that have at least one of the fields and only allowed values. One is the answer, however
// often it is repeated.
//
// Keys may differ in case, spaces, hyphens and underscores. Words are read as [Field.Aliases] says. Integers may be
// strings ("3") and may have zeros behind the point (3.0); nothing is rounded, and true is no integer. A list of one string
// is the string, null is an absent field, unknown fields are dropped. The object may be wrapped once in another one
// ({"answer": {…}}), or be a JSON string. JSON Schemas are no answers.
//
// An object is repaired where it has single or typographic quotes, trailing commas, comments, Python's None, True or False,
// keys without quotes, full-width colons or commas, line breaks in strings, backslashes that escape nothing, or double
// quotes in strings that can be told from the ends of strings.
func Read(in Input, s Shape) Result {
	r, _ := read(in, s)
	return r
}
