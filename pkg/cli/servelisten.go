package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/triagebench/triage/pkg/server"
	"github.com/triagebench/triage/pkg/triage"
)

// defaultPort is where the server listens unless told otherwise: where a Space of Hugging Face expects it.
const defaultPort = 7860

// checkPort sets the flag --port of a command to what the variable PORT names, which platforms of containers set, where nothing else
// names a port, and refuses what is none.
func checkPort(cmd *cobra.Command, app *App, port *int) error {
	if text, ok := app.LookupEnv("PORT"); ok && text != "" && !cmd.Flags().Changed("port") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 65535 {
			return usageError("PORT=%s in the environment is no port; allowed is 0 to 65535", text)
		}
		*port = n
	}
	if *port < 0 || *port > 65535 {
		return usageError("--port %d is not allowed; allowed is 0 to 65535", *port)
	}
	return nil
}

// listen opens the ports of the server, the first of which is the one that it tells.
func (o *serveOptions) listen() (list []net.Listener, err error) {
	ports := []int{o.Port}
	if o.AlsoPort != 0 && o.AlsoPort != o.Port {
		ports = append(ports, o.AlsoPort)
	}
	for i, port := range ports {
		l, err := o.app.Listen("tcp", net.JoinHostPort(o.Host, strconv.Itoa(port)))
		if err != nil {
			closeListeners(list)
			flag := []string{"--port names another, 0 picks a free one", "--also-port names another, 0 does without"}[i]
			return nil, usageError("listen on %s port %d: %v; %s", o.Host, port, cause(err), flag)
		}
		list = append(list, l)
	}
	return list, nil
}

func closeListeners(list []net.Listener) {
	for _, l := range list {
		_ = l.Close() // it is closed already when all went well
	}
}

// serve answers until the context ends, and drains then.
func (o *serveOptions) serve(ctx context.Context, srv *server.Server, web *http.Server, listeners []net.Listener, address *net.TCPAddr) error {
	scheme := "http"
	if web.TLSConfig != nil {
		scheme = "https"
	}
	host := o.Host
	if address != nil && address.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	told := fmt.Sprintf("Listening on %s://%s\n", scheme, net.JoinHostPort(host, strconv.Itoa(address.Port)))
	if len(listeners) > 1 {
		told += fmt.Sprintf("and on %s://%s\n", scheme, net.JoinHostPort(host, strconv.Itoa(o.AlsoPort)))
	}
	if _, err := fmt.Fprint(o.app.Out, told); err != nil {
		return &triage.Error{Code: triage.CodeFiles, Message: "print the address", Err: err}
	}
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() {
			if scheme == "https" {
				failed <- web.ServeTLS(l, "", "")
			} else {
				failed <- web.Serve(l)
			}
		}()
	}
	select {
	case err := <-failed:
		return &triage.Error{Code: triage.CodeUnavailable, Message: "serve", Err: err}
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Drain)
	defer cancel()
	if err := errors.Join(srv.Drain(limit), web.Shutdown(limit)); err != nil {
		_ = web.Close() // what is left is cut off
		o.app.warn("drain: %v; what was running after %s was cut off", err, o.Drain)
	}
	return nil
}
