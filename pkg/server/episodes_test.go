package server_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

const (
	ways = "name it by the header X-Triage-Session (the reset's answer has it, and metadata.session), by the cookie triage_session, " +
		"or by the episode_id of the reset"
	which     = "which episode? " + ways
	stale     = "the session of the cookie triage_session is not known on track queue: it ended, or never was; call reset"
	unknownID = "00112233445566778899aabbccddeeff"
)

func noSession(id, track string) string {
	return fmt.Sprintf("session %q is not known on track %s: it ended, or never was; call reset", id, track)
}

// TestARequestFindsItsEpisode has two live episodes, a and b, of which b is the latest.
func TestARequestFindsItsEpisode(t *testing.T) {
	t.Parallel()
	const a, b, step, state = 0, 1, "step", "state"
	remote := func(_ *server.Deps, o *server.Options) { o.Loopback = false }
	second := func(s []string) []string { return []string{"Cookie", "triage_session=" + s[b]} }
	rows := []struct {
		name    string
		tweak   tweak
		prefix  string
		headers func(s []string) []string
		id      string
		want    int    // whose
		problem string // or why not
	}{
		{"by header", nil, "", func(s []string) []string { return []string{"X-Triage-Session", s[a]} }, "", a, ""},
		{"by header under the prefix of the root's track", nil, "/queue", func(s []string) []string { return []string{"X-Triage-Session", s[a]} }, "", a, ""},
		{"by the header of no session", nil, "", func([]string) []string { return []string{"X-Triage-Session", unknownID} }, "", 0, noSession(unknownID, "queue")},
		{"a wrong header is not made good by an id", nil, "", func([]string) []string { return []string{"X-Triage-Session", "x\"y"} }, "a", 0, noSession("x\"y", "queue")},
		{"by the header of another track's session", nil, "/desk", func(s []string) []string { return []string{"X-Triage-Session", s[a]} }, "", 0, "desk"},
		{"by cookie", nil, "", func(s []string) []string { return []string{"Cookie", "triage_session=" + s[a]} }, "", a, ""},
		{"by one of two cookies", nil, "", func(s []string) []string {
			return []string{"Cookie", "triage_session=" + unknownID + "; other=1; triage_session=" + s[a]}
		}, "", a, ""},
		{"by a stale cookie", nil, "", func([]string) []string { return []string{"Cookie", "triage_session=" + unknownID} }, "", 0, stale},
		{"by an empty cookie", nil, "", func([]string) []string { return []string{"Cookie", "triage_session="} }, "", 0, stale},
		{"by a stale cookie and an id", nil, "", func([]string) []string { return []string{"Cookie", "triage_session=" + unknownID} }, "a", a, ""},
		{"by another site's cookie", nil, "", func([]string) []string { return []string{"Cookie", "session=" + unknownID} }, "", b, ""},
		{"the header goes before cookie and id", nil, "", func(s []string) []string { return append(second(s), "X-Triage-Session", s[a]) }, "b", a, ""},
		{"the cookie goes before the id", nil, "", second, "a", b, ""},
		{"by id", nil, "", nil, "a", a, ""},
		{"by no live id", nil, "", nil, "c", 0, `no live episode has the id "c": ` + ways},
		{"by the id of another track's episode", nil, "/desk", nil, "a", 0, `no live episode has the id "a": ` + ways},
		{"by nothing: the latest", nil, "", nil, "", b, ""},
		{"by nothing on a track without episodes", nil, "/desk", nil, "", 0, "none"},
		{"by nothing, forwarded", nil, "", func([]string) []string { return []string{"Forwarded", "for=192.0.2.1"} }, "", 0, which},
		{"by nothing, forwarded for", nil, "", func([]string) []string { return []string{"X-Forwarded-For", "192.0.2.1"} }, "", 0, which},
		{"by nothing, forwarded host", nil, "", func([]string) []string { return []string{"X-Forwarded-Host", "example.org"} }, "", 0, which},
		{"by nothing, forwarded proto", nil, "", func([]string) []string { return []string{"X-Forwarded-Proto", "https"} }, "", 0, which},
		{"by nothing, real ip", nil, "", func([]string) []string { return []string{"X-Real-IP", "192.0.2.1"} }, "", 0, which},
		{"by nothing, via", nil, "", func([]string) []string { return []string{"Via", "1.1 proxy"} }, "", 0, which},
		{"by nothing on a server that others can reach", remote, "", nil, "", 0, which},
		{"by id on a server that others can reach", remote, "", nil, "a", a, ""},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, slices.DeleteFunc([]tweak{x.tweak}, func(f tweak) bool { return f == nil })...)
			s := []string{r.reset("/reset", `{"seed":1,"episode_id":"a"}`), r.reset("/reset", `{"seed":2,"episode_id":"b"}`)}
			var headers []string
			if x.headers != nil {
				headers = x.headers(s)
			}
			if x.problem == "desk" {
				x.problem = noSession(s[a], "desk")
			}
			body, query := `{"action":{}}`, ""
			if x.id != "" {
				body, query = `{"action":{},"episode_id":"`+x.id+`"}`, "?episode_id="+x.id
			}
			for kind, got := range map[string]answer{
				"state": r.do("GET", x.prefix+"/state"+query, "", headers...), "page's state": r.do("GET", x.prefix+"/web/state"+query, "", headers...),
				"review": r.do("GET", x.prefix+"/web/review"+query, "", headers...),
				"step":   r.do("POST", x.prefix+"/step", body, headers...), "page's step": r.do("POST", x.prefix+"/web/step", body, headers...),
			} {
				switch {
				case x.problem == "none" && strings.HasSuffix(kind, state):
					same(t, kind, map[string]any{"episode_id": nil, "step_count": 0, "track": "desk", "task": nil, "split": nil, "done": false, "observation": nil}, got.Body)
				case x.problem == "none":
					same(t, kind, detail(map[bool]string{true: "step", false: "review"}[strings.HasSuffix(kind, step)]+" before reset: call reset first"), got.Body)
				case x.problem != "":
					same(t, kind, []any{409, detail(x.problem)}, []any{got.Status, plain(t, got.Body)})
				case kind == "review":
					same(t, kind, s[x.want], object(t, got.Body)["session"])
				default:
					same(t, kind, []any{200, s[x.want]}, []any{got.Status, got.Header.Get("X-Triage-Session")})
				}
			}
		})
	}
}

