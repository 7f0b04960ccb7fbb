package validate

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"unicode/utf8"
)

// manifest is what is needed of the manifest of a package, and what is wrong with it.
type manifest struct {
	problems []string
	name     string
	low      float64 // of rewards
	high     float64
	timeout  float64 // of an episode, in seconds
	// The execution block; probe is empty where there is none.
	probe, dockerfile, context string
	credentials                bool
}

// defaultProbe is where the runtime plan lies if nothing else is said.
const defaultProbe = "validation/runtime.json"

// The policy's bounds of what a manifest may declare.
const (
	mostOracleTolerance, leastFloorMargin = 0.1, 0.1
	mostVariance, mostTimeout             = 0.2, 3600.0
)

// readManifest reads openenv.yaml.
func readManifest(root fs.FS) manifest {
	m := manifest{low: 0, high: 1}
	data, err := fs.ReadFile(root, manifestFile)
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("it is no UTF-8")
	}
	var doc any
	if err == nil {
		doc, err = readYAML(data, false)
	}
	if err != nil {
		m.problems = append(m.problems, fmt.Sprintf("%s: %v", manifestFile, plainPath(err)))
		return m
	}
	top, ok := newBlock(manifestFile, doc, &m.problems)
	if !ok {
		return m
	}
	if top.fields["name"] == nil {
		delete(top.fields, "name")
	}
	m.name, _ = top.text("name", true)
	top.optionalText("version")
	validation, there := top.fields["validation"]
	if !there || validation == nil {
		top.wrong("validation", "there is no such block")
		return m
	}
	v, ok := newBlock("validation", validation, &m.problems)
	if !ok {
		return m
	}
	m.read(v)
	return m
}

// read reads the blocks of the validation block; others are left out, as the reference does.
func (m *manifest) read(v *block) {
	sub := func(name string, required bool, read func(*block)) {
		value := v.fields[name]
		if value == nil {
			if required {
				v.wrong(name, "it is missing")
			}
			return
		}
		if b, ok := newBlock("validation."+name, value, &m.problems); ok {
			read(b)
			b.finish()
		}
	}
	judged, judge, variance := false, v.fields["judge"] != nil, false
	sub("reward", true, func(b *block) { variance = m.reward(b) })
	sub("resources", true, m.resources)
	sub("capabilities", true, func(b *block) { judged = m.capabilities(b) })
	sub("types", true, types)
	sub("network", false, network)
	sub("judge", false, judgePin)
	sub("task_distribution", false, distribution)
	switch {
	case judged && !judge:
		v.wrong("judge", "it is missing, though capabilities.llm_judged is true")
	case judged && !variance:
		v.wrong("reward.variance_tolerance", "it is missing, though capabilities.llm_judged is true")
	case !judged && judge:
		v.wrong("judge", "it is declared, though capabilities.llm_judged is false")
	}
	if e, ok := v.fields["execution"]; ok {
		if b, ok := newBlock("validation.execution", e, &m.problems); ok {
			m.execution(b)
			b.finish()
		}
	}
}

func types(b *block) {
	tags, ok := b.texts("tags")
	if !ok || len(tags) == 0 {
		b.wrong("tags", "at least one is needed")
	}
	for _, t := range tags {
		if t == "" {
			b.wrong("tags", "a tag is empty")
		}
	}
}

func judgePin(b *block) {
	_, _ = b.text("model", true)
	_, _ = b.text("version", true)
	if p, ok := b.take("params"); ok {
		if _, isMap := p.(map[string]any); !isMap {
			b.wrong("params", "it must be a mapping")
		}
	}
}

func distribution(b *block) {
	if s, ok := b.fields["generator_seed"]; !ok || s == nil {
		delete(b.fields, "generator_seed")
	} else {
		b.whole("generator_seed", false, math.MinInt64)
	}
	b.optionalText("dataset_version")
	b.optionalText("generator_model")
}

// reward reads the reward block; it tells whether a variance tolerance is declared.
func (m *manifest) reward(b *block) bool {
	if v, ok := b.take("range"); ok {
		list, _ := v.([]any)
		var low, high float64
		ok := len(list) == 2
		if ok {
			var okLow, okHigh bool
			low, okLow = asFloat(list[0])
			high, okHigh = asFloat(list[1])
			ok = okLow && okHigh
		}
		switch {
		case !ok:
			b.wrong("range", "%v must be two numbers", v)
		case !(low < high):
			b.wrong("range", "%v must rise", v)
		default:
			m.low, m.high = low, high
		}
	}
	if v, ok := b.number("oracle_tolerance", false, false); ok && v > mostOracleTolerance {
		b.wrong("oracle_tolerance", "%v exceeds the policy's %v", v, mostOracleTolerance)
	}
	if v, ok := b.number("floor_margin", true, false); ok && v < leastFloorMargin {
		b.wrong("floor_margin", "%v is below the policy's %v", v, leastFloorMargin)
	}
	if b.fields["variance_tolerance"] == nil {
		delete(b.fields, "variance_tolerance")
		return false
	}
	if v, ok := b.number("variance_tolerance", false, false); ok && v > mostVariance {
		b.wrong("variance_tolerance", "%v exceeds the policy's %v", v, mostVariance)
	}
	return true
}

