package validate_test

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/triagebench/triage/pkg/triage"
	"github.com/triagebench/triage/pkg/validate"
)

func TestNobodyAtAnAddressIsAnError(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	_ = l.Close()
	if _, err := validate.URL(t.Context(), nobody, validate.ServerOptions{}); triage.CodeOf(err) != triage.CodeUnavailable || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("nobody there gives %v", err)
	}
	if _, err := validate.URL(t.Context(), "http://no-such-host.invalid", validate.ServerOptions{}); triage.CodeOf(err) != triage.CodeUnavailable {
		t.Errorf("no such host gives %v", err)
	}
	if _, err := validate.URL(t.Context(), "ftp://127.0.0.1", validate.ServerOptions{}); triage.CodeOf(err) != triage.CodeUsage {
		t.Errorf("another scheme gives %v", err)
	}
}

// A server that answers nothing is bounded in time, and one that never stops in bytes.
func TestSlowAndEndlessServersAreBounded(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	silent := &fakeServer{pages: map[string]http.HandlerFunc{"GET /health": func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}, "GET /metadata": func(w http.ResponseWriter, _ *http.Request) {
		chunk := []byte(strings.Repeat("x", 1<<16))
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}}}
	address := silent.start(t)
	defer close(stop)
	begun := time.Now()
	checks := checked(t, address, validate.ServerOptions{Timeout: 300 * time.Millisecond})
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it takes %s", took)
	}
	if c := checks["health_endpoint"]; c.Passed || !strings.Contains(c.Seen, "timeout") {
		t.Errorf("no answer is %+v", c)
	}
	if c := checks["metadata_endpoint"]; c.Passed || !strings.Contains(c.Seen, "more than 8 MiB") {
		t.Errorf("an endless body is %+v", c)
	}
}

func TestAnInterruptionEndsTheChecks(t *testing.T) {
	t.Parallel()
	_, err := validate.URL(cancelled(t), (&fakeServer{}).start(t), validate.ServerOptions{})
	if !errors.Is(err, errStopped) {
		t.Errorf("URL gives %v", err)
	}
	if _, err := validate.Local(cancelled(t), deps(t), 1); !errors.Is(err, errStopped) {
		t.Errorf("Local gives %v", err)
	}
}