func TestTwoLiveEpisodesWithOneIDAreNeverGuessed(t *testing.T) {
	t.Parallel()
	r := start(t)
	first, second := r.reset("/reset", `{"episode_id":"ep"}`), r.reset("/reset", `{"episode_id":"ep"}`)
	r.reset("/desk/reset", `{"episode_id":"ep"}`)
	want := detail(`two live episodes have the id "ep": ` + ways)
	for _, a := range []answer{r.do("GET", "/state?episode_id=ep", ""), r.do("POST", "/step", `{"action":{},"episode_id":"ep"}`)} {
		same(t, "an id of two", []any{409, want}, []any{a.Status, plain(t, a.Body)})
	}
	r.ok("GET", "/desk/state?episode_id=ep", "") // on its track it is the only one
	for _, s := range []string{first, second} {
		same(t, "a session of one of them", 1.0, r.ok("POST", "/step", `{"action":{}}`, "X-Triage-Session", s)["observation"].(map[string]any)["position"])
	}
}

func TestAResetTellsItsSessionThreeTimes(t *testing.T) {
	t.Parallel()
	r := start(t)
	a := r.do("POST", "/desk/reset", `{"seed":5,"episode_id":"x"}`)
	session := a.Header.Get("X-Triage-Session")
	if len(session) != 32 || strings.Trim(session, "0123456789abcdef") != "" {
		t.Fatalf("session %q is not 32 hex digits", session)
	}
	same(t, "cookie", "triage_session="+session+"; Path=/desk; HttpOnly; SameSite=Strict", a.Header.Get("Set-Cookie"))
	e := direct(t, taskOf(t, triage.Desk, triage.Easy))
	result, err := e.Reset(t.Context(), triage.ResetOptions{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "POST /desk/reset", envelope(t, result, meta{"session": session}, true), a.Body)
	a = r.do("POST", "/desk/step", `{"action":{}}`, "X-Triage-Session", session)
	if result, err = e.Step(t.Context(), triage.Action{}); err != nil {
		t.Fatal(err)
	}
	same(t, "POST /desk/step", envelope(t, result, meta{"session": session}, true), a.Body)
	same(t, "header of a step", session, a.Header.Get("X-Triage-Session"))
}

// TestAStepOutOfTurnChangesNothing holds what a finished episode and a missing one answer.
func TestAStepOutOfTurnChangesNothing(t *testing.T) {
	t.Parallel()
	r := start(t)
	a := r.do("POST", "/step", `{"action":{}}`)
	same(t, "step before reset", []any{409, detail("step before reset: call reset first")}, []any{a.Status, plain(t, a.Body)})
	s := r.reset("/reset", `{"seed":1,"tickets":1,"episode_id":"one"}`)
	r.ok("POST", "/step", `{"action":{}}`, "X-Triage-Session", s)
	before := r.do("GET", "/state", "", "X-Triage-Session", s).Body
	for range 2 {
		a = r.do("POST", "/step", `{"action":{}}`, "X-Triage-Session", s)
		same(t, "step after the end", []any{409, detail("step after the end of the episode: call reset to begin another")}, []any{a.Status, plain(t, a.Body)})
	}
	a = r.do("POST", "/step", `{"action":{"mood":"bad"}}`, "X-Triage-Session", s)
	same(t, "a wrong action after the end", 422, a.Status)
	same(t, "state", before, r.do("GET", "/state", "", "X-Triage-Session", s).Body)
}

func TestACallerHas32EpisodesAndTheLongestIdleGivesWay(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	tick := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Millisecond)
		return now
	}
	r := start(t, func(d *server.Deps, _ *server.Options) { d.Now = tick })
	var s []string
	for i := range 32 {
		s = append(s, r.reset([]string{"/queue/reset", "/desk/reset"}[i%2], `{}`))
	}
	alive := func(i int) bool {
		return r.do("GET", []string{"/queue/state", "/desk/state"}[i%2], "", "X-Triage-Session", s[i]).Status == http.StatusOK
	}
	if !alive(0) { // and with that 1 is the one that was idle longest
		t.Fatal("the first of 32 episodes is gone")
	}
	s = append(s, r.reset("/queue/reset", `{}`))
	var gone []int
	for i := range s {
		if !alive(i) {
			gone = append(gone, i)
		}
	}
	if d := cmp.Diff([]int{1}, gone); d != "" {
		t.Errorf("gone after the 33rd (-want +got):\n%s", d)
	}
	if got := r.do("GET", "/metrics", "").Body; !strings.Contains(got, "\ntriage_http_episodes 32\n") {
		t.Errorf("metrics do not tell of 32 episodes:\n%s", got)
	}
}

