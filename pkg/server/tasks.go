package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// listEnvironments is GET /list_environments.
func (s *Server) listEnvironments(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, openenv.Plain([]string{openenv.EnvName}))
}

// splits is GET /{env}/splits.
func (s *Server) splits(w http.ResponseWriter, r *http.Request) {
	if !knownEnv(w, r) {
		return
	}
	type split struct {
		Name triage.Split `json:"name"`
		Type triage.Split `json:"type"`
	}
	var out []split
	for _, x := range triage.Splits() {
		out = append(out, split{x, x})
	}
	writeJSON(w, http.StatusOK, openenv.Plain(out))
}

// knownEnv answers 404 where the path names another environment than ours.
func knownEnv(w http.ResponseWriter, r *http.Request) bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	name := parts[len(parts)-2]
	if strings.EqualFold(name, openenv.EnvName) {
		return true
	}
	writeDetail(w, http.StatusNotFound, "unknown environment '"+strings.Trim(shortText(name), `"`)+"'")
	return false
}

// query reads the body of a request of the task API; ok is false where it was answered already.
func (s *Server) query(w http.ResponseWriter, r *http.Request, needs, may []string) (q openenv.Query, ok bool) {
	if !knownEnv(w, r) {
		return q, false
	}
	data, p := s.body(w, r)
	if p != nil {
		p.write(w)
		return q, false
	}
	q, details := openenv.ParseQuery(data, needs, may)
	if len(details) > 0 {
		writeDetails(w, details)
		return q, false
	}
	if !slices.Contains(triage.Splits(), q.Split) {
		writeDetail(w, http.StatusBadRequest, "unknown split "+shortText(string(q.Split))+": the splits are train, test")
		return q, false
	}
	return q, true
}

// tasks is POST /{env}/tasks.
func (s *Server) tasks(w http.ResponseWriter, r *http.Request) {
	if q, ok := s.query(w, r, nil, nil); ok {
		writeJSON(w, http.StatusOK, openenv.Plain(map[string]any{"tasks": taskList(trackOf(r), q.Split, 0, openenv.NumTasks), "env_name": openenv.EnvName}))
	}
}

// numTasks is POST /{env}/num_tasks.
func (s *Server) numTasks(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.query(w, r, nil, nil); ok {
		writeJSON(w, http.StatusOK, openenv.Plain(map[string]int{"num_tasks": openenv.NumTasks}))
	}
}

// oneTask is POST /{env}/task. A negative index counts from the end.
func (s *Server) oneTask(w http.ResponseWriter, r *http.Request) {
	q, ok := s.query(w, r, []string{"index"}, nil)
	if !ok {
		return
	}
	i := q.Index
	if i < 0 {
		i += openenv.NumTasks
	}
	if i < 0 || i >= openenv.NumTasks {
		writeDetail(w, http.StatusBadRequest, "Invalid task index")
		return
	}
	writeJSON(w, http.StatusOK, openenv.Plain(map[string]openenv.Task{"task": openenv.TaskAt(trackOf(r), q.Split, i)}))
}

// taskRange is POST /{env}/task_range.
func (s *Server) taskRange(w http.ResponseWriter, r *http.Request) {
	if q, ok := s.query(w, r, nil, []string{"start", "stop"}); ok {
		from, to := openenv.Range(q.Start, q.Stop)
		writeJSON(w, http.StatusOK, openenv.Plain(map[string]any{"tasks": taskList(trackOf(r), q.Split, from, to)}))
	}
}

func taskList(track triage.Track, split triage.Split, from, to int64) []openenv.Task {
	out := make([]openenv.Task, 0, to-from)
	for i := from; i < to; i++ {
		out = append(out, openenv.TaskAt(track, split, i))
	}
	return out
}
