// Package client plays on a server as if its environments were local: [Dial] gives an [Env], which is a [triage.Env] and a
// [triage.Grader]. It speaks the WebSocket of the OpenEnv protocol, one session an environment. [Conn] is the session
// itself, for who wants to see its frames.
package client
