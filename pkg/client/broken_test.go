package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/client"
	"github.com/triagebench/triage/pkg/openenv"
	"github.com/triagebench/triage/pkg/triage"
)

// A server at fault, or a network, is no fault of the agent's, and a reset begins anew.
func TestABrokenServerIsUnavailableAndAResetBeginsAnew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer, want string
		kept               bool // the session goes on
	}{
		{"an error of the environment", string(errorFrame(openenv.CodeExecution, "out of disk")), "step: out of disk (EXECUTION_ERROR)", true},
		{"the end of the session", string(errorFrame(openenv.CodeSession, "draining")), "step: draining (SESSION_ERROR)", false},
		{"no room", string(errorFrame(openenv.CodeCapacity, "1/1 sessions")), "step: 1/1 sessions (CAPACITY_REACHED)", false},
		{"a closed socket", "", "receive: the server ended the session (1001): the server goes down", false},
		{"no JSON", "hello", `step: the frame "hello" cannot be read: invalid character 'h' looking for beginning of value`, false},
		{"no data", `{"type":"observation"}`, `step: the frame "{\"type\":\"observation\"}" has no type or no data`, false},
		{"another frame", `{"type":"state","data":{}}`, `step: a frame of type "state", where an observation is due`, false},
		{"no observation", `{"type":"observation","data":{"done":true}}`, `step: an envelope without observation or done: "{\"done\":true}"`, false},
		{"a reward that is none", `{"type":"observation","data":{"done":true,"reward":true,"observation":{}}}`,
			"step: json: cannot unmarshal bool into Go struct field Envelope.reward of type float64", false},
		{"a frame too long", `{"type":"observation","data":"` + strings.Repeat("x", client.MaxFrame) + `"}`, "receive: a frame of more than 1048576 bytes", false},
		{"an error without a form", `{"type":"error","data":[]}`, `step: an error that cannot be read: "[]" (EXECUTION_ERROR)`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := true
			s := &fake{t: t, task: task(t, "queue-easy"), answer: func(n int, _ openenv.Frame) []byte {
				if n == 1 && first {
					first = false
					return []byte(tt.answer)
				}
				return nil
			}}
			e := dial(t, s.serve("/ws"), s.task, client.Options{})
			if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Step(t.Context(), triage.Action{}); triage.CodeOf(err) != triage.CodeUnavailable || err.Error() != tt.want {
				t.Errorf("error %v (%s), want %s", err, triage.CodeOf(err), tt.want)
			}
			_, err := e.Step(t.Context(), triage.Action{})
			if tt.kept != (err == nil) || err != nil && (triage.CodeOf(err) != triage.CodeUnavailable || err.Error() != "step: the connection was lost: reset begins another episode") {
				t.Errorf("another step gives %v", err)
			}
			e.State()
			if _, err := e.Reset(t.Context(), triage.ResetOptions{}); err != nil {
				t.Errorf("a reset gives %v", err)
			}
			if heads, _ := s.seen(); (len(heads) == 1) != tt.kept {
				t.Errorf("%d sessions", len(heads))
			}
		})
	}
}

func TestAServerOfAnotherTaskIsTheCallersMistake(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"queue-easy", "desk-hard"} {
		s := &fake{t: t, task: task(t, other)}
		e := dial(t, s.serve("/ws"), task(t, "desk-easy"), client.Options{})
		if _, err := e.Reset(t.Context(), triage.ResetOptions{}); triage.CodeOf(err) != triage.CodeUsage || !strings.Contains(err.Error(), "does not play desk-easy") {
			t.Errorf("%s: error %v", other, err)
		}
	}
}

func TestATimeoutAndACancelledContextEndTheSession(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := &fake{t: t, task: task(t, "queue-easy"), answer: func(int, openenv.Frame) []byte { <-release; return nil }}
	address := s.serve("/ws")
	defer close(release) // before the server closes
	e := dial(t, address, s.task, client.Options{Timeout: 50 * time.Millisecond})
	_, err := e.Reset(t.Context(), triage.ResetOptions{})
	if triage.CodeOf(err) != triage.CodeUnavailable || !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "receive: no answer within 50ms") {
		t.Errorf("no answer gives %v", err)
	}
	e = dial(t, address, s.task, client.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err = e.Reset(ctx, triage.ResetOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	if _, err = client.Dial(ctx, address, s.task, client.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a dial with a cancelled context gives %v", err)
	}
}

func TestDialSaysWhyThereIsNoSession(t *testing.T) {
	t.Parallel()
	refusing := func(status int, body string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	_ = l.Close()
	for _, tt := range []struct {
		name, address string
		code          triage.Code
		want          string
	}{
		{"nobody there", nobody, triage.CodeUnavailable, "connection refused"},
		{"no token", refusing(401, `{"detail":"a bearer token is needed"}`), triage.CodeUnavailable, "the server answers 401 Unauthorized: a bearer token is needed"},
		{"no such path", refusing(404, "nothing"), triage.CodeUnavailable, "the server answers 404 Not Found"},
		{"no WebSocket", refusing(200, "{}"), triage.CodeUnavailable, "the server answers 200 OK"},
		{"another scheme", "ftp://example.org", triage.CodeUsage, `address "ftp://example.org": its scheme must be http, https, ws or wss`},
		{"no host", "http://", triage.CodeUsage, "it names no host"},
		{"a query", "http://example.org/?a=b", triage.CodeUsage, "it must end with the path"},
		{"no address", "http://[::1", triage.CodeUsage, "it cannot be read"},
	} {
		_, err := client.Dial(t.Context(), tt.address, task(t, "queue-easy"), client.Options{Timeout: 5 * time.Second})
		if triage.CodeOf(err) != tt.code || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: error %v (%s), want %s", tt.name, err, triage.CodeOf(err), tt.want)
		}
	}
}
