package dataset

import "strings"

// heldAbroad are [heldRules] in German, French, Spanish, Portuguese, Italian and Dutch, as desks and spreadsheets head their columns.
// Words stand without accents.
var heldAbroad = []heldRule{
	{HeldLater, whyResolved, []string{"losung", "loesung", "gelost", "geloest", "behoben", "behebung", "erledig", "geschlossen",
		"abgeschlossen", "abschluss", "schliess", "ergebnis", "ursache", "wiedereroffn", "wiedereroeffn", "cloture", "fermeture",
		"reouvert", "resuelt", "solucion", "solucao", "soluzione", "cerrad", "cierre", "fechado", "fechamento", "encerra", "chius",
		"risol", "oplossing", "opgelost", "gesloten", "afgesloten", "reabiert", "reabert"}, []string{"ferme", "fermele"}, false},
	{HeldLater, "an agent's answer, written after triage", []string{"antwort", "erstantwort", "ersteantwort", "letzteantwort",
		"kommentar", "ruckmeld", "rueckmeld", "reaktion", "notiz", "arbeitsnotiz", "repons", "premierereponse", "respuesta",
		"primerarespuesta", "resposta", "primeiraresposta", "risposta", "primarisposta", "antwoord", "eerstereactie", "comentario",
		"opmerking", "internenotiz"}, nil, false},
	{HeldLater, "measured while the ticket was worked on", []string{"bearbeitungszeit", "bearbeitungsdauer", "aufwand", "zeitaufwand",
		"wartezeit", "dauer", "duree", "delai", "tempsde", "tempspasse", "tiempode", "tempode", "duracion", "duracao", "durata",
		"doorlooptijd"}, nil, false},
	{HeldLater, "a deadline, which is set by priority", []string{"fallig", "faellig", "frist", "echeance", "vencimient", "vencimento",
		"scadenza", "vervaldatum"}, nil, false},
	{HeldLater, "changes whenever the ticket is touched", []string{"aktualisier", "geandert", "geaendert", "anderungsdatum",
		"aenderungsdatum", "letzteander", "letzteaender", "letzteaktual", "misajour", "miseajour", "datedemiseajour", "modifie",
		"dernieremodif", "dernieremise", "actualiz", "ultimaactual", "modificad", "atualiza", "ultimaatual", "aggiorna",
		"ultimoaggiorn", "modificat", "bijgewerkt", "laatstbijgewerkt", "gewijzigd"}, nil, false},
	{HeldLater, "what the customer thought of the outcome", []string{"zufried", "kundenzufried", "bewertung", "evaluation",
		"valoracion", "avaliacao", "valutazione", "soddisf", "tevredenheid", "klanttevredenheid", "beoordeling"}, nil, false},
	{HeldLater, "who worked on the ticket", []string{"bearbeiter", "bearbeitet", "sachbearbeiter", "zugewiesen", "zustandig", "zustaendig",
		"verantwortlich", "attribuea", "techniker", "technici", "tecnico", "intervenant", "responsab", "asignad", "atribuid", "assegnat",
		"toegewezen", "behandelaar", "geslotendoor"}, nil, false},
	{HeldLater, "how far the ticket is now", []string{"statut"}, []string{"stand", "zustand", "etat", "estado", "stato"}, false},
	{HeldLater, "tags are added while a ticket is worked on", []string{"schlagwort", "stichwort", "etiquet", "motcle",
		"motscle", "etichett"}, nil, false},
	{HeldDecided, whyDecided, []string{"gruppe", "kategorie", "unterkategorie", "dringlich", "schweregrad", "auswirkung", "abteilung",
		"warteschlange", "fachbereich", "einstufung", "groupe", "souscategorie", "gravite", "fileattente", "filedattente",
		"departement", "equipe", "grupo", "subcategor", "prioridad", "gravedad", "gravidade", "severid", "departament", "equipo", "gruppo",
		"sottocategor", "urgenza", "gravita", "dipartiment", "groep", "afdeling", "wachtrij"}, []string{"typ", "art", "tipo", "cola", "fila",
		"coda", "bereich", "fachgruppe", "squadra"}, false},
	{HeldPerson, whyCustomer, []string{"kundenname", "kundennummer", "kundennr", "kundenid", "kundenmail", "kundenemail", "melder",
		"gemeldetvon", "meldende", "erstelltvon", "ersteller", "absender", "ansprechpartner", "vorname", "nachname", "benutzer",
		"anrufer", "auftraggeber", "empfanger", "empfaenger", "anschrift", "adre", "strasse", "telefon", "demandeur", "prenom",
		"courriel", "telephone", "expediteur", "auteur", "utilisateur", "creepar", "solicitante", "apellido", "correo", "direccion",
		"usuario", "remitente", "creadopor", "criadopor", "endereco", "richiedente", "cognome", "indirizzo", "mittente", "utente",
		"aanvrager", "voornaam", "achternaam", "telefoon", "gebruiker"}, []string{"kunde", "firma", "plz", "ort", "nom", "nomduclient",
		"societe", "entreprise", "nombre", "cliente", "empresa", "nome", "azienda", "naam", "klant", "klantnaam", "bedrijf"}, true},
}

// accents are letters with marks, and those without that they are compared as. Combining marks go away: [bare] leaves letters only.
var accents = strings.NewReplacer("ä", "a", "à", "a", "á", "a", "â", "a", "ã", "a", "å", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e",
	"ì", "i", "í", "i", "î", "i", "ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "õ", "o", "ö", "o", "ù", "u", "ú", "u", "û", "u", "ü", "u",
	"ß", "ss", "œ", "oe", "ø", "o")

// Unaccented gives a text in lower case without the marks on its letters, as names of columns and values of scales are compared.
func Unaccented(s string) string { return accents.Replace(strings.ToLower(s)) }
