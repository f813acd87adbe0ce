package main

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/store"
)

type verifyLedger struct{}

// Help returns the text that --help adds to the flags.
func (verifyLedger) Help() string {
	return `
Verifies the ledger of credits and queries: every balance must be the sum of
its entries, all accounts together must be zero, and every start of a payment
must be paid for once. Each difference is named, one a line, and the exit status
is 1 if there is any. It changes nothing.

Example:

    florin verify-ledger
`
}

// Run checks the ledger.
func (verifyLedger) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		entries, differences, err := s.VerifyLedger(ctx)
		if err != nil {
			return err
		}
		for _, text := range differences {
			if err := p.say("%s", text); err != nil {
				return err
			}
		}
		if len(differences) > 0 {
			return fmt.Errorf(
				"%s in a ledger of %s", counted(len(differences), "difference"), counted(entries, "entry"),
			)
		}
		return p.say("The ledger of %s has no differences.", counted(entries, "entry"))
	})
}
