package redact

// stopWords are capitalised words that are no part of a name where a clue for one stands before them: those that begin
// sentences, name teams and roles, products and parts of them, days and months.
var stopWords = set(`
	the this that these those there here it its i my mine we our ours you your yours he she they their them his her me us who whom whose which
	a an and or but if so as at by for from in into of on onto to up with without within about above after again all also any anyone anybody are
	am is was were be been being can cannot could did do does done had has have how just let may might must no nor not now off once one only
	out over own please same shall should since some somebody someone still such than then though thus too until upon very via want what when
	where whether while why will would yes yet ever every everyone everybody everything folks guys team teams all both two three
	hi hello hey dear thanks thank regards best kind cheers sincerely greetings good morning afternoon evening day night today tomorrow yesterday
	sorry welcome hope ok okay great sure need help urgent important asap fyi re fwd fw question issue problem request error bug feature update
	sir madam madame sirs gentlemen ladies herren damen alle zusammen leute liebes liebe lieber sehr geehrte geehrter team-members colleagues friend friends mate
	buddy man dude there again support service services customer customers client clients care desk helpdesk sales billing admin administrator
	admins office department dept group manager management hr it finance accounts account accounting payroll operations ops engineering product
	products marketing legal security staff crew company inc llc ltd gmbh ag corp corporation bank shop store user users member members owner
	agent agents bot system server webmaster postmaster noreply no-reply info contact mail email e-mail message messages notification
	notifications unassigned unknown none nobody n/a null undefined anonymous guest test tester demo example root default deleted former
	world internet web app application website site portal platform cloud online windows linux mac macos android ios iphone ipad chrome firefox safari
	edge explorer outlook office excel word powerpoint google gmail microsoft apple amazon facebook slack zoom github gitlab jira zendesk freshdesk
	servicenow salesforce stripe paypal sap oracle java python api sdk url http https pdf csv html json xml sql vpn wifi usb sms
	monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
	mon tue wed thu fri sat sun feb mar apr jun jul aug sep sept oct nov dec montag dienstag mittwoch donnerstag freitag samstag sonntag
	januar februar märz mai juni juli oktober dezember
	ich wir sie er es ihr mein meine unser unsere der die das ein eine ist sind hat haben kann können bitte danke leider seit nach vor mit ohne wie was
	wer wo wann warum hallo guten tag morgen abend kundenservice kundendienst mitarbeiter abteilung vertrieb buchhaltung hilfe
	je nous vous il elle ils elles le la les un une des mon ma mes notre votre bonjour merci équipe service client monsieur messieurs mesdames tous toutes
	el los las una mi mis su nuestro equipo servicio cliente hola gracias señores señor señora todos
	sent get got buy western practice friday cheers bye ciao advance much lot everything kindest warm warmest reply attached attachment see
	order invoice ticket case number date subject priority status version build phone tel telephone mobile fax address street city country
	yours truly faithfully respectfully wishes greeting vielen viele freundliche freundlichen grüße gruß beste mit signature original forwarded
	hiring human resources resource chief head director senior junior vice president ceo cto cfo coo software developer engineer analyst consultant
	like well looking waiting hoping having trying working using called name names named password login log error failed failure
	more less most new old first last next previous whoever quick following currently recently regarding concerning`)
