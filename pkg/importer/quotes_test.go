package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestQuotedMailsAreSplitOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, want string
		forward  bool
	}{
		"English":                    {in: "It fails.\n\nOn Mon, May 6, 2024 at 10:11 AM Desk <a@b.example> wrote:\n\n> Hello\n> there\n", want: "It fails."},
		"wrapped over lines":         {in: "It fails.\n\nOn Mon, May 6, 2024 at 10:11 AM Desk\n<a@b.example>\nwrote:\n> Hello", want: "It fails."},
		"no marks":                   {in: "It fails.\n\nOn 6 May 2024, at 10:11, Desk wrote:\n\nHello there", want: "It fails."},
		"German":                     {in: "Es geht nicht.\n\nAm 06.05.24 um 10:11 schrieb Desk <a@b.example>:\n\nHallo", want: "Es geht nicht."},
		"French":                     {in: "Ça ne marche pas.\n\nLe lun. 6 mai 2024 à 10:11, Desk <a@b.example> a écrit\u00a0:\n\nBonjour", want: "Ça ne marche pas."},
		"Spanish":                    {in: "No funciona.\n\nEl lun, 6 may 2024 a las 10:11, Desk (<a@b.example>) escribió:\n\nHola", want: "No funciona."},
		"a name only, with marks":    {in: "Max schrieb:\n> Hallo\n\nEs geht nicht.", want: "Es geht nicht."},
		"answers between":            {in: "> Which version?\n2.1\n\n> Since when?\n\nMonday", want: "2.1\n\nMonday"},
		"Outlook":                    {in: "Down.\n\n________________________________\nFrom: A <a@b.example>\nSent: Monday\nTo: C\nSubject: D\n\nold", want: "Down."},
		"Outlook, German":            {in: "Kaputt.\r\n\r\n*Von:* A\r\n*Gesendet:* Montag\r\n*An:* C\r\n*Betreff:* D\r\n\r\nalt", want: "Kaputt."},
		"Outlook, French":            {in: "Panne.\n\nDe : A\nEnvoyé : lundi\nÀ : C\nObjet : D\n\nvieux", want: "Panne."},
		"Outlook, Spanish":           {in: "Roto.\n\nDe: A\nEnviado el: lunes\nPara: C\nAsunto: D\n\nviejo", want: "Roto."},
		"original message":           {in: "Down.\n-----Original Message-----\nold", want: "Down."},
		"original message, German":   {in: "Aus.\n-----Ursprüngliche Nachricht-----\nalt", want: "Aus."},
		"original message, French":   {in: "Fin.\n-----Message d'origine-----\nvieux", want: "Fin."},
		"original message, Spanish":  {in: "Fin.\n-----Mensaje original-----\nviejo", want: "Fin."},
		"a forward stays":            {in: "See below.\n\n---------- Forwarded message ---------\nFrom: A\nDate: Monday\nSubject: S\nTo: B\n\nold", want: "See below.\n\n---------- Forwarded message ---------\nFrom: A\nDate: Monday\nSubject: S\nTo: B\n\nold"},
		"a thread in a forward":      {in: "See.\n\nBegin forwarded message:\n\nFrom: A\nDate: Monday\nSubject: S\nTo: B\n\nold\n\nOn 6 May 2024, at 10:11, C wrote:\n> older", want: "See.\n\nBegin forwarded message:\n\nFrom: A\nDate: Monday\nSubject: S\nTo: B\n\nold"},
		"Gmail's forward is quoted":  {in: "See.\n\n> ---------- Forwarded message ---------\n> From: A\n>\n> old", want: "See.\n\n---------- Forwarded message ---------\nFrom: A\n\nold"},
		"Outlook's forward":          {in: "See.\n\nFrom: A\nSent: Monday\nTo: C\nSubject: D\n\nold\n\nFrom: E\nSent: Sunday\nTo: A\nSubject: D\n\nolder", want: "See.\n\nFrom: A\nSent: Monday\nTo: C\nSubject: D\n\nold", forward: true},
		"nothing of one's own":       {in: "\n> only\n> quoted\n", want: "\n> only\n> quoted\n"},
		"no quotation":               {in: "On 3 May at 10:00 I called.\n\nFrom: Berlin\nTo: Rome\nDate: 3 May\n  5 > 4  \n", want: "On 3 May at 10:00 I called.\n\nFrom: Berlin\nTo: Rome\nDate: 3 May\n  5 > 4  \n"},
		"a sentence that looks like": {in: "On Monday he wrote:\nit is done", want: "On Monday he wrote:\nit is done"},
		"nothing":                    {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, ownText(c.in, c.forward)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.in, diff)
			}
		})
	}
}
