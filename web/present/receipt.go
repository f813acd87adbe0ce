package present

import (
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// Receipt is what the receipt of a completed payment shows, on its page and in the customer's mail.
func (x *Presenter) Receipt(p payment.Payment, m views.Merchant, page views.Page) checkout.ReceiptProps {
	props := checkout.ReceiptProps{
		Page: page, Merchant: m, TxnID: string(p.ID), Reference: p.Reference, Description: p.Description,
		Price: PriceOf(p), Amount: p.Amount.Display(), Received: p.Received().Micros().Display(),
		Network: string(p.Choice.Network), Token: string(p.Choice.Token), CreatedAt: p.CreatedAt, PaidAt: p.EndedAt,
		Deposits: x.deposits(p), VerifyURL: x.origin + checkout.ActPath(string(p.ID), "receipt", ""), ByHand: p.ByHand,
	}
	if route, ok := p.Route(); ok {
		props.Address = string(route.Address.Address)
	}
	return props
}
