package main

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

type creditGrant struct {
	Email   string `help:"E-mail address of the user the key belongs to."               placeholder:"ADDRESS" required:""`
	Key     string `help:"Id of the key; may be left out if the user has a single one." placeholder:"ID"`
	Credits int64  `help:"Credits to give."                                             placeholder:"N"`
	Queries int64  `help:"Queries to give."                                             placeholder:"N"`
	JSON    bool   `help:"Print JSON: id, creditsLeft, queriesLeft."                    name:"json"`
}

// Help returns what --help says beyond the flags.
func (creditGrant) Help() string {
	return `
The grant is an entry of the ledger and of the audit log of the key's owner.

Example:

    florin credit grant --email ada@example.com --credits 100
`
}

// Run posts the grant.
func (c creditGrant) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withUsers(ctx, cfg, func(users *identity.Service, merchants *merchant.Service) error {
		key, err := c.find(ctx, users, merchants)
		if err != nil {
			return err
		}
		grant := merchant.Grant{Credits: c.Credits, Queries: c.Queries}
		left, err := merchants.Grant(ctx, key, grant, audit.Act{Who: "florin credit grant", At: app.Now()})
		if err != nil {
			return err
		}
		if !c.JSON {
			return p.say("The key %s has %d credits and %d queries now.", key.PublicID, left.Credits, left.Queries)
		}
		return p.sayJSON(struct {
			ID          string `json:"id"`
			CreditsLeft int64  `json:"creditsLeft"`
			QueriesLeft int64  `json:"queriesLeft"`
		}{key.PublicID, left.Credits, left.Queries})
	})
}

// find returns the key of the user that the flags name.
func (c creditGrant) find(
	ctx context.Context, users *identity.Service, merchants *merchant.Service,
) (merchant.Key, error) {
	user, err := users.UserByEmail(ctx, c.Email)
	if errors.Is(err, identity.ErrUnknownUser) {
		return merchant.Key{}, fault.New(fault.NotFound, "there is no user with the e-mail address %s", c.Email)
	}
	if err != nil {
		return merchant.Key{}, err
	}
	keys, err := merchants.EveryKey(ctx, user.ID)
	if err != nil {
		return merchant.Key{}, err
	}
	var found []merchant.Key
	for _, k := range keys {
		if k.PublicID == c.Key || c.Key == "" && k.RevokedAt.IsZero() {
			found = append(found, k)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case c.Key != "":
		return merchant.Key{}, fault.New(fault.NotFound, "%s has no API key with the id %s", c.Email, c.Key)
	case len(found) == 0:
		return merchant.Key{}, fault.New(fault.NotFound, "%s has no API key; make one with `florin key create`", c.Email)
	}
	return merchant.Key{}, fault.New(fault.Invalid, "%s has %d API keys: say which with --key", c.Email, len(found))
}
