package main

import (
	"strings"
	"testing"
)

func TestFlagsThatAreNotAllowedAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, want string }{
		{"-servers ours,theirs", "-servers theirs is not allowed; allowed are reference, tuned, echo, ours"},
		{"-format xml", "-format xml is not allowed; allowed is table or json"},
		{"-against echo", "-against echo is not allowed; allowed is reference or tuned"},
		{"-rounds 0", "-rounds 0"},
		{"-seconds -1", "-seconds -1"},
		{"-seeds -1", "-seeds -1"},
		{"now", `"now" is not a flag`},
	} {
		if _, err := parse(testSystem(t), strings.Fields(tt.args)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v; want %q", tt.args, err, tt.want)
		}
	}
}

func TestServersPlayInTheirOrder(t *testing.T) {
	t.Parallel()
	o, err := parse(testSystem(t), strings.Fields("-servers ours,tuned,reference -python python3 -reference-sessions 300"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := specs(o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.name+": "+strings.Join(s.command[1:], " "))
	}
	want := []string{
		"reference: -m reference --port 0 --track queue --max-sessions 364 --plain",
		"tuned: -m reference --port 0 --track queue --max-sessions 364",
		"ours: serve --port 0 --track queue",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("servers\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
