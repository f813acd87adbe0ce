package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

type keyCreate struct {
	Email      string   `help:"E-mail address of the user the key is for."                                             placeholder:"ADDRESS" required:""`
	Label      string   `help:"What the key is for, at most 100 characters."                                           placeholder:"TEXT"`
	Wallet     string   `help:"EVM wallet registered on the key."                                                      placeholder:"0x…"`
	Credits    *int64   `help:"Free credits; FLORIN_SIGNUP_CREDITS without it."                                        placeholder:"N"`
	Queries    *int64   `help:"Free queries; FLORIN_SIGNUP_QUERIES without it."                                        placeholder:"N"`
	Permission []string `help:"What the key may do: create, read, cancel, complete, custodian; everything without it." placeholder:"NAME"`
	Network    []string `help:"Network the key may be used from, in CIDR notation; from everywhere without it."        placeholder:"CIDR"`
	JSON       bool     `help:"Print JSON: id, key, label, wallet, creditsLeft, queriesLeft."                          name:"json"`
}

// Help returns the text that --help adds to the flags.
func (keyCreate) Help() string {
	return `
The key is shown here and never again: only its hash is stored.

Example:

    florin key create --email ada@example.com --label shop --credits 100 --json
    florin key create --email ada@example.com --permission create --permission read --network 203.0.113.0/24
`
}

// Run creates the key.
func (c keyCreate) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withUsers(ctx, cfg, func(users *identity.Service, merchants *merchant.Service) error {
		user, err := users.UserByEmail(ctx, c.Email)
		if errors.Is(err, identity.ErrUnknownUser) {
			return fault.New(
				fault.NotFound,
				"there is no user with the e-mail address %s; make one with `florin user create`", c.Email,
			)
		}
		if err != nil {
			return err
		}
		asked, err := c.asked(cfg)
		if err != nil {
			return err
		}
		key, text, err := merchants.CreateKey(ctx, user, asked, audit.Act{})
		if err != nil {
			return err
		}
		left, err := merchants.Balance(ctx, key.ID)
		if err != nil {
			return fmt.Errorf("the key was made, but: %w", err)
		}
		if err := c.print(p, key, text, left); err != nil {
			return err
		}
		if end := cfg.CreditsEnd(); end != "" && !c.JSON {
			return p.say("Note that %s.", end)
		}
		return nil
	})
}

// asked returns the request. A new key gets the free credits of the configuration unless the flags give others.
func (c keyCreate) asked(cfg config.Config) (in merchant.NewKey, err error) {
	in = merchant.NewKey{Label: c.Label, Wallet: c.Wallet, Credits: cfg.SignupCredits, Queries: cfg.SignupQueries}
	if c.Credits != nil {
		in.Credits = *c.Credits
	}
	if c.Queries != nil {
		in.Queries = *c.Queries
	}
	if in.Permissions, err = merchant.ParsePermissions(c.Permission); err != nil {
		return in, err
	}
	in.Sources, err = merchant.ParseSources(c.Network...)
	return in, err
}

func (c keyCreate) print(p *process, k merchant.Key, text secret.Text, left ledger.Balance) error {
	if !c.JSON {
		return p.say("API key %s (id %s) has %d credits and %d queries. Keep it safe: it is not shown again.",
			text.Reveal(), k.PublicID, left.Credits, left.Queries)
	}
	return p.sayJSON(struct {
		ID          string        `json:"id"`
		Key         string        `json:"key"`
		Label       string        `json:"label"`
		Wallet      chain.Address `json:"wallet"`
		CreditsLeft int64         `json:"creditsLeft"`
		QueriesLeft int64         `json:"queriesLeft"`
	}{k.PublicID, text.Reveal(), k.Label, k.Wallet, left.Credits, left.Queries})
}
