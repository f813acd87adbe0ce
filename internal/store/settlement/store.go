// Package settlement stores the transactions that Florin itself sends: sweeps, with the deposit balances that they
// move, and recharges. It implements the Store ports of the domain packages settlement and recharge.
//
// Its one invariant: a deposit address is in at most one sweep in flight, a nonce of a gas wallet in at most one, and a
// wallet in at most one recharge. Rows of sweep_claims and sweep_nonces hold it, from the transaction that plans or
// signs to the one that ends the sweep.
package settlement

import (
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Store stores sweeps and recharges. It is safe for concurrent use.
type Store struct {
	table.Leases

	db db.Engine
}

var (
	_ settlement.Store       = (*Store)(nil)
	_ settlement.RecordStore = (*Store)(nil)
	_ recharge.Store         = (*Store)(nil)
)

// New returns the store on an open database.
func New(e db.Engine) *Store { return &Store{Leases: table.NewLeases(e), db: e} }
