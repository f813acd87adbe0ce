package merchant

import (
	"cmp"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/mail"
)

// Changed says what is different from before, for mails, the audit log and pages (mail.Said). An empty text is
// none.
func Changed(what mail.Words, before, after string) string {
	return mail.T("{{.What}}: {{.Before}} → {{.After}}", "What", what,
		"Before", cmp.Or(before, none), "After", cmp.Or(after, none)).Kept()
}

// none is said of a setting without a value.
var none = mail.T("none").Kept()

// WalletChanges returns the settlement wallets that differ from before, one line
// each.
func (c Custodian) WalletChanges(before Custodian) []string {
	var changes []string
	for _, n := range chain.Networks() {
		if before.Wallets[n] != c.Wallets[n] {
			changes = append(changes, mail.T("{{.What}}: {{.Before}} → {{.After}}", "What", n.Name(),
				"Before", cmp.Or(string(before.Wallets[n]), none), "After", cmp.Or(string(c.Wallets[n]), none)).Kept())
		}
	}
	return changes
}

// Destinations returns the settlement wallets and the callback URL that differ
// from before, one line each. Owners are notified of them.
func (c Custodian) Destinations(before Custodian) []string {
	changes := c.WalletChanges(before)
	if before.CallbackURL != c.CallbackURL {
		changes = append(changes, Changed(mail.T("callback"), before.CallbackURL, c.CallbackURL))
	}
	return changes
}

// SharedSecret says in at most one line whether the secret that webhooks carry was
// set, removed or replaced, never the secret itself. Owners are notified of it.
func (c Custodian) SharedSecret(before Custodian) []string {
	switch {
	case c.Secret.Equal(before.Secret):
		return nil
	case before.Secret.Empty():
		return []string{mail.T("shared secret: it was set").Kept()}
	case c.Secret.Empty():
		return []string{mail.T("shared secret: it was removed").Kept()}
	}
	return []string{mail.T("shared secret: it was replaced").Kept()}
}
