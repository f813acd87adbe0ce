package storetest

import (
	"cmp"
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store"
)

// Shop is a user with a key that has these balances, and with the key's custodian if that has a name.
type Shop struct {
	User             identity.User
	Key              merchant.Key
	Credits, Queries int64
	Custodian        merchant.Custodian
}

// Open stores the shop as made at that time, and returns its key. It makes the ids, address and hash that are missing.
func (o Shop) Open(ctx context.Context, s *store.Store, now time.Time) (merchant.Key, error) {
	o.User.PublicID, o.User.CreatedAt = cmp.Or(o.User.PublicID, string(NewID())), now
	o.User.Email = cmp.Or(o.User.Email, o.User.PublicID+"@shop.example")
	o.User.PasswordHash = "none" // nobody signs in
	u, err := People{s.Identity()}.CreateUser(ctx, o.User, audit.Record{})
	if err != nil {
		return merchant.Key{}, err
	}
	o.Key.PublicID, o.Key.UserID, o.Key.CreatedAt = cmp.Or(o.Key.PublicID, string(NewID())), u.ID, now
	o.Key.Hash = cmp.Or(o.Key.Hash, HashOf(u.Email))
	accounts := Accounts{s.Merchant()}
	k, err := accounts.CreateKey(ctx, o.Key, func(id int64) (all []ledger.Entry) {
		if o.Credits > 0 {
			all = append(all, ledger.Grant(id, ledger.Credit, o.Credits, ledger.ReasonGrant, "c"+u.PublicID, now))
		}
		if o.Queries > 0 {
			all = append(all, ledger.Grant(id, ledger.Query, o.Queries, ledger.ReasonGrant, "q"+u.PublicID, now))
		}
		return all
	}, audit.Record{})
	if err != nil || o.Custodian.Name == "" {
		return k, err
	}
	o.Custodian.PublicID, o.Custodian.KeyID = cmp.Or(o.Custodian.PublicID, string(NewID())), k.ID
	o.Custodian.CreatedAt, o.Custodian.UpdatedAt = now, now
	_, err = accounts.CreateCustodian(ctx, o.Custodian, nil, audit.Record{})
	return k, err
}
