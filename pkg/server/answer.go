package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/triagebench/triage/pkg/openenv"
)

// maxBody is the largest body of a request.
const maxBody = 1 << 20

// writeJSON answers with JSON as it stands.
func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

// writeDetail answers with what is wrong in words.
func writeDetail(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, openenv.Plain(map[string]string{"detail": detail}))
}

// writeDetails answers with what is wrong, value by value.
func writeDetails(w http.ResponseWriter, details []openenv.Detail) {
	writeJSON(w, http.StatusUnprocessableEntity, openenv.Plain(map[string][]openenv.Detail{"detail": details}))
}

// problem is an answer that is not 200.
type problem struct {
	status  int
	detail  string
	details []openenv.Detail
}

// Error gives the detail.
func (p *problem) Error() string {
	if p.details != nil {
		return openenv.Message("request", p.details)
	}
	return p.detail
}

// write answers with the problem.
func (p *problem) write(w http.ResponseWriter) {
	if p.details != nil {
		writeDetails(w, p.details)
		return
	}
	writeDetail(w, p.status, p.detail)
}

// body reads a request's body of JSON. There may be none.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *problem) {
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil, &problem{status: http.StatusUnsupportedMediaType, detail: "Content-Encoding " + shortText(enc) + " is not understood: send the body as it is"}
	}
	limited := http.MaxBytesReader(w, r.Body, maxBody)
	data, err := io.ReadAll(io.LimitReader(limited, middleFrame))
	if err == nil && len(data) == middleFrame { // there may be more: only so many wait for it at once
		if !taken(s.middle) {
			return nil, &problem{status: http.StatusServiceUnavailable, detail: "too many large bodies at once: try again"}
		}
		defer func() { <-s.middle }()
		var rest []byte
		rest, err = io.ReadAll(limited)
		data = append(data, rest...)
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &problem{status: http.StatusRequestEntityTooLarge, detail: fmt.Sprintf("the body is larger than %d bytes", maxBody)}
	case err != nil:
		return nil, &problem{status: http.StatusBadRequest, detail: "the body ended before it was whole"}
	case !utf8.Valid(data):
		return nil, &problem{status: http.StatusBadRequest, detail: "the body is not UTF-8"}
	case len(data) > 0 && !isJSON(r.Header.Get("Content-Type")):
		return nil, &problem{details: []openenv.Detail{openenv.NotObject(openenv.Loc("body"), data)}}
	}
	return data, nil
}

// isJSON tells whether a body with that content type is read as JSON. No type and the one that curl sends with -d count, since
// whoever sends them means JSON here.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "application/x-www-form-urlencoded")
}

// shortText cuts what a client sent before it is said back.
func shortText(s string) string {
	const most = 100
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// ratio renders "3/4".
func ratio(a, b int) string { return fmt.Sprintf("%d/%d", a, b) }
