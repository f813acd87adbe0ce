package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// oneLog is a database whose audit log refuses separate entries: only those
// written in the transaction of an act are kept.
type oneLog struct{ merchant.Store }

func (o oneLog) UpdateAccount(
	ctx context.Context, id, keyID int64, decide func(merchant.Account) (merchant.Change, error),
) (merchant.Done, error) {
	return o.Store.UpdateAccount(ctx, id, keyID, func(a merchant.Account) (merchant.Change, error) {
		c, err := decide(a)
		if err == nil && keyID == 0 && len(c.Record.Entries) > 0 && fmt.Sprint(c.Account) == fmt.Sprint(a) {
			err = errors.New("the connection broke after the act")
		}
		return c, err
	})
}

// Every act over the API writes its audit entry in its own transaction.
func TestActsWriteAuditEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	must(t, err)
	d := b.server.d
	d.Sealer = sealer
	d.Merchants = newServices(b.store.Identity(), oneLog{
		b.store.Merchant(),
	}, d.Now, identity.Options{}, merchant.Options{
		CheckCallback: func(u string) error { return webhook.CheckURL(u, true) },
	}).merchants
	b.server = New(d, b.server.o)

	token := b.signUp(t, "ada@shop.example")
	as := func(query string) reply { return b.graphQL(query, "", "Authorization", "Bearer "+token) }
	ok := func(r reply, operation string) reply {
		t.Helper()
		if code := r.text(t, "data."+operation+".code"); code != "200" {
			t.Errorf("%s: %s", operation, r.body)
		}
		return r
	}
	made := ok(as(`mutation { UserCreateApiKey(label: "shop", wallet: "`+devWallet+`") { code apiKey { id key } } }`), "UserCreateApiKey")
	id, key := made.text(t, "data.UserCreateApiKey.apiKey.id"), made.text(t, "data.UserCreateApiKey.apiKey.key")
	ok(as(`mutation { UserCreateApiKey { code } }`), "UserCreateApiKey")
	ok(b.graphQL(`mutation { createCustodianAccount(input: {apiKey: "`+key+`", name: "Shop", wallets: {base: "`+merchantWallet+`"}, callbackUrl: "https://shop.example/hook"}) { code } }`, ""), "createCustodianAccount")
	ok(b.graphQL(`mutation { updateCustodianDetails(input: {apiKey: "`+key+`", branding: {tagline: "Hello"}}) { code } }`, ""), "updateCustodianDetails")
	txnid := b.graphQL(`mutation { payment(apiKey: "`+key+`", amount: 5) { transaction { txnid } } }`, "").text(t, "data.payment.transaction.txnid")
	ok(b.graphQL(`mutation { manualMarkAsCompleted(apiKey: "`+key+`", txnid: "`+txnid+`") { code } }`, ""), "manualMarkAsCompleted")
	ok(as(`mutation { UserCreateCreditTopup(apiKeyId: "`+id+`", credits: 20) { code } }`), "UserCreateCreditTopup")
	ok(b.graphQL(`mutation { revokeApiKey(apiKey: "`+key+`", privateKey: "`+devKey+`") { code } }`, ""), "revokeApiKey")
	ok(b.graphQL(`mutation { UserLogin(email: " Ada@Shop.example", password: "correct horse battery staple") { code } }`, ""), "UserLogin")
	ok(as(`mutation { UserLogout { code } }`), "UserLogout")

	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), "ada@shop.example")
	must(t, err)
	entries, err := b.store.Merchant().AuditLog(t.Context(), user.ID, user.ID, 0, 50)
	must(t, err)
	var actions []string
	for _, l := range entries {
		if l.Subject == "" && !slices.Contains(audit.Personal(), l.Action) {
			t.Errorf("it is not said what %q was done to", l.Action)
		}
		whole := map[bool]string{true: ": " + inEnglish(l.Subject+"|"+l.Detail)}
		shown := l.Action == audit.ActionMarkCompleted || l.Action == audit.ActionTopUp
		actions = append(actions, l.Actor+" "+string(l.Action)+whole[shown])
	}
	slices.Reverse(actions)
	mine, api := "ada@shop.example ", "API key "
	want := []string{
		mine + "signed up", mine + "signed in", mine + "created an API key", mine + "created an API key",
		api + "changed settlement wallets", api + "changed the callback address", api + "changed the custodian",
		api + "changed the branding",
		api + "marked a payment as completed: " + txnid + "|shop", mine + "bought credits: shop|20 credits for $1.00",
		api + "rotated an API key",
		mine + "signed in", mine + "signed out",
	}
	if !slices.Equal(actions, want) {
		t.Errorf("the log says\n%s\nwant\n%s", strings.Join(actions, "\n"), strings.Join(want, "\n"))
	}
}

