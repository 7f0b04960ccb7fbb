package importer

import "github.com/triagebench/triage/pkg/triage"

// kaggleCSV is the form of the public "Customer Support Ticket Dataset" on Kaggle. It has no date at which a ticket came in.
func kaggleCSV() Format { return kaggleTable().format() }

func kaggleTable() *dialect {
	return &dialect{
		name: "kaggle", title: "Kaggle customer support tickets",
		id: []string{"Ticket ID"}, subject: []string{"Ticket Subject"}, body: []string{"Ticket Description"},
		customer: []string{"Customer Email", "Customer Name"},
		marks:    []string{"Product Purchased", "Date of Purchase", "Ticket Type", "Ticket Status", "Ticket Priority", "Ticket Channel"},
		need:     2,
		clean:    markup,
		columns: []columns{
			{Shown, "", []string{"Ticket Subject", "Ticket Description", "Product Purchased", "Date of Purchase", "Ticket Channel"}},
			{Ignored, "a number of the desk's own", []string{"Ticket ID"}},
			{Person, "says who asks", []string{"Customer Name", "Customer Email", "Customer Age", "Customer Gender"}},
			{Outcome, "decided by the desk", []string{"Ticket Type", "Ticket Priority"}},
			{Later, "set or changed while the ticket was worked on", []string{"Ticket Status"}},
			{Later, "written after the ticket came in", []string{"Resolution"}},
			{Later, "measured after the ticket came in", []string{"First Response Time", "Time to Resolution"}},
			{Later, "said by the customer at the end", []string{"Customer Satisfaction Rating"}},
		},
		priority: []Step{{"Low", triage.UrgencyLow}, {"Medium", triage.UrgencyMedium}, {"High", triage.UrgencyHigh},
			{"Critical", triage.UrgencyCritical}},
	}
}
