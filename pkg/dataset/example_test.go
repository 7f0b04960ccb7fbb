package dataset_test

import (
	"fmt"
	"strings"

	"github.com/triagebench/triage/pkg/dataset"
)

func ExampleOpen() {
	const file = `text;team;priority
"I was charged twice;
please refund one.";billing;high
The app is down!;technical
Where is my invoice?;billing;low
`
	columns, err := dataset.ParseMap("body=text,route=team,priority=priority")
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := dataset.Open(strings.NewReader(file), int64(len(file)), "tickets.csv", dataset.Options{Map: columns})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range set.Len() {
		c, err := set.Case(i)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q %v\n", c.Ticket.ID, c.Ticket.Body, c.Truth.Labels)
	}
	_, skipped := set.Skipped()
	fmt.Println(set.Allowed(), skipped)
	// Output:
	// row-2 "I was charged twice;\nplease refund one." map[priority:high route:billing]
	// row-5 "Where is my invoice?" map[priority:low route:billing]
	// map[priority:[low high] route:[billing]] [line 4: it has 2 of the header's 3 cells]
}
