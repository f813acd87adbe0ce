package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	return p.say("%s", plan(schema))
}

// plan says what a migration would do.
func plan(s store.Schema) string {
	if len(s.Missing) == 0 {
		if s.Applied > s.Known {
			return "Nothing to do: a newer version has migrated the database, and this one can use it."
		}
		return "Nothing to do: the database is up to date."
	}
	var out strings.Builder
	stop := false
	for _, step := range s.Missing {
		fmt.Fprintf(&out, "%s  %s\n", step.Name, strings.TrimSuffix(step.Reason, "."))
		stop = stop || step.Needs > s.Applied
	}
	switch {
	case s.Applied == "":
		out.WriteString("The database is empty: no server uses it yet.")
	case stop:
		fmt.Fprintf(&out, "Servers of versions that know the schema %s, and nothing newer, cannot use the database "+
			"afterwards: stop them first, or upgrade to the versions in between, one after the other.", s.Applied)
	default:
		fmt.Fprintf(&out, "Servers of versions that know the schema %s go on serving. Run `florin migrate`, then replace "+
			"one server after the other.", s.Applied)
	}
	return out.String()
}
