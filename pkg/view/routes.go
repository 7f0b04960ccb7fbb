package view

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/triagebench/triage/pkg/history"
	"github.com/triagebench/triage/pkg/tmpl"
)

//go:embed page
var assets embed.FS

// templates are the pages by their names, read when the first is asked for.
var templates = sync.OnceValue(func() map[string]*tmpl.Template {
	return map[string]*tmpl.Template{"board": page("board"), "sorry": page("sorry"), "wait": page("wait")}
})

func page(name string) *tmpl.Template {
	o := tmpl.Options{HTML: true, Funcs: map[string]tmpl.Func{"bar": func(v any) (any, error) {
		r, ok := v.(rowView)
		if !ok {
			return nil, fmt.Errorf("bar draws a row, not %T", v)
		}
		return bar(r), nil
	}}}
	return tmpl.Must(tmpl.ParseFS(assets, o, "page/"+name+".html", "page/head.html", "page/table.html"))
}

func (s *Server) mux() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("/{$}", s.index)
	m.HandleFunc("/run", s.run)
	m.HandleFunc("/progress", s.progress)
	m.HandleFunc("/compare", s.compare)
	m.HandleFunc("/runs.json", s.runs)
	m.HandleFunc("/style.css", s.asset("text/css; charset=utf-8"))
	m.HandleFunc("/view.js", s.asset("text/javascript; charset=utf-8"))
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.sorry(w, r, http.StatusNotFound, "There is no such page.", "The address is "+r.URL.Path+".")
	})
	return m
}

// runAddress is the address of a run's page, relative to any page here.
func runAddress(path string) string { return "run?" + url.Values{"run": {path}}.Encode() }

// index is the leaderboard or, for a single run, its page.
func (s *Server) index(w http.ResponseWriter, r *http.Request) {
	if s.deps.Single {
		http.Redirect(w, r, "/"+runAddress("."), http.StatusFound)
		return
	}
	list, err := s.entries()
	if err != nil {
		s.sorry(w, r, http.StatusInternalServerError, "The folder cannot be read.", err.Error())
		return
	}
	s.render(w, r, http.StatusOK, "board", s.board(list))
}

// run is the report of a run.
func (s *Server) run(w http.ResponseWriter, r *http.Request) {
	path := r.FormValue("run")
	e := s.entry(path)
	if e.State == history.Broken {
		s.sorry(w, r, http.StatusNotFound, "This run cannot be shown.", fmt.Sprintf("%q: %s.", path, e.Problem))
		return
	}
	if e.Done == 0 {
		s.wait(w, r, e)
		return
	}
	live := ""
	if e.State != history.Complete && e.State != history.Damaged {
		live = "progress?" + url.Values{"run": {path}}.Encode()
	}
	data, version, err := s.pages.get("run "+path, e.Version, goesOn(e), func(w io.Writer) error { return s.deps.Run(w, e, live) })
	if err != nil {
		s.sorry(w, r, http.StatusInternalServerError, "This run cannot be shown.", fmt.Sprintf("%q: %v.", path, err))
		return
	}
	s.report(w, r, data, version)
}

// goesOn tells whether a run may change at any moment.
func goesOn(e *history.Entry) bool {
	return e.State == history.Running || e.State == history.Unfinished
}

// compare is one run against another.
func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	base, other := choice(r, "base"), choice(r, "new")
	version := ""
	for _, c := range []Choice{base, other} {
		e := s.find(c.Path)
		if e.State == history.Broken {
			s.sorry(w, r, http.StatusNotFound, "These cannot be compared.", fmt.Sprintf("%q: %s.", c.Path, e.Problem))
			return
		}
		version += e.Version
	}
	allow := r.Form["allow"] // choice has read the form
	name := fmt.Sprintf("compare %q %q", []Choice{base, other}, allow)
	data, version, err := s.pages.get(name, version, false, func(w io.Writer) error { return s.deps.Compare(w, base, other, allow) })
	if refused := (*Refusal)(nil); errors.As(err, &refused) && len(refused.Unlike) > 0 {
		s.refuse(w, r, base, other, refused.Unlike, allow)
		return
	}
	if err != nil {
		s.sorry(w, r, http.StatusConflict, "These cannot be compared.", err.Error()+".")
		return
	}
	s.report(w, r, data, version)
}