// A repeated key rotation gets the same answer, although the old key no longer
// works; the old key alone is not enough.
func TestRevokeKeyAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newKey(3, 0)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), m.key.Email)
	must(t, err)
	key, text, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{Wallet: devWallet, Credits: 3},
		audit.Act{})
	must(t, err)
	old := text.Reveal()
	revoke := func(apiKey, privateKey string, header ...string) reply {
		return b.graphQL(`mutation { revokeApiKey(apiKey: "`+apiKey+`", privateKey: "`+privateKey+`") { code message newApiKey apiKey { key wallet creditsLeft } } }`, "", header...)
	}
	code := func(what string, r reply, want string) {
		t.Helper()
		if r.text(t, "data.revokeApiKey.code") != want || r.field(t, "data.revokeApiKey.newApiKey") != nil {
			t.Errorf("%s: %s", what, r.body)
		}
	}
	first := revoke(old, devKey, "Idempotency-Key", "rotate-1")
	fresh := first.text(t, "data.revokeApiKey.newApiKey")
	again := revoke(old, devKey, "Idempotency-Key", "rotate-1")
	if first.text(t, "data.revokeApiKey.code") != "200" || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %s\nagain %s", first.body, again.body)
	}
	if balance, err := b.accounts.Balance(t.Context(), key.ID); err != nil || balance.Credits != 2 {
		t.Errorf("%+v are left, %v: it must cost once", balance, err)
	}

	other := strings.Replace(devKey, "ac09", "ac08", 1)
	code("without the header", revoke(old, devKey), "401")
	code("under another header", revoke(old, devKey, "Idempotency-Key", "rotate-2"), "401")
	code("with another private key", revoke(old, other, "Idempotency-Key", "rotate-1"), "401")
	code("without a private key", revoke(old, "", "Idempotency-Key", "rotate-1"), "401")
	code("with a key that never was", revoke("flk_x", devKey, "Idempotency-Key", "rotate-1"), "401")
	if r := b.graphQL(`mutation { payment(apiKey: "`+old+`", amount: 5) { code } }`, "", "Idempotency-Key", "rotate-1"); r.text(t, "data.payment.code") != "401" {
		t.Errorf("another operation: %s", r.body)
	}
	code("the new key under the same header", revoke(fresh, devKey, "Idempotency-Key", "rotate-1"), "422")

	// The old answer names a key that was replaced since, and still says so.
	newest := revoke(fresh, devKey, "Idempotency-Key", "rotate-3").text(t, "data.revokeApiKey.newApiKey")
	if r := revoke(old, devKey, "Idempotency-Key", "rotate-1"); r.body != first.body || newest == fresh {
		t.Errorf("after another replacement: %s", r.body)
	}
	_, err = b.shops().DisableKey(t.Context(), key.ID, b.clock.Now(), audit.Record{})
	must(t, err)
	code("a key that was disabled since", revoke(fresh, devKey, "Idempotency-Key", "rotate-3"), "401")
	if log := b.log.String(); strings.Contains(log, devKey[2:]) || strings.Contains(log, old) ||
		strings.Contains(log, fresh) || strings.Contains(log, newest) {
		t.Error("a secret is in the log")
	}
}

