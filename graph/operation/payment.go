package operation

import (
	"context"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// PaymentInput is a request for a pending payment.
type PaymentInput struct {
	APIKey           secret.Text
	Amount           model.Decimal
	Price            *model.PriceInput // instead of Amount; nil: none
	Currency         string            // of Amount; empty: USD
	Reference        string
	Description      string
	SuccessURL       string
	CancelURL        string
	Metadata         model.StringMap
	ExpiresInMinutes *int // nil: the default
	CustomerEmail    string
}

// Payment creates a pending payment and its checkout link. It takes no credit.
func (o *Operations) Payment(ctx context.Context, in PaymentInput) (*model.PaymentResult, error) {
	key, err := o.caller(ctx, in.APIKey, merchant.PermissionCreate)
	if err != nil {
		return nil, err
	}
	amount, price, err := asked(in.Amount, in.Currency, in.Price)
	if price.Amount != "" && price.Currency == "" {
		price.Currency = string(key.Currency)
	}
	if err != nil {
		return nil, err
	}
	minutes, err := in.minutes()
	if err != nil {
		return nil, err
	}
	details, left, _ := payment.Details{ // what is wrong with them is refused by Create, with what else is wrong
		Reference: in.Reference, Description: in.Description, SuccessURL: in.SuccessURL, CancelURL: in.CancelURL,
		Metadata: in.Metadata.Entries(), CustomerEmail: in.CustomerEmail,
	}.Mended()
	Warn(ctx, append(in.Metadata.Left("metadata"), left...)...)
	read := struct {
		Amount  string
		Details payment.Details
		Minutes int64
		Price   *exchange.Sum `json:"price,omitempty"` // a request without one is what it was before there were any
	}{amountRead(amount), details, minutes, sumRead(price)}
	place := scope{keyID: key.ID, operation: "payment"}
	out, err := once(ctx, o, place, read, o.created, func(w write) (payment.Payment, error) {
		return o.d.Payments.Create(ctx, payment.CreateInput{
			ID: w.subject, KeyID: key.ID, Amount: amount, Price: price, ExpiresInMinutes: minutes, Details: details,
			Warn: func(list ...fault.Warning) { Warn(ctx, list...) },
		}, audit.Act{Keep: w.keep})
	})
	if err != nil {
		return nil, err
	}
	return asNow(ctx, o, out, out.Transaction.Txnid, o.created)
}

// amountRead is an amount as requests are compared: 5.00 is 5.
func amountRead(text string) string {
	m, err := money.ParseMicros("amount", text)
	if err != nil {
		return text // it is refused
	}
	return m.String()
}

// created writes a new payment as its creator sees it.
func (o *Operations) created(p payment.Payment) *model.PaymentResult {
	link := o.CheckoutLink(p.ID)
	return &model.PaymentResult{
		Message: "created successfully", PaymentLink: &link,
		Transaction: &model.CreatedTransaction{
			Txnid: string(p.ID), Amount: model.DecimalOf(p.Amount), Status: model.TransactionStatus(p.Status),
			CreatedAt: model.At(p.CreatedAt), ExpiresAt: model.At(p.ExpiresAt), Price: price(p),
		},
	}
}

// dollars returns an amount as it was written. A price in another currency is refused: it would be taken for dollars.
func dollars(amount model.Decimal, currency string) (string, error) {
	if currency = strings.TrimSpace(currency); currency != "" && !strings.EqualFold(currency, "USD") {
		return "", fault.About(fault.Invalid, "currency", "must be USD: send an amount in another currency as price, with amount and currency")
	}
	return amount.Text("amount")
}

// minutes returns how long the payment may wait, 0 for the default.
func (in PaymentInput) minutes() (int64, error) {
	if in.ExpiresInMinutes == nil {
		return 0, nil
	}
	if *in.ExpiresInMinutes < payment.MinValidMinutes {
		return 0, fault.About(
			fault.Invalid, "expiresInMinutes", "must be between %d and %d", payment.MinValidMinutes,
			payment.MaxValidMinutes,
		)
	}
	return int64(*in.ExpiresInMinutes), nil
}

// CheckoutLink is the address of the payment's checkout page.
func (o *Operations) CheckoutLink(id payment.ID) string {
	return o.d.CheckoutURL + "/pay?txnid=" + string(id)
}

// TxnDetails reads a payment; its txnid is the only authorization. With the key
// of its owner, which may be empty, the answer has the owner's fields too. Any
// other key changes nothing.
func (o *Operations) TxnDetails(
	ctx context.Context, apiKey secret.Text, txnid string,
) (*model.TransactionResult, error) {
	p, err := o.d.Payments.Poll(ctx, txnid)
	if err != nil {
		return nil, err
	}
	o.d.Payments.Look(p)
	owned, err := o.owns(ctx, apiKey, p)
	if err != nil {
		return nil, err
	}
	if owned {
		return o.ownTransactionResult(p), nil
	}
	return o.transactionResult(p), nil
}

// owns reports whether the key is valid and the payment is its own. It refuses a key
// that may not read.
func (o *Operations) owns(ctx context.Context, apiKey secret.Text, p payment.Payment) (bool, error) {
	if apiKey.Empty() {
		return false, nil
	}
	key, err := o.d.Merchants.Authenticate(ctx, apiKey.Reveal())
	if fault.Is(err, fault.Unauthorized) {
		return false, nil
	}
	if err != nil || key.ID != p.KeyID {
		return false, err
	}
	err = allowed(ctx, key, merchant.PermissionRead)
	return err == nil, err
}

// CancelPayment ends a payment for which nothing was received.
func (o *Operations) CancelPayment(ctx context.Context, txnid string) (*model.TransactionResult, error) {
	if err := o.shown(ctx, merchant.PermissionCancel); err != nil {
		return nil, err
	}
	return o.onPayment(ctx, "cancel", nil, txnid, func(id string, act audit.Act) (payment.Payment, error) {
		return o.d.Payments.Cancel(ctx, id, act)
	})
}

// StartInput is a request for a deposit address.
type StartInput struct {
	Txnid   string
	Network model.Network
	Token   model.Token
}

// startRead is what is read of a request to start a payment.
type startRead struct {
	Txnid  string
	Choice payment.Choice
}

func (in StartInput) choice() (payment.Choice, error) {
	n, err := domainNetwork(in.Network)
	if err != nil {
		return payment.Choice{}, err
	}
	t, err := domainToken(in.Token)
	return payment.Choice{Network: n, Token: t}, err
}

// StartPayment starts a payment of the key.
func (o *Operations) StartPayment(
	ctx context.Context, apiKey secret.Text, in StartInput,
) (*model.TransactionResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionCreate)
	if err != nil {
		return nil, err
	}
	choice, err := in.choice()
	if err != nil {
		return nil, err
	}
	read := startRead{payment.ReadID(in.Txnid), choice}
	place := scope{keyID: key.ID, operation: "start"}
	return once(ctx, o, place, read, o.ownTransactionResult, func(w write) (payment.Payment, error) {
		return o.d.Payments.StartOwned(ctx, key.ID, in.Txnid, choice, audit.Act{Keep: w.keep})
	})
}

// StartPublic starts a payment; its txnid is the only authorization.
func (o *Operations) StartPublic(ctx context.Context, in StartInput) (*model.TransactionResult, error) {
	if err := o.shown(ctx, merchant.PermissionCreate); err != nil {
		return nil, err
	}
	choice, err := in.choice()
	if err != nil {
		return nil, err
	}
	return o.onPayment(ctx, "start", choice, in.Txnid, func(id string, act audit.Act) (payment.Payment, error) {
		return o.d.Payments.Start(ctx, id, choice, act)
	})
}

// onPayment runs an operation that the txnid alone authorizes. Its
// Idempotency-Key belongs to the payment.
func (o *Operations) onPayment(
	ctx context.Context, name string, read any, txnid string,
	do func(id string, act audit.Act) (payment.Payment, error),
) (*model.TransactionResult, error) {
	p, err := o.d.Payments.Poll(ctx, txnid) // whose it is never changes
	if err != nil {
		return nil, err
	}
	return once(ctx, o, payerOf(p, name), read, o.transactionResult, func(w write) (payment.Payment, error) {
		return do(string(p.ID), audit.Act{Near: CallOf(ctx).Near, Keep: w.keep})
	})
}
