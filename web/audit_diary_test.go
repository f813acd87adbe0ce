package web

import (
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

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