func (m *manifest) resources(b *block) {
	cpu, _ := b.number("cpu", true, true)
	b.whole("memory_mb", true, 1)
	b.whole("disk_mb", true, 1)
	var ok bool
	if m.timeout, ok = b.number("episode_timeout_s", true, true); ok && m.timeout > mostTimeout {
		b.wrong("episode_timeout_s", "%v exceeds the policy's %v", m.timeout, mostTimeout)
	}
	gpus := b.whole("gpus", false, 0)
	if types, _ := b.texts("gpu_types"); len(types) > 0 && gpus == 0 {
		b.wrong("gpu_types", "they are declared, but gpus is 0")
	}
	if math.IsInf(cpu, 0) {
		b.wrong("cpu", "it must be finite")
	}
}

// capabilities reads what the environment says it can do; it tells whether a judge is declared.
func (m *manifest) capabilities(b *block) bool {
	sub := func(name string, required bool, read func(*block)) {
		v, ok := b.take(name)
		switch {
		case v == nil && !required:
			return
		case !ok:
			b.wrong(name, "it is missing")
			return
		}
		if s, ok := newBlock(b.path+"."+name, v, &m.problems); ok {
			read(s)
			s.finish()
		}
	}
	sub("verifier", true, func(s *block) {
		kind := s.word("kind", true, "reward_channel", "script")
		entry := s.optionalText("entry")
		if kind != "" && entry != (kind == "script") {
			s.wrong("entry", "it belongs to kind script, and to no other")
		}
	})
	form := ""
	sub("oracle", false, func(s *block) {
		form = s.word("form", true, "injected_state", "script")
		_, _ = s.text("location", true)
	})
	if set := b.truth("set_state"); form == "injected_state" && !set {
		b.wrong("oracle", "form injected_state needs set_state: true")
	}
	judged := b.truth("llm_judged")
	b.truth("rubric_tree")
	b.truth("task_api")
	b.optionalText("canaries")
	_, _ = b.texts("declared_tools")
	if v, ok := b.take("declared_task_count"); ok {
		counts, isMap := v.(map[string]any)
		if !isMap {
			b.wrong("declared_task_count", "it must map splits to numbers")
		}
		for split, n := range counts {
			if _, whole := asInt(n); !whole || split == badKey {
				b.wrong("declared_task_count", "%v is no number of tasks", n)
			}
		}
	}
	return judged
}

func network(b *block) {
	_, given := b.fields["mode"]
	mode := b.word("mode", false, "public", "no-network", "allowlist")
	hosts, _ := b.texts("allowed_hosts")
	switch {
	case given && mode == "":
	case mode == "allowlist" && len(hosts) == 0:
		b.wrong("allowed_hosts", "mode allowlist needs at least one")
	case mode != "allowlist" && len(hosts) > 0:
		b.wrong("allowed_hosts", "they belong to mode allowlist")
	}
}

// execution reads what a runtime check would start.
func (m *manifest) execution(b *block) {
	b.word("kind", false, "openenv_ws")
	b.word("agent_boundary", false, "api")
	if v, ok := b.take("requires_credentials"); ok {
		if m.credentials, ok = v.(bool); !ok {
			b.wrong("requires_credentials", "%v is neither true nor false", v)
		}
	}
	where := func(field, otherwise string, file bool) string {
		p, ok := b.text(field, false)
		if !ok {
			return otherwise
		}
		if err := portable(p); err != nil {
			b.wrong(field, "%v", err)
		} else if file && path.Clean(p) == "." {
			b.wrong(field, "%q must name a file", p)
		}
		return p
	}
	m.probe = where("probe_path", defaultProbe, true)
	m.dockerfile = where("dockerfile", "Dockerfile", true)
	m.context = where("context", ".", false)
	for _, v := range []float64{m.low, m.high, m.timeout} {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			b.wrong("", "with it, numbers such as reward.range and resources.episode_timeout_s must be finite")
		}
	}
}

func (m *manifest) summary() string {
	return fmt.Sprintf("%s: rewards from %v to %v, %v s an episode", m.name, m.low, m.high, m.timeout)
}
