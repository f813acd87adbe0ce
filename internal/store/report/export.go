package report

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// The columns that an export reads: a third of all, at half the time.
var (
	exportedPayments = db.NewTable[exportedPayment]()
	exportedRoutes   = db.NewTable[exportedRoute]()
	exportedDeposits = db.NewTable[exportedDeposit]()
)

type exportedPayment struct {
	bun.BaseModel `bun:"table:payments"`

	ID            int64
	PublicID      string
	KeyID         int64
	Kind          string
	Amount        int64
	Currency      string
	Price         int64
	Rate          int64
	RateAt        db.Instant
	RateSources   string
	RateMarkup    int64
	Status        string
	Network       string
	Token         string
	CreatedAt     db.Instant
	StartedAt     db.Instant
	EndedAt       db.Instant
	Hash          db.Packed
	ByHand        bool
	Reference     string
	Description   string
	CustomerEmail string
}

type exportedRoute struct {
	bun.BaseModel `bun:"table:routes"`

	PaymentID  int64
	Network    string
	Address    db.Packed
	Settlement db.Packed
	Tokens     string
	Also       string
}

type exportedDeposit struct {
	bun.BaseModel `bun:"table:deposits"`

	PaymentID int64
	Network   string
	ToAddress db.Packed
	Token     string
	Decimals  int64
	Symbol    string
	Contract  db.Packed
	Units     string
	State     string
	SeenAt    db.Instant
}

// ExportPage is a page of an export that was found.
type ExportPage struct {
	Next Place // where the next begins; zero: it is the last
	// Read reads its payments, in their order. Pages may be read at the same time.
	Read func(context.Context) ([]payment.Payment, error)
}

// MaxExportPage is the most rows of one page of an export. Larger pages than a list's cost less a row: a million
// payments take a seventh less time, and 13 MB more while they are written.
const MaxExportPage = 2000

// ExportPayments is SearchPayments for millions of payments. It reads them as they are a moment after they were found,
// without a transaction around both, and only what an export writes: of a payment no terms, metadata or addresses to
// return to, of a route what was shown and what counts on it, of a deposit whether and how much it counts.
func (r *Reader) ExportPayments(ctx context.Context, q Query) (page ExportPage, err error) {
	var numbers []int64
	err = r.search(ctx, q, MaxExportPage, func(_ context.Context, _ db.Tx, rows []foundRow, next Place) error {
		page.Next, numbers = next, numbersOf(rows)
		return nil
	})
	page.Read = func(ctx context.Context) ([]payment.Payment, error) {
		if len(numbers) == 0 {
			return nil, nil
		}
		list, err := r.exported(ctx, numbers)
		return list, db.Wrap(err, "export payments")
	}
	return page, db.Wrap(err, "export payments")
}

// exported reads the payments of the numbers, in their order.
func (r *Reader) exported(ctx context.Context, numbers []int64) ([]payment.Payment, error) {
	list := make([]payment.Payment, len(numbers))
	place := make(map[int64]*payment.Payment, len(numbers))
	for i, number := range numbers {
		place[number] = &list[i]
	}
	d := r.db.Dialect()
	of := " WHERE " + d.Listed("payment_id") + " ORDER BY id"
	err := r.db.ReadAll(
		ctx,
		db.Query(func(scan db.Scan) error {
			var row exportedPayment
			err := scan(exportedPayments.Dest(&row)...)
			if err == nil {
				*place[row.ID] = row.payment()
			}
			return err
		}, "SELECT "+exportedPayments.Columns("")+" FROM payments WHERE "+d.Listed("id"), db.Numbers(numbers)),
		db.Query(func(scan db.Scan) error {
			var row exportedRoute
			err := scan(exportedRoutes.Dest(&row)...)
			if err == nil {
				p := place[row.PaymentID]
				p.Routes = append(p.Routes, row.route())
			}
			return err
		}, "SELECT "+exportedRoutes.Columns("")+" FROM routes"+of, db.Numbers(numbers)),
		db.Query(func(scan db.Scan) error {
			var row exportedDeposit
			if err := scan(exportedDeposits.Dest(&row)...); err != nil {
				return err
			}
			deposit, err := row.deposit()
			p := place[row.PaymentID]
			p.Deposits = append(p.Deposits, deposit)
			return err
		}, "SELECT "+exportedDeposits.Columns("")+" FROM deposits"+of, db.Numbers(numbers)),
	)
	return list, err
}

func (r *exportedPayment) payment() payment.Payment {
	return payment.Payment{
		ID: payment.ID(r.PublicID), Number: r.ID, KeyID: r.KeyID, Kind: payment.Kind(r.Kind),
		Amount:    money.Micros(r.Amount),
		Price:     table.Price(r.Currency, r.Price, r.Rate, r.RateAt, r.RateSources, r.RateMarkup),
		Status:    payment.Status(r.Status),
		Choice:    payment.Choice{Network: chain.Network(r.Network), Token: money.Token(r.Token)},
		CreatedAt: r.CreatedAt.Time, StartedAt: r.StartedAt.Time, EndedAt: r.EndedAt.Time,
		Hash: chain.TxHash(r.Hash), ByHand: r.ByHand,
		Details: payment.Details{
			Reference: r.Reference, Description: r.Description, CustomerEmail: r.CustomerEmail,
		},
	}
}

func (r *exportedRoute) route() payment.Route {
	return payment.Route{
		Network: chain.Network(r.Network), Address: chain.Watched{Address: chain.Address(r.Address)},
		Settlement: chain.Address(r.Settlement),
		Tokens:     table.SplitTokens(r.Tokens), Also: table.SplitChoices(r.Also),
	}
}

func (r *exportedDeposit) deposit() (payment.Deposit, error) {
	units, err := money.ParseUnits(r.Units)
	network := chain.Network(r.Network)
	return payment.Deposit{
		Transfer: chain.Transfer{
			Key: chain.Key{Network: network},
			Asset: chain.Asset{
				Network: network, Decimals: int(r.Decimals), Token: money.Token(r.Token), Symbol: r.Symbol,
				Contract: chain.Address(r.Contract),
			},
			To: chain.Address(r.ToAddress), Units: units,
		},
		State: payment.DepositState(r.State), SeenAt: r.SeenAt.Time,
	}, err
}

// Priced reports whether a payment of the keys was priced in another currency.
func (r *Reader) Priced(ctx context.Context, keys []int64) (found bool, err error) {
	if len(keys) == 0 {
		return false, nil
	}
	err = r.db.Reader().NewRaw("SELECT EXISTS (SELECT 1 FROM payments WHERE key_id IN (?) AND currency <> '')", bun.List(keys)).
		Scan(ctx, &found)
	return found, db.Wrap(err, "prices of %d keys", len(keys))
}
