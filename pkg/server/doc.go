// Package server serves the environments over OpenEnv: WebSocket, HTTP and MCP, with a page for people. Environments come
// in as a function, so that it imports neither graders nor generators; the truth of a ticket never reaches it but through the
// scores of unsealed episodes, which only the page's review shows with their reasons.
//
// Start at [New]. A player (player.go) is one environment with the episode that is played in it; sessions.go keeps those of
// sockets and of JSON-RPC, episodes.go those of plain HTTP.
package server
