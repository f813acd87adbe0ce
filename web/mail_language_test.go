package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
)

// TestMailLanguage: what is chosen before signing up is the user's language, of the mails that they get, too. A mail of
// which a language lacks a text is English whole.
// It runs alone: one language lacks everything but a name meanwhile.
func TestMailLanguage(t *testing.T) { //nolint:paralleltest // see above
	t.Cleanup(views.Replace("tr", []byte(`{"An API key was revoked": "Bir API anahtarı iptal edildi"}`)))
	b := verifying(t)
	s := b.surfer()
	s.get("/signup?lang=de").wants(t, 200, `lang="de"`, `href="/signup?lang=tr"`)
	s.post("/signup", "email", ownerEmail, "password", testPassword).wants(t, 200, `lang="de"`)
	_, token := b.linkTo(t, ownerEmail, verifyLink)
	b.newestMail(t, "Registrierung abschließen", "Öffnen Sie diesen Link", "/verify?token=")
	s.post("/verify", "token", token, "password", testPassword).leads(t, "/dashboard")
	user, err := b.accounts.users.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	if user.Language != "de" {
		t.Fatalf("the user's language is %q", user.Language)
	}
	keys, err := b.accounts.merchants.EveryKey(t.Context(), user.ID)
	must(t, err)
	act := audit.Act{Who: "florin key revoke", At: b.clock.Now()}
	revoke := func(key merchant.Key) { must(t, b.accounts.merchants.RevokeKey(t.Context(), key, true, act)) }
	revoke(keys[0])
	b.newestMail(t, "Ein API-Schlüssel wurde widerrufen", "Der Betreiber dieser Installation", "korrigieren Sie es:")

	path := securityPath + "/language"
	s.get(securityPath).wants(t, 200, `action="`+path+`"`)
	s.post(path, "language", "xx").wants(t, 400)
	s.post(path, "language", "tr").leads(t, securityPath)
	revoke(b.shop(user).key)
	b.newestMail(t, "An API key was revoked", "The operator of this installation", "sign in at once")
}

// TestMailLanguage_Paid: amounts in news are written as the language does.
func TestMailLanguage_Paid(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	s.post("/dashboard/settings/news", "news", "paid").leads(t, "/dashboard/settings/news")
	s.post(securityPath+"/language", "language", "de").leads(t, securityPath)
	p := b.start(b.newPayment(m), "POLYGON")
	b.deposit(p, p.Amount, true)
	b.newestMail(t, "Bezahlt: 49,90\u00a0$ · NL-1042", "Betrag: 49,90\u00a0$\nAngekommen: 49,90\u00a0USDC auf Polygon\nReferenz: NL-1042\n",
		"API-Schlüssel: ", "\n\nZahlung öffnen:\n"+testBaseURL+"/dashboard/payments/"+string(p.ID))
	s.post(securityPath+"/language", "language", "en").leads(t, securityPath)
	p = b.start(b.newPaymentOf(m, "1249.90"), "BEP20")
	b.deposit(p, p.Amount, true)
	b.newestMail(t, "Paid: $1,249.90 · NL-1043", "Amount: $1,249.90\nReceived: 1,249.90\u00a0USDC on BNB Smart Chain (BEP20)\n")
}

// newest fails unless the newest mail to the owner with the subject holds the texts.
func (b dashboardBundle) newestMail(t *testing.T, subject string, texts ...string) {
	t.Helper()
	all := b.mail.all()
	slices.Reverse(all)
	for _, mail := range all {
		if !strings.HasPrefix(mail, ownerEmail+"\n"+subject+"\n") {
			continue
		}
		for _, text := range texts {
			if !strings.Contains(mail, text) {
				t.Errorf("the mail lacks %q:\n%s", text, mail)
			}
		}
		return
	}
	t.Errorf("no mail is called %q: %q", subject, all)
}
