package main

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/store"
)

type migrate struct {
	Plan bool `help:"Say what would be done, and which servers may serve meanwhile; change nothing."`
}

// Help returns the text that --help adds to the flags.
func (migrate) Help() string {
	return `
Applies the missing migrations to the database of FLORIN_DATABASE_URL. Every other
command that uses the database does so too when it starts; use this one to migrate
before a new version takes over. Servers of the version before go on serving unless
--plan says otherwise. There is no way back: make a backup first.

Examples:

    florin migrate --plan
    florin migrate
`
}

// Run migrates.
func (m migrate) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	if !m.Plan {
		return p.withStore(ctx, cfg, func(*store.Store) error { return p.say("The database is up to date.") })
	}
	sealer, err := cfg.Sealer()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.DatabaseURL.Reveal(), sealer, store.Options{Log: app.NewLogger(cfg)})
	if err != nil {
		return err
	}
	schema, err := s.Schema(ctx)
	if err == nil {
		err = schema.Check()
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return err
	}
	return p.say("%s", schema.Plan())
}
