package openenv

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/triage"
)

// documents are servers of every kind, by the name of their golden.
func documents() map[string]SpecOptions {
	return map[string]SpecOptions{
		"queue-simulation": {Track: triage.Queue},
		"queue-production": {Track: triage.Queue, Production: true, NoWeb: true},
		"desk-simulation":  {Track: triage.Desk, Prefix: "/desk", Version: "1.2.3"},
		"desk-production":  {Track: triage.Desk, Production: true},
		"queue-sealed":     {Track: triage.Queue, Prefix: "/queue", Sealed: true, Tokens: true},
	}
}

func TestDocumentsAreGenerated(t *testing.T) {
	t.Parallel()
	for name, o := range documents() {
		golden(t, "openapi/"+name+".json", Spec(o))
		again := exact(Plain(describe(&o)))
		if !bytes.Equal(Spec(o), again) {
			t.Errorf("%s: made twice, the document differs", name)
		}
	}
}

// parsed is a document as a reader sees it.
type parsed struct {
	OpenAPI string
	Info    struct{ Title, Version string }
	Servers []struct{ URL string }
	Paths   map[string]map[string]struct {
		Tags        []string
		OperationID string
		Parameters  []struct {
			Ref string `json:"$ref"`
		}
		RequestBody *struct{ Content map[string]any }
		Responses   map[string]struct {
			Ref     string `json:"$ref"`
			Content map[string]any
			Links   map[string]struct{ OperationID string }
		}
		Security *[]map[string][]string
	}
	Components struct {
		Schemas    map[string]json.RawMessage
		Responses  map[string]json.RawMessage
		Parameters map[string]struct{ Name, In string }
		Security   map[string]any `json:"securitySchemes"`
	}
	Security []map[string][]string
	Tags     []struct{ Name string }
}

