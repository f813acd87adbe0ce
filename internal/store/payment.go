package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/table"
)

// payments generates the statements of paymentRow.
var payments = db.NewTable[paymentRow]()

// paymentRow is a payment without its routes and deposits. Columns are written
// as their tag says (db.Table).
type paymentRow struct {
	bun.BaseModel `bun:"table:payments,alias:p"`

	ID            int64   `bun:",pk,autoincrement"`
	PublicID      string  `db:"fixed"`
	KeyID         int64   `db:"fixed"`
	Kind          string  `db:"fixed"`
	Amount        int64   `db:"fixed"`
	Currency      string  `db:"fixed"` // of the price; empty: there is none
	Price         int64   `db:"fixed"`
	Rate          int64   `db:"fixed"`
	RateAt        instant `db:"fixed"`
	RateMarkup    int64   `db:"fixed"`
	RateSources   string  `db:"fixed"`
	Status        string
	Network       string
	Token         string
	CreatedAt     instant `db:"fixed"`
	ExpiresAt     instant
	StartedAt     instant
	EndedAt       instant
	ResumedAt     instant
	Hash          db.Packed
	Extended      bool
	Reorged       bool
	ByHand        bool
	ShortBasis    int64 `db:"fixed"`
	LateForUs     int64 `db:"fixed"`
	Credits       int64 `db:"fixed"`
	Credited      int64
	CampaignID    int64 `db:"fixed"`
	LinkID        int64 `db:"fixed"`
	Held          bool
	Unheld        bool
	Near          string
	AttendedAt    instant
	Seq           int64
	Resolved      int64
	Asked         int64
	Attention     string // the most urgent payment.Reason; only read to find the payment
	Reference     string `db:"fixed"`
	Description   string `db:"fixed"`
	SuccessURL    string `db:"fixed"`
	CancelURL     string `db:"fixed"`
	Metadata      string `db:"fixed"`
	CustomerEmail string `db:"fixed"`
	DonorName     string `db:"fixed"`
	DonorMessage  string `db:"fixed"`
}

// rowOf returns the payment as it is stored.
func rowOf(p payment.Payment) (*paymentRow, error) {
	metadata, err := encodeMap(p.Metadata)
	if err != nil {
		return nil, err
	}
	return &paymentRow{
		ID: p.Number, PublicID: string(p.ID), KeyID: p.KeyID, Kind: string(p.Kind), Amount: int64(p.Amount),
		Currency: string(p.Price.Currency), Price: p.Price.Units, Rate: int64(p.Price.Rate), RateAt: db.At(p.Price.At),
		RateSources: table.RateSources(p.Price), RateMarkup: p.Price.Markup,
		Status: string(p.Status), Network: string(p.Choice.Network), Token: string(p.Choice.Token),
		CreatedAt: db.At(p.CreatedAt), ExpiresAt: db.At(p.ExpiresAt), StartedAt: db.At(p.StartedAt),
		EndedAt:   db.At(p.EndedAt),
		ResumedAt: db.At(p.ResumedAt), Hash: db.Packed(p.Hash), Extended: p.Extended,
		Reorged: p.Reorged, ByHand: p.ByHand,
		ShortBasis: p.Terms.ShortBasis, LateForUs: p.Terms.LateFor.Microseconds(),
		Credits: p.Credits, Credited: p.Credited, CampaignID: p.CampaignID, LinkID: p.LinkID, Held: p.Held,
		Unheld: p.Unheld, Near: p.Near, AttendedAt: db.At(p.AttendedAt),
		Seq: int64(p.Seq), Resolved: int64(p.Resolved), Asked: int64(p.Asked), Attention: attentionOf(p),
		Reference: p.Reference, Description: p.Description, SuccessURL: p.SuccessURL, CancelURL: p.CancelURL,
		Metadata: metadata, CustomerEmail: p.CustomerEmail, DonorName: p.DonorName, DonorMessage: p.DonorMessage,
	}, nil
}

