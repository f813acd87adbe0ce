package table

import (
	"context"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// BalanceScan reads the balances of a key.
type BalanceScan struct {
	Balance ledger.Balance
	rows    int
}

// Read returns the statement that reads the balances.
func (b *BalanceScan) Read(keyID int64) *db.Stmt {
	return db.Query(b.scan, "SELECT unit, balance FROM balances WHERE key_id = ?", keyID)
}

func (b *BalanceScan) scan(scan db.Scan) error {
	var unit string
	var n int64
	if err := scan(&unit, &n); err != nil {
		return err
	}
	b.rows++
	switch ledger.Unit(unit) {
	case ledger.Credit:
		b.Balance.Credits = n
	case ledger.Query:
		b.Balance.Queries = n
	}
	return nil
}

// Missing fails if Read found no balance, so that there is no such key.
func (b *BalanceScan) Missing() error {
	if b.rows == 0 {
		return merchant.ErrUnknownKey
	}
	return nil
}

// Charge posts entries and returns what the key has left.
func Charge(ctx context.Context, t db.Tx, keyID int64, entries []ledger.Entry) (ledger.Balance, error) {
	if err := Post(ctx, t, entries); err != nil {
		return ledger.Balance{}, err
	}
	var b BalanceScan
	if err := t.Run(ctx, b.Read(keyID)); err != nil {
		return ledger.Balance{}, err
	}
	return b.Balance, b.Missing()
}
