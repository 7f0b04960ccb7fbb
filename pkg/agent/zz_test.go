package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/triagebench/triage/baselines"
	"github.com/triagebench/triage/pkg/grade"
	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/synth"
	"github.com/triagebench/triage/pkg/triage"
)

func heldSet() map[string]bool {
	var f struct{ Fit, Held []string }
	b, _ := os.ReadFile("/tmp/heur/folds.json")
	json.Unmarshal(b, &f)
	out := map[string]bool{}
	for _, x := range f.Held {
		p := strings.Split(strings.TrimSuffix(x, ".yaml"), "/")
		out[p[len(p)-2]+"/"+p[len(p)-1]] = true
	}
	return out
}

// TestZZ: env ZZ_AGENT, ZZ_N episodes tickets, ZZ_TASKS, ZZ_SHOW what
func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" {
		t.Skip()
	}
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	held := heldSet()
	n, _ := strconv.Atoi(os.Getenv("ZZ_N"))
	if n == 0 {
		n = 600
	}
	show := os.Getenv("ZZ_SHOW")
	shown := 0
	maxShow := 12
	if v, err := strconv.Atoi(os.Getenv("ZZ_MAX")); err == nil {
		maxShow = v
	}
	for _, task := range triage.Tasks() {
		if ts := os.Getenv("ZZ_TASKS"); ts != "" && !strings.Contains(ts, task.Name) {
			continue
		}
		src, err := synth.New(bank, task, triage.Train, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := New(os.Getenv("ZZ"))
		if err != nil {
			t.Fatal(err)
		}
		if cf := os.Getenv("ZZ_COUNTED"); cf != "" {
			all := cueFile{Classes: map[string][]string{}, Lists: map[string]map[string][]string{}}
			es, _ := baselines.Files.ReadDir("heuristic")
			for _, e := range es {
				b, _ := baselines.Files.ReadFile("heuristic/" + e.Name())
				if err := all.add(b); err != nil {
					t.Fatal(err)
				}
			}
			var c cueFile
			b, _ := os.ReadFile(cf)
			json.Unmarshal(b, &c)
			only := os.Getenv("ZZ_ONLY") != ""
			for k, v := range c.Lists {
				if only {
					all.Lists[k] = map[string][]string{}
				}
				for w, x := range v {
					all.Lists[k][w] = append(all.Lists[k][w], x...)
				}
			}
			l, err := compile(&all, listNames())
			if err != nil {
				t.Fatal(err)
			}
			a = &Heuristic{reader: newReader(l), lists: numberLists(l)}
		}
		type acc struct{ sum, n float64 }
		stats := map[string]*[2]acc{}
		add := func(k string, h bool, v float64) {
			i := 0
			if h {
				i = 1
			}
			if stats[k] == nil {
				stats[k] = &[2]acc{}
			}
			stats[k][i].sum += v
			stats[k][i].n++
		}
		for i := 0; i < n; i++ {
			c, sents := src.Explain(int64(1000+i/task.Tickets), i%task.Tickets)
			isHeld := held[c.Facts.Primary.Scenario]
			b2f := func(b bool) float64 {
				if b {
					return 1
				}
				return 0
			}
			var bad []string
			if task.Track == triage.Queue {
				o := triage.Observation{Queue: &triage.QueueObservation{Task: task.Name, Ticket: &triage.QueueTicket{ID: c.Ticket.ID, Subject: c.Ticket.Subject, Description: c.Ticket.Body, Metadata: c.Ticket.Metadata}}}
				act, err := a.Act(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				s := grade.Queue(nil, c.Truth.Queue, &act.Queue)
				add("0 score", isHeld, s.Total)
				add("1 route", isHeld, b2f(act.Queue.Route == c.Truth.Queue.Route))
				add("2 urgency", isHeld, b2f(act.Queue.Urgency == c.Truth.Queue.Urgency))
				add("3 difficulty", isHeld, b2f(act.Queue.Difficulty == c.Truth.Queue.Difficulty))
				add("5 route "+string(c.Truth.Queue.Route)+" ->"+string(act.Queue.Route), isHeld, 1)
				if act.Queue.Route != c.Truth.Queue.Route {
					bad = append(bad, "route:"+string(act.Queue.Route))
				}
				if act.Queue.Urgency != c.Truth.Queue.Urgency {
					bad = append(bad, "urgency:"+string(act.Queue.Urgency))
				}
				if act.Queue.Difficulty != c.Truth.Queue.Difficulty {
					bad = append(bad, "difficulty:"+string(act.Queue.Difficulty))
				}
			} else {
				o := triage.Observation{Desk: &triage.DeskObservation{TicketID: c.Ticket.ID, IssueText: c.Ticket.Subject + "\n\n" + c.Ticket.Body, SentimentScore: c.Ticket.Sentiment, WaitTimeHours: c.Ticket.Metadata.WaitTimeHours, IsEscalated: c.Ticket.Metadata.IsEscalated, TaskDifficulty: task.Difficulty}}
				act, err := a.Act(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				s := grade.Desk(task.Difficulty, c.Truth.Desk, &act.Desk)
				add("0 score", isHeld, s.Total)
				for _, p := range s.Parts {
					add("1 "+p.Name, isHeld, p.Value)
				}
				add("5 cat "+string(c.Truth.Desk.Category)+" ->"+string(act.Desk.Category), isHeld, 1)
				if act.Desk.Category != c.Truth.Desk.Category {
					bad = append(bad, "category:"+string(act.Desk.Category))
				}
				if task.Difficulty == triage.Hard && act.Desk.Category == c.Truth.Desk.Category {
					rp := grade.Recommendation(c.Truth.Desk, act.Desk.Recommendation)
					add("4 rec when cat right", isHeld, rp.Value)
					if rp.Value < 0.9 {
						bad = append(bad, "rec:"+act.Desk.Recommendation+" WHY "+rp.Why.Want)
					}
				}
			}
			if h, ok := a.(*Heuristic); ok {
				d := task.Difficulty
				rd := h.read(c.Ticket.Subject, c.Ticket.Body, d)
				var r triage.Request
				h.facts(&rd, &r)
				f := c.Facts.Primary
				if f.Route != triage.Spam && !c.Facts.FollowUp {
					add("7 severity", isHeld, b2f(r.Severity == f.Severity))
					add("8 sev "+string(f.Severity)+" ->"+string(r.Severity), isHeld, 1)
					if f.Severity == triage.Blocked || f.Severity == triage.DataAtRisk {
						add("7 impact(blk,data)", isHeld, b2f(r.Impact == f.Impact))
						add("9 imp "+string(f.Impact)+" ->"+string(r.Impact), isHeld, 1)
					}
					if f.Severity == triage.Blocked && r.Severity == triage.Blocked {
						add("7 workaround", isHeld, b2f(r.Workaround == f.Workaround))
					}
					add("7 deadline", isHeld, b2f(r.Deadline == f.Deadline))
					add("8 dl "+string(f.Deadline)+" ->"+string(r.Deadline), isHeld, 1)
					add("7 effort", isHeld, b2f(r.Effort == f.Effort))
					add("8 eff "+string(f.Effort)+" ->"+string(r.Effort), isHeld, 1)
					if f.Stake != "" {
						add("7 stake", isHeld, b2f(r.Stake == f.Stake))
					}
					if r.Severity != f.Severity {
						bad = append(bad, "severity:"+string(r.Severity))
					}
					if r.Impact != f.Impact {
						bad = append(bad, "impact:"+string(r.Impact))
					}
					if r.Deadline != f.Deadline {
						bad = append(bad, "deadline:"+string(r.Deadline))
					}
				}
				add("6 followup right", isHeld, b2f(rd.followUp == c.Facts.FollowUp))
				add("6 second right", isHeld, b2f(rd.second == (c.Facts.Secondary != nil)))
				if rd.followUp != c.Facts.FollowUp {
					bad = append(bad, fmt.Sprintf("followup:%v", rd.followUp))
				}
				if rd.second != (c.Facts.Secondary != nil) {
					bad = append(bad, fmt.Sprintf("second:%v", rd.second))
				}
				if os.Getenv("ZZ_DROP") != "" && !isHeld {
					var tr = map[int][]string{}
					h.reader.trace = func(s int, cu *cue) {
						n := h.reader.lex.lists[cu.list]
						if strings.HasPrefix(n, "role") || strings.HasPrefix(n, "lead") {
							tr[s] = append(tr[s], fmt.Sprintf("%s:%g(%s)", n, cu.weight, cu.text))
						}
					}
					rd := h.read(c.Ticket.Subject, c.Ticket.Body, d)
					h.reader.trace = nil
					for si := rd.subject; si < len(h.reader.sentences); si++ {
						se := &h.reader.sentences[si]
						var w []string
						for k := se.first; k < se.last; k++ {
							w = append(w, string(h.reader.wordText(k)))
						}
						text := strings.Join(w, " ")
						role := "?"
						key := func(s string) string {
							s = strings.ToLower(s)
							var b strings.Builder
							for _, r := range s {
								if r >= 'a' && r <= 'z' {
									b.WriteRune(r)
								}
							}
							return b.String()
						}
						k := key(text)
						if len(k) > 14 {
							k = k[:14]
						}
						for _, s := range sents {
							if strings.Contains(key(s.Text), k) {
								role = string(s.Role)
							}
						}
						good := role == "statement" || role == "ask" || role == "situation" || role == "effort" || role == "deadline"
						badr := role == "mention" || role == "settled" || role == "quote" || role == "order" || role == "secondary"
						if good && h.weight[si] == 0 || badr && h.weight[si] > 0 {
							fmt.Printf("DROP w=%.1f %s: %s {%s}\n", h.weight[si], role, text, strings.Join(tr[si], " "))
						}
					}
				}
				foldOK := os.Getenv("ZZ_HELD") != "" || !isHeld
				if show != "" && foldOK && shown < maxShow {
					hit := ""
					for _, b := range bad {
						if strings.HasPrefix(b, show) {
							hit = b
						}
					}
					if hit != "" {
						shown++
						fmt.Printf("=== seed %d/%d %s GOT %v | WANT %+v\n", 1000+i/task.Tickets, i%task.Tickets, c.Facts.Primary.Scenario, bad, c.Facts.Primary)
						for _, s := range sents {
							fmt.Printf("  [%s %s] %s\n", s.Role, s.Level, s.Text)
						}
						var tr = map[int][]string{}
						h.reader.trace = func(s int, cu *cue) {
							tr[s] = append(tr[s], fmt.Sprintf("%s:%g(%s)", h.reader.lex.lists[cu.list], cu.weight, cu.text))
						}
						h.read(c.Ticket.Subject, c.Ticket.Body, d)
						h.reader.trace = nil
						for si := range h.reader.sentences {
							se := &h.reader.sentences[si]
							var w []string
							for k := se.first; k < se.last; k++ {
								w = append(w, string(h.reader.wordText(k)))
							}
							if os.Getenv("ZZ_TRACE") != "" {
								var keep []string
								for _, x := range tr[si] {
									if strings.Contains(x, os.Getenv("ZZ_TRACE")) {
										keep = append(keep, x)
									}
								}
								fmt.Printf("     w=%.1f %s {%s}\n", h.weight[si], strings.Join(w, " "), strings.Join(keep, " "))
							} else {
								fmt.Printf("     w=%.1f %s\n", h.weight[si], strings.Join(w, " "))
							}
						}
					}
				}
			}
		}
		keys := make([]string, 0)
		for k := range stats {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		brief := os.Getenv("ZZ_FULL") == ""
		fmt.Printf("##### %s\n", task.Name)
		for _, k := range keys {
			s := stats[k]
			if k[0] == '5' || k[0] == '8' || k[0] == '9' {
				if !brief {
					fmt.Printf("   %-44s fit %4.0f held %4.0f\n", k, s[0].n, s[1].n)
				}
				continue
			}
			fmt.Printf("   %-30s fit %.3f held %.3f\n", k, s[0].sum/max(1, s[0].n), s[1].sum/max(1, s[1].n))
		}
	}
}