// payment returns the payment without routes and deposits.
func (r *paymentRow) payment() (payment.Payment, error) {
	metadata, err := decodeMap(r.Metadata)
	if err != nil {
		return payment.Payment{}, fmt.Errorf("metadata of payment %s: %w", r.PublicID, err)
	}
	return payment.Payment{
		ID: payment.ID(r.PublicID), Number: r.ID, KeyID: r.KeyID, Kind: payment.Kind(r.Kind),
		Amount:    money.Micros(r.Amount),
		Price:     table.Price(r.Currency, r.Price, r.Rate, r.RateAt, r.RateSources, r.RateMarkup),
		Status:    payment.Status(r.Status),
		Choice:    payment.Choice{Network: chain.Network(r.Network), Token: money.Token(r.Token)},
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time, StartedAt: r.StartedAt.Time, EndedAt: r.EndedAt.Time,
		ResumedAt: r.ResumedAt.Time, Hash: chain.TxHash(
			r.Hash,
		), Extended: r.Extended, Reorged: r.Reorged, ByHand: r.ByHand,
		Terms:   payment.Terms{ShortBasis: r.ShortBasis, LateFor: time.Duration(r.LateForUs) * time.Microsecond},
		Credits: r.Credits, Credited: r.Credited, CampaignID: r.CampaignID, LinkID: r.LinkID, Held: r.Held,
		Unheld: r.Unheld, Near: r.Near, AttendedAt: r.AttendedAt.Time,
		Seq: int(r.Seq), Resolved: int(r.Resolved), Asked: int(r.Asked),
		Details: payment.Details{
			Reference: r.Reference, Description: r.Description, SuccessURL: r.SuccessURL, CancelURL: r.CancelURL,
			Metadata: metadata, CustomerEmail: r.CustomerEmail, DonorName: r.DonorName, DonorMessage: r.DonorMessage,
		},
	}, nil
}

// attentionOf returns the most urgent reason why the payment needs its merchant,
// or an empty text.
func attentionOf(p payment.Payment) string {
	if reasons := p.Attention(); len(reasons) > 0 {
		return string(reasons[0])
	}
	return ""
}

// encodeMap writes a map as JSON, and an empty one as an empty text.
func encodeMap(m map[string]string) (string, error) {
	if len(m) == 0 {
		return "", nil
	}
	raw, err := json.Marshal(m)
	return string(raw), err
}

func decodeMap(text string) (map[string]string, error) {
	var m map[string]string
	if text == "" {
		return m, nil
	}
	err := json.Unmarshal([]byte(text), &m)
	return m, err
}

// loader collects the rows of some payments: those whose column, id or public_id, is listed.
type loader struct {
	dialect  db.Dialect
	column   string
	listed   any // db.Numbers or db.Texts
	byNumber map[int64]*loaded
}

// loaded is the rows of one payment.
type loaded struct {
	row      paymentRow
	routes   []routeRow
	deposits []table.DepositRow
}

func loadNumbers(d db.Dialect, numbers db.Numbers) *loader {
	return &loader{d, "id", numbers, make(map[int64]*loaded)}
}

func loadIDs(d db.Dialect, ids db.Texts) *loader {
	return &loader{d, "public_id", ids, make(map[int64]*loaded)}
}

// payments reads the payments; tail ends the text.
func (l *loader) payments(tail string) *db.Stmt {
	return db.Query(func(scan scan) error {
		var one loaded
		err := scan(payments.Dest(&one.row)...)
		l.byNumber[one.row.ID] = &one
		return err
	}, "SELECT "+payments.Columns("")+" FROM payments WHERE "+l.dialect.Listed(l.column)+tail, l.listed)
}

// ofPayments selects the parts of payments, in the order in which they were stored.
func (l *loader) ofPayments() string {
	if l.column == "id" {
		return " WHERE " + l.dialect.Listed("payment_id") + " ORDER BY id"
	}
	return " WHERE payment_id IN (SELECT id FROM payments WHERE " + l.dialect.Listed(l.column) + ") ORDER BY id"
}

