package dataset_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/dataset"
)

// checkSet opens a file and checks what holds of every set.
func checkSet(t *testing.T, file []byte, mapping string) {
	t.Helper()
	columns, err := dataset.ParseMap(mapping)
	if err != nil {
		return
	}
	s, err := dataset.Open(bytes.NewReader(file), int64(len(file)), "t", dataset.Options{Map: columns})
	if err != nil {
		return
	}
	lines := bytes.Count(file, []byte("\n")) + 1
	total := map[string]map[string]int{}
	ids := map[string]bool{}
	for i := range s.Len() {
		c, err := s.Case(i)
		if err != nil {
			t.Fatalf("ticket %d was indexed and cannot be read: %v", i, err)
		}
		if ids[c.Ticket.ID] || c.Ticket.ID == "" {
			t.Errorf("id %q of ticket %d is empty or occurs twice", c.Ticket.ID, i)
		}
		ids[c.Ticket.ID] = true
		if strings.TrimSpace(c.Ticket.Subject+c.Ticket.Body) == "" {
			t.Errorf("ticket %d has no text", i)
		}
		for name, value := range c.Truth.Labels {
			if total[name] == nil {
				total[name] = map[string]int{}
			}
			total[name][value]++
		}
	}
	if s.Len() == 0 {
		t.Error("a set is empty")
	}
	counted := map[string]map[string]int{}
	for _, c := range s.Columns() {
		counted[c.Name] = map[string]int{}
		for i, v := range c.Values {
			if c.Counts[i] > 0 {
				counted[c.Name][v] = c.Counts[i]
			}
		}
		if len(counted[c.Name]) == 0 { // no ticket of a file of tickets has it
			delete(counted, c.Name)
		}
	}
	if d := cmp.Diff(total, counted); d != "" {
		t.Errorf("counts of labels differ from the tickets' (-tickets +counts):\n%s", d)
	}
	n, first := s.Skipped()
	if n+s.Len() > lines || len(first) != min(n, 20) {
		t.Errorf("%d tickets and %d bad rows, %d of them kept, in %d lines", s.Len(), n, len(first), lines)
	}
	for i, e := range first {
		if e.Line < 1 || e.Line > lines || i > 0 && e.Line <= first[i-1].Line {
			t.Errorf("bad rows are not in the order of their lines: %v", first)
		}
	}
}

func FuzzOpenCSV(f *testing.F) {
	for _, file := range []string{
		"body,route\na,x\nb,y\n", "\xef\xbb\xbfid;body;route\r\n1;\"a\r\nb\";x\r\n1;b;y", "subject\tpriority\na\tHigh\nb\tlow\n",
		"body,route\n\"a,x\n\"b\",y\n\"c\" d,x\n", "body,route\n\"\"\"a\"\"\",x\n,\"\"\"x\n", "body,route\n\xe9,x\nÄ,y\n",
		"body,body,route,,\na,b,x,,,\n", "b\x00dy,route\na,x\n", "body,route\n5\" pipe,x\n \"a\",\"x\"\r\n\"", "\n\n  \nbody,route\n\n\na,x\n",
		"body,route\n\"a\"\r,x\n\"\n\",y\r\r\n",
	} {
		f.Add([]byte(file), "")
		f.Add([]byte(file), "subject=route,k=body")
	}
	f.Fuzz(func(t *testing.T, file []byte, mapping string) { checkSet(t, file, mapping) })
}

func FuzzOpenJSONL(f *testing.F) {
	for _, file := range []string{
		`{"body":"a","route":"x"}` + "\n" + `{"body":"b","route":1.50,"a":{"b":[1, {}],"c":null}}` + "\r\n\r\n",
		`{"id":true,"a":{"b":1},"a.b":2,"text":"\ud800\u0000","route":{"x":1}}` + "\n{\n[]\n", "\xef\xbb\xbf{\"body\":\"\xff\",\"type\":\"x\"}",
		`{"body":"a","route":"x"}` + "\n\xa0\n\x85\n", `{"body":"a","body":"b","route":[]}`, `{"":"","body":"x","route":"` + "\xc3\xbc" + `"}`,
		`{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":1}}}}}}}},"text":1,"label":false}`,
	} {
		f.Add([]byte(file), "")
		f.Add([]byte(file), "body=a.b,route=body")
	}
	f.Fuzz(func(t *testing.T, file []byte, mapping string) {
		checkSet(t, append([]byte("{"), bytes.TrimPrefix(file, []byte("{"))...), mapping)
	})
}

func FuzzOpenTickets(f *testing.F) {
	f.Add([]byte(sided), "")
	f.Add([]byte(sided), "team=route")
	for _, header := range []string{`{"schema":"triage.tickets/1","labels":{"a":{}}}`, `{"schema":"triage.tickets/1","labels":{"a":{"values":["x"]},"b":null}}`,
		"\xef\xbb\xbf{\"labels\":{\"a\":{}},\"schema\":\"triage.tickets/1\"}", `{"schema":"triage.tickets/1","labels":[]}`, `{"schema":"triage.tickets/"`} {
		for _, row := range []string{`{"id":"1","subject":"s","labels":{"a":"x","a":"y"}}`, `{"body":"\u0000\ud800","labels":{"a":" x "},"fields":{"":"","f":"=1+1"}}`,
			`{"body":"b","split":"train","labels":{"\u0061":"x"}}`, "{\"body\":\"\xff\",\"labels\":{\"a\":\"x\"}}\n{}\nnull", `{"labels":{"a":null},"subject":7}`} {
			f.Add([]byte(header+"\n"+row), "")
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, mapping string) { checkSet(t, file, mapping) })
}

func FuzzParseMap(f *testing.F) {
	for _, s := range []string{"", "body=text,route=category", "Body = a=b ,", "=", "id=id,ID=id", "\x00=x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := dataset.ParseMap(s)
		if err != nil {
			return
		}
		var again []string
		for ours, theirs := range got {
			again = append(again, ours+"="+theirs)
		}
		if back, err := dataset.ParseMap(strings.Join(again, ",")); err != nil || cmp.Diff(got, back) != "" {
			t.Errorf("%q is %v and, written again, %v (%v)", s, got, back, err)
		}
	})
}

func FuzzReadScales(f *testing.F) {
	for _, s := range []string{"a: [b, c]", "{\"a\": {\"ordered\": true, \"values\": [\"x\", \"y\"]}}", "a: &x [b, c]\nd: *x", "? [a]\n: b",
		"---\n...\n", "a: !!binary [b, c]", "a: {<<: {values: [b, c]}}", "a: |\n  x\n", "%YAML 9\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		scales, err := dataset.ReadScales(bytes.NewReader(data), "l.yaml")
		if err != nil {
			return
		}
		if len(scales) == 0 {
			t.Error("no scales and no error")
		}
		for name, s := range scales {
			seen := map[string]bool{}
			for _, v := range s.Values {
				if seen[v] || strings.TrimSpace(v) != v || v == "" {
					t.Errorf("column %q holds %q twice, or untidy", name, v)
				}
				seen[v] = true
			}
			if len(seen) < 2 {
				t.Errorf("column %q has %d values", name, len(seen))
			}
		}
	})
}
