package main

import (
	"context"

	"github.com/florinpay/florin/internal/store"
)

type migrate struct{}

// Help returns the text that --help adds to the flags.
func (migrate) Help() string {
	return `
Applies the missing migrations to the database of FLORIN_DATABASE_URL. Every other
command that uses the database does so too when it starts; use this one to migrate
before a new version takes over. There is no way back: make a backup first.

Example:

    florin migrate
`
}

// Run migrates.
func (migrate) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(*store.Store) error { return p.say("The database is up to date.") })
}
