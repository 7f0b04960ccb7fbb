package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/triage"
)

type healthOptions struct {
	app     *App
	URL     string
	Else    string // asked where nothing listens at URL; empty for none
	Port    int    // of the server of this machine
	Timeout time.Duration
	Wait    time.Duration
}

// healthEvery is how long `health --wait` waits between two questions.
const healthEvery = 100 * time.Millisecond

func newHealthCmd(app *App, run func(context.Context, *healthOptions) error) *cobra.Command {
	o := &healthOptions{app: app}
	cmd := &cobra.Command{
		Use: "health [URL]", Short: "Ask a server whether it is healthy, for probes",
		Long:    "Asks GET URL/health once; without a URL the server of this machine, on the port that `triage serve` has with the same settings. Exits with 0 if the server says that it is healthy, and with 4 if it does not or cannot be reached. With --wait it asks again every 100 ms until the server is healthy or the time is over, for a server that is just starting.",
		Example: "  triage health\n  triage health --port 8000\n  triage health http://127.0.0.1:8000 --timeout 1s\n  triage health --wait 30s",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError("%sone URL at most, there are %d", place(cmd), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.URL = args[0]
			} else {
				if err := checkPort(cmd, app, &o.Port); err != nil {
					return err
				}
				o.URL, o.Else = fmt.Sprintf("http://127.0.0.1:%d", o.Port), fmt.Sprintf("http://[::1]:%d", o.Port)
			}
			if hostAndPort.MatchString(o.URL) {
				o.URL = "http://" + o.URL
			}
			if u, err := url.Parse(o.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
				return usageError("%s%q is not an address such as http://127.0.0.1:7860", place(cmd), o.shown())
			}
			if o.Timeout <= 0 {
				return usageError("--timeout %s is not allowed; allowed is more than 0s", o.Timeout)
			}
			if o.Wait < 0 {
				return usageError("--wait %s is not allowed; allowed is 0s, which asks once, and more", o.Wait)
			}
			return run(cmd.Context(), o)
		},
	}
	intFlag(cmd.Flags(), &o.Port, "port", defaultPort, "port of the server of this machine, without a URL; the variable PORT sets another default")
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 3*time.Second, "how long to wait for an answer")
	cmd.Flags().DurationVar(&o.Wait, "wait", 0, "ask again every 100 ms until the server is healthy, at most so long; 0s asks once")
	return cmd
}

// shown is the URL without a password.
func (o *healthOptions) shown() string {
	if u, err := url.Parse(o.URL); err == nil {
		return u.Redacted()
	}
	return o.URL
}

// runHealth asks until the server is healthy or the time is over; what is told then is the last answer.
func runHealth(ctx context.Context, o *healthOptions) error {
	if o.Wait <= 0 {
		return askHealth(ctx, o)
	}
	over, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	var last error
	for {
		err := askHealth(over, o)
		switch {
		case err == nil || triage.CodeOf(err) != triage.CodeUnavailable:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case over.Err() == nil || last == nil: // an answer that was cut off by the end of the time says less than the one before
			last = err
		}
		select {
		case <-over.Done():
		case <-time.After(healthEvery):
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case over.Err() != nil:
			return &triage.Error{Code: triage.CodeUnavailable, Message: fmt.Sprintf("%v; asked for %s", last, o.Wait)}
		}
	}
}

// askHealth asks once, and where nothing listens once more at the other address.
func askHealth(ctx context.Context, o *healthOptions) error {
	err := askHealthAt(ctx, o, o.URL)
	if o.Else != "" && errors.Is(err, syscall.ECONNREFUSED) && askHealthAt(ctx, o, o.Else) == nil {
		return nil
	}
	return err
}

func askHealthAt(ctx context.Context, o *healthOptions, at string) error {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	address := strings.TrimSuffix(strings.TrimSuffix(at, "/"), "/health") + "/health"
	unusable := func(format string, args ...any) error {
		return &triage.Error{Code: triage.CodeUnavailable, Message: address + ": " + fmt.Sprintf(format, args...)}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return usageError("%v", err)
	}
	resp, err := o.app.HTTP.Do(req)
	if err != nil {
		return &triage.Error{Code: triage.CodeUnavailable, Message: address, Err: plainURLError(err)}
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is read
	var health struct {
		Status string `json:"status"`
	}
	const most = 1 << 16
	if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&health); err != nil || resp.StatusCode != http.StatusOK || health.Status != "healthy" {
		return unusable("status %d, health %q: not healthy, or no OpenEnv server", resp.StatusCode, health.Status)
	}
	_, err = fmt.Fprintln(o.app.Out, health.Status)
	return err
}

// plainURLError leaves out method and address, which the message has already.
func plainURLError(err error) error {
	if u, ok := err.(*url.Error); ok { //nolint:errorlint // only the outermost layer names the address
		return u.Err
	}
	return err
}
