package server

import (
	"bytes"

	"github.com/VictoriaMetrics/metrics"
)

// processMetrics are the metrics of Go and of the process that are told, with the types that they are of. The library knows some
// hundred more, without a word of help and counters among them that it calls gauges.
var processMetrics = map[string]struct{ kind, help string }{
	"go_gomaxprocs":                   {"gauge", "Processors that Go may use at once."},
	"go_goroutines":                   {"gauge", "Goroutines that there are."},
	"go_memstats_alloc_bytes_total":   {"counter", "Bytes allocated on the heap, freed ones among them."},
	"go_memstats_heap_inuse_bytes":    {"gauge", "Bytes of heap in use."},
	"go_memstats_heap_released_bytes": {"gauge", "Bytes of heap that were given back to the system."},
	"go_memstats_mallocs_total":       {"counter", "Objects allocated on the heap."},
	"go_memstats_sys_bytes":           {"gauge", "Bytes that Go has from the system."},
	"go_threads":                      {"gauge", "Threads of the system that Go has made."},
	"process_cpu_seconds_total":       {"counter", "Processor time, of the program and of the system for it."},
	"process_max_fds":                 {"gauge", "The most file descriptors that may be open."},
	"process_open_fds":                {"gauge", "File descriptors that are open."},
	"process_resident_memory_bytes":   {"gauge", "Memory that is resident."},
	"process_start_time_seconds":      {"gauge", "When the process began, in seconds since 1970."},
	"process_virtual_memory_bytes":    {"gauge", "Memory that is mapped."},
}

// appendProcess appends the metrics of Go and of the process to a page, as far as this system tells them.
func appendProcess(page []byte) []byte {
	var all bytes.Buffer
	metrics.WriteProcessMetrics(&all)
	metrics.WriteFDMetrics(&all)
	told := map[string]bool{}
	for line := range bytes.Lines(all.Bytes()) {
		name, _, _ := bytes.Cut(line, []byte(" "))
		m, ok := processMetrics[string(name)] // comments and series with labels are none of them
		if !ok || told[string(name)] {
			continue
		}
		told[string(name)] = true
		page = append(page, "# HELP "+string(name)+" "+m.help+"\n# TYPE "+string(name)+" "+m.kind+"\n"...)
		page = append(page, line...)
	}
	return page
}
