package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/env"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)


func zzCueFile(t *testing.T, old bool) *cueFile {
	all := cueFile{Classes: map[string][]string{}, Lists: map[string]map[string][]string{}}
	dir := "/tmp/stage/"
	if old {
		dir = "/tmp/heur_old/"
	}
	if dir != "" {
		es, _ := os.ReadDir(dir)
		for _, e := range es {
			b, _ := os.ReadFile(dir + e.Name())
			if err := all.add(b); err != nil {
				t.Fatal(err)
			}
		}
		return &all
	}
	es, _ := baselines.Files.ReadDir("heuristic")
	for _, e := range es {
		b, _ := baselines.Files.ReadFile(path.Join("heuristic", e.Name()))
		if err := all.add(b); err != nil {
			t.Fatal(err)
		}
	}
	return &all
}

func zzCues(f *cueFile, fn func(list, weight, text string)) {
	for l, ws := range f.Lists {
		for w, lines := range ws {
			for _, line := range lines {
				for _, c := range strings.Split(strings.TrimSuffix(line, ","), ",") {
					fn(l, w, strings.Trim(c, " "))
				}
			}
		}
	}
}

func zzStrings(v any, key string, out *[]string) {
	switch x := v.(type) {
	case string:
		*out = append(*out, x)
	case []any:
		for _, e := range x {
			zzStrings(e, key, out)
		}
	case map[string]any:
		for k, e := range x {
			if k == "title" || k == "slug" || k == "entities" || k == "split" || k == "desk" || k == "params" || k == "route" || k == "severity" || k == "impact" || k == "stake" {
				continue
			}
			zzStrings(e, k, out)
		}
	}
}

var zzMin = func() int { n, _ := strconv.Atoi(os.Getenv("ZZMIN")); return max(1, n) }()

// zzDF gives, by list and text of cue, the train scenarios in which it fires.
func zzDF(t *testing.T, l *lexicon) map[string][]string {
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	df := map[string][]string{}
	r := newReader(l)
	for i := range bank.Scenarios {
		s := bank.Scenarios[i]
		if s.Split != triage.Train {
			continue
		}
		b, _ := json.Marshal(s)
		var v any
		_ = json.Unmarshal(b, &v)
		var ss []string
		zzStrings(v, "", &ss)
		r.reset()
		for _, x := range ss {
			r.read(x, 0)
		}
		r.findCuesOnce()
		for c := range l.cues {
			if r.seen[c] == r.stamp {
				k := l.lists[l.cues[c].list] + "|" + l.cues[c].text
				df[k] = append(df[k], s.Slug)
			}
		}
	}
	return df
}

func zzLexicon(t *testing.T, mode string) *lexicon {
	f := zzCueFile(t, mode == "old" || mode == "oldhonest")
	l, err := compile(f, listNames())
	if err != nil {
		t.Fatal(err)
	}
	if mode == "" || mode == "old" {
		return l
	}
	old := zzCueFile(t, true)
	isOld := map[string]bool{}
	zzCues(old, func(l, w, c string) { isOld[l+"|"+c] = true })
	df := zzDF(t, l)
	g := &cueFile{Classes: f.Classes, Lists: map[string]map[string][]string{}}
	dropped, kept := 0, 0
	zzCues(f, func(l, w, c string) {
		k := l + "|" + c
		if len(df[k]) >= 1 && len(df[k]) <= zzMin && (isOld[k] || mode == "strict") {
			dropped++
			return
		}
		kept++
		if g.Lists[l] == nil {
			g.Lists[l] = map[string][]string{}
		}
		g.Lists[l][w] = append(g.Lists[l][w], c)
	})
	fmt.Println(mode, "dropped", dropped, "kept", kept)
	l, err = compile(g, listNames())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestZZMeasure(t *testing.T) {
	mode := os.Getenv("ZZMODE")
	n := 200
	if v := os.Getenv("ZZN"); v != "" {
		n, _ = strconv.Atoi(v)
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	l := zzLexicon(t, mode)
	for _, name := range []string{"queue-easy", "queue-medium", "queue-hard", "desk-easy", "desk-medium", "desk-hard"} {
		task, _ := triage.TaskByName(name)
		e, err := env.New(task, triage.Train, func(split triage.Split) (env.Source, error) { return synth.New(bank, task, split, nil) })
		if err != nil {
			t.Fatal(err)
		}
		a := newHeuristicFrom(l)
		ctx, sum := context.Background(), 0.0
		for i := range n {
			r, err := e.Reset(ctx, triage.ResetOptions{Seed: int64(1000 + i)})
			for err == nil && !r.Done {
				var action triage.Action
				if action, err = a.Act(ctx, r.Observation); err == nil {
					r, err = e.Step(ctx, action)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			s, _ := e.Summary()
			sum += s.Score
		}
		fmt.Printf("%-13s %.3f  ", name, sum/float64(n))
		// accuracy of parts on fresh tickets
		source, _ := synth.New(bank, task, triage.Train, nil)
		hit, all := map[string]int{}, map[string]int{}
		wrong := map[string]int{}
		for i := range 1500 {
			c := source.Ticket(int64(50000+i), 0)
			tr := c.Truth
			if task.Track == triage.Queue {
				o := triage.QueueObservation{Task: name, Ticket: &triage.QueueTicket{Subject: c.Ticket.Subject, Description: c.Ticket.Body, Metadata: c.Ticket.Metadata}}
				q := a.queue(&o)
				all["route"]++
				if q.Route == tr.Queue.Route {
					hit["route"]++
				} else {
					wrong[string(tr.Queue.Route)+">"+string(q.Route)]++
				}
				all["urg"]++
				if q.Urgency == tr.Queue.Urgency {
					hit["urg"]++
				}
				all["diff"]++
				if q.Difficulty == tr.Queue.Difficulty {
					hit["diff"]++
				}
				continue
			}
			o := triage.DeskObservation{IssueText: c.Ticket.Subject + "\n\n" + c.Ticket.Body, SentimentScore: c.Facts.Sentiment, WaitTimeHours: c.Facts.WaitHours, IsEscalated: c.Facts.Escalated, TaskDifficulty: task.Difficulty}
			q := a.desk(&o)
			all["cat"]++
			if q.Category == tr.Desk.Category {
				hit["cat"]++
			} else {
				wrong[string(tr.Desk.Category)+">"+string(q.Category)]++
			}
			all["prio"]++
			if q.Priority == tr.Desk.Priority {
				hit["prio"]++
			}
		}
		keys := sortedKeys(all)
		for _, k := range keys {
			fmt.Printf("%s %.3f  ", k, float64(hit[k])/float64(all[k]))
		}
		ks := sortedKeys(wrong)
		sort.Slice(ks, func(i, j int) bool { return wrong[ks[i]] > wrong[ks[j]] })
		for i, k := range ks {
			if i < 6 {
				fmt.Printf("%s:%d ", k, wrong[k])
			}
		}
		fmt.Println()
	}
}
