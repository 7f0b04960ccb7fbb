package importer

import (
	"fmt"
	"strings"
)

// Formats lists the kinds of exports that are read: those of help desks first, generic ones last. Where two are equally sure of a file,
// the first one reads it.
func Formats() []Format {
	return []Format{
		zendeskCSV(), freshdeskCSV(), freshserviceCSV(), jiraCSV(), jiraPipelineCSV(), servicenowCSV(), tobiBueckCSV(), kaggleCSV(),
		zendeskJSON(), freshdeskJSON(), freshserviceJSON(), jiraJSON(), servicenowJSON(), githubJSON(),
		mbox(), maildir(), eml(), xlsx(),
		plainCSV(), plainJSONL(),
	}
}

// FormatNames lists the names of formats, in their order.
func FormatNames() []string {
	var out []string
	for _, f := range Formats() {
		out = append(out, f.Name)
	}
	return out
}

// FormatNamed gives the format with a name. The error names those that there are.
func FormatNamed(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("there is no format %q; the formats are %s", name, strings.Join(FormatNames(), ", "))
}
