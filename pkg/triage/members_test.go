package triage_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

func TestAppendMembersSplitsAnObject(t *testing.T) {
	t.Parallel()
	many := make([]string, 100)
	var want []triage.Member
	for i := range many {
		many[i] = `"k` + strconv.Itoa(i%50) + `":` + strconv.Itoa(i)
		if i >= 50 {
			want = append(want, triage.Member{Key: []byte("k" + strconv.Itoa(i%50)), Value: json.RawMessage(strconv.Itoa(i))})
		}
	}
	for name, tt := range map[string]struct {
		data string
		want []triage.Member
	}{
		"empty":      {" { } ", nil},
		"kinds":      {`{"a":1.5e3,"b":"x,}\"","c":[1,{"d":"]"}],"d":null , "e" : true}`, []triage.Member{{[]byte("a"), json.RawMessage("1.5e3")}, {[]byte("b"), json.RawMessage(`"x,}\""`)}, {[]byte("c"), json.RawMessage(`[1,{"d":"]"}]`)}, {[]byte("d"), json.RawMessage("null")}, {[]byte("e"), json.RawMessage("true")}}},
		"duplicates": {`{"a":1,"b":2,"a":3}`, []triage.Member{{[]byte("b"), json.RawMessage("2")}, {[]byte("a"), json.RawMessage("3")}}},
		"escapes":    {`{"\u0061\n":"\\"}`, []triage.Member{{[]byte("a\n"), json.RawMessage(`"\\"`)}}},
		"bad utf-8":  {"{\"\xff\":1}", []triage.Member{{[]byte("\ufffd"), json.RawMessage("1")}}},
		"many":       {"{" + strings.Join(many, ",") + "}", want},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := triage.AppendMembers(nil, []byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAppendMembersRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, data := range []string{`[1]`, `null`, `"x"`, ` 1 `} {
		if _, err := triage.AppendMembers(nil, []byte(data)); !errors.Is(err, triage.ErrNotObject) {
			t.Errorf("%s: %v", data, err)
		}
	}
	for _, data := range []string{``, `{bad`, `{"a":NaN}`, `{} {}`, `{"a":1,}`, strings.Repeat("[", 1<<20)} {
		var syntax *json.SyntaxError
		if _, err := triage.AppendMembers(nil, []byte(data)); !errors.As(err, &syntax) {
			t.Errorf("%.20s: %v", data, err)
		}
	}
}

func FuzzAppendMembers(f *testing.F) {
	f.Add([]byte(`{"a":[1,"}"],"b":{"c":null},"a":-1}`))
	f.Add([]byte("{\"\xff\\u00e4\":\t1 }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(data, &want)
		got, err := triage.AppendMembers(nil, data)
		if (err == nil) != (wantErr == nil && want != nil) {
			t.Fatalf("%q: error %v, encoding/json has %v", data, err, wantErr)
		}
		if err != nil {
			return
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d members, encoding/json has %d", data, len(got), len(want))
		}
		for _, m := range got {
			if string(want[string(m.Key)]) != string(m.Value) {
				t.Fatalf("%q: %q is %q, encoding/json has %q", data, m.Key, m.Value, want[string(m.Key)])
			}
		}
	})
}
