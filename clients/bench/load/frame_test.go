package load_test

import (
	"strings"
	"testing"

	"github.com/triagebench/triage/clients/bench/load"
)

func TestDoneReadsTheEnvelopesKey(t *testing.T) {
	t.Parallel()
	metadata := `,"metadata":{"score":0.5,"rubrics":{` + strings.Repeat(`"route":1,`, 30) + `"urgency":0.5}}`
	for _, tt := range []struct {
		name, answer string
		want         bool
	}{
		{"running", `{"type":"observation","data":{"observation":{},"reward":0.0,"done":false}}`, false},
		{"over", `{"type":"observation","data":{"observation":{},"reward":1.0,"done":true}}`, true},
		{"over, with figures behind it", `{"type":"observation","data":{"observation":{},"reward":1.0,"done":true` + metadata + `}}`, true},
		{"running, with metadata behind it", `{"type":"observation","data":{"observation":{},"reward":1.0,"done":false` + metadata + `}}`, false},
		{"spaces", `{"type":"observation","data":{"observation":{},"reward":1.0,"done": true}}`, true},
		{"a text that says it", `{"type":"observation","data":{"observation":{"message":"\"done\":true"},"reward":1.0,"done":false` + metadata + `}}`, false},
	} {
		got, err := load.Done([]byte(tt.answer))
		if err != nil || got != tt.want {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestDoneRefusesWhatIsNoObservation(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		``,
		`{"type":"error","data":{"message":"step after done","code":"EXECUTION_ERROR"}}`,
		`{"type":"state","data":{"done":true}}`,
		`{"type":"observation","data":{"observation":{}}}`,
	} {
		if _, err := load.Done([]byte(answer)); err == nil || !strings.Contains(err.Error(), answer) {
			t.Errorf("%s: error %v; want one that shows the answer", answer, err)
		}
	}
}