// TestTokensKeepEpisodesApart plays two callers against each other.
func TestTokensKeepEpisodesApart(t *testing.T) {
	t.Parallel()
	const mine, yours = "token-of-the-first-one", "token-of-the-second-one"
	r := start(t, withTokens(mine, yours))
	me, you := []string{"Authorization", "Bearer " + mine}, []string{"Authorization", "Bearer " + yours}
	s := r.reset("/reset", `{"episode_id":"ep","seed":7}`, me...)
	before := r.do("GET", "/state", "", append(me, "X-Triage-Session", s)...).Body
	for name, a := range map[string]answer{
		"header":      r.do("GET", "/state", "", append(you, "X-Triage-Session", s)...),
		"cookie":      r.do("POST", "/step", `{"action":{}}`, append(you, "Cookie", "triage_session="+s)...),
		"id":          r.do("POST", "/step", `{"action":{},"episode_id":"ep"}`, you...),
		"review":      r.do("GET", "/web/review", "", append(you, "X-Triage-Session", s)...),
		"latest":      r.do("GET", "/state", "", you...),
		"my latest":   r.do("GET", "/state", "", me...),
		"page's step": r.do("POST", "/web/step", `{"action":{}}`, append(you, "X-Triage-Session", s)...),
	} {
		if a.Status != http.StatusConflict {
			t.Errorf("%s: status %d: %s", name, a.Status, a.Body)
		}
	}
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_ticket","session_id":%q}}`, s)
	same(t, "a tool in another's episode", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown session_id: `+s+`","data":null}}`,
		r.do("POST", "/mcp", call, you...).Body)
	same(t, "the episode", before, r.do("GET", "/state", "", append(me, "X-Triage-Session", s)...).Body)
	r.reset("/reset", `{"episode_id":"ep"}`, you...) // the same id is another episode of another caller
	same(t, "my id", before, r.do("GET", "/state?episode_id=ep", "", me...).Body)
}

