package agent

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// compileFor makes a lexicon with the one list "x".
func compileFor(t *testing.T, cues ...string) *lexicon {
	t.Helper()
	l, err := compile(&cueFile{
		Classes: map[string][]string{"team": {"team crew depart*"}, "num": {"two three"}},
		Lists:   map[string]map[string][]string{"x": {"1": cues}},
	}, []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func score(l *lexicon, text string) float64 {
	r := newReader(l)
	r.read(text, 0)
	r.findCues()
	sum := 0.0
	for i := range r.sentences {
		sum += r.sentences[i].scores[0]
	}
	return sum
}

func TestCues(t *testing.T) {
	tests := []struct {
		name, cue, text string
		want            float64
	}{
		{"a word", "stuck", "We are stuck.", 1},
		{"not inside a word", "stuck", "We are unstuck.", 0},
		{"without case", "stuck", "WE ARE STUCK", 1},
		{"once a sentence", "stuck", "stuck, stuck, stuck", 1},
		{"in each sentence", "stuck", "Stuck. Stuck again.", 2},
		{"a run", "no other way", "There is no other way!", 1},
		{"a run broken", "no other way", "No. Other way?", 0},
		{"alternatives", "nobody|none can work|print", "None can print.", 1},
		{"a beginning", "investigat*", "It was investigated.", 1},
		{"a beginning is not the end", "investigat*", "We vest.", 0},
		{"a class", "the whole $team", "The whole crew waits.", 1},
		{"a class with a beginning", "$team", "Three departments.", 1},
		{"digits are numbers", "in $num days", "in 3 days", 1},
		{"any word", "in _ days", "in about days", 1},
		{"any word is needed", "in _ days", "in days", 0},
		{"a gap", "please ... repair", "Please do come and repair it.", 1},
		{"an empty gap", "please ... repair", "Please repair it.", 1},
		{"too wide a gap", "please ... repair", "Please come one two three four five six and repair it.", 0},
		{"a gap ends with the sentence", "please ... repair", "Please. Now repair it.", 0},
		{"can't", "can not", "I can't.", 1},
		{"can’t", "can not", "I can’t.", 1},
		{"cannot", "can not", "I cannot.", 1},
		{"won't", "will not", "It won't.", 1},
		{"we've", "we have", "We've waited.", 1},
		{"it's", "it is", "It's late.", 1},
		{"a possessive is left out", "boss office", "The boss's office.", 1},
		{"a hyphen separates", "sign-in page", "the sign-in page, the sign in page", 1},
		{"a name", "$name alone", "Only Zelda Quirke alone sees it.", 1},
		{"no name", "$name alone", "only she alone sees it", 0},
		{"a number with its comma", "$digits rows", "1,240 rows", 1},
		{"an abbreviation ends no sentence", "at four p m sharp", "At four p.m. sharp.", 1},
		{"foreign letters", "größe", "Die Größe!", 1},
		{"foreign capitals stay", "ärger", "Der Ärger!", 0}, // only ASCII is folded
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := score(compileFor(t, tt.cue), tt.text); got != tt.want {
				t.Errorf("cue %q in %q scores %g, want %g", tt.cue, tt.text, got, tt.want)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	tests := []struct{ name, cue, want string }{
		{"an empty cue", "a, , b", "empty"},
		{"a gap first", "... a", "begins with a gap"},
		{"a gap last", "a ...", "ends with a gap"},
		{"an unknown class", "$crew", `no class "crew"`},
		{"capitals", "Please", "not a word in lower case"},
		{"a short beginning", "ab*", "too short"},
		{"an apostrophe", "can't", "not a word in lower case"},
		{"an empty alternative", "a|", "a word is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compile(&cueFile{Lists: map[string]map[string][]string{"x": {"1": {tt.cue}}}}, []string{"x"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("compile says %v, want %q", err, tt.want)
			}
		})
	}
	for weight, want := range map[string]string{"high": "not a number", "10": "not a number from", "NaN": "not a number"} {
		_, err := compile(&cueFile{Lists: map[string]map[string][]string{"x": {weight: {"a"}}}}, []string{"x"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("weight %s: compile says %v, want %q", weight, err, want)
		}
	}
}

func TestLoadLexiconRefuses(t *testing.T) {
	good := `{"classes": {}, "lists": {"x": {"1": ["a"]}}}`
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"an unknown key", map[string]string{"a.json": `{"classes": {}, "lists": {}, "more": 1}`}, "unknown field"},
		{"no JSON", map[string]string{"a.json": `lists:`}, "a.json"},
		{"more than one value", map[string]string{"a.json": good + good}, "more than one"},
		{"a list twice", map[string]string{"a.json": good, "b.json": good}, "is there already"},
		{"a list that nobody reads", map[string]string{"a.json": `{"lists": {"x": {"1": ["a"]}, "y": {"1": ["a"]}}}`}, "not one that the agent reads"},
		{"a list missing", map[string]string{"a.json": `{"lists": {}}`}, `"x" is missing`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range tt.files {
				files["rules/"+name] = &fstest.MapFile{Data: []byte(text)}
			}
			if _, err := loadLexicon(files, "rules", []string{"x"}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("loading says %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := loadLexicon(fstest.MapFS{}, "rules", nil); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

// TestTypos holds that a slip of the pen in a long word is forgiven, and that short words and other words are left alone.
func TestTypos(t *testing.T) {
	l := compileFor(t, "invoice, printer, refund*, stuck, trial, trail")
	tests := []struct {
		name, text string
		want       float64
	}{
		{"as written", "invoice", 1},
		{"two letters swapped", "inovice", 1},
		{"a letter doubled", "invooice", 1},
		{"a letter left out", "invice", 1},
		{"a beginning swapped", "reufnded", 1},
		{"in capitals", "PRINETR", 1},
		{"the first letter counts", "nivoice", 0},
		{"two slips", "inovcie", 0},
		{"a short word", "stcuk", 0},
		{"another word", "interior", 0},
		{"no letters", "123456", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newReader(l)
			r.typos = true
			r.read(tt.text, 0)
			r.findCues()
			if got := r.sentences[0].scores[0]; got != tt.want {
				t.Errorf("%q scores %v, want %v", tt.text, got, tt.want)
			}
			if got := string(r.text); got != strings.ToLower(tt.text) {
				t.Errorf("the text became %q", got)
			}
		})
	}
}

// TestLexiconIsTheSame guards against an order of maps that decides something.
func TestLexiconIsTheSame(t *testing.T) {
	first, err := heuristicRules()
	if err != nil {
		t.Fatal(err)
	}
	files := heuristicFiles(t)
	for range 5 {
		again, err := compile(files, listNames())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first.cues, again.cues) || !reflect.DeepEqual(first.nodes, again.nodes) ||
			!reflect.DeepEqual(first.edges, again.edges) || !reflect.DeepEqual(first.root, again.root) {
			t.Fatal("compiling twice gives two lexicons")
		}
	}
}
