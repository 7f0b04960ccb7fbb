package importer

// plainCSV is CSV of no desk that is known: the columns with a ticket's parts are found by their usual names in English, German, French
// and Spanish; what the others are, general rules decide.
func plainCSV() Format { return plainTable().format() }

func plainTable() *dialect {
	customers := []string{"customer_id", "customer", "customer_email", "requester_id", "requester_email", "requester", "client_id", "client",
		"account_id", "user_id", "user", "reporter", "caller", "sender", "from", "author", "contact_id", "email", "kunde", "kundennummer",
		"cliente", "utilisateur"}
	created := []string{"created_at", "created", "created_time", "created_on", "created_date", "date_created", "creation_date", "opened_at",
		"opened", "open_date", "submitted_at", "submitted", "received_at", "received", "reported_at", "timestamp", "datetime", "date", "time",
		"erstellt", "erstellt_am", "eingang", "datum", "créé_le", "fecha", "fecha_de_creación"}
	return &dialect{
		name: "csv", title: "CSV",
		id: []string{"id", "ticket_id", "ticket", "number", "no", "nr", "key", "reference", "ref", "case_id", "case_number", "ticketnummer",
			"nummer", "numéro", "número"},
		subject: []string{"subject", "summary", "title", "short_description", "headline", "topic", "betreff", "titel", "objet", "sujet",
			"asunto", "título"},
		body: []string{"body", "description", "description_text", "text", "message", "content", "issue_text", "question", "query",
			"utterance", "request", "comment", "plain_body", "html_body", "details", "ticket_text", "beschreibung", "nachricht", "inhalt", "contenu",
			"descripción", "mensaje"},
		customer: customers, created: created, loose: true, clean: markup,
		columns: []columns{{Person, "says who asks", customers}, {Shown, "", created}},
	}
}
