// Package merchant stores API keys with their balances, custodians with their branding, teams, and the audit log. It
// implements the Store ports of the domain package merchant.
//
// Its one invariant: what an act costs and the audit entries it leaves are written in the transaction of the act.
package merchant

import (
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// Store stores keys, custodians and teams. It is safe for concurrent use.
type Store struct {
	db     db.Engine
	sealer *secret.Sealer
	// Small reads of every create and start.
	keys       *db.Coalescer[identity.Hash, merchant.Key]
	balances   *db.Coalescer[int64, ledger.Balance]
	custodians *db.Coalescer[int64, custodianScan]
}

var (
	_ merchant.Store     = (*Store)(nil)
	_ payment.Custodians = (*Store)(nil)
)

// New returns the store on an open database. The sealer seals the secrets of custodians.
func New(e db.Engine, sealer *secret.Sealer) *Store {
	return &Store{
		db: e, sealer: sealer,
		keys:       db.NewCoalescer[identity.Hash, merchant.Key](),
		balances:   db.NewCoalescer[int64, ledger.Balance](),
		custodians: db.NewCoalescer[int64, custodianScan](),
	}
}
