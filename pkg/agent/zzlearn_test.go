package agent

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/triagebench/triage/pkg/scenario"
	"github.com/triagebench/triage/pkg/triage"
)

type example struct {
	words    []string
	scenario string
	labels   map[string]int // group -> class
}

var groups = map[string][]string{
	"severity":   {"", "severity.cosmetic", "severity.degraded", "severity.blocked", "severity.data"},
	"workaround": {"", "workaround.no", "workaround.yes"},
	"impact":     {"", "impact.one", "impact.team", "impact.company", "impact.customers"},
	"effort":     {"", "effort.self", "effort.investigation", "effort.cross"},
	"deadline":   {"", "deadline.days", "deadline.hours"},
	"stake":      {"", "stake.daily", "stake.contract"},
	"route":      {"", "route.billing", "route.technical", "route.feature", "route.feedback", "route.spam"},
	"category":   {"", "category.bug", "category.feature", "category.question"},
}

func cleanFill(s string, params []map[string]string, i int) string {
	row := map[string]string{}
	if len(params) > 0 {
		row = params[i%len(params)]
	}
	var b strings.Builder
	for {
		k := strings.IndexByte(s, '{')
		if k < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:k])
		e := strings.IndexByte(s[k:], '}')
		name := s[k+1 : k+e]
		switch name {
		case "first", "last", "company", "plan", "ref":
			b.WriteString("Zzz")
		case "colleague":
			b.WriteString("Anna Zzz")
		default:
			b.WriteString(row[name])
		}
		s = s[k+e+1:]
	}
}

