// Package audit plays degenerate agents and says where one of them earns more than its ceiling: agents that read nothing, copy a
// field, stuff a recommendation, remember train, replay a seed, make the labels again or look sentences up. A benchmark that such
// an agent passes measures nothing.
//
// [Run] plays them in the local environments; each file below it is one kind of attack. [RunServer] plays them on a server, and
// looks besides at everything that it answers: for labels, for a way into another's session, and for what a sealed server must
// not tell. Its files begin with "server".
//
// It is no judge of honest agents, and it makes no tickets and opens no connections: environments, agents, tickets and sockets come
// in as functions of [Deps] and [ServerDeps].
package audit
