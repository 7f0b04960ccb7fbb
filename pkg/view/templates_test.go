package view

import "testing"

// What the tests' folders do not have is checked too.
func TestTheTemplatesFitTheirDataInEveryBranch(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]any{
		"board": boardPage{},
		"wait":  map[string]any{"Path": "", "Single": false, "Progress": Progress{}, "Address": ""},
		"sorry": map[string]any{"Title": "", "Text": "", "Single": false, "Unlike": []Unlike{}, "Anyway": ""},
	} {
		if err := templates()[name].Check("", data); err != nil {
			t.Error(err)
		}
	}
}