// features by sentence: unigrams and bigrams, trigrams.
func feats(words []string) []string {
	seen := map[string]bool{}
	var out []string
	add := func(f string) {
		if !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	for i, w := range words {
		if w == "zzz" || w[0] >= '0' && w[0] <= '9' {
			continue
		}
		add(w)
		if i+1 < len(words) && words[i+1] != "zzz" {
			add(w + " " + words[i+1])
			if i+2 < len(words) && words[i+2] != "zzz" {
				add(w + " " + words[i+1] + " " + words[i+2])
			}
		}
	}
	return out
}

func TestZZLearn(t *testing.T) {
	if os.Getenv("ZZL") == "" {
		t.Skip()
	}
	useHeld := os.Getenv("ZZL") == "all"
	held := heldSet()
	bank, err := scenario.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	lex, err := compile(&cueFile{Classes: map[string][]string{}, Lists: map[string]map[string][]string{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rd := newReader(lex)
	var ex []example
	n := 0
	addText := func(sc *scenario.Scenario, text string, labels map[string]int) {
		n++
		rd.reset()
		rd.read(cleanFill(text, sc.Params, n), 0)
		for i := range rd.sentences {
			s := &rd.sentences[i]
			var w []string
			for k := s.first; k < s.last; k++ {
				w = append(w, string(rd.wordText(k)))
			}
			ex = append(ex, example{w, sc.Slug, labels})
		}
	}
	levels := func(sc *scenario.Scenario, l scenario.Levels, labels map[string]int) {
		for _, x := range [][]string{l.Plain, l.Indirect, l.Buried} {
			for _, s := range x {
				addText(sc, s, labels)
			}
		}
	}
	idx := func(g, name string) int {
		for i, x := range groups[g] {
			if x == name {
				return i
			}
		}
		panic(g + name)
	}
	for _, sc := range bank.Scenarios {
		if sc.Split != triage.Train || held[sc.Slug] && !useHeld {
			continue
		}
		route := idx("route", "route."+string(sc.Route))
		cat := -1
		switch sc.Desk {
		case triage.Bug:
			cat = 1
		case triage.FeatureRequest:
			cat = 2
		case triage.Question:
			cat = 3
		}
		base := func(rt bool) map[string]int {
			m := map[string]int{"severity": 0, "workaround": 0, "impact": 0, "effort": 0, "deadline": 0, "stake": 0}
			if rt {
				m["route"] = route
				if cat >= 0 {
					m["category"] = cat
				}
			}
			return m
		}
		levels(sc, sc.Statement, base(true))
		levels(sc, sc.Ask, base(true))
		if sc.Route == triage.Spam {
			for _, d := range sc.Details {
				addText(sc, d, base(true))
			}
			continue
		}
		for _, d := range sc.Details {
			addText(sc, d, base(false))
		}
		for _, st := range sc.Situations {
			m := base(true)
			m["severity"] = map[triage.Severity]int{triage.Cosmetic: 1, triage.Degraded: 2, triage.Blocked: 3, triage.DataAtRisk: 4}[st.Severity]
			m["impact"] = map[triage.Impact]int{triage.One: 1, triage.Team: 2, triage.Company: 3, triage.Customers: 4}[st.Impact]
			if st.Workaround != nil {
				m["workaround"] = 1
				if *st.Workaround {
					m["workaround"] = 2
				}
			}
			if st.Stake == triage.DailyWork {
				m["stake"] = 1
			}
			if st.Stake == triage.Contract {
				m["stake"] = 2
			}
			levels(sc, st.Levels, m)
		}
		for e, l := range sc.Effort {
			m := base(true)
			m["effort"] = map[triage.Effort]int{triage.SelfService: 1, triage.Investigation: 2, triage.CrossTeam: 3}[e]
			levels(sc, l, m)
		}
		for d, l := range sc.Deadline {
			m := base(false)
			m["deadline"] = map[triage.Deadline]int{triage.Days: 1, triage.Hours: 2}[d]
			levels(sc, l, m)
		}
	}
	// support by scenario
	sup := map[string]map[string]bool{}
	for _, e := range ex {
		for _, f := range feats(e.words) {
			if sup[f] == nil {
				sup[f] = map[string]bool{}
			}
			sup[f][e.scenario] = true
		}
	}
	minSup := 3
	ids := map[string]int{}
	var names []string
	for f, s := range sup {
		if len(s) >= minSup {
			names = append(names, f)
		}
	}
	sort.Strings(names)
	for i, f := range names {
		ids[f] = i
	}
	fmt.Println("examples", len(ex), "features", len(names))
	enc := make([][]int, len(ex))
	for i, e := range ex {
		for _, f := range feats(e.words) {
			if id, ok := ids[f]; ok {
				enc[i] = append(enc[i], id)
			}
		}
	}
	out := map[string]map[string][]string{}
	gnames := sortedKeys(groups)
	for _, g := range gnames {
		cl := groups[g]
		C := len(cl)
		W := make([][]float64, C)
		G2 := make([][]float64, C)
		for c := range W {
			W[c] = make([]float64, len(names)+1)
			G2[c] = make([]float64, len(names)+1)
		}
		rng := rand.New(rand.NewSource(1))
		order := rng.Perm(len(ex))
		l2 := 0.004
		for epoch := 0; epoch < 30; epoch++ {
			rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, i := range order {
				y, ok := ex[i].labels[g]
				if !ok {
					continue
				}
				z := make([]float64, C)
				mx := -1e9
				for c := range z {
					z[c] = W[c][len(names)]
					for _, f := range enc[i] {
						z[c] += W[c][f]
					}
					mx = math.Max(mx, z[c])
				}
				sum := 0.0
				for c := range z {
					z[c] = math.Exp(z[c] - mx)
					sum += z[c]
				}
				for c := range z {
					p := z[c] / sum
					gr := p
					if c == y {
						gr -= 1
					}
					upd := func(f int, reg float64) {
						gg := gr + reg*W[c][f]
						G2[c][f] += gg * gg
						W[c][f] -= 0.3 * gg / math.Sqrt(1e-6+G2[c][f])
					}
					for _, f := range enc[i] {
						upd(f, l2*2)
					}
					upd(len(names), 0)
				}
			}
		}
		for c := 1; c < C; c++ {
			by := map[string][]string{}
			type fw struct {
				f string
				w float64
			}
			var l []fw
			for i, f := range names {
				w := W[c][i] - W[0][i]
				if g == "route" || g == "category" {
					w = W[c][i]
					m := 0.0
					for k := 1; k < C; k++ {
						m += W[k][i] / float64(C-1)
					}
					w -= m
				}
				l = append(l, fw{f, w})
			}
			sort.Slice(l, func(a, b int) bool { return l[a].w > l[b].w || l[a].w == l[b].w && l[a].f < l[b].f })
			cnt := 0
			for _, x := range l {
				q := math.Round(x.w*4) / 4 * 1.5
				if math.Abs(q) < 0.5 {
					continue
				}
				key := fmt.Sprint(q)
				by[key] = append(by[key], x.f)
				cnt++
			}
			fmt.Println(cl[c], cnt)
			out[cl[c]] = map[string][]string{}
			for k, v := range by {
				out[cl[c]][k] = []string{strings.Join(v, ", ")}
			}
			if os.Getenv("ZZL_SHOW") != "" && strings.HasPrefix(cl[c], os.Getenv("ZZL_SHOW")) {
				for i := 0; i < 150 && i < len(l); i++ {
					fmt.Printf("%s:%.2f ", l[i].f, l[i].w)
				}
				fmt.Println()
			}
		}
	}
	b, _ := json.MarshalIndent(map[string]any{"about": "Counted on train.", "classes": map[string]any{}, "lists": out}, "", " ")
	os.WriteFile("/tmp/heur/counted.json", b, 0o644)
}
