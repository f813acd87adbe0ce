package merchant

import "github.com/florinpay/florin/internal/chain"

// WalletChanges returns the settlement wallets that differ from before, one line
// each.
func (c Custodian) WalletChanges(before Custodian) []string {
	var changes []string
	for _, n := range chain.Networks() {
		if before.Wallets[n] != c.Wallets[n] {
			changes = append(
				changes, string(n)+" "+orNone(string(before.Wallets[n]))+" → "+orNone(string(c.Wallets[n])),
			)
		}
	}
	return changes
}

// Destinations returns the settlement wallets and the callback URL that differ
// from before, one line each. Owners are notified of them.
func (c Custodian) Destinations(before Custodian) []string {
	changes := c.WalletChanges(before)
	if before.CallbackURL != c.CallbackURL {
		changes = append(changes, "callback "+orNone(before.CallbackURL)+" → "+orNone(c.CallbackURL))
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
		return []string{"shared secret: it was set"}
	case c.Secret.Empty():
		return []string{"shared secret: it was removed"}
	}
	return []string{"shared secret: it was replaced"}
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
