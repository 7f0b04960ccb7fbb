package validate_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/validate"
)

const goodManifest = `name: mine
version: "1.0"
validation:
  reward: {range: [0, 1], floor_margin: 0.2}
  resources: {cpu: 1, memory_mb: 512, disk_mb: 100, episode_timeout_s: 60}
  capabilities:
    verifier: {kind: reward_channel}
    declared_tools: [answer]
    declared_task_count: {train: 10}
  types: {tags: [triage]}
  network: {mode: no-network}
`

const (
	execution = "  execution: {kind: openenv_ws}\n"
	goodPlan  = `{"plan_schema_version":"1","reset":{"episode_id":"e","seed":4294967295,"options":{"difficulty":"easy"}},"actions":[{"kind":"route"}]}`
	goodEntry = `{"description":"Three tickets","tags":["a"],"representative_queries":["one","two"],"license":"MIT OR (Apache-2.0 WITH LLVM-exception)","license_source":"LICENSE",
		"agent_tools":{"protocol":"mcp","names":["answer"],"source":"envs/mine/openenv.yaml"}}`
)

// goodPackage is a package without a fault; with execution it has runtime checks.
func goodPackage() fstest.MapFS {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	return fstest.MapFS{"openenv.yaml": file(goodManifest + execution), "validation/runtime.json": file(goodPlan), "Dockerfile": file("FROM scratch"), "LICENSE": file("MIT"),
		"envs/mine/openenv.yaml": file("name: mine\nspec_version: 1\n"), "envs/mine/discovery.json": file(goodEntry), "envs/notes.txt": file("x")}
}

var dirIDs = []string{"package.signature", "package.source", "static.manifest", "runtime.plan", "execution.files"}

// dirVerdicts checks a folder.
func dirVerdicts(t *testing.T, root fs.FS) (failed, skipped, seen string) {
	t.Helper()
	list, err := validate.Dir(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
		switch {
		case c.Skipped != "":
			skipped += " " + c.ID
		case !c.Passed:
			failed += " " + c.ID
			seen += c.Seen + "\n"
		}
	}
	if d := cmp.Diff(dirIDs, ids[:min(5, len(ids))]); d != "" {
		t.Errorf("checks (-want +got):\n%s", d)
	}
	return strings.TrimSpace(failed), strings.TrimSpace(skipped), seen
}

func TestAGoodPackageHoldsEveryCheck(t *testing.T) {
	t.Parallel()
	if failed, skipped, seen := dirVerdicts(t, goodPackage()); failed+skipped != "" {
		t.Errorf("failed %q, skipped %q: %s", failed, skipped, seen)
	}
	bare := fstest.MapFS{"openenv.yaml": {Data: []byte(goodManifest)}}
	if failed, skipped, seen := dirVerdicts(t, bare); failed != "" || skipped != "runtime.plan execution.files catalog" {
		t.Errorf("a manifest alone: failed %q, skipped %q: %s", failed, skipped, seen)
	}
}

func TestEachCheckOfAPackageFails(t *testing.T) {
	t.Parallel()
	const unread = "static.manifest runtime.plan execution.files"
	for _, tt := range []struct {
		name, file, content string // "-" takes the file away
		failed, skipped     string
		says                string
	}{
		{"no manifest", "openenv.yaml", "-", "package.signature", unread, "there is no openenv.yaml"},
		{"two formats", "task.toml", "x", "package.signature", unread, "task.toml"},
		{"a task in Markdown", "task.md", "\n---\nname: x\n---\n", "package.signature", unread, "front matter"},
		{"Markdown that is no task", "task.md", "# x\n", "", "", ""},
		{"no YAML", "openenv.yaml", "name: [", "static.manifest", "execution.files", "openenv.yaml"},
		{"a list", "openenv.yaml", "- x", "static.manifest", "execution.files", "must be a mapping"},
		{"nothing", "openenv.yaml", "", "static.manifest", "execution.files", "must be a mapping"},
		{"no validation block", "openenv.yaml", "name: x\n", "static.manifest", "execution.files", "no such block"},
		{"no UTF-8", "openenv.yaml", "name: \"\xff\"\n", "static.manifest", "execution.files", "UTF-8"},
		{"no plan", "validation/runtime.json", "-", "runtime.plan", "", "file does not exist"},
		{"no Dockerfile", "Dockerfile", "-", "execution.files", "", "there is no Dockerfile"},
		{"a Dockerfile that is a folder", "Dockerfile/x", "x", "execution.files", "", ""},
		{"no name in the catalog", "envs/mine/openenv.yaml", "spec_version: 1\n", "catalog/mine", "", "name must be a text"},
		{"names that stand twice", "envs/mine/openenv.yaml", "name: x\nname: y\n", "catalog/mine", "", "line 2"},
		{"merge keys", "envs/mine/openenv.yaml", "a: &a {b: 1}\nname: x\nc: {<<: *a}\n", "catalog/mine", "", "merge keys"},
		{"a spec version that is a float", "envs/mine/openenv.yaml", "name: x\nspec_version: 1.0\n", "catalog/mine", "", "spec_version"},
		{"no description", "envs/mine/discovery.json", "{}", "catalog/mine", "", "description must be a text"},
		{"front matter that does not end", "envs/mine/README.md", "---\nname: x\n", "catalog/mine", "", "does not end"},
		{"a description in the front matter", "envs/mine/README.md", "---\ndescription: x\ntags: [a]\n---\n# x\n", "", "", ""},
	} {
		root := goodPackage()
		if tt.content == "-" {
			delete(root, tt.file)
		} else {
			if strings.HasPrefix(tt.file, "Dockerfile/") {
				delete(root, "Dockerfile")
			}
			root[tt.file] = &fstest.MapFile{Data: []byte(tt.content)}
		}
		failed, skipped, seen := dirVerdicts(t, root)
		if failed != tt.failed || skipped != tt.skipped || !strings.Contains(seen, tt.says) {
			t.Errorf("%s: failed %q, want %q; skipped %q, want %q; seen %s, want %s in it", tt.name, failed, tt.failed, skipped, tt.skipped, seen, tt.says)
		}
	}
}

func TestManifestsAreHeldAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, new, says string }{
		{`name: mine`, `name: 12`, "openenv.yaml.name"},
		{`name: mine`, `name: off`, "openenv.yaml.name"},
		{`name: mine`, `name: 2026-01-02`, "openenv.yaml.name"},
		{`name: mine`, `name:`, "openenv.yaml.name: it is missing"},
		{`version: "1.0"`, `version: 1.0`, "version: 1 is no text"},
		{`version: "1.0"`, `version: 1.0.0`, ""},
		{`version: "1.0"`, `version:`, ""},
		{`range: [0, 1]`, `range: [1, 1]`, "must rise"},
		{`range: [0, 1]`, `range: [0]`, "must be two numbers"},
		{`range: [0, 1]`, `range: [0, .nan]`, "must rise"},
		{`range: [0, 1]`, `range: ["-1", 1e3]`, ""},
		{`range: [0, 1]`, `range: [0, .inf]`, "must be finite"},
		{`, floor_margin: 0.2`, ``, "reward.floor_margin: it is missing"},
		{`floor_margin: 0.2`, `floor_margin: 0.05`, "below the policy's 0.1"},
		{`floor_margin: 0.2`, `floor_margin: 0.2, oracle_tolerance: 0.2`, "exceeds the policy's 0.1"},
		{`floor_margin: 0.2`, `floor_margin: 0.2, oracle_tolerance: -1`, "must be at least 0"},
		{`floor_margin: 0.2`, `floor_margin: 0.2, variance_tolerance: 0.3`, "exceeds the policy's 0.2"},
		{`floor_margin: 0.2`, `floor_margin: 0.2, variance_tolerance: ~`, ""},
		{`floor_margin: 0.2`, `floor_margin: 0.2, ceiling: 1`, "validation.reward: ceiling is unknown"},
		{`floor_margin: 0.2`, `floor_margin: 0.2, 1: 2`, "a key that is no text is unknown"},
		{`cpu: 1`, `cpu: 0`, "must be greater than 0"},
		{`cpu: 1`, `cpu: yes`, ""},
		{`cpu: 1`, `cpu: "1.5"`, ""},
		{`memory_mb: 512`, `memory_mb: 512.5`, "is no integer"},
		{`memory_mb: 512`, `memory_mb: 512.0`, ""},
		{`memory_mb: 512`, `memory_mb: 01000`, ""},
		{`memory_mb: 512`, `memory_mb: 0`, "at least 1"},
		{`episode_timeout_s: 60`, `episode_timeout_s: 3601`, "exceeds the policy's 3600"},
		{`episode_timeout_s: 60`, `episode_timeout_s: 60, gpu_types: [a]`, "gpus is 0"},
		{`{kind: reward_channel}`, `{kind: reward_channel, entry: x}`, "capabilities.verifier.entry"},
		{`{kind: reward_channel}`, `{kind: script}`, "capabilities.verifier.entry"},
		{`{kind: reward_channel}`, `{kind: script, entry: x.sh}`, ""},
		{`{kind: reward_channel}`, `{kind: other}`, "allowed is reward_channel, script"},
		{`    verifier: {kind: reward_channel}`, `    verifier:`, "capabilities.verifier"},
		{`declared_tools: [answer]`, `declared_tools: [1]`, "declared_tools.0"},
		{`declared_tools: [answer]`, `declared_tools: answer`, "must be a list"},
		{`{train: 10}`, `{train: many}`, "declared_task_count"},
		{`{train: 10}`, `[10]`, "declared_task_count"},
		{`declared_tools: [answer]`, `oracle: {form: injected_state, location: x}`, "needs set_state"},
		{`declared_tools: [answer]`, "oracle: {form: injected_state, location: x}\n    set_state: on", ""},
		{`declared_tools: [answer]`, `llm_judged: true`, "judge: it is missing"},
		{`declared_tools: [answer]`, `llm_judged: maybe`, "neither true nor false"},
		{`  network: {mode: no-network}`, `  judge: {model: a, version: b}`, "llm_judged is false"},
		{`{mode: no-network}`, `{mode: allowlist}`, "needs at least one"},
		{`{mode: no-network}`, `{allowed_hosts: [a]}`, "belong to mode allowlist"},
		{`{mode: no-network}`, `{mode: open}`, "allowed is public, no-network, allowlist"},
		{`{mode: no-network}`, `[]`, "validation.network: it must be a mapping"},
		{`tags: [triage]`, `tags: []`, "at least one is needed"},
		{`tags: [triage]`, `tags: [""]`, "a tag is empty"},
		{`  types: {tags: [triage]}`, ``, "types: it is missing"},
		{`{kind: openenv_ws}`, `{kind: docker}`, "allowed is openenv_ws"},
		{`{kind: openenv_ws}`, `{requires_credentials: "true"}`, "neither true nor false"},
		{`{kind: openenv_ws}`, `{probe_path: ../x.json}`, "portable path"},
		{`{kind: openenv_ws}`, `{dockerfile: .}`, "must name a file"},
		{`{kind: openenv_ws}`, `{context: /}`, "portable path"},
		{`{kind: openenv_ws}`, `{image: x}`, "image is unknown"},
		{`  types:`, "  task_distribution: {generator_seed: 7}\n  types:", ""},
		{`  types:`, "  task_distribution: {generator_seed: x}\n  types:", "generator_seed"},
		{`  types:`, "  something: {new: 1}\n  types:", ""},
		{"name: mine", "name: !!str 12", ""},
		{"name: mine", "name: !thing x", "the tag !thing is unknown"},
	} {
		root := goodPackage()
		text := goodManifest + execution
		if !strings.Contains(text, tt.old) {
			t.Fatalf("the manifest does not hold %q", tt.old)
		}
		root["openenv.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(text, tt.old, tt.new, 1))}
		failed, _, seen := dirVerdicts(t, root)
		if strings.Contains(failed, "static.manifest") != (tt.says != "") || !strings.Contains(seen, tt.says) {
			t.Errorf("%s: failed %q, seen %s, want %q in it", tt.new, failed, seen, tt.says)
		}
	}
}

func TestPlansAreHeldAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{},`, 100) + "{}"
	for _, tt := range []struct{ old, new, says string }{
		{``, ``, ""},
		{`"1"`, `1`, "plan_schema_version"},
		{`"episode_id":"e"`, `"episode_id":""`, "episode_id"},
		{`"episode_id":"e"`, `"episode_id":"` + strings.Repeat("ü", 128) + `"`, ""},
		{`"episode_id":"e"`, `"episode_id":"` + strings.Repeat("ü", 129) + `"`, "episode_id"},
		{`4294967295`, `4294967296`, "reset.seed"},
		{`4294967295`, `1.0`, "reset.seed"},
		{`4294967295`, `true`, "reset.seed"},
		{`"difficulty":"easy"`, `"seed":1`, "options must not have seed"},
		{`{"difficulty":"easy"}`, `null`, "options must be an object"},
		{`"difficulty":"easy"`, `"difficulty":"easy","difficulty":"hard"`, "stands twice"},
		{`"difficulty":"easy"`, `"x":1e999`, "not finite"},
		{`"difficulty":"easy"`, `"x":NaN`, "invalid character"},
		{`"difficulty":"easy"`, `"x":` + strings.Repeat("[", 30) + strings.Repeat("]", 30), ""},
		{`"difficulty":"easy"`, `"x":` + strings.Repeat("[", 31) + strings.Repeat("]", 31), "nested too deeply"},
		{`{"kind":"route"}`, ``, "1 to 100"},
		{`{"kind":"route"}`, `7`, "actions.0 is no object"},
		{`{"kind":"route"}`, many, "1 to 100"},
		{`{"kind":"route"}`, `{"x":"` + strings.Repeat("x", 66000) + `"}`, "allowed are 65536"},
		{`"actions"`, `"more":1,"actions"`, "more is unknown"},
		{goodPlan, `[]`, "no object"},
		{goodPlan, goodPlan + `{}`, "something after"},
		{goodPlan, "\"\xff\"", "UTF-8"},
	} {
		_, problems := validate.ReadPlan([]byte(strings.Replace(goodPlan, tt.old, tt.new, 1)))
		if got := strings.Join(problems, "; "); (got == "") != (tt.says == "") || !strings.Contains(got, tt.says) {
			t.Errorf("%.80s: %s, want %q", tt.new, got, tt.says)
		}
	}
}

func TestCatalogDeclarationsAreHeldAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, new, says string }{
		{`"Three tickets"`, `" "`, "description"},
		{`"tags":["a"]`, `"tags":["a",1]`, "tags must be a list"},
		{`["one","two"]`, `["one"]`, "has 1; allowed are none, or 2 to 5"},
		{`["one","two"]`, `[]`, ""},
		{`"MIT OR (Apache-2.0 WITH LLVM-exception)"`, `"my own terms!"`, "no SPDX expression"},
		{`"MIT OR (Apache-2.0 WITH LLVM-exception)"`, `"(MIT"`, "no SPDX expression"},
		{`"license_source":"LICENSE"`, `"license_source":"COPYING"`, "COPYING is not there"},
		{`"license_source":"LICENSE"`, `"license_source":"../LICENSE"`, "no path inside"},
		{`"license_source":"LICENSE"`, `"license_source":"LICENSE","artifact_availability":"soon"`, "artifact_availability soon"},
		{`"names":["answer"]`, `"names":["answer","Reset"]`, "controls the simulation"},
		{`"names":["answer"]`, `"names":["answer","answer"]`, "twice"},
		{`"names":["answer"]`, `"names":[]`, "1 to 256"},
		{`"protocol":"mcp"`, `"protocol":""`, "protocol"},
		{`"source":"envs/mine/openenv.yaml"`, `"source":"LICENSE"`, "must lie in envs/mine"},
		{`"source":"envs/mine/openenv.yaml"`, `"source":"envs/mine/tools.go"`, "is not there"},
		{`"tags":["a"]`, `"tag":["a"]`, "tag is unknown"},
		{`"tags":["a"]`, `"tags":["a"],"tags":[]`, "stands twice"},
		{`"tags":["a"]`, `"tags":null`, "tags must be a list"},
		{`{"protocol":"mcp","names":["answer"],"source":"envs/mine/openenv.yaml"}`, `null`, ""},
		{goodEntry, `[]`, "no object"},
	} {
		root := goodPackage()
		root["envs/mine/discovery.json"] = &fstest.MapFile{Data: []byte(strings.Replace(goodEntry, tt.old, tt.new, 1))}
		failed, _, seen := dirVerdicts(t, root)
		if (failed == "catalog/mine") != (tt.says != "") || !strings.Contains(seen, tt.says) {
			t.Errorf("%s: failed %q, seen %s, want %q", tt.new, failed, seen, tt.says)
		}
	}
}

// One symbolic link anywhere makes a package unverifiable, but for folders that nobody looks into.
func TestSymbolicLinksAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ at, failed string }{{"a/b/link", "package.source"}, {"a/.venv/bin/python", ""}, {".git", ""}, {"openenv.link", "package.source"}} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "openenv.yaml"), []byte(goodManifest), 0o600); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(dir, filepath.FromSlash(tt.at))
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/nowhere", link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		if failed, _, seen := dirVerdicts(t, os.DirFS(dir)); failed != tt.failed {
			t.Errorf("a link at %s: failed %q: %s", tt.at, failed, seen)
		}
	}
}

func TestYAMLIsReadAsTheReferenceReadsIt(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		"yes": true, "Off": false, "'yes'": "yes", "y": "y", "~": nil, "": nil, "0o7": "0o7", "010": int64(8), "0x1F": int64(31), "0b11": int64(3), "-1_000": int64(-1000),
		"1e3": "1e3", "1.0e+3": 1000.0, "1.5": 1.5, ".5": 0.5, "1.": 1.0, "190:20:30": int64(685230), "1:2.5": 62.5, "!!str 1": "1", "!!int 7": int64(7), "|\n  a\n": "a\n",
		"[a, 1]": []any{"a", int64(1)}, "{a: 1, a: 2}": map[string]any{"a": int64(2)}, "&x {a: [*x]}": nil,
		"b: &b {x: 1, y: 2}\nc: {<<: *b, x: 3}": map[string]any{"b": map[string]any{"x": int64(1), "y": int64(2)}, "c": map[string]any{"x": int64(3), "y": int64(2)}},
	} {
		got, err := validate.ReadYAML([]byte(text), false)
		if strings.HasPrefix(text, "&x") {
			if err == nil {
				t.Errorf("%q: no error", text)
			}
			continue
		}
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%q: error %v (-want +got):\n%s", text, err, d)
		}
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 10), ",") + "]\n"
	}
	if _, err := validate.ReadYAML([]byte(bomb), false); err == nil || !strings.Contains(err.Error(), "too many values") {
		t.Errorf("a bomb of aliases gives %v", err)
	}
}
