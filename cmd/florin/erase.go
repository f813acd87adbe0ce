package main

import (
	"context"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/store"
)

type erase struct {
	Customer string `help:"E-mail address of the customer." placeholder:"ADDRESS" required:""`
}

// Help returns the text that --help adds to the flags.
func (erase) Help() string {
	return `
Forgets a customer in the payments of every merchant that have the e-mail address, in any case:
the address, the donor's name and message, and the metadata of these payments, also in their
events, in what is still to be delivered, and in what receivers of webhooks answered. In
references, descriptions, return addresses and audit entries the address alone is replaced.
Amounts, deposits and the ledger stay whole. Backups stay as they are, and so do the answers kept
for Idempotency-Key, which are sealed and deleted within a day. It cannot be undone.

Example:

    florin erase --customer ada@example.com
`
}

// Run erases the customer.
func (c erase) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	email := strings.TrimSpace(c.Customer)
	if email == "" {
		return fault.About(fault.Invalid, "customer", "must be an e-mail address")
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		n, err := s.EraseCustomer(ctx, email, audit.Entry{
			At: time.Now(), Actor: "florin erase", Action: audit.ActionErase,
		})
		if err != nil {
			return err
		}
		if n == (store.Erased{}) {
			return fault.New(fault.NotFound, "no payment has the customer %s", email)
		}
		return p.say(
			"The customer is forgotten in %s and %s.", counted(n.Payments, "payment"),
			counted(n.Entries, "audit entry"),
		)
	})
}
