package importer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triagebench/triage/pkg/importer"
)

const german = `Ticketnummer;Betreff;Beschreibung;Kunde;Erstellt am;Priorität;Abteilung;Kanal;Lösung;Bearbeiter;Geschlossen am;Zufriedenheit
1;Rechnung;Die Rechnung ist falsch;K1;01.02.2024;Hoch;Buchhaltung;Telefon;storniert;Müller;02.02.2024;5
2;VPN;Es geht nicht;K2;02.02.2024;Niedrig;Netzwerk;E-Mail;neu gestartet;Meier;03.02.2024;1
`

func TestWhatWasKnownLaterIsHeldBackInGermanToo(t *testing.T) {
	t.Parallel()
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", german)}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Kanal"}, res.Labels.Shown); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	want := `{"schema":"triage.tickets/1","source":"csv","labels":{"priority":{"ordered":true,"values":["Niedrig","Hoch"]},"route":{"ordered":false,"values":["Buchhaltung","Netzwerk"]}},"redacted":false}
{"id":"1","subject":"Rechnung","body":"Die Rechnung ist falsch","created":"2024-02-01T00:00:00Z","labels":{"priority":"Hoch","route":"Buchhaltung"},"fields":{"Kanal":"Telefon"}}
{"id":"2","subject":"VPN","body":"Es geht nicht","created":"2024-02-02T00:00:00Z","labels":{"priority":"Niedrig","route":"Netzwerk"},"fields":{"Kanal":"E-Mail"}}
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestCellsBeyondTheHeaderNeverReachAnAgent(t *testing.T) {
	t.Parallel()
	rows := "id,body,,route\n1,it broke,x,a\n2,it broke, after lunch,y,b,fixed by restart\n"
	out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", rows)}})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Labels.Shown) > 0 || strings.Contains(out, "restart") {
		t.Errorf("shown are %q; the file is\n%s", res.Labels.Shown, out)
	}
	out, _, err = imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", rows)}, Labels: importer.LabelOptions{Show: []string{"column 3"}}})
	if err != nil || !strings.Contains(out, `"fields":{"column 3":"x"}`) {
		t.Errorf("with --show: %v\n%s", err, out)
	}
}

func TestTheOrderOfDayAndMonthCanBeSaid(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]string{"": "2024-03-04", importer.MonthFirst: "2024-03-04", importer.DayFirst: "2024-04-03"} {
		for name, text := range map[string]string{"a.csv": "id,body,created,route\n1,a,03/04/2024,x\n", "a.jsonl": `{"id":"1","body":"a","created":"03/04/2024","route":"x"}`} {
			out, res, err := imported(t, importer.Options{Sources: []importer.Source{memory(name, text)}, Dates: order})
			if err != nil || !strings.Contains(out, `"created":"`+want) {
				t.Errorf("%s, order %q: %v\n%s", name, order, err, out)
				continue
			}
			if doubt := strings.Contains(strings.Join(res.Warnings, "\n"), "nothing tells day from month"); doubt != (order == "") {
				t.Errorf("%s, order %q: warnings are %q", name, order, res.Warnings)
			}
		}
	}
}

func TestAnExportWithoutBodiesSaysSo(t *testing.T) {
	t.Parallel()
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}})
	if err != nil || !strings.Contains(strings.Join(res.Warnings, "\n"), "4 of 4 tickets have no body") {
		t.Errorf("%v, warnings are %q", err, res.Warnings)
	}
}

func TestAPartOfGitHubsMembersIsGitHub(t *testing.T) {
	t.Parallel()
	text := `[{"number":1,"title":"It broke","body":null,"state":"closed","labels":[{"name":"P1"}],"user":{"login":"u"},"created_at":"2024-01-01T00:00:00Z"}]`
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.json", text)}})
	if err != nil || res.Format != "github-json" {
		t.Errorf("%v, read as %+v", err, res)
	}
}

func TestAFileOfTicketsIsNotImportedAgain(t *testing.T) {
	t.Parallel()
	text, _, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", desk)}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = imported(t, importer.Options{Sources: []importer.Source{memory("t.jsonl", text)}})
	if err == nil || !strings.Contains(err.Error(), "t.jsonl: it is a file of tickets already") {
		t.Errorf("error is %v", err)
	}
}

func TestADraftWithoutALabelIsAMappingThatCanBeEdited(t *testing.T) {
	t.Parallel()
	rows := "id,body,Lane,requester_domain\n" + strings.Repeat("1,it broke,fast,a.example\n2,it burns,slow,b.example\n", 10)
	draft, err := importer.Draft(t.Context(), importer.Options{Sources: []importer.Source{memory("a.csv", rows)}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := string(draft)
	if strings.Contains(text, `"requesterdomain"`) || !strings.Contains(text, "  # \"lane\":\n") {
		t.Errorf("draft is\n%s", text)
	}
	if _, err := importer.ReadMapping(strings.NewReader(text), "d.yaml"); err != nil {
		t.Errorf("as it stands: %v\n%s", err, text)
	}
	edited := strings.NewReplacer("  # \"", "  \"", "  #   ", "    ").Replace(text)
	m, err := importer.ReadMapping(strings.NewReader(edited), "d.yaml")
	if err != nil || m.Labels["lane"].Column != "Lane" {
		t.Errorf("edited: %v, %+v\n%s", err, m, edited)
	}
}

func TestSharesOfLabelsCountOnlyWhatWasWritten(t *testing.T) {
	t.Parallel()
	rows := "id,body,priority,team\n1,a,low,x\n2,b,,\n3,c,,\n4,d,,\n5,e,,y\n"
	_, res, err := imported(t, importer.Options{Sources: []importer.Source{memory("a.csv", rows)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range res.Labels.Labels {
		n := l.Missing
		for _, v := range l.Values {
			n += v.Count
		}
		if n != res.Tickets {
			t.Errorf("label %s: %d tickets with and without it, of %d", l.Name, n, res.Tickets)
		}
	}
}
