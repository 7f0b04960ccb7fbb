package redact

import "strings"

// cue says what a word tells of the number or value after it.
type cue uint8

const (
	cueNone cue = iota
	cuePhone
	cueCard
	cueAccount
	cueNational
	cueIP
	cueOther   // an order, an invoice, an error: a number that triage needs
	cueVersion // a version
	cuePassword
	cueToken
	cueCode   // a PIN or a one-time code
	cueBearer // a header that a token follows at once
	cueLink   // a word between a cue and its number: number, is, no
)

// cueWords are the words of each cue.
var cueWords = func() map[string]cue {
	m := map[string]cue{}
	for q, words := range map[cue]string{
		cuePhone: `phone phones tel telephone mobile cell cellphone fax whatsapp telefon telefonnummer handy handynummer mobil mobilnummer rufnummer
			téléphone portable teléfono móvil telefono cellulare call reach ring dial sms text hotline callback phonenumber phone_number`,
		cueCard: "card cards visa mastercard amex maestro creditcard kreditkarte kreditkartennummer karte kartennummer carte tarjeta cardnumber card_number pan cc",
		cueAccount: `account acct konto kontonummer kontonr iban routing aba bsb blz kundennummer kundennr kundenkonto mitgliedsnummer membership
			policy compte cuenta conto rekening rekeningnummer accountnumber account_number account_id accountid customer_id customerid sortcode vertragskonto`,
		cueNational: `ssn nino passport reisepass passnummer personalausweis ausweisnummer dni nie nif cpf bsn insee aadhaar sozialversicherungsnummer
			steuernummer steuerid identifikationsnummer passeport pasaporte burgerservicenummer sin`,
		cueIP: "ip ips ipv4 ipv6 host dns gateway ping subnet address adresse",
		cueOther: `order orders invoice invoices ticket tickets case reference ref tracking shipment parcel serial part sku item model product error code errors
			status request job build bestellung bestellnummer auftrag auftragsnummer rechnung rechnungsnummer sendung sendungsnummer artikel artikelnummer
			isbn ean upc asin imei mac issue bug pr commit line row rows id ids uuid hash batch lot po quote transaction commande factura pedido incident
			seriennummer vorgang vorgangsnummer fehler fehlercode event page section chapter room port size amount total price port step transactions records`,
		cueVersion:  "version versions ver v release firmware driver update updated upgrade upgraded app chrome firefox safari android ios windows macos kernel sdk",
		cuePassword: "password passwords passwd pwd passphrase passwort kennwort pw contraseña senha wachtwoord passcode db_password user_password pass userpassword",
		cueToken: `token secret apikey api_key accesstoken access_token refresh_token refreshtoken client_secret clientsecret secret_key secretkey secret_access_key
			aws_secret_access_key accountkey sharedaccesskey access_key accesskey private_key auth_token authtoken session_token sessionid session_id sessid
			phpsessid jsessionid csrf sig signature jwt credential credentials api_token apitoken id_token webhook_secret signing_secret encryption_key
			x-api-key license_key cookie`,
		cueCode:   "pin otp cvv cvc cvv2 tan mfa totp",
		cueBearer: "bearer basic",
		cueLink: `number numbers no nr num nummer numéro número numero is was are ist lautet est me us my our the a at on to under back new old correct following
			unter bei of for and with mine his her um anytime directly please new ending in number's # their unter wie by via your`,
	} {
		for _, w := range strings.Fields(words) {
			if _, twice := m[w]; !twice || q != cueLink {
				m[w] = q
			}
		}
	}
	return m
}()

// namesNumber are links that say that the number of what the cue names follows.
var namesNumber = set("number no nr num nummer numéro número numero")

// cuePairs are cues of two words, under the second.
var cuePairs = map[string]map[string]cue{
	"key": {"api": cueToken, "access": cueToken, "secret": cueToken, "private": cueToken, "license": cueToken, "licence": cueToken, "product": cueToken,
		"activation": cueToken, "auth": cueToken, "encryption": cueToken, "signing": cueToken, "serial": cueToken, "recovery": cueToken},
	"code": {"security": cueCode, "verification": cueCode, "confirmation": cueCode, "one-time": cueCode, "time": cueCode, "2fa": cueCode, "auth": cueCode,
		"authentication": cueCode, "access": cueCode, "login": cueCode, "pin": cueCode, "sms": cueCode, "sort": cueAccount},
	"number": {"customer": cueAccount, "client": cueAccount, "member": cueAccount, "insurance": cueNational, "security": cueNational,
		"driving": cueNational, "licence": cueNational},
	"no":     {"customer": cueAccount, "client": cueAccount, "member": cueAccount},
	"id":     {"customer": cueAccount, "client": cueAccount, "member": cueAccount, "account": cueAccount, "national": cueNational, "tax": cueNational, "steuer": cueNational},
	"passe":  {"de": cuePassword},
	"phrase": {"seed": cuePassword, "pass": cuePassword},
}

