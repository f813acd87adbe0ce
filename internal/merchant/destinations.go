package merchant

import "github.com/florinpay/florin/internal/chain"

// WalletChanges says, a line each, which settlement wallets differ from those
// of the custodian before.
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

// Destinations says, a line each, what differs from the custodian before of
// settlement wallets and the callback URL. Owners are notified of it.
func (c Custodian) Destinations(before Custodian) []string {
	changes := c.WalletChanges(before)
	if before.CallbackURL != c.CallbackURL {
		changes = append(changes, "callback "+orNone(before.CallbackURL)+" → "+orNone(c.CallbackURL))
	}
	return changes
}

// SharedSecret says, in at most one line, what became of the secret that
// webhooks carry, and never the secret itself. Owners are notified of it.
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
