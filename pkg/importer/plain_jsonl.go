package importer

import "slices"

// plainJSONL is JSON of no desk that is known: an object for each ticket, one a line, one after the other, in a list or in pages of
// lists. The members with a ticket's parts are found by their usual names; what the others are, general rules decide.
func plainJSONL() Format {
	d := *plainTable()
	d.name, d.title = "jsonl", "JSON lines, or a list of JSON objects"
	for _, who := range []string{"customer", "requester", "user", "from", "author", "contact", "sender", "client"} {
		inner := []string{who + ".id", who + ".email", who + ".address", who + ".username", who + ".login", who + ".name"}
		d.customer = append(slices.Clip(d.customer), inner...)
		d.columns = append(d.columns, columns{Person, "says who asks", append(inner, who+".phone")})
	}
	shape := jsonShape{lists: append(slices.Clone(allPages.lists), "data", "records", "rows"), text: generalText}
	return (&jsonFormat{dialect: d, shape: shape, sure: func(*jsonHead) int { return 10 }}).format()
}

// textNames are members that have a ticket's text, folded.
var textNames = func() map[string]bool {
	d, out := plainTable(), map[string]bool{}
	for _, name := range slices.Concat(d.subject, d.body) {
		out[fold(name)] = true
	}
	return out
}()

// generalText tells whether a member of that name has the text of a ticket.
func generalText(name []byte) bool { return len(name) < 64 && textNames[fold(string(name))] }
