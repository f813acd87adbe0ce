package operation

import (
	"context"
	"slices"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// TransactionsInput filters a list of payments. An empty field does not filter.
type TransactionsInput struct {
	APIKey    secret.Text
	Status    model.TransactionStatus
	Network   model.Network
	Reference string
	TimeRange string
	SortOrder string
	First     *int
	After     string // txnid of the last payment of the previous page
}

// Transactions lists a key's payments. It takes one credit.
func (o *Operations) Transactions(ctx context.Context, in TransactionsInput) (*model.TransactionsResult, error) {
	key, err := o.caller(ctx, in.APIKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	f, err := o.filter(ctx, key.ID, in)
	if err != nil {
		return nil, err
	}
	list, more, left, err := o.d.Store.ChargedPayments(ctx, f, o.charge(key, "getTransactions"))
	if err != nil {
		return nil, err
	}
	credits := int(left.Credits)
	out := &model.TransactionsResult{
		Transactions: o.transactions(list), APIKey: &model.APIKey{CreditsLeft: &credits},
		PageInfo: &model.PageInfo{HasNextPage: more},
	}
	if n := len(list); n > 0 {
		out.PageInfo.EndCursor = optional(string(list[n-1].ID))
	}
	return out, nil
}

func (o *Operations) filter(ctx context.Context, keyID int64, in TransactionsInput) (payment.Filter, error) {
	f := payment.Filter{KeyID: keyID, Status: payment.Status(in.Status), Limit: payment.MaxPage}
	var err error
	if f.Reference, err = input.Lines("reference", in.Reference, payment.MaxReference); err != nil {
		return f, err
	}
	if in.Network != "" {
		if f.Network, err = chain.ParseNetwork(string(in.Network)); err != nil {
			return f, err
		}
	}
	if f.Status != "" && !slices.Contains(payment.Statuses(), f.Status) {
		return f, errBadStatus
	}
	if f.Ascending, err = ascending(in.SortOrder); err != nil {
		return f, err
	}
	if in.TimeRange != "" {
		if f.Since, err = since(in.TimeRange, o.d.Now()); err != nil {
			return f, err
		}
	}
	if in.First != nil {
		if *in.First < 1 || *in.First > payment.MaxPage {
			return f, fault.New(fault.Invalid, "first must be between 1 and %d", payment.MaxPage)
		}
		f.Limit = *in.First
	}
	if in.After != "" {
		last, err := o.d.Payments.Owned(ctx, keyID, in.After)
		if fault.Is(err, fault.NotFound) {
			return f, fault.New(fault.Invalid, "after must be an endCursor that was returned before")
		}
		if err != nil {
			return f, err
		}
		f.After = last.Number
	}
	return f, nil
}

var errBadStatus = fault.About(fault.Invalid, "status", "must be PENDING, STARTED, COMPLETED, EXPIRED or CANCELLED")

func ascending(order string) (bool, error) {
	switch strings.ToLower(order) {
	case "", "desc":
		return false, nil
	case "asc":
		return true, nil
	}
	return false, fault.New(fault.Invalid, "sortOrder must be asc or desc")
}

func (o *Operations) transactions(list []payment.Payment) []*model.Transaction {
	out := make([]*model.Transaction, len(list))
	for i, p := range list {
		out[i] = o.ownTransaction(p)
	}
	return out
}

// TransactionDetails reads one of a key's payments. It takes one credit.
func (o *Operations) TransactionDetails(
	ctx context.Context, apiKey secret.Text, txnid string,
) (*model.TransactionResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	p, err := o.d.Payments.Owned(ctx, key.ID, txnid)
	if err != nil {
		return nil, err
	}
	p, err = o.d.Store.ChargedPayment(ctx, key.ID, p.ID, o.charge(key, "getTransactionDetails"))
	if err != nil {
		return nil, err
	}
	return o.ownTransactionResult(p), nil
}

// Untransferred lists a key's payments whose money has not been swept. It
// takes one credit.
func (o *Operations) Untransferred(
	ctx context.Context, apiKey secret.Text, network model.Network,
) (*model.UntransferredResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	n, err := domainNetwork(network)
	if err != nil {
		return nil, err
	}
	f := payment.Filter{KeyID: key.ID, Network: n, Unswept: true, Limit: payment.MaxPage}
	list, _, _, err := o.d.Store.ChargedPayments(ctx, f, o.charge(key, "checkAdminUntransferred"))
	if err != nil {
		return nil, err
	}
	return &model.UntransferredResult{Transactions: o.transactions(list)}, nil
}

// MarkCompleted completes one of a key's payments by hand. It takes one query.
func (o *Operations) MarkCompleted(
	ctx context.Context, apiKey secret.Text, txnid string,
) (*model.CompletionResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionComplete)
	if err != nil {
		return nil, err
	}
	place := scope{keyID: key.ID, operation: "manualMarkAsCompleted"}
	done := func(payment.Payment) *model.CompletionResult { return &model.CompletionResult{Success: true} }
	return once(ctx, o, place, payment.ReadID(txnid), done, func(w write) (payment.Payment, error) {
		if err := o.affords(ctx, key.ID, ledger.Query); err != nil {
			return payment.Payment{}, err
		}
		return o.d.Payments.MarkCompleted(ctx, key.ID, txnid, "", w.keptBy(o.by(ctx, key)))
	})
}