// With a signature it is the same.
func TestRotateWithSignatureAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newKey(1, 0)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), m.key.Email)
	must(t, err)
	_, text, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{Wallet: devWallet, Credits: 1}, audit.Act{})
	must(t, err)
	ask := b.graphQL(`{ rotateApiKeyChallenge(apiKey: "`+text.Reveal()+`") { challenge } }`, "").text(t, "data.rotateApiKeyChallenge.challenge")
	arguments, err := json.Marshal(map[string]string{"k": text.Reveal(), "c": ask, "s": signed(t, devKey, ask)})
	must(t, err)
	rotate := func() reply {
		return b.graphQL(`mutation($k: String!, $c: String!, $s: String!) { rotateApiKeyWithSignature(apiKey: $k, challenge: $c, signature: $s) { code newApiKey } }`,
			string(arguments), "Idempotency-Key", "again")
	}
	if first, again := rotate(), rotate(); first.text(t, "data.rotateApiKeyWithSignature.code") != "200" ||
		again.body != first.body {
		t.Errorf("first %s\nagain %s", first.body, again.body)
	}
}

// TestAuditLog_Actions: each act is said in each language.
func TestAuditLog_Actions(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../internal/audit/audit.go")
	must(t, err)
	actions := regexp.MustCompile(`Action = "(.+)"`).FindAllStringSubmatch(string(source), -1)
	if len(actions) < 80 {
		t.Fatalf("found %d actions", len(actions))
	}
	for _, l := range views.Languages()[1:] {
		locale := views.LocaleFor(l.Tag)
		for _, action := range actions {
			row := session.AuditRow(locale, audit.Entry{Action: audit.Action(action[1])})
			if !locale.Has(row.Action) {
				t.Errorf("%s: %q is said in English", l.Tag, row.Action)
			}
		}
	}
}

// inGerman fails unless each language has the words of all entries, and the page of a user shows the user's in German.
func (d *diary) inGerman(s *surfer, user int64) {
	t := d.b.t
	t.Helper()
	german := views.LocaleFor("de")
	page := html.UnescapeString(s.get("/dashboard/security?lang=de").body)
	shows := func(text string) bool {
		return strings.Contains(page, ">"+text+"<") || strings.Contains(page, "("+text+")")
	}
	for _, id := range d.of {
		entries, err := d.b.store.Merchant().AuditLog(t.Context(), id, id, 0, 500)
		must(t, err)
		for i, e := range entries {
			for _, text := range []string{e.Subject, e.Detail} {
				for _, l := range views.Languages()[1:] {
					if locale := views.LocaleFor(l.Tag); !shell.Knows(locale, mail.Words{Below: text}) {
						t.Errorf("%s lacks words of %q: %q", l.Tag, e.Action, inEnglish(text))
					}
				}
				said, english := shell.Said(german, text), inEnglish(text)
				if id != user || i >= session.PageRows || said == english {
					continue
				}
				if !shows(said) || shows(english) {
					t.Errorf("the page shows %q of %q in English, not %q", english, e.Action, said)
				}
			}
		}
	}
	for _, control := range "\x02\x1f\x03" {
		if strings.ContainsRune(page, control) {
			t.Error("the page shows words that are stored as they are stored")
		}
	}
}