func parse(t testing.TB, o SpecOptions) parsed {
	t.Helper()
	var d parsed
	if err := json.Unmarshal(Spec(o), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAModeIsKnownByItsPaths(t *testing.T) {
	t.Parallel()
	task := []string{"/list_environments", "/{env_name}/splits", "/{env_name}/tasks", "/{env_name}/num_tasks", "/{env_name}/task", "/{env_name}/task_range"}
	info := []string{"/metadata", "/health", "/schema", "/mcp", "/metrics"}
	control := []string{"/reset", "/step", "/state"}
	web := []string{"/web/reset", "/web/step", "/web/state", "/web/metadata"}
	for name, want := range map[string][]string{
		"queue-simulation": slices.Concat(task, info, control, web, []string{"/web/review"}),
		"queue-production": slices.Concat(task, info),
		"desk-production":  slices.Concat(task, info, web, []string{"/web/review"}),
		"queue-sealed":     slices.Concat(task, info, control, web),
	} {
		d := parse(t, documents()[name])
		slices.Sort(want)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(d.Paths))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if d.OpenAPI != "3.1.0" || d.Info.Version != "1.0.0" || d.Info.Title != "OpenEnv Environment HTTP API" {
			t.Errorf("%s: OpenAPI %s of %q version %s", name, d.OpenAPI, d.Info.Title, d.Info.Version)
		}
	}
}

func TestAPrefixIsTheServersAddress(t *testing.T) {
	t.Parallel()
	if d := parse(t, SpecOptions{Track: triage.Desk, Prefix: "/desk"}); len(d.Servers) != 1 || d.Servers[0].URL != "/desk" {
		t.Errorf("servers %v", d.Servers)
	}
	if d := parse(t, SpecOptions{Track: triage.Desk}); d.Servers != nil {
		t.Errorf("servers %v without a prefix", d.Servers)
	}
}

var references = regexp.MustCompile(`"\$ref":"([^"]*)"`)

func TestDocumentsHoldTogether(t *testing.T) {
	t.Parallel()
	for name, o := range documents() {
		d := parse(t, o)
		used := map[string]bool{}
		for _, m := range references.FindAllSubmatch(Spec(o), -1) {
			used[string(m[1])] = true
		}
		there := map[string]bool{}
		for n := range d.Components.Schemas {
			there["#/components/schemas/"+n] = true
		}
		for n := range d.Components.Responses {
			there["#/components/responses/"+n] = true
		}
		for n := range d.Components.Parameters {
			there["#/components/parameters/"+n] = true
		}
		if diff := cmp.Diff(used, there); diff != "" {
			t.Errorf("%s: what is used and what is there differ (-used +there):\n%s", name, diff)
		}
		ids, tags := map[string]bool{}, map[string]bool{}
		for path, item := range d.Paths {
			for method, x := range item {
				if ids[x.OperationID] || x.OperationID == "" {
					t.Errorf("%s %s %s: the id %q is not its own", name, method, path, x.OperationID)
				}
				ids[x.OperationID], tags[x.Tags[0]] = true, true
				inPath := strings.Contains(path, "{env_name}")
				if named := slices.ContainsFunc(x.Parameters, func(p struct {
					Ref string `json:"$ref"`
				}) bool {
					return strings.HasSuffix(p.Ref, "/"+nameParameter)
				}); named != inPath {
					t.Errorf("%s %s %s: the name of the environment is in the path: %v, a parameter: %v", name, method, path, inPath, named)
				}
				if (x.RequestBody != nil) != (method == "post") {
					t.Errorf("%s %s %s: a body with a get, or none with a post", name, method, path)
				}
			}
		}
		for _, item := range d.Paths {
			for _, x := range item {
				for code, r := range x.Responses {
					for _, link := range r.Links {
						if !ids[link.OperationID] {
							t.Errorf("%s %s: a link to %q, which is no operation", name, x.OperationID, link.OperationID)
						}
					}
					if r.Ref == "" && len(r.Content) == 0 && code != "202" {
						t.Errorf("%s %s: status %s has no body", name, x.OperationID, code)
					}
				}
			}
		}
		for _, tag := range d.Tags {
			if !tags[tag.Name] {
				t.Errorf("%s: no operation has the tag %q", name, tag.Name)
			}
			delete(tags, tag.Name)
		}
		if len(tags) > 0 {
			t.Errorf("%s: tags that are not described: %v", name, tags)
		}
	}
}

func TestStatusesAreDeclaredAndNoneIsAServerError(t *testing.T) {
	t.Parallel()
	for name, o := range documents() {
		for path, item := range parse(t, o).Paths {
			for method, x := range item {
				want := []int{http.StatusOK, http.StatusMethodNotAllowed}
				if method == "post" {
					want = append(want, 400, 403, 413, 415, 422)
				}
				if o.Tokens && path != "/health" {
					want = append(want, http.StatusUnauthorized)
				}
				for _, code := range want {
					if _, ok := x.Responses[strconv.Itoa(code)]; !ok {
						t.Errorf("%s %s: status %d is not declared", name, path, code)
					}
				}
				for code := range x.Responses {
					if code > "500" && code != "501" && code != "503" {
						t.Errorf("%s %s: status %s is declared", name, path, code)
					}
				}
			}
		}
	}
}

func TestTokensAreASecurityScheme(t *testing.T) {
	t.Parallel()
	d := parse(t, documents()["queue-sealed"])
	if diff := cmp.Diff([]map[string][]string{{"bearer": {}}}, d.Security); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if health := d.Paths["/health"]["get"].Security; health == nil || len(*health) != 0 {
		t.Errorf("/health needs %v, it is open", health)
	}
	if reset := d.Paths["/reset"]["post"].Security; reset != nil {
		t.Errorf("/reset has a security of its own: %v", *reset)
	}
	if d := parse(t, SpecOptions{Track: triage.Queue}); d.Security != nil || d.Components.Security != nil {
		t.Errorf("without tokens: %v, %v", d.Security, d.Components.Security)
	}
}

func TestExamplesSatisfyTheirSchemas(t *testing.T) {
	t.Parallel()
	for name, o := range documents() {
		var d struct {
			Paths map[string]map[string]struct {
				RequestBody struct {
					Content map[string]struct {
						Schema  json.RawMessage
						Example any
					}
				}
			}
		}
		if err := json.Unmarshal(Spec(o), &d); err != nil {
			t.Fatal(err)
		}
		seen := 0
		for path, item := range d.Paths {
			for _, media := range item["post"].RequestBody.Content {
				seen++
				if err := component(t, o, media.Schema).Validate(media.Example); err != nil {
					t.Errorf("%s %s: %v", name, path, err)
				}
			}
		}
		if seen < 5 {
			t.Errorf("%s: %d examples", name, seen)
		}
	}
}

func TestAnUnservedTrackHasNoDocument(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a document for the track of imported tickets")
		}
	}()
	Spec(SpecOptions{Track: triage.Dataset})
}

func BenchmarkSpec(b *testing.B) {
	o := SpecOptions{Track: triage.Queue}
	for b.Loop() {
		if len(Plain(describe(&o))) == 0 {
			b.Fatal(fmt.Errorf("no document"))
		}
	}
}
