package reply

import (
	"strings"
	"testing"
)

// hard are texts of about n bytes that a careless reader takes square time for.
func hard(n int) map[string]string {
	out := map[string]string{
		"braces both ways":                  strings.Repeat("{}", n/2),
		"fields":                            strings.Repeat(`{"a":1,`, n/7),
		"one object with many fields":       "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}`,
		"answers":                           strings.Repeat(`{"days":1}`, n/10),
		"different answers":                 strings.Repeat(`{"days":1}{"days":2}`, n/20),
		"wrong answers":                     strings.Repeat(`{"days":9}`, n/10),
		"a list of answers":                 "[" + strings.Repeat(`{"days":1},`, n/11),
		"wrapped":                           strings.Repeat(`{"a":{"days":1}}`, n/16),
		"many wrapped":                      "{" + strings.Repeat(`"a":{"days":1},`, n/15) + `"a":1}`,
		"wrapped in strings":                "{" + strings.Repeat(`"a":"{\"days\":1}",`, n/19) + `"a":1}`,
		"one long list":                     `{"note":[` + strings.Repeat(`"a",`, n/4) + `1]}`,
		"one long string":                   `{"note":"` + strings.Repeat(`a`, n) + `"}`,
		"one long string that is not ended": `{"note":"` + strings.Repeat(`a{`, n/2),
		"one long string of escapes":        `{"note":"` + strings.Repeat(`\n`, n/2) + `"}`,
		"inner quotes":                      `{"note":"` + strings.Repeat(`a "b" `, n/6) + `"}`,
		"spaces and quotes":                 `{"note":"` + strings.Repeat(strings.Repeat(" ", 1000)+`"`, n/1001),
		"open objects in thought":           "<think>" + strings.Repeat(`{"days":1`, n/9),
		"a word of many labels":             `{"kind":"` + strings.Repeat("-", n) + `"}`,
		"white space":                       "{" + strings.Repeat(" ", n),
		"fences":                            strings.Repeat("```\n", n/4),
		"half thoughts":                     strings.Repeat("<think></thinking>", n/18),
		"harmony":                           strings.Repeat("<|channel|>analysis<|message|>", n/30),
		"harmony, final":                    strings.Repeat("<|channel|>final<|message|>", n/27),
		"harmony without messages":          strings.Repeat("<|channel|>final<|end|>", n/23),
	}
	for _, s := range []string{"{", "[", "\"", "'", "}", "<", "\\", "#", "“", "◁", "-", "<think>", "</think>", "<think></think>", "<|channel|>", "<|end|>",
		`{"a":`, `{"`, `{'`, `{“`, `{"a`, `{"a":"`, `{"days":"`, `{"{'`, `{"{'{“{‘`, `{'{"`, `{"\"`, `{"a":"\"`, `{//`, `{/*`, `{#`, `{"a"/*`, `[{`, `{"a":[`, `{a:`, `{days:`, `{"days":1,`,
		`{"a":1 x`, `{"a":1 x}`, "{\"a\":1 x}\n", `{"days":1 x}`, `{"a" `, `{{"a":1}`, `{"note":"a "b`, `{"note":"a "b" `, `{“a”:“`, "{\n", `{"a":tru`, `{"a":-`, "{\"a\n"} {
		out[s] = strings.Repeat(s, n/len(s))
	}
	return out
}

func days() Shape {
	return Shape{Fields: []Field{{Name: "days", Kind: Integer, Low: 1, High: 7}, {Name: "note", Kind: Text},
		{Name: "kind", Kind: Enum, Allowed: []string{"a", "b"}}}}
}

// lesson A10
func TestWorkGrowsWithTheLengthOfTheText(t *testing.T) {
	t.Parallel()
	half, whole := hard(1<<13), hard(1<<14)
	for name, text := range whole {
		_, few := read(Input{Text: half[name], Finish: "stop"}, days())
		r, many := read(Input{Text: text, Finish: "stop"}, days())
		if few, many := float64(few), float64(many); many > 2.2*few || many > 6*float64(len(text)) {
			t.Errorf("%.20q: %.0f steps for %d bytes, %.0f for twice as many", name, few, len(text)/2, many)
		}
		if strings.Contains(r.Detail, "too many objects") && strings.Count(text, "}") < maxObjects {
			t.Errorf("%.20q: the bound on the work is what ended it", name)
		}
	}
}

func TestTextThatTakesTooMuchWorkIsGivenUp(t *testing.T) {
	t.Parallel()
	sc := scanner{p: parser{text: bracesOnly, ix: indexOf(&Shape{}), work: 1 << 20}}
	sc.run()
	if r := sc.result(&Input{Text: bracesOnly}); r.Cause != NotJSON || !strings.Contains(r.Detail, "too many objects") {
		t.Errorf("got %+v", r)
	}
}

const bracesOnly = "{{{{"

func BenchmarkRead(b *testing.B) {
	texts := hard(1 << 20)
	texts["an answer"] = `{"days":3,"note":"Send the customer the link to the invoice archive.","kind":"a"}`
	texts["an answer in prose"] = strings.Repeat("The customer cannot log in. ", 40) + "```json\n" + texts["an answer"] + "\n```"
	for name, text := range texts {
		b.Run(strings.ReplaceAll(name, "/", "|"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Read(Input{Text: text, Finish: "stop"}, days())
			}
		})
	}
}