// withoutEntry are the forms that write no audit entry, and why.
var withoutEntry = map[string]string{
	"/dashboard/security/language":       "it changes what its user reads, and nothing else",
	"/signin/passkey/ask":                "it asks, and changes nothing",
	"/forgot":                            "the caller is unknown; the reset itself is written",
	"/dashboard/merchant":                "it only chooses a merchant for the session",
	"/dashboard/payments/:txnid/find":    "it looks",
	"/dashboard/steps":                   "it only hides a card in one browser",
	"/dashboard/webhooks/ping":           "a test, of no payment",
	"/dashboard/security/factor":         "nothing is in force before it is confirmed",
	"/dashboard/security/passkeys/ask":   "it asks, and changes nothing",
	"/dashboard/confirm":                 "it asks, and changes nothing",
	"/dashboard/settings/payouts/lock":   "it needs an authenticator: TestLock reads its entries",
	"/dashboard/settings/payouts/unlock": "it needs a locked account: TestLock reads its entries",
	"/dashboard/changes/:change/stop":    "it needs a locked account: TestLock reads its entries",
	"/dashboard/refunds/:network/relay":  "it passes on what a wallet signed; that the wallet was asked is written",
	"/dashboard/security/verify":         "it mails a link; opening the link is written",
}

const notConfirmed = "failed to confirm who they are: |wrong password"

// diary reads new entries of the audit logs of some users.
type diary struct {
	b      dashboardBundle
	of     []int64
	read   int64
	routes map[string]bool
}

// news returns the entries since the last call, the oldest first.
func (d *diary) news() []string {
	d.b.t.Helper()
	var all []audit.Entry
	for _, id := range d.of {
		list, err := d.b.store.Merchant().AuditLog(d.b.t.Context(), id, id, 0, 500)
		must(d.b.t, err)
		all = append(all, list...)
	}
	slices.SortFunc(all, func(x, y audit.Entry) int { return int(x.ID - y.ID) })
	var entries []string
	for _, a := range all {
		if a.ID > d.read {
			entries = append(entries, a.Actor+" "+string(a.Action)+": "+inEnglish(a.Subject+"|"+a.Detail))
			d.read = a.ID
			if !a.At.Equal(d.b.clock.Now()) {
				d.b.t.Errorf("%q was done at %s", entries[len(entries)-1], a.At)
			}
		}
	}
	return entries
}

// inEnglish is a stored text as the API and people who read English have it.
func inEnglish(text string) string { return mail.Said(text, mail.Words.English) }

// leaves fails unless the request succeeded and added exactly these audit entries.
func (d *diary) leaves(route string, r reply, want ...string) reply {
	d.b.t.Helper()
	d.routes[route] = true
	if r.status >= 400 {
		d.b.t.Fatalf("%s: %d %s", route, r.status, plainText(r.body))
	}
	if got := d.news(); !slices.Equal(got, want) {
		d.b.t.Errorf("%s left\n%s\nwant\n%s", route, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return r
}

// refused fails unless the form was refused and wrote the entries.
func (d *diary) refused(r reply, want ...string) {
	d.b.t.Helper()
	if got := d.news(); r.status < 400 || !slices.Equal(got, want) {
		d.b.t.Errorf("%d left\n%s\nwant\n%s", r.status, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// addresses verifies the owner's address, and changes it to another and back.
func (d *diary) addresses(s *surfer) {
	t, b, me := d.b.t, d.b, ownerEmail+" "
	t.Helper()
	user, err := b.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	must(t, b.accounts.BeginVerification(t.Context(), user))
	_, token := b.linkTo(t, ownerEmail, verifyLink)
	d.leaves("/verify", s.post("/verify", "token", token, "password", testPassword),
		me+"verified the e-mail address: |", me+"signed in: |")
	for _, x := range [][2]string{{ownerEmail, newEmail}, {newEmail, ownerEmail}} {
		d.leaves(emailPath, s.post(emailPath, "email", x[1], "password", testPassword),
			x[0]+" asked for another e-mail address: "+x[1]+"|")
		_, token = b.linkTo(t, x[1], verifyLink)
		d.leaves("/verify", s.post("/verify", "token", token, "password", testPassword),
			x[1]+" changed the e-mail address: "+x[1]+"|before: "+x[0], x[1]+" signed in: |")
	}
}