func (l *loader) routes() *db.Stmt {
	return db.Query(func(scan scan) error {
		var r routeRow
		if err := scan(routes.Dest(&r)...); err != nil {
			return err
		}
		l.byNumber[r.PaymentID].routes = append(l.byNumber[r.PaymentID].routes, r)
		return nil
	}, "SELECT "+routes.Columns("")+" FROM routes"+l.ofPayments(), l.listed)
}

func (l *loader) deposits() *db.Stmt {
	return db.Query(func(scan scan) error {
		var d table.DepositRow
		if err := scan(table.Deposits.Dest(&d)...); err != nil {
			return err
		}
		l.byNumber[d.PaymentID].deposits = append(l.byNumber[d.PaymentID].deposits, d)
		return nil
	}, "SELECT "+table.Deposits.Columns("")+" FROM deposits"+l.ofPayments(), l.listed)
}

// byID returns the rows by the id of the payment.
func (l *loader) byID() map[string]*loaded {
	byID := make(map[string]*loaded, len(l.byNumber))
	for _, one := range l.byNumber {
		byID[one.row.PublicID] = one
	}
	return byID
}

// whole builds the payment from its rows.
func (l *loaded) whole() (payment.Payment, error) {
	p, err := l.row.payment()
	if err != nil {
		return payment.Payment{}, err
	}
	for i := range l.routes {
		p.Routes = append(p.Routes, l.routes[i].route())
	}
	for i := range l.deposits {
		d, err := l.deposits[i].Deposit()
		if err != nil {
			return payment.Payment{}, err
		}
		p.Deposits = append(p.Deposits, d)
	}
	return p, nil
}

// wholePayments returns the payments of the rows, which were read in the same
// transaction, with routes and deposits.
func wholePayments(ctx context.Context, t tx, d db.Dialect, rows []*paymentRow) ([]payment.Payment, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	numbers := make(db.Numbers, len(rows))
	l := loadNumbers(d, numbers)
	for i, r := range rows {
		numbers[i], l.byNumber[r.ID] = r.ID, &loaded{row: *r}
	}
	if err := t.Run(ctx, l.routes(), l.deposits()); err != nil {
		return nil, err
	}
	list := make([]payment.Payment, len(rows))
	for i, r := range rows {
		var err error
		if list[i], err = l.byNumber[r.ID].whole(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Reports returns the reader of lists and figures.
func (s *Store) Reports() *report.Reader {
	return report.New(s.db, func(ctx context.Context, run report.Run, numbers []int64) ([]payment.Payment, error) {
		if len(numbers) == 0 {
			return nil, nil
		}
		l := loadNumbers(s.db.Dialect(), numbers)
		if err := run(ctx, l.payments(""), l.routes(), l.deposits()); err != nil {
			return nil, err
		}
		list := make([]payment.Payment, len(numbers))
		for i, number := range numbers {
			var err error
			if list[i], err = l.byNumber[number].whole(); err != nil {
				return nil, err
			}
		}
		return list, nil
	})
}

// loadOp is one payment to read.
type loadOp struct {
	id   payment.ID
	rows *loaded // nil: there is no such payment
}

// loadBatch reads payments on one snapshot.
func (s *Store) loadBatch(ctx context.Context, ops []*loadOp) error {
	ids := make(db.Texts, len(ops))
	for i, op := range ops {
		ids[i] = string(op.id)
	}
	l := loadIDs(s.db.Dialect(), ids)
	if err := s.db.ReadAll(ctx, l.payments(""), l.routes(), l.deposits()); err != nil {
		return err
	}
	byID := l.byID()
	for _, op := range ops {
		op.rows = byID[string(op.id)]
	}
	return nil
}

// Payment returns the payment with routes and deposits, or payment.ErrUnknown.
// Callers that ask at the same time share a round trip.
func (s *Store) Payment(ctx context.Context, id payment.ID) (payment.Payment, error) {
	if !db.Storable(string(id)) {
		return payment.Payment{}, payment.ErrUnknown
	}
	op := &loadOp{id: id}
	err := s.loads.Do(ctx, op)
	if err == nil && op.rows == nil {
		err = payment.ErrUnknown
	}
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	p, err := op.rows.whole()
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return p, nil
}
