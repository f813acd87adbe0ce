package refund

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Reasons why a decision is refused.
var (
	ErrUnknown   = fault.New(fault.NotFound, "no refund has this id")
	ErrTopUp     = refused(fault.ReasonTopUp, "a credit top-up was paid to the operator, who alone can pay it back")
	ErrNothing   = refused(fault.ReasonNothingToRefund, "nothing is left of this payment that could be paid back")
	ErrEnded     = refused(fault.ReasonRefundEnded, "the refund is already paid or cancelled")
	ErrAsked     = refused(fault.ReasonRefundSent, "the merchant's wallet was already asked to send it")
	ErrNoAddress = refused(fault.ReasonNoRefundAddress, "the payer has not said yet where the money is to go")
	ErrLinkEnded = refused(fault.ReasonRefundEnded, "this link has ended; ask the shop for a new one")
	// ErrTaken: the transfer has settled another refund meanwhile.
	ErrTaken = refused(fault.ReasonRefundEnded, "this transfer has paid another refund")
)

func refused(r fault.Reason, format string, args ...any) error {
	return fault.New(fault.Conflict, format, args...).Because(r)
}

// Account is a payment with all of its refunds.
type Account struct {
	Payment payment.Payment
	Refunds []Refund
}

// Change is the outcome of a decision: all of it is written in one transaction, or none of it.
type Change struct {
	Refund Refund // new or changed
	// Payment is the payment with the event, and what else is written with it: audit entries, mails, a kept answer.
	Payment payment.Change
}

// None reports whether there is nothing to write.
func (c Change) None() bool { return c.Payment.None() }

// find returns the refund of the account, or ErrUnknown.
func (a Account) find(id ID) (Refund, error) {
	i := slices.IndexFunc(a.Refunds, func(r Refund) bool { return r.ID == id })
	if i < 0 {
		return Refund{}, ErrUnknown
	}
	return a.Refunds[i], nil
}

// Holding is money of a payment in one token on one network.
type Holding struct {
	Asset chain.Asset
	// Left is what was received, less what was paid back and what open refunds are to pay back.
	Left money.Units
}

