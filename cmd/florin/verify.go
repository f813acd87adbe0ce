package main

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/store"
)

type verifyLedger struct {
	SinceLast bool `help:"Read only what came after the last check, which takes as long as there is news."`
}

// Help returns the text that --help adds to the flags.
func (verifyLedger) Help() string {
	return `
Verifies the ledger of credits and queries: every balance must be the sum of
its entries, all accounts together must be zero, and every start of a payment
must be paid for once. Each difference is named, one a line, and the exit status
is 1 if there is any. It changes nothing of what it verifies.

--since-last goes on from the last check: of the last run with --since-last, or of
the server, which makes one every six hours where metrics are served. All
balances are compared, and of entries, starts and sales those since then are
read. Entries are append-only; only the whole check shows whether somebody has
changed old ones behind Florin's back.

Examples:

    florin verify-ledger
    florin verify-ledger --since-last
`
}

// Run checks the ledger.
func (c verifyLedger) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		if c.SinceLast {
			return verifySinceLast(ctx, p, s)
		}
		entries, differences, err := s.VerifyLedger(ctx)
		if err != nil {
			return err
		}
		if err := p.sayAll(differences); err != nil {
			return err
		}
		if len(differences) > 0 {
			return fmt.Errorf(
				"%s in a ledger of %s", counted(len(differences), "difference"), counted(entries, "entry"),
			)
		}
		return p.say("The ledger of %s has no differences.", counted(entries, "entry"))
	})
}

// verifySinceLast checks what came after the last check.
func verifySinceLast(ctx context.Context, p *process, s *store.Store) error {
	r, err := s.VerifyNews(ctx, app.Now())
	if err != nil {
		return err
	}
	if err := p.sayAll(r.Differences); err != nil {
		return err
	}
	since := "the beginning"
	if !r.Since.IsZero() {
		since = r.Since.UTC().Format(time.RFC3339)
	}
	if n := len(r.Differences); n > 0 {
		return fmt.Errorf("%s in the ledger, of which %s since %s were read",
			counted(n, "difference"), counted(r.Entries, "entry"), since)
	}
	return p.say("The ledger has no differences. Since %s it has %s more.", since, counted(r.Entries, "entry"))
}

// sayAll prints each text on a line of its own.
func (p *process) sayAll(texts []string) error {
	for _, text := range texts {
		if err := p.say("%s", text); err != nil {
			return err
		}
	}
	return nil
}
