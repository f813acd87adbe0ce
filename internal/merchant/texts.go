package merchant

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
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
	for _, x := range []struct {
		name     mail.Words
		old, now string
	}{
		{mail.T("name"), before.Name, c.Name},
		{mail.T("tagline"), before.Branding.Tagline, c.Branding.Tagline},
		{mail.T("logo"), before.Branding.LogoURL, c.Branding.LogoURL},
		{mail.T("website"), before.Branding.Website, c.Branding.Website},
		{mail.T("e-mail address for questions"), before.Branding.SupportEmail, c.Branding.SupportEmail},
		{mail.T("name on receipts"), before.Branding.LegalName, c.Branding.LegalName},
		{mail.T("address on receipts"), before.Branding.LegalAddress, c.Branding.LegalAddress},
		{mail.T("tax number on receipts"), before.Branding.TaxID, c.Branding.TaxID},
	} {
		if x.old != x.now {
			changes = append(changes, Changed(x.name, x.old, x.now))
		}
	}
	return changes
}