// refuse says what two do not share, and how they are compared all the same.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, base, other Choice, unlike []Unlike, allowed []string) {
	list := make([]Unlike, len(unlike))
	all := slices.Clone(allowed)
	for i, u := range unlike {
		list[i] = Unlike{oneLine(u.Key), oneLine(u.Base), oneLine(u.New)}
		all = append(all, u.Key)
	}
	address := "compare?" + url.Values{"base": {base.text()}, "new": {other.text()}, "allow": all}.Encode()
	s.render(w, r, http.StatusConflict, "sorry", map[string]any{"Title": "These are not alike.", "Unlike": list, "Anyway": address, "Single": s.deps.Single,
		"Text": "A difference between them would be one of the following too, and not only of the two agents."})
}

// choice reads what the form sends ([Choice.text]), or a path alone.
func choice(r *http.Request, name string) Choice {
	text := r.FormValue(name)
	var pair []string
	if json.Unmarshal([]byte(text), &pair) == nil && len(pair) == 2 {
		return Choice{Path: pair[0], Agent: pair[1]}
	}
	return Choice{Path: text}
}

// text is a choice as the form sends it: a list in JSON, as paths and agents may hold anything.
func (c Choice) text() string {
	data, err := json.Marshal([]string{c.Path, c.Agent})
	if err != nil { // texts always are JSON
		return c.Path
	}
	return string(data)
}

// find looks at a run, or takes a lone results file from the list.
func (s *Server) find(path string) *history.Entry {
	list, err := s.entries()
	if err == nil {
		for _, e := range list {
			if e.Path == path && e.Lone {
				return e
			}
		}
	}
	return s.entry(path)
}

// progress tells how far a run is. While it goes on, its version is that of the page that would be shown.
func (s *Server) progress(w http.ResponseWriter, r *http.Request) {
	path := r.FormValue("run")
	e := s.entry(path)
	p := ProgressOf(e)
	if goesOn(e) {
		p.Version = s.pages.shown("run "+path, p.Version)
	}
	s.json(w, r, p)
}

// runs tells how far each run is that is not complete, and names the state of the whole.
func (s *Server) runs(w http.ResponseWriter, r *http.Request) {
	list, err := s.entries()
	if err != nil {
		s.json(w, r, map[string]string{"error": err.Error()})
		return
	}
	s.json(w, r, overviewOf(list))
}

// overview is what the leaderboard asks for again and again.
type overview struct {
	Version string              `json:"version"` // of what is complete
	Open    map[string]Progress `json:"open"`    // runs that are not, by path
}

func overviewOf(list []*history.Entry) overview {
	o := overview{Open: map[string]Progress{}}
	var all bytes.Buffer
	for _, e := range list {
		switch e.State {
		case history.Running, history.Unsummed, history.Unfinished:
			o.Open[e.Path] = ProgressOf(e)
			fmt.Fprintf(&all, "%q open\n", e.Path)
		default:
			fmt.Fprintf(&all, "%q %s\n", e.Path, e.Version)
		}
	}
	o.Version = digest(all.Bytes())
	return o
}

// wait is the page of a run that has no finished episode yet.
func (s *Server) wait(w http.ResponseWriter, r *http.Request, e *history.Entry) {
	s.render(w, r, http.StatusOK, "wait", map[string]any{"Path": e.Path, "Single": s.deps.Single, "Progress": ProgressOf(e),
		"Address": "progress?" + url.Values{"run": {e.Path}}.Encode()})
}

// sorry says what went wrong.
func (s *Server) sorry(w http.ResponseWriter, r *http.Request, status int, title, text string) {
	s.render(w, r, status, "sorry", map[string]any{"Title": title, "Text": text, "Single": s.deps.Single})
}

// render answers with a page of a template.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var b bytes.Buffer
	if err := templates()[name].Execute(&b, "", data); err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status == http.StatusOK {
		serve(w, r, b.Bytes(), digest(b.Bytes()))
		return
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes()) // who asked may be gone
	}
}

// report answers with a page that was handed in.
func (s *Server) report(w http.ResponseWriter, r *http.Request, data []byte, version string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", reportPolicy)
	serve(w, r, data, version)
}

func (s *Server) json(w http.ResponseWriter, r *http.Request, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	serve(w, r, data, digest(data))
}

// asset answers with an embedded file that has the path's name.
func (s *Server) asset(kind string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, err := assets.ReadFile("page" + r.URL.Path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", kind)
		serve(w, r, data, digest(data))
	}
}

// serve answers with what is in memory, or that nothing changed.
func serve(w http.ResponseWriter, r *http.Request, data []byte, version string) {
	w.Header().Set("ETag", `"`+version+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}