// Holdings lists what is left of the payment's final money, that of the payer's own choice first and then the largest.
// Tokens that are none of the network's are left out: anyone can make one.
func (a Account) Holdings() (list []Holding) {
	at := func(asset chain.Asset) *Holding {
		i := slices.IndexFunc(list, func(h Holding) bool { return sameAsset(h.Asset, asset) })
		if i < 0 {
			i, list = len(list), append(list, Holding{Asset: asset})
		}
		return &list[i]
	}
	for _, d := range a.Payment.Deposits {
		if asset := d.Transfer.Asset; d.State == payment.DepositFinal && asset.Listed() && asset.Contract != "" {
			h := at(asset)
			h.Left = h.Left.Add(d.Transfer.Units)
		}
	}
	for _, r := range a.Refunds {
		if r.Status != Cancelled {
			h := at(r.Asset)
			h.Left = h.Left.Sub(r.Units)
		}
	}
	list = slices.DeleteFunc(list, func(h Holding) bool { return h.Left.Cmp(money.Units{}) <= 0 })
	own := func(h Holding) int {
		if h.Asset.Network == a.Payment.Choice.Network && h.Asset.Token == a.Payment.Choice.Token {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(x, y Holding) int {
		return cmp.Or(own(y)-own(x), y.Asset.Worth(y.Left).Cmp(x.Asset.Worth(x.Left)))
	})
	return list
}

func sameAsset(a, b chain.Asset) bool { return a.Network == b.Network && a.Contract == b.Contract }

// Ask is what a merchant asks for.
type Ask struct {
	ID     ID // a repeated ask makes the same refund
	Amount string
	Reason string
	// Network and Token choose among the holdings; empty: the first. Token is a symbol, such as USDC.e.
	Network chain.Network
	Token   string
}

// Request decides on a new refund. An empty amount is all that is left.
func (a Account) Request(ask Ask, now time.Time) (Change, error) {
	if r, err := a.find(ask.ID); err == nil {
		return Change{Refund: r, Payment: payment.Change{Payment: a.Payment}}, nil
	}
	if a.Payment.Kind == payment.KindTopUp {
		return Change{}, ErrTopUp
	}
	holdings := slices.DeleteFunc(a.Holdings(), func(h Holding) bool {
		return ask.Network != "" && h.Asset.Network != ask.Network || ask.Token != "" && h.Asset.Symbol != ask.Token
	})
	if len(holdings) == 0 {
		return Change{}, ErrNothing
	}
	asset, units := holdings[0].Asset, holdings[0].Left
	if ask.Amount != "" {
		var err error
		if units, err = unitsOf(ask.Amount, asset.Decimals); err != nil {
			return Change{}, err
		}
		if left := holdings[0].Left; units.Cmp(left) > 0 {
			return Change{}, refused(fault.ReasonRefundTooMuch, "at most %s %s on %s can still be paid back",
				left.Display(asset.Decimals), asset.Symbol, asset.Network)
		}
	}
	return a.made(ask, asset, units, now), nil
}

// made is a new refund.
func (a Account) made(ask Ask, asset chain.Asset, units money.Units, now time.Time) Change {
	return a.change(Refund{
		ID: ask.ID, PaymentID: a.Payment.ID, KeyID: a.Payment.KeyID, Asset: asset, Units: units, Reason: ask.Reason,
		Status: Requested, CreatedAt: now,
	}, payment.EventRefundRequested, now)
}

// unitsOf reads an amount in whole tokens.
func unitsOf(text string, decimals int) (money.Units, error) {
	m, err := money.ParseMicros("amount", text)
	return m.Units(decimals), err
}

// GiveAddress decides on the address that the payer gives, which was checked. It may be given again until the
// merchant's wallet was asked.
func (a Account) GiveAddress(id ID, to chain.Watched, proven bool, now time.Time) (Change, error) {
	r, err := a.find(id)
	switch {
	case err != nil:
		return Change{}, err
	case !r.Open():
		return Change{}, ErrEnded
	case r.Status == Sent || !r.AskedAt.IsZero():
		return Change{}, ErrAsked
	case now.After(r.LinkUntil()):
		return Change{}, ErrLinkEnded
	case r.Address.Address == to.Address && r.Proven == proven:
		return a.unchanged(r), nil
	}
	r.Status, r.Address, r.Proven, r.AddressAt, r.Scanned, r.Others = AddressGiven, to, proven, now, 0, nil
	return a.change(r, payment.EventRefundAddress, now), nil
}

// Ask records that the merchant's wallet is asked to send the refund: from then on its address stays. It fails with
// ErrAsked for one that a wallet was asked for already: who asked twice could pay twice.
func (a Account) Ask(id ID, now time.Time) (Change, error) {
	r, err := a.payable(id)
	if err == nil && !r.AskedAt.IsZero() {
		err = ErrAsked
	}
	if err != nil {
		return Change{}, err
	}
	r.AskedAt = now
	return a.change(r, payment.EventRefundAsked, now), nil
}

// Unsend records that nothing was sent, in the merchant's word: the address may change, and the refund be cancelled. A
// transfer that comes all the same still settles it.
func (a Account) Unsend(id ID, now time.Time) (Change, error) {
	r, err := a.payable(id)
	if err != nil || r.AskedAt.IsZero() && r.Status == AddressGiven {
		return a.unchanged(r), err
	}
	r.Status, r.Hash, r.AskedAt = AddressGiven, "", time.Time{}
	return a.change(r, payment.EventRefundUnsent, now), nil
}

// Send records the transaction that the merchant names.
func (a Account) Send(id ID, hash chain.TxHash, now time.Time) (Change, error) {
	r, err := a.find(id)
	if err == nil && r.Hash == hash && (r.Status == Sent || r.Status == Final) {
		return a.unchanged(r), nil
	}
	if r, err = a.payable(id); err != nil {
		return Change{}, err
	}
	r.Status, r.Hash = Sent, hash
	if r.AskedAt.IsZero() {
		r.AskedAt = now
	}
	return a.change(r, payment.EventRefundSent, now), nil
}

// Settle decides on a final transfer that Match has given to the refund.
func (a Account) Settle(id ID, t chain.Transfer, now time.Time) (Change, error) {
	r, err := a.find(id)
	switch {
	case err != nil:
		return Change{}, err
	case r.took(t):
		return a.unchanged(r), nil
	case !r.Payable():
		return Change{}, ErrEnded
	case !r.Fits(t):
		return Change{}, fault.New(fault.Internal, "transfer %s %d does not fit refund %s", t.Tx, t.Ordinal, r.ID)
	}
	r.Status, r.Hash, r.Ordinal, r.FinalAt = Final, t.Tx, t.Ordinal, now
	return a.change(r, payment.EventRefundFinal, now), nil
}

// Note keeps a final transfer of another amount, which does not count.
func (a Account) Note(id ID, t chain.Transfer, now time.Time) (Change, error) {
	r, err := a.find(id)
	if err != nil || !r.misses(t) {
		return a.unchanged(r), err
	}
	body := r.body()
	body.Other, body.Hash = t.Units.Format(r.Asset.Decimals), t.Tx
	r.Others = append(slices.Clone(r.Others), Other{t.Tx, t.Ordinal, body.Other})
	return Change{Refund: r, Payment: a.Payment.WithRefundEvent(payment.EventRefundOther, now, body)}, nil
}

// Cancel ends a refund that the merchant's wallet was not asked for.
func (a Account) Cancel(id ID, now time.Time) (Change, error) {
	r, err := a.find(id)
	switch {
	case err != nil || r.Status == Cancelled:
		return a.unchanged(r), err
	case r.Status == Final:
		return Change{}, ErrEnded
	case !r.AskedAt.IsZero():
		return Change{}, ErrAsked
	}
	r.Status = Cancelled
	return a.change(r, payment.EventRefundCancelled, now), nil
}

// payable returns a refund that waits for the merchant's transfer.
func (a Account) payable(id ID) (Refund, error) {
	r, err := a.find(id)
	switch {
	case err != nil:
		return r, err
	case !r.Open():
		return r, ErrEnded
	case !r.Payable():
		return r, ErrNoAddress
	}
	return r, nil
}

// unchanged is the change that writes nothing.
func (a Account) unchanged(r Refund) Change {
	return Change{Refund: r, Payment: payment.Change{Payment: a.Payment}}
}

// change is the refund with its event.
func (a Account) change(r Refund, event payment.EventType, now time.Time) Change {
	a.Payment.Refunded = a.refunded(r)
	return Change{Refund: r, Payment: a.Payment.WithRefundEvent(event, now, r.body())}
}

// refunded is what the refunds take of the payment, of which one is new or changed.
func (a Account) refunded(changed Refund) (list []payment.Refunded) {
	others := slices.DeleteFunc(slices.Clone(a.Refunds), func(r Refund) bool { return r.ID == changed.ID })
	for _, r := range append(others, changed) {
		if r.Status == Cancelled {
			continue
		}
		i := slices.IndexFunc(list, func(o payment.Refunded) bool {
			return o.Network == r.Asset.Network && o.Contract == r.Asset.Contract
		})
		if i < 0 {
			i, list = len(list), append(list, payment.Refunded{Network: r.Asset.Network, Contract: r.Asset.Contract})
		}
		if r.Status == Final {
			list[i].Arrived = list[i].Arrived.Add(r.Units)
		} else {
			list[i].Open = list[i].Open.Add(r.Units)
		}
	}
	return list
}

// Body is a refund as events have it.
type Body struct {
	ID      ID            `json:"id"`
	Amount  string        `json:"amount"` // in whole tokens
	Token   string        `json:"token"`
	Network string        `json:"network"`
	Status  Status        `json:"status"`
	Reason  string        `json:"reason"`
	Address chain.Address `json:"address"`
	Proven  bool          `json:"proven"`
	Hash    chain.TxHash  `json:"hash"`
	// Other is an amount that came in the place of Amount, by the transaction Hash, of refund.other.
	Other string `json:"other,omitempty"`
}

func (r Refund) body() Body {
	return Body{
		ID: r.ID, Amount: r.Amount(), Token: r.Asset.Symbol, Network: r.Asset.Network.Lower(), Status: r.Status,
		Reason: r.Reason, Address: r.Address.Address, Proven: r.Proven, Hash: r.Hash,
	}
}
