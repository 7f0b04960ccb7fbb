package server

import "sync/atomic"

// A frame is answered by the goroutine that read it as long as there are few sockets: that is fastest, but leaves each with
// the stack that its deepest answer took. Where there are many, a crew of workers answers, and the goroutines that wait for frames
// stay small.

// fewSockets is the number of sessions up to which readers answer themselves.
const fewSockets = 512

// The most workers that wait for work, and how many frames one answers before its grown stack is given up.
const (
	maxWaiting    = 64
	framesAWorker = 1000
)

// job is a frame to be answered.
type job struct {
	socket *socket
	frame  *[]byte
	text   bool
}

// crew are the workers of a server.
type crew struct {
	jobs    chan job
	waiting atomic.Int32
}

// hand gives a frame to a worker, who gives the socket's turn back after it.
func (s *Server) hand(j job) {
	s.running.Add(1)
	select {
	case s.crew.jobs <- j:
	default:
		go s.work(j)
	}
}

// work answers frames, the first one and what comes.
func (s *Server) work(j job) {
	for range framesAWorker {
		j.socket.respond(j.frame, j.text)
		j.socket.idle <- struct{}{}
		s.running.Done()
		if s.crew.waiting.Add(1) > maxWaiting {
			s.crew.waiting.Add(-1)
			return
		}
		select {
		case j = <-s.crew.jobs:
			s.crew.waiting.Add(-1)
		case <-s.ended:
			s.crew.waiting.Add(-1)
			return
		}
	}
	go s.work(j)
}
