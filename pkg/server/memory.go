package server

import (
	"runtime/debug"
	runtimemetrics "runtime/metrics"
)

// The memory that a process holds without giving any back.
const (
	idleMemory = 64 << 20
	perSession = 80 << 10 // twice what a session takes, since the collector lets the heap double
)

// GiveBack gives memory back to the operating system where much more is held than so many sessions need. After a rush the runtime
// itself takes minutes to do so, and collects nothing while nobody comes.
func GiveBack(sessions int) {
	samples := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(samples)
	if held := samples[0].Value.Uint64() - samples[1].Value.Uint64(); held > idleMemory+perSession*uint64(sessions) {
		debug.FreeOSMemory()
	}
}
