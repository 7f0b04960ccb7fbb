package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// many runs something n times, w at a time, and joins the first few errors.
func many(n, w int, do func(i int) error) error {
	const most = 3
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	var next atomic.Int64
	for range w {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					mu.Lock()
					if len(errs) < most {
						errs = append(errs, err)
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// trainer plays 300 environments at once, one step each in turn, as a trainer of a policy does.
func trainer(ctx context.Context, a *arena) (string, error) {
	const environments, steps = 300, 10
	list := make([]*socket, environments)
	defer closeAll(list)
	var answers atomic.Int64
	err := many(environments, 16, func(i int) (err error) {
		list[i], err = a.main.open(ctx, []string{"/queue/ws", "/desk/ws"}[i%2])
		return err
	})
	if err != nil {
		return "", err
	}
	at := a.sys.now()
	err = many(environments, environments, func(i int) error {
		for n := range steps {
			frame := `{"type":"step","data":{}}`
			if n%4 == 0 {
				frame = fmt.Sprintf(`{"type":"reset","data":{"seed":%d}}`, i)
			}
			text, err := list[i].say(a.sys.now(), frame)
			if err == nil && !strings.HasPrefix(text, `{"type":"observation"`) && !strings.Contains(text, "after the end") {
				err = fmt.Errorf("%s: %.200s", frame, text)
			}
			if err != nil {
				return err
			}
			answers.Add(1)
		}
		return nil
	})
	closeAll(list)
	return fmt.Sprintf("%d answers in %.1f s", answers.Load(), a.sys.now().Sub(at).Seconds()), errors.Join(err, a.main.settled(ctx, healthySessions))
}

func closeAll(list []*socket) {
	for _, s := range list {
		if s != nil {
			_ = s.Close()
		}
	}
}

// killed starts processes that step without pause on many sockets each, and kills them with a signal that they cannot see.
func killed(ctx context.Context, a *arena) (string, error) {
	const processes = 4
	var victims []*exec.Cmd
	defer func() {
		for _, v := range victims {
			_ = v.Process.Kill()
			_ = v.Wait()
		}
	}()
	for range processes {
		v := exec.Command(a.sys.self, "victim", a.main.addr) //nolint:gosec // this program
		if err := v.Start(); err != nil {
			return "", err
		}
		victims = append(victims, v)
	}
	deadline := a.sys.now().Add(patience)
	for a.main.figures(ctx).sessions < processes*victimSockets && a.sys.now().Before(deadline) {
		pause(ctx, 20*time.Millisecond)
	}
	at := a.main.figures(ctx).sessions
	for _, v := range victims {
		_ = v.Process.Kill()
	}
	seen := fmt.Sprintf("%d sessions when they were killed", at)
	if at < processes*victimSockets/2 {
		return seen, errors.New("the clients did not come to play")
	}
	return seen, a.main.settled(ctx, healthySessions)
}

const victimSockets = 50

// victim is a client that steps on many sockets, with frames that wait, until it is killed.
func victim(ctx context.Context, sys system, addr string) error {
	t := &target{addr: addr, sys: sys}
	return many(victimSockets, victimSockets, func(i int) error {
		s, err := t.open(ctx, "/ws")
		if err != nil {
			return err
		}
		for n := 0; ctx.Err() == nil; n++ {
			batch := masked(textFrame, fmt.Sprintf(`{"type":"reset","data":{"seed":%d,"difficulty":"hard"}}`, n*victimSockets+i))
			for range 3 {
				batch = append(batch, masked(textFrame, `{"type":"step","data":{"route_category":"billing"}}`)...)
			}
			if err := s.send(t.sys.now(), batch); err != nil {
				return err
			}
			for range 4 {
				if _, err := s.hear(t.sys.now()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// hangUps comes, asks and hangs up with a reset of the connection, again and again.
func hangUps(ctx context.Context, a *arena) (string, error) {
	const n = 2000
	err := many(n, 32, func(i int) error {
		s, err := a.main.open(ctx, []string{"/ws", "/mcp", "/desk/ws"}[i%3])
		if err != nil {
			return err
		}
		_ = s.send(a.sys.now(), masked(textFrame, `{"type":"reset","data":{"handbook":true}}`)) // nobody waits for the answer
		if tcp, ok := s.Conn.(*net.TCPConn); ok && i%2 == 0 {
			_ = tcp.SetLinger(0)
		}
		return s.Close()
	})
	return fmt.Sprint(n, " of them"), errors.Join(err, a.main.settled(ctx, healthySessions))
}

// tooMany asks for 10,000 sessions of a server that has 4,096, holds all of its connections, and gives them back.
func tooMany(ctx context.Context, a *arena) (string, error) {
	const asked, spare = 10000, 500
	if have := raise(); have < asked+spare {
		return "", skip(fmt.Sprintf("%d files may be open here, %d are needed", have, asked+spare))
	}
	list := make([]*socket, asked)
	defer closeAll(list)
	var got, refused atomic.Int64
	err := many(asked, 32, func(i int) error {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return err
		}
		list[i] = s
		if err := s.send(a.sys.now(), masked(textFrame, `{"type":"state"}`)); err != nil && refused.Load() == 0 {
			return err
		}
		text, err := s.hear(a.sys.now())
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(text, `{"type":"state"`):
			got.Add(1)
		case strings.Contains(text, `"code":"CAPACITY_REACHED"`) && strings.Contains(text, `"active_sessions":4096,"max_sessions":4096`):
			refused.Add(1)
		default:
			return fmt.Errorf("the first frame is %.200s", text)
		}
		return nil
	})
	seen := fmt.Sprintf("%d sessions, %d refused", got.Load(), refused.Load())
	if want := int64(a.sessions - healthySessions); err == nil && (got.Load() != want || refused.Load() != asked-want) {
		err = fmt.Errorf("%d and %d should be", want, asked-want)
	}
	if err == nil { // those that got one play
		err = many(100, 16, func(i int) error {
			text, err := list[i].say(a.sys.now(), `{"type":"reset"}`)
			if err == nil && !strings.HasPrefix(text, `{"type":"observation"`) {
				err = fmt.Errorf("a session of many: %.200s", text)
			}
			return err
		})
	}
	closeAll(list)
	return seen, errors.Join(err, a.main.settled(ctx, healthySessions))
}

// abandoned begins sessions and episodes that nobody comes back to.
func abandoned(ctx context.Context, a *arena) (string, error) {
	const n = 500
	elsewhere := *a.main // another address of this machine: each has so many episodes
	elsewhere.client = &http.Client{Timeout: patience, Transport: &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext}}
	defer elsewhere.client.CloseIdleConnections()
	for path, body := range map[string]string{"/mcp": `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`, "/reset": `{"handbook":true}`} {
		for _, t := range []*target{a.brief, &elsewhere} {
			if t != a.brief && path == "/mcp" {
				continue // they would stay for half an hour, as they may
			}
			err := many(n, 8, func(int) error {
				status, text, err := t.ask(ctx, "POST", path, []byte(body))
				if err == nil && (status != 200 || strings.Contains(text, `"error"`)) {
					err = fmt.Errorf("POST %s: status %d: %.200s", path, status, text)
				}
				return err
			})
			if err != nil {
				return "", err
			}
		}
	}
	kept := a.main.figures(ctx).episodes
	err := a.brief.settled(ctx, 0)
	for deadline := a.sys.now().Add(patience); err == nil && a.brief.figures(ctx).episodes > 0; pause(ctx, 100*time.Millisecond) {
		if a.sys.now().After(deadline) {
			err = errors.New("episodes do not end")
		}
	}
	if err == nil && kept > 2*32 {
		err = fmt.Errorf("%d episodes of two callers are kept, 64 are the most", kept)
	}
	return fmt.Sprintf("%d sessions and %d episodes; %d episodes are kept", n, 2*n, kept), err
}

// drained sends SIGTERM while clients step.
func drained(ctx context.Context, a *arena) (string, error) {
	const clients = 50
	var wg sync.WaitGroup
	var closed, answers atomic.Int64
	for range clients {
		s, err := a.main.open(ctx, "/ws")
		if err != nil {
			return "", err
		}
		wg.Go(func() {
			defer func() { _ = s.Close() }()
			for {
				text, err := s.say(a.sys.now(), `{"type":"reset"}`)
				if errors.Is(err, errClosed) && strings.Contains(err.Error(), "the server is going down") {
					closed.Add(1)
				}
				if err != nil {
					return
				}
				if strings.HasPrefix(text, `{"type":"observation"`) {
					answers.Add(1)
				}
			}
		})
	}
	pause(ctx, 500*time.Millisecond)
	at := a.sys.now()
	err := a.main.terminate(12 * time.Second)
	took := a.sys.now().Sub(at)
	wg.Wait()
	if err == nil && closed.Load() < clients*9/10 {
		err = errors.New("clients were not told")
	}
	return fmt.Sprintf("exit 0 after %.1f s, %d of %d clients were told, %d answers before", took.Seconds(), closed.Load(), clients, answers.Load()), err
}
