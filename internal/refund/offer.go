package refund

import (
	"context"
	"crypto/hmac"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// leastOffer is what is worth paying back without being asked by a person.
const leastOffer = money.Micros(10_000) // one cent

// claimReason is the reason of a refund that the payer has asked for.
const claimReason = "The payer asked for it: too much, too late, or another token."

// Offers lists what of an ended payment the payer is offered back: what came beyond what was asked for, more than the
// merchant keeps; what counts not, in its own token; and of a payment that was not completed, all. What other refunds
// pay back is not offered again.
func (a Account) Offers() []Holding {
	p := a.Payment
	if p.Kind != payment.KindMerchant || !p.Status.Final() || p.Reorged {
		return nil
	}
	var kept money.Atto
	if p.Status == payment.Completed {
		kept = p.Amount.Atto()
	}
	list := a.Holdings()
	for i := range list {
		h := &list[i]
		if p.Status != payment.Completed || !a.counts(h.Asset) {
			continue
		}
		worth := h.Asset.Worth(h.Left)
		over := worth.Sub(kept).Micros()
		if kept = kept.Sub(worth); kept.Cmp(money.Atto{}) < 0 {
			kept = money.Atto{}
		}
		if over <= p.Terms.KeepOver {
			over = 0
		}
		h.Left = max(over, 0).Units(h.Asset.Decimals)
	}
	return slices.DeleteFunc(list, func(h Holding) bool { return h.Asset.Worth(h.Left).Micros() < leastOffer })
}

// counts reports whether money in the asset has counted for the payment.
func (a Account) counts(asset chain.Asset) bool {
	return slices.ContainsFunc(a.Payment.Deposits, func(d payment.Deposit) bool {
		return d.State == payment.DepositFinal && sameAsset(d.Transfer.Asset, asset) && a.Payment.Counts(d)
	})
}

// Claim decides on a refund that the payer asks for: of exactly what is offered in the asset, and to the wallet that
// has signed for it, if one has.
func (a Account) Claim(offered Holding, id ID, to chain.Watched, now time.Time) (Change, error) {
	list := a.Offers()
	i := slices.IndexFunc(list, func(h Holding) bool {
		return sameAsset(h.Asset, offered.Asset) && h.Left.Cmp(offered.Left) == 0
	})
	if i < 0 {
		return Change{}, ErrNothing
	}
	c := a.made(Ask{ID: id, Reason: claimReason}, list[i].Asset, list[i].Left, now)
	if to.Address == "" {
		return c, nil
	}
	next := Account{c.Payment.Payment, append(slices.Clone(a.Refunds), c.Refund)}
	given, err := next.GiveAddress(id, to, true, now)
	given.Payment.Events = slices.Concat(c.Payment.Events, given.Payment.Events)
	given.Payment.Mails = slices.Concat(c.Payment.Mails, given.Payment.Mails)
	return given, err
}

// paidBy reports whether all final money in the asset came from the wallet: what two have paid is nobody's alone.
func (a Account) paidBy(asset chain.Asset, wallet chain.Address) bool {
	some := false
	for _, d := range a.Payment.Deposits {
		if d.State == payment.DepositFinal && sameAsset(d.Transfer.Asset, asset) {
			if d.Transfer.From != wallet {
				return false
			}
			some = true
		}
	}
	return some
}

// ClaimMessage is what the wallet that paid signs to have back what is offered.
func ClaimMessage(id payment.ID, h Holding) string {
	return "Send " + h.Left.Display(h.Asset.Decimals) + " " + h.Asset.Symbol + " on " + h.Asset.Network.Name() +
		" back to the wallet that signs this.\n\nPayment " + string(id)
}

// Offers lists what the payer of a payment is offered back; nothing unless its merchant offers it.
func (s *Service) Offers(ctx context.Context, p payment.Payment) ([]Holding, error) {
	if !p.Status.Final() || p.Kind != payment.KindMerchant || len(p.Deposits) == 0 {
		return nil, nil
	}
	c, err := s.d.Payments.Merchant(ctx, p)
	if err != nil || !c.OfferRefunds {
		if errors.Is(err, merchant.ErrNoCustodian) {
			err = nil
		}
		return nil, err
	}
	list, err := s.d.Store.RefundsOf(ctx, p.ID)
	return Account{p, list}.Offers(), err
}

// OfferLink is the page of what is offered back of a payment. It is mailed to its customer alone: who has it needs no
// signature.
func (s *Service) OfferLink(id payment.ID) string {
	return s.d.Links.CheckoutURL + "/refund/of/" + string(id) + sign(s.d.Links.Keys()[0], offerOf(id))
}

func offerOf(id payment.ID) ID { return ID("offer of " + id) }

// ReadOffer returns whose page it is, and whether the link was mailed to the customer. One that is wrongly signed is
// ErrUnknown.
func (s *Service) ReadOffer(ctx context.Context, token string) (p payment.Payment, mailed bool, err error) {
	if len(token) < idLength {
		return p, false, ErrUnknown
	}
	if p, err = s.d.Payments.Get(ctx, token[:idLength]); err != nil {
		return p, false, err
	}
	signature := token[idLength:]
	mailed = slices.ContainsFunc(s.d.Links.Keys(), func(key []byte) bool {
		return hmac.Equal([]byte(sign(key, offerOf(p.ID))), []byte(signature))
	})
	if signature != "" && !mailed {
		return p, false, ErrUnknown
	}
	return p, mailed, nil
}

// Signed is what a wallet has signed; account is its address on Solana.
type Signed struct{ Account, Signature string }

// Claim makes a refund of what is offered, for the holder of the link of ReadOffer. Without the customer's own link the
// wallet that has paid all of it must have signed ClaimMessage, and it goes there; it fails with ErrOtherWallet.
func (s *Service) Claim(ctx context.Context, token string, asset chain.Asset, signed Signed) (Refund, error) {
	p, mailed, err := s.ReadOffer(ctx, token)
	if err != nil {
		return Refund{}, err
	}
	list, err := s.Offers(ctx, p)
	if err != nil {
		return Refund{}, err
	}
	i := slices.IndexFunc(list, func(h Holding) bool { return sameAsset(h.Asset, asset) })
	if i < 0 {
		return Refund{}, ErrNothing
	}
	var to chain.Watched
	if !mailed {
		wallet, err := s.signer(asset.Network, ClaimMessage(p.ID, list[i]), signed)
		if err != nil {
			return Refund{}, err
		}
		if !(Account{Payment: p}).paidBy(asset, wallet) {
			return Refund{}, ErrOtherWallet
		}
		if to, err = s.address(ctx, asset.Network, string(wallet)); err != nil {
			return Refund{}, err
		}
	}
	return s.update(ctx, p.ID, audit.Act{}, audit.Record{}, func(a Account, now time.Time) (Change, error) {
		if !mailed && !a.paidBy(asset, to.Address) {
			return Change{}, ErrOtherWallet
		}
		return a.Claim(list[i], s.d.NewID(now), to, now)
	})
}
