package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/table"
)

// payments generates the statements of paymentRow.
var payments = db.NewTable[paymentRow]("payments", `
	number:  id=Number
	fixed:   public_id=ID key_id kind amount currency=Price.Currency price=Price.Units rate=Price.Rate rate_at=Price.At
	         rate_markup=Price.Markup rate_sources=Price.Sources created_at short_basis=Terms.ShortBasis late_for_us=Terms.LateFor keep_over=Terms.KeepOver credits campaign_id link_id
	         reference description success_url cancel_url metadata customer_email donor_name donor_message words
	changes: status network=Choice.Network token=Choice.Token expires_at started_at ended_at resumed_at hash/bytes extended
	         reorged by_hand credited held unheld near attended_at seq resolved asked refunded paid_back=Gone duplicate_of lang
	         attention=Needs`).
	Else(payment.ErrUnknown)

// paymentRow is a payment without its routes and deposits.
type paymentRow struct {
	payment.Payment

	Needs string       // the most urgent payment.Reason; only read to find the payment
	Words string       // what it is found by, with spaces between them; likewise
	Gone  money.Micros // what was paid back; likewise
}

func rowOf(p payment.Payment) *paymentRow {
	return &paymentRow{p, attentionOf(p), wordsOf(p.Details), p.PaidBack()}
}

// wordsOf returns the words of what is written about a payment.
func wordsOf(d payment.Details) string {
	texts := []string{d.Reference, d.Description, d.CustomerEmail, d.DonorName, d.DonorMessage}
	for _, key := range slices.Sorted(maps.Keys(d.Metadata)) {
		texts = append(texts, key, d.Metadata[key])
	}
	return strings.Join(input.Words(texts...), " ")
}

// attentionOf returns the most urgent reason why the payment needs its merchant,
// or an empty text.
func attentionOf(p payment.Payment) string {
	if reasons := p.Attention(); len(reasons) > 0 {
		return string(reasons[0])
	}
	return ""
}

// loader collects some payments: those whose column, id or public_id, is listed.
type loader struct {
	dialect  db.Dialect
	column   string
	listed   any // db.Numbers or db.Texts
	byNumber map[int64]*payment.Payment
}

func loadNumbers(d db.Dialect, numbers db.Numbers) *loader {
	return &loader{d, "id", numbers, make(map[int64]*payment.Payment)}
}

func loadIDs(d db.Dialect, ids db.Texts) *loader {
	ids = slices.DeleteFunc(ids, func(id string) bool { return !db.Storable(id) })
	return &loader{d, "public_id", ids, make(map[int64]*payment.Payment)}
}

// payments reads the payments; tail ends the text.
func (l *loader) payments(tail string) *db.Stmt {
	return db.Query(func(scan scan) error {
		var row paymentRow
		err := scan(payments.Dest(&row)...)
		l.byNumber[row.Number] = &row.Payment
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
		err := scan(routes.Dest(&r)...)
		if p := l.byNumber[r.Owner]; err == nil {
			p.Routes = append(p.Routes, r.Route)
		}
		return err
	}, "SELECT "+routes.Columns("")+" FROM routes"+l.ofPayments(), l.listed)
}

func (l *loader) deposits() *db.Stmt {
	return db.Query(func(scan scan) error {
		var d table.DepositRow
		err := scan(table.Deposits.Dest(&d)...)
		if p := l.byNumber[d.Owner]; err == nil {
			p.Deposits = append(p.Deposits, d.Whole())
		}
		return err
	}, "SELECT "+table.Deposits.Columns("")+" FROM deposits"+l.ofPayments(), l.listed)
}

// byID returns the payments by their ids.
func (l *loader) byID() map[payment.ID]*payment.Payment {
	byID := make(map[payment.ID]*payment.Payment, len(l.byNumber))
	for _, p := range l.byNumber {
		byID[p.ID] = p
	}
	return byID
}

// wholePayments returns the payments of the numbers, in their order, with routes and deposits, as what runs the
// statements sees them.
func (s *Store) wholePayments(ctx context.Context, run report.Run, numbers []int64) ([]payment.Payment, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	l := loadNumbers(s.db.Dialect(), numbers)
	if err := run(ctx, l.payments(""), l.routes(), l.deposits()); err != nil {
		return nil, err
	}
	list := make([]payment.Payment, len(numbers))
	for i, number := range numbers {
		list[i] = *l.byNumber[number]
	}
	return list, nil
}

// withParts returns the payments of the rows, which were read in the same transaction, with routes and deposits.
func (s *Store) withParts(ctx context.Context, t tx, rows []paymentRow) ([]payment.Payment, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	list, numbers := make([]payment.Payment, len(rows)), make(db.Numbers, len(rows))
	l := loadNumbers(s.db.Dialect(), numbers)
	for i, r := range rows {
		list[i], numbers[i] = r.Payment, r.Number
		l.byNumber[r.Number] = &list[i]
	}
	err := t.Run(ctx, l.routes(), l.deposits())
	return list, err
}

// Reports returns the reader of lists and figures.
func (s *Store) Reports() *report.Reader { return report.New(s.db, s.wholePayments) }

// loadOp is one payment to read.
type loadOp struct {
	id   payment.ID
	read *payment.Payment // nil: there is no such payment
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
		if p := byID[op.id]; p != nil { // of those that ask for the same one, each has its own
			own := *p
			own.Routes, own.Deposits = slices.Clone(p.Routes), slices.Clone(p.Deposits)
			op.read = &own
		}
	}
	return nil
}

// Payment returns the payment with routes and deposits.
// Callers that ask at the same time share a round trip.
func (s *Store) Payment(ctx context.Context, id payment.ID) (payment.Payment, error) {
	op := &loadOp{id: id}
	err := s.loads.Do(ctx, op)
	if err == nil && op.read == nil {
		err = payments.Missing
	}
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return *op.read, nil
}
