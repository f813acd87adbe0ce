package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store"
)

type keyList struct {
	Email string `help:"E-mail address of the user whose keys are listed; all users' without it."                     placeholder:"ADDRESS"`
	JSON  bool   `help:"Print JSON: a list of id, email, label, state, permissions, networks, createdAt, lastUsedAt." name:"json"`
}

// Help returns the text that --help adds to the flags.
func (keyList) Help() string {
	return `
Lists API keys, revoked ones included. The keys themselves are not stored, so they cannot
be shown.

Example:

    florin key list
    florin key list --email ada@example.com --json
`
}

// listedKey is an API key as the list shows it.
type listedKey struct {
	ID          string     `json:"id"`
	Email       string     `json:"email"`
	Label       string     `json:"label"`
	State       string     `json:"state"` // active, disabled or revoked
	Permissions []string   `json:"permissions"`
	Networks    []string   `json:"networks"` // empty: from everywhere
	CreatedAt   time.Time  `json:"createdAt"`
	LastUsedAt  *time.Time `json:"lastUsedAt"`
}

// Run lists the keys.
func (c keyList) Run(ctx context.Context, p *process) error {
	return p.withKeys(ctx, c.Email, func(_ *merchant.Service, keys []merchant.Key) error {
		if c.Email != "" && len(keys) == 0 && !c.JSON {
			return p.say("%s has no API key.", c.Email)
		}
		list := make([]listedKey, len(keys))
		for i, k := range keys {
			list[i] = listedKeyOf(k)
		}
		if c.JSON {
			return p.sayJSON(list)
		}
		w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tE-MAIL\tLABEL\tSTATE\tPERMISSIONS\tLAST USED")
		for _, k := range list {
			used := "never"
			if k.LastUsedAt != nil {
				used = k.LastUsedAt.UTC().Format(time.DateTime)
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, k.Email, k.Label, k.State,
				strings.Join(k.Permissions, ","), used)
		}
		return w.Flush()
	})
}

func listedKeyOf(k merchant.Key) listedKey {
	out := listedKey{
		ID: k.PublicID, Email: k.Email, Label: k.Label, State: "active", CreatedAt: k.CreatedAt,
		Permissions: []string{}, Networks: append([]string{}, k.Sources.List()...),
	}
	for _, permission := range k.Permissions.List() {
		out.Permissions = append(out.Permissions, string(permission))
	}
	if !k.LastUsedAt.IsZero() {
		out.LastUsedAt = &k.LastUsedAt
	}
	switch {
	case !k.RevokedAt.IsZero():
		out.State = "revoked"
	case !k.DisabledAt.IsZero():
		out.State = "disabled"
	}
	return out
}

type keyRevoke struct {
	Key   string `help:"Id of the key, as florin key list shows it."                             placeholder:"ID"      required:""`
	Email string `help:"E-mail address of the user it belongs to; it is refused to any other's." placeholder:"ADDRESS"`
}

// Help returns the text that --help adds to the flags.
func (keyRevoke) Help() string {
	return `
Ends an API key for ever: it answers 401 at once. Payments that were started go on, and
are settled. The owners of the merchant account are notified where mail is sent.

Example:

    florin key revoke --key 01JD3ZKXW5R1T9A6Q1C7H2M4NB
`
}

// Run revokes the key.
func (c keyRevoke) Run(ctx context.Context, p *process) error {
	return p.withKeys(ctx, c.Email, func(merchants *merchant.Service, keys []merchant.Key) error {
		key, err := c.find(keys)
		if err != nil {
			return err
		}
		err = merchants.RevokeKey(ctx, key, true, audit.Act{Who: "florin key revoke", At: app.Now()})
		if err != nil {
			return err
		}
		return p.say("The API key %s (%s) of %s is revoked.", key.PublicID, key.Name(), key.Email)
	})
}

func (c keyRevoke) find(keys []merchant.Key) (merchant.Key, error) {
	for _, k := range keys {
		switch {
		case !strings.EqualFold(k.PublicID, c.Key):
		case !k.RevokedAt.IsZero():
			return merchant.Key{}, fault.New(fault.Conflict, "the API key %s is revoked already", k.PublicID)
		default:
			return k, nil
		}
	}
	if c.Email != "" {
		return merchant.Key{}, fault.New(fault.NotFound, "%s has no API key with the id %s", c.Email, c.Key)
	}
	return merchant.Key{}, fault.New(fault.NotFound, "there is no API key with the id %s; see `florin key list`", c.Key)
}

// withKeys calls do with every key of the user with the e-mail address, or of all users.
func (p *process) withKeys(ctx context.Context, email string, do func(*merchant.Service, []merchant.Key) error) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		users := identity.New(s.Identity(), app.Now, identity.Options{})
		merchants := merchant.New(
			s.Merchant(), users, app.Now, merchant.Options{
				Profiles: cfg.Profiles(), Meter: cfg.Credits,
				Mail: app.Writer(cfg),
			},
		)
		owners, err := ownersOf(ctx, s, users, email)
		if err != nil {
			return err
		}
		var keys []merchant.Key
		for _, u := range owners {
			list, err := merchants.EveryKey(ctx, u.ID)
			if err != nil {
				return err
			}
			keys = append(keys, list...)
		}
		return do(merchants, keys)
	})
}

// ownersOf returns the user with the e-mail address, or all users.
func ownersOf(ctx context.Context, s *store.Store, users *identity.Service, email string) ([]identity.User, error) {
	if email != "" {
		u, err := userWith(ctx, users, email)
		return []identity.User{u}, err
	}
	all, err := usersOf(ctx, s.Reports(), "")
	owners := make([]identity.User, len(all))
	for i, u := range all {
		owners[i] = u.User
	}
	return owners, err
}