// cueOf gives what a word says of what follows it, after the word before.
func cueOf(w, previous string) cue {
	if w == "" {
		return cueNone
	}
	if q, ok := cuePairs[w][previous]; ok {
		return q
	}
	if q, ok := cueWords[w]; ok {
		return q
	}
	if k := strings.LastIndexByte(w, '_'); k > 0 { // DB_PASSWORD, stripe_token
		switch q := cueWords[w[k+1:]]; q {
		case cuePassword, cueToken:
			return q
		default:
			if w[k+1:] == "key" || w[k+1:] == "pass" {
				return cueToken
			}
		}
	}
	return cueNone
}

var (
	greetings = phrases(`hi|hello|hey|dear|hiya|howdy|greetings|hi there|hello there|good morning|good afternoon|good evening|good day|morning|hallo|liebe|lieber|liebes|
		guten tag|guten morgen|guten abend|moin|servus|grüß gott|sehr geehrte|sehr geehrter|sehr geehrtes|bonjour|bonsoir|salut|cher|chère|hola|buenos días|buenas tardes|
		estimado|estimada|querido|querida|ciao|gentile|buongiorno|beste|geachte|olá|caro|cara|prezado|prezada|dag|hej|hei|kære|to|attn|attention`)
	closingPhrases = phrases(`best regards|kind regards|warm regards|with kind regards|with best regards|regards|best|best wishes|all the best|thanks|thank you|thanks a lot|
		many thanks|thanks again|thanks in advance|thank you in advance|thank you very much|thanks and regards|thanks so much|thank you so much|cheers|sincerely|sincerely yours|
		yours|yours sincerely|yours truly|yours faithfully|respectfully|cordially|kindest regards|warmly|thx|ta|br|kr|rgds|take care|love|signed|
		mit freundlichen grüßen|mit freundlichen grüssen|mit freundlichem gruß|mit besten grüßen|mfg|viele grüße|viele grüsse|liebe grüße|beste grüße|schöne grüße|freundliche grüße|
		herzliche grüße|lg|vg|gruß|grüße|danke|vielen dank|danke und gruß|cordialement|bien cordialement|bien à vous|merci|merci d|salutations|saludos|un saludo|atentamente|
		gracias|muchas gracias|cordiales saludos|cordiali saluti|distinti saluti|saluti|grazie|met vriendelijke groet|vriendelijke groeten|groeten|groetjes|atenciosamente|
		obrigado|obrigada|mvh|med vänliga hälsningar|vänliga hälsningar|venlig hilsen|sent by`)
	closings = set("thanks regards cheers best sincerely grüße gruß thx mfg saludos cordialement merci danke you yours wishes lg vg groeten saluti")
	labels   = phrases(`from|to|cc|bcc|name|full name|first name|last name|customer|customer name|contact|contact name|contact person|requester|requester name|reporter|
		assignee|attn|attention|signed|sender|recipient|cardholder|card holder|cardholder name|account holder|employee|employee name|guest|guest name|passenger|patient|manager|
		agent|owner|caller|user name|user|von|an|kunde|ansprechpartner|vorname|nachname|kontoinhaber|absender|empfänger|nom|prénom|de|à|nombre|apellido|nome|cognome|submitted by|
		reported by|created by|opened by|ship to|bill to|deliver to|delivered to|kind attention|sent by|ordered by|booked by`)
	titles = set("mr mrs ms miss mx dr prof herr herrn frau mme mlle señor señora sr sra signor signora sig dott doctor professor mevr dhr sir monsieur madame")
	// begins are words that begin what follows a greeting without a comma.
	begins = set(`i my we our the this can could please when since after is it thanks thank just how why what there you your hope im i'm ich wir mein unser leider seit bitte
		kann je nous mon hope hoping do does did would will are have has in on an a for not need as with quick`)
)

// phrases makes a set of phrases that bars separate.
func phrases(text string) map[string]bool {
	m := map[string]bool{}
	for p := range strings.SplitSeq(text, "|") {
		m[strings.Join(strings.Fields(p), " ")] = true
	}
	return m
}
