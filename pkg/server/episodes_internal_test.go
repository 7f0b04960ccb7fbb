package server

import (
	"fmt"
	"testing"
	"time"
)

func TestNoCallerTakesThePlacesOfTheOthers(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	e := newEpisodes(2, func() time.Time { return now })
	add := func(i int) string {
		s := &Server{episodes: e}
		return e.add(&episode{player: &player{server: s, session: fmt.Sprint(i)}, caller: fmt.Sprint("caller ", i)})
	}
	if add(1) != "" || add(2) != "" {
		t.Fatal("two of two were refused")
	}
	if add(3) == "" {
		t.Error("a third took the place of one that is in use")
	}
	now = now.Add(restful)
	if add(4) != "" || e.count() != 2 {
		t.Errorf("no place was free after a minute; %d episodes", e.count())
	}
}

func TestASocketThatLeavesTwiceTakesNobodysSession(t *testing.T) {
	t.Parallel()
	s := newSessions(2, func() time.Time { return time.Unix(1000, 0) })
	x, refusal := s.open(&player{server: &Server{}}, "id", nil)
	if refusal != nil {
		t.Fatal(refusal)
	}
	a, b, c := &socket{}, &socket{}, &socket{}
	for _, k := range []*socket{a, b} {
		if refusal := s.attach("id", "", k); refusal != nil {
			t.Fatal(refusal)
		}
		s.leave(x, a) // the first time as it should, then late
	}
	if refusal := s.attach("id", "", c); refusal == nil {
		t.Error("two sockets have one session")
	}
	s.leave(x, b)
	if refusal := s.attach("id", "", c); refusal != nil {
		t.Errorf("after the second socket left: %v", refusal)
	}
}