func withTokens(tokens ...string) tweak {
	return func(_ *server.Deps, o *server.Options) { o.Tokens = tokens }
}

func TestConcurrentStepsOfOneEpisodeAreTakenOneAfterAnother(t *testing.T) {
	t.Parallel()
	r := start(t)
	s := r.reset("/reset", `{"seed":9,"difficulty":"hard"}`)
	positions := make(chan float64, 30)
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if a := r.do("POST", "/step", `{"action":{}}`, "X-Triage-Session", s); a.Status == http.StatusOK {
				positions <- object(t, a.Body)["observation"].(map[string]any)["position"].(float64)
			}
		})
	}
	wg.Wait()
	close(positions)
	var got []float64
	for p := range positions {
		got = append(got, p)
	}
	slices.Sort(got)
	if d := cmp.Diff([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, got); d != "" {
		t.Errorf("positions of 30 steps at once in a queue of 12 (-want +got):\n%s", d)
	}
}

func TestAStepThatIsSentAgainIsTakenOnce(t *testing.T) {
	t.Parallel()
	r := start(t)
	session := r.reset("/reset", `{"seed":1}`)
	step := func(id string) answer {
		return r.do("POST", "/web/step", `{"action":{"route_category":"billing"},"request_id":"`+id+`"}`, "X-Triage-Session", session)
	}
	first, again, next := step("a"), step("a"), step("b")
	if first.Status != 200 || first.Body != again.Body || next.Body == first.Body {
		t.Errorf("sent again: %d %.200s\nfirst: %.200s\nnext: %.200s", again.Status, again.Body, first.Body, next.Body)
	}
	if got := r.ok("GET", "/state", "", "X-Triage-Session", session)["step_count"]; got != 2.0 {
		t.Errorf("%v steps were taken, want 2", got)
	}
}

func TestOneCookieJarPlaysBothTracks(t *testing.T) {
	t.Parallel()
	r := start(t)
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	post := func(path, body string) int {
		resp, err := client.Post(r.web.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	post("/queue/reset", `{}`)
	post("/desk/reset", `{}`)
	if got := post("/queue/step", `{"action":{}}`); got != 200 {
		t.Errorf("the queue's step after a reset of the desk: status %d", got)
	}
	client.CloseIdleConnections()
}

func TestAConstantRequestIDDoesNotStopAnEpisode(t *testing.T) {
	t.Parallel()
	r := start(t)
	s := r.reset("/reset", `{"seed":1}`)
	for i := range 3 {
		got := r.ok("POST", "/step", `{"action":{"priority_score":`+string(rune('1'+i))+`},"request_id":"trace-1"}`, "X-Triage-Session", s)
		if at := got["observation"].(map[string]any)["position"]; at != float64(i+1) {
			t.Errorf("step %d: position %v", i+1, at)
		}
	}
}
