package operation

import (
	"context"
	"strings"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
)

// RefundInput asks for a refund. Everything but key and txnid may be empty.
type RefundInput struct {
	APIKey  secret.Text
	Txnid   string
	Amount  *model.Decimal
	Reason  string
	Network model.Network
	Token   string
}

// Refund requests a refund of one of a key's payments.
func (o *Operations) Refund(ctx context.Context, in RefundInput) (*model.RefundResult, error) {
	key, err := o.caller(ctx, in.APIKey, merchant.PermissionRefund)
	if err != nil {
		return nil, err
	}
	ask := refund.Ask{Reason: in.Reason, Token: strings.TrimSpace(in.Token)}
	if in.Amount != nil {
		if ask.Amount, err = in.Amount.Text("amount"); err != nil {
			return nil, err
		}
	}
	if in.Network != "" {
		if ask.Network, err = chain.ParseNetwork(string(in.Network)); err != nil {
			return nil, err
		}
	}
	read := struct{ Txnid, Amount, Reason, Network, Token string }{
		payment.ReadID(in.Txnid), amountRead(ask.Amount), ask.Reason, string(ask.Network), ask.Token,
	}
	place := scope{keyID: key.ID, operation: "refund"}
	return once(ctx, o, place, read, o.refundResult, func(w write) (refund.Refund, error) {
		ask.ID = refund.ID(w.subject)
		return o.d.Refunds.Request(ctx, key.ID, in.Txnid, ask, w.keptBy(o.by(ctx, key)))
	})
}

// CancelRefund ends one of a key's refunds.
func (o *Operations) CancelRefund(ctx context.Context, apiKey secret.Text, id string) (*model.RefundResult, error) {
	return o.changeRefund(ctx, apiKey, "cancelRefund", id, "", func(key merchant.Key, w write) (refund.Refund, error) {
		r, err := o.d.Refunds.Owned(ctx, key.ID, id)
		if err != nil {
			return r, err
		}
		return o.d.Refunds.Cancel(ctx, r, w.keptBy(o.by(ctx, key)))
	})
}

// ConfirmRefund names the transaction that pays one of a key's refunds.
func (o *Operations) ConfirmRefund(
	ctx context.Context, apiKey secret.Text, id, text string,
) (*model.RefundResult, error) {
	confirm := func(key merchant.Key, _ write) (refund.Refund, error) {
		hash, _, err := lookup.ParseHash(text)
		if err != nil {
			return refund.Refund{}, err
		}
		r, err := o.d.Refunds.Owned(ctx, key.ID, id)
		if err == nil {
			err = o.d.Limits.Checks(ctx) // endpoints are asked about the transaction
		}
		if err != nil {
			return r, err
		}
		return o.d.Refunds.Confirm(ctx, r, hash, o.by(ctx, key))
	}
	return o.changeRefund(ctx, apiKey, "confirmRefund", id, text, confirm)
}

// changeRefund runs a write on a refund once for each Idempotency-Key.
func (o *Operations) changeRefund(
	ctx context.Context, apiKey secret.Text, name, id, text string,
	change func(merchant.Key, write) (refund.Refund, error),
) (*model.RefundResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRefund)
	if err != nil {
		return nil, err
	}
	place := scope{keyID: key.ID, operation: name}
	read := [2]string{strings.ToUpper(id), text}
	return once(ctx, o, place, read, o.refundResult, func(w write) (refund.Refund, error) { return change(key, w) })
}

// RefundDetails reads one of a key's refunds.
func (o *Operations) RefundDetails(ctx context.Context, apiKey secret.Text, id string) (*model.RefundResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	r, err := o.d.Refunds.Owned(ctx, key.ID, id)
	if err != nil {
		return nil, err
	}
	return o.refundResult(r), nil
}

// RefundsOf lists the refunds of one of a key's payments.
func (o *Operations) RefundsOf(ctx context.Context, apiKey secret.Text, txnid string) (*model.RefundsResult, error) {
	key, err := o.caller(ctx, apiKey, merchant.PermissionRead)
	if err != nil {
		return nil, err
	}
	list, err := o.d.Refunds.Of(ctx, key.ID, txnid)
	if err != nil {
		return nil, err
	}
	out := &model.RefundsResult{Refunds: make([]*model.Refund, len(list))}
	for i, r := range list {
		out.Refunds[i] = o.refund(r)
	}
	return out, nil
}

func (o *Operations) refundResult(r refund.Refund) *model.RefundResult {
	return &model.RefundResult{Refund: o.refund(r)}
}

// refund writes a refund as its merchant sees it.
func (o *Operations) refund(r refund.Refund) *model.Refund {
	out := &model.Refund{
		ID: string(r.ID), Txnid: string(r.PaymentID), Amount: model.Number(r.Amount()), Token: r.Asset.Symbol,
		Network: model.Network(r.Asset.Network), Status: model.RefundStatus(r.Status), Reason: optional(r.Reason),
		AddressLink: o.d.Refunds.Link(r), Address: optional(string(r.Address.Address)), Hash: optional(string(r.Hash)),
		CreatedAt: model.At(r.CreatedAt),
	}
	if n, ok := o.d.Payments.Network(r.Asset.Network); ok && r.Hash != "" {
		out.BlockchainLink = optional(n.Profile.TxURL(r.Hash))
	}
	if !r.FinalAt.IsZero() {
		at := model.At(r.FinalAt)
		out.FinalAt = &at
	}
	return out
}
