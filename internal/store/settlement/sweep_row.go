package settlement

import (
	"database/sql"
	"fmt"
	"math"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// sweepRow is a sweep without its items and attempts.
type sweepRow struct {
	bun.BaseModel `bun:"table:sweeps,alias:s"`

	ID          int64 `bun:",pk,autoincrement"`
	PublicID    string
	Network     string
	State       string
	CreatedAt   db.Instant
	EndedAt     db.Instant
	TxHash      string
	BlockNumber int64
	BlockHash   string
	BlockTime   db.Instant
	Paid        string
	Moved       int64
	Note        string
}

// itemRow is a balance that a sweep moves, and the outcome.
type itemRow struct {
	bun.BaseModel `bun:"table:sweep_items,alias:i"`

	ID         int64 `bun:",pk,autoincrement"`
	SweepID    int64
	PaymentID  sql.NullInt64 // NULL: the database does not know the payment
	Txnid      string
	Address    db.Packed
	Raw        []byte
	Settlement db.Packed
	Scheme     int64
	Contract   db.Packed
	Symbol     string
	Decimals   int64
	Token      string
	Expected   string
	Rescue     bool
	Accounts   string
	Moved      sql.NullString
	Reason     string
}

// attemptRow is one signed transaction of a sweep.
type attemptRow struct {
	bun.BaseModel `bun:"table:sweep_attempts,alias:a"`

	SweepID    int64
	N          int64
	TxHash     string
	Raw        []byte
	Nonce      int64
	ValidUntil int64
	Gas        int64
	Price      string
	Tip        string
	Ceiling    string
	MadeAt     db.Instant
	SentAt     db.Instant
}

// rowOfItem returns the item as it is stored. Its token says what it counts as;
// its symbol is only shown, and may come from a contract. paymentID is 0 if the
// database does not know the payment.
func rowOfItem(sweepID, paymentID int64, i chain.SweepItem) itemRow {
	return itemRow{
		SweepID: sweepID, PaymentID: sql.NullInt64{Int64: paymentID, Valid: paymentID != 0}, Txnid: i.PaymentID,
		Scheme:  int64(i.Scheme),
		Address: db.Packed(i.Address.Address), Raw: i.Address.Raw,
		Settlement: db.Packed(i.Settlement), Contract: db.Packed(i.Asset.Contract), Symbol: db.Shown(i.Asset.Symbol),
		Decimals: int64(
			i.Asset.Decimals,
		), Token: string(i.Asset.Token), Expected: i.Expected.String(), Rescue: i.Rescue,
		Accounts: table.JoinAddresses(i.Accounts),
	}
}

func (r itemRow) item(n chain.Network) (chain.SweepItem, error) {
	expected, err := money.ParseUnits(r.Expected)
	if err != nil {
		return chain.SweepItem{}, fmt.Errorf("expected amount of %s: %w", r.Address, err)
	}
	return chain.SweepItem{
		PaymentID: r.Txnid, Scheme: chain.AddressScheme(r.Scheme), Address: chain.Watched{
			Address: chain.Address(r.Address), Raw: r.Raw,
		},
		Settlement: chain.Address(r.Settlement), Expected: expected, Rescue: r.Rescue,
		Accounts: table.SplitAddresses(r.Accounts),
		Asset: chain.Asset{
			Network: n, Contract: chain.Address(r.Contract), Symbol: r.Symbol, Decimals: int(r.Decimals),
			Token: money.Token(r.Token),
		},
	}, nil
}

func rowOfAttempt(sweepID int64, a chain.Attempt) (attemptRow, error) {
	if a.N < 1 || a.Nonce > math.MaxInt64 || a.Until > math.MaxInt64 || a.Fee.Gas > math.MaxInt64 || len(a.Raw) == 0 ||
		a.Tx == "" {
		return attemptRow{}, fmt.Errorf("attempt %d of a sweep makes no sense", a.N)
	}
	return attemptRow{
		SweepID: sweepID, N: int64(
			a.N,
		), TxHash: string(a.Tx), Raw: a.Raw, Nonce: int64(a.Nonce), ValidUntil: int64(a.Until),
		Gas: int64(a.Fee.Gas), Price: a.Fee.Price.String(), Tip: a.Fee.Tip.String(), Ceiling: a.Fee.Ceiling.String(),
		MadeAt: db.At(a.MadeAt), SentAt: db.At(a.SentAt),
	}, nil
}

func (r attemptRow) attempt() (chain.Attempt, error) {
	units, err := parseAll(r.Price, r.Tip, r.Ceiling)
	if err != nil {
		return chain.Attempt{}, fmt.Errorf("fee of attempt %s: %w", r.TxHash, err)
	}
	return chain.Attempt{
		N: int(r.N), Tx: chain.TxHash(r.TxHash), Raw: r.Raw, Nonce: uint64(r.Nonce), Until: uint64(r.ValidUntil),
		Fee:    chain.Fee{Gas: uint64(r.Gas), Price: units[0], Tip: units[1], Ceiling: units[2]},
		MadeAt: r.MadeAt.Time, SentAt: r.SentAt.Time,
	}, nil
}

func parseAll(texts ...string) ([]money.Units, error) {
	list := make([]money.Units, len(texts))
	for i, text := range texts {
		var err error
		if list[i], err = money.ParseUnits(text); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// sweep puts the rows together.
func (r sweepRow) sweep(items []itemRow, attempts []attemptRow) (settlement.Sweep, error) {
	paid, err := money.ParseUnits(r.Paid)
	if err != nil {
		return settlement.Sweep{}, fmt.Errorf("fee of sweep %s: %w", r.PublicID, err)
	}
	w := settlement.Sweep{
		ID: settlement.ID(r.PublicID), Network: chain.Network(r.Network), State: settlement.State(r.State),
		CreatedAt: r.CreatedAt.Time, EndedAt: r.EndedAt.Time, Tx: chain.TxHash(r.TxHash), Paid: paid, Note: r.Note,
		Block: chain.Head{Number: uint64(r.BlockNumber), Hash: r.BlockHash, Time: r.BlockTime.Time},
	}
	for _, row := range items {
		i, err := row.item(w.Network)
		if err != nil {
			return settlement.Sweep{}, err
		}
		w.Items = append(w.Items, i)
		if row.Moved.Valid {
			units, err := money.ParseUnits(row.Moved.String)
			if err != nil {
				return settlement.Sweep{}, fmt.Errorf("moved amount of %s: %w", row.Address, err)
			}
			w.Moved = append(w.Moved, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: units})
		} else if row.Reason != "" {
			w.Unmoved = append(w.Unmoved, chain.Unmoved{
				Address: i.Address.Address, Contract: i.Asset.Contract,
				Reason: row.Reason,
			})
		}
	}
	for _, row := range attempts {
		a, err := row.attempt()
		if err != nil {
			return settlement.Sweep{}, err
		}
		w.Attempts = append(w.Attempts, a)
	}
	return w, nil
}
