package merchant

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// CheckShown refuses a text that payers read if it holds the address of a wallet: money would be sent there, past the
// payment. It fails with fault.Invalid naming the field.
func CheckShown(field, text string) error {
	if chain.HoldsAddress(text) {
		return fault.About(fault.Invalid, field, "must not hold the address of a wallet: customers would send money there, "+
			"and not to the address of their payment")
	}
	return nil
}

// Shown returns what payers read and what differs from before, one line each. Owners are notified of it, and on a
// locked account it waits: who changes it can tell payers to send their money elsewhere.
func (c Custodian) Shown(before Custodian) []string {
	var changes []string
	for _, x := range []struct{ name, old, now string }{
		{"name", before.Name, c.Name},
		{"tagline", before.Branding.Tagline, c.Branding.Tagline},
		{"logo", before.Branding.LogoURL, c.Branding.LogoURL},
		{"website", before.Branding.Website, c.Branding.Website},
		{"e-mail address for questions", before.Branding.SupportEmail, c.Branding.SupportEmail},
		{"name on receipts", before.Branding.LegalName, c.Branding.LegalName},
		{"address on receipts", before.Branding.LegalAddress, c.Branding.LegalAddress},
		{"tax number on receipts", before.Branding.TaxID, c.Branding.TaxID},
	} {
		if x.old != x.now {
			changes = append(changes, x.name+" "+orNone(x.old)+" → "+orNone(x.now))
		}
	}
	return changes
}
