package present

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/shell"
)

// Props are what the page of a payment shows, without the QR codes (AddCodes), which
// are made only where they are shown.
func (x *Presenter) Props(
	ctx context.Context, p payment.Payment, page views.Page, view checkout.View,
) (checkout.Props, error) {
	merchant, err := x.Merchant(ctx, p)
	if err != nil {
		return checkout.Props{}, err
	}
	out, err := x.Outline(ctx, p, page, view)
	x.Complete(&out, merchant)
	return out, err
}

// PriceOf returns what the payment's amount was made of, if it was given in another currency.
func PriceOf(p payment.Payment) views.Price {
	if p.Price.None() {
		return views.Price{}
	}
	return views.Price{
		Amount: p.Price.Amount(), Currency: string(p.Price.Currency), Rate: p.Price.Rate.String(), At: p.Price.At,
		Markup: p.Price.MarkupPercent(),
	}
}

// Complete adds the merchant.
func (x *Presenter) Complete(out *checkout.Props, m views.Merchant) {
	out.Merchant = m
	if out.Pay != nil && out.Pay.PaymentURI != "" {
		out.Pay.PaymentURI = payment.LabelledURI(out.Pay.PaymentURI, m.Name)
	}
}

// Outline is Props without the merchant: all that an open page is compared by.
func (x *Presenter) Outline(
	ctx context.Context, p payment.Payment, page views.Page, view checkout.View,
) (out checkout.Props, err error) {
	now := x.now()
	out = checkout.Props{
		Page: page, TxnID: string(p.ID), Amount: p.Amount.Display(), Token: string(p.Choice.Token),
		Price: PriceOf(p), Description: p.Description, Reference: p.Reference, State: state(p, now), View: view,
		Cancelled: p.Status == payment.Cancelled, Deposits: x.deposits(p), Received: Positive(p.Received().Micros()),
		ExpiresAt: p.ExpiresAt, CountdownSeconds: int(p.Countdown(now)),
		PaidAt: p.EndedAt, Hash: string(p.Hash), ExplorerURL: x.ExplorerURL(p),
		Origin: x.origin, Gift: campaignOf(p),
		ReturnURL: p.SuccessURL, CancelURL: p.CancelURL,
	}
	out.Askable, out.Asked = p.Askable(), p.Askable() && p.HasAsked()
	out.AgainURL = againURL(p, page.Lang)
	if out.Restarts, err = x.payments.Restartable(ctx, p); err != nil {
		return out, err
	}
	x.addInstructions(&out, p)
	if p.Status == payment.Started {
		out.Missing = Positive(p.Missing())
		x.addProgress(&out, p, now)
	}
	if out.State == checkout.StateChoose || out.State == checkout.StateWaiting || out.State == checkout.StateShort {
		twins, err := x.payments.PaidTwins(ctx, p)
		if err != nil {
			return out, err
		}
		out.Twice = len(twins) > 0
	}
	if out.State == checkout.StateChoose {
		if out.Blocked, err = x.payments.Blocked(ctx, p); err != nil {
			return out, err
		}
	}
	if out.State == checkout.StateChoose || view == checkout.ViewChoose {
		out.Choices, err = x.Choices(ctx, p)
	}
	if err == nil {
		out.Offer, err = x.Offer(ctx, p, page.Locale())
	}
	if err == nil {
		var rest money.Micros
		out.Back, rest, err = x.Back(ctx, p)
		out.Excess = Positive(rest)
	}
	if x.sandbox {
		out.SandboxURL = "/sandbox#txn-" + string(p.ID)
	}
	return out, err
}

// againURL leads to a new payment of the same link or campaign, unless money has come. An order of a shop has none: see
// payment.Service.Restartable.
func againURL(p payment.Payment, lang string) string {
	switch {
	case !p.Arrived().IsZero() || !p.Incoming().IsZero():
		return ""
	case p.LinkID > 0:
		return views.LinkPath(p.Metadata["link"], lang)
	case campaignOf(p) != "":
		return views.DonatePath(campaignOf(p), lang)
	}
	return ""
}

// campaignOf is the slug of the campaign that the payment is a donation to; empty for none.
func campaignOf(p payment.Payment) string {
	if p.Kind != payment.KindDonation {
		return ""
	}
	return p.Metadata["campaignId"]
}

// OperatorName is shown as the merchant of payments to the operator.
const OperatorName = "Florin"

// Merchant is the name and branding the payer sees.
func (x *Presenter) Merchant(ctx context.Context, p payment.Payment) (views.Merchant, error) {
	if p.Kind == payment.KindTopUp {
		return views.Merchant{Name: OperatorName}, nil
	}
	c, err := x.payments.Merchant(ctx, p)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return views.Merchant{Name: OperatorName}, nil
	}
	if err != nil {
		return views.Merchant{}, err
	}
	b := c.Branding
	m := views.Merchant{
		Name: c.Name, LogoURL: b.LogoURL, Tagline: b.Tagline, SupportEmail: b.SupportEmail,
		LegalName: b.LegalName, LegalAddress: b.LegalAddress, TaxID: b.TaxID,
		Accent: b.PrimaryColor, Background: b.BackgroundColor, Theme: string(b.Theme),
	}
	if u, err := url.Parse(b.Website); err == nil {
		m.Host, m.Website = u.Hostname(), b.Website
	}
	return m, nil
}

// state is the state of the payment as its page names it.
func state(p payment.Payment, now time.Time) checkout.State {
	switch p.Status {
	case payment.Completed:
		if p.Reversed() {
			return checkout.StateReversed
		}
		return checkout.StatePaid
	case payment.Expired, payment.Cancelled:
		return ended(p)
	case payment.Pending:
		if !now.Before(p.ExpiresAt) {
			return checkout.StateExpired
		}
		return checkout.StateChoose
	case payment.Started:
	}
	switch {
	case !p.Incoming().IsZero():
		return checkout.StateSeen
	case !p.Received().IsZero():
		return checkout.StateShort
	}
	return checkout.StateWaiting
}

func ended(p payment.Payment) checkout.State {
	for _, d := range p.Deposits {
		if d.Late && p.Counts(d) {
			return checkout.StateLate
		}
	}
	if p.Status == payment.Cancelled {
		return checkout.StateCancelled
	}
	return checkout.StateExpired
}

// addInstructions adds what to send and where.
func (x *Presenter) addInstructions(out *checkout.Props, p payment.Payment) {
	route, ok := p.Route()
	offered, known := x.payments.Network(p.Choice.Network)
	if !ok || !known {
		return
	}
	due := p.Due()
	out.Pay = &checkout.Instructions{
		Network: string(p.Choice.Network), Token: string(p.Choice.Token), Address: string(route.Address.Address),
		Amount: due.Display(), WithFee: withFee(due, offered.Profile), PaymentURI: payment.URI(p, offered.Profile),
	}
	asset, ok := offered.Profile.Asset(p.Choice.Token)
	if ok && p.Choice.Network.EVM() {
		out.Pay.Browser = &checkout.BrowserWallet{
			ChainID: offered.Profile.ChainID, Contract: string(asset.Contract),
			Units:      due.Units(asset.Decimals).String(),
			CoinSymbol: offered.Profile.Coin, ExplorerURL: offered.Profile.Explorer, RPCURL: offered.Profile.WalletRPC,
		}
	}
	if ok && p.Choice.Network == chain.Solana && x.solana {
		if strings.HasPrefix(x.origin, "https://") {
			// A transaction request: wallets refuse a transfer to an owner who has no token account yet.
			out.Pay.PaymentURI = "solana:" + x.origin + checkout.ActPath(string(p.ID), "transaction", "")
		}
		out.Pay.Solana = &checkout.SolanaWallet{Chain: "solana:" + offered.Profile.Cluster}
	}
}

// fee writes a fee in US dollars; empty if it is not known.
func fee(usd money.Micros) string {
	if usd <= 0 {
		return ""
	}
	return usd.Display()
}

// withFee is the amount with an exchange's usual fee on top; empty if no fee is known.
func withFee(due money.Micros, profile chain.Profile) string {
	if profile.ExchangeFee <= 0 {
		return ""
	}
	return (due + profile.ExchangeFee).Display()
}

// AddCodes adds the QR codes of the instructions.
func (x *Presenter) AddCodes(p *checkout.Props) {
	if p.Pay == nil || (p.State != checkout.StateWaiting && p.State != checkout.StateShort) {
		return
	}
	p.Pay.QRPlain = x.QR(p.Pay.Address)
	p.Pay.QRWallet = x.QR(p.Pay.PaymentURI)
}

// Limits of the progress bar: only the chain itself completes it.
const (
	mostProgress = 95
	leastSeconds = 1
)

// addProgress adds how far the newest deposit is from being final, by the time the
// network takes at present.
func (x *Presenter) addProgress(out *checkout.Props, p payment.Payment, now time.Time) {
	h := x.payments.Health(p.Choice.Network)
	out.Paused, out.Stalled = !h.OK, h.Stalled
	d, ok := newestSeen(p)
	if !ok {
		return
	}
	takes := x.payments.Health(d.Transfer.Network).FinalIn
	if takes <= 0 {
		return
	}
	since := max(now.Sub(d.SeenAt), 0)
	out.State = checkout.StateConfirming
	out.SecondsToFinal = max(shell.Seconds(takes-since), leastSeconds)
	out.Progress = min(int(100*since/takes), mostProgress)
}

func newestSeen(p payment.Payment) (payment.Deposit, bool) {
	for _, d := range slices.Backward(p.Deposits) {
		if d.State == payment.DepositSeen && p.Counts(d) {
			return d, true
		}
	}
	return payment.Deposit{}, false
}

// deposits lists the money that arrived. Specks that do not count are left out: anybody can send them.
func (x *Presenter) deposits(p payment.Payment) []checkout.Deposit {
	var out []checkout.Deposit
	for _, d := range p.Deposits {
		t := d.Transfer
		if d.State == payment.DepositVanished ||
			!p.Counts(d) && t.Asset.Worth(t.Units).Cmp(payment.DustFloor.Atto()) < 0 {
			continue
		}
		v := checkout.Deposit{
			Kind: depositKind(p, d), Network: string(t.Network), Token: t.Asset.Symbol,
			Amount: t.Units.Display(t.Asset.Decimals), Hash: string(t.Tx), At: d.SeenAt,
		}
		if offered, ok := x.payments.Network(t.Network); ok {
			v.ExplorerURL = offered.Profile.TxURL(t.Tx)
		}
		out = append(out, v)
	}
	return out
}

func depositKind(p payment.Payment, d payment.Deposit) checkout.DepositKind {
	switch {
	case !p.Counts(d):
		return checkout.DepositOther
	case d.Late:
		return checkout.DepositLate
	case d.State == payment.DepositFinal:
		return checkout.DepositFinal
	}
	return checkout.DepositSeen
}

// Choices lists the networks the payer may choose.
func (x *Presenter) Choices(ctx context.Context, p payment.Payment) ([]checkout.NetworkChoice, error) {
	offers, err := x.payments.Offers(ctx, p)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []checkout.NetworkChoice
	for _, o := range offers {
		n := checkout.NetworkChoice{
			Network: string(o.Network), FeeUSD: o.Profile.TypicalFee.String(), Seconds: shell.Seconds(o.FinalIn),
			ExchangeFeeUSD: fee(o.Profile.ExchangeFee),
			Last:           o.Network == p.Choice.Network,
		}
		if o.Reason != "" {
			n.Reason = checkout.ReasonBehind
		}
		for _, t := range o.Tokens {
			n.Tokens = append(n.Tokens, checkout.TokenChoice{Token: string(t)})
		}
		out = append(out, n)
	}
	return out, nil
}

// ExplorerURL is the address of the payment in an explorer; empty for none.
func (x *Presenter) ExplorerURL(p payment.Payment) string {
	for _, d := range p.Deposits {
		if d.Transfer.Tx == p.Hash {
			return x.TxURL(d.Transfer.Network, p.Hash)
		}
	}
	return ""
}

// TxURL is the address of a transaction in the network's explorer; empty for none.
func (x *Presenter) TxURL(n chain.Network, tx chain.TxHash) string {
	if offered, ok := x.payments.Network(n); ok && tx != "" {
		return offered.Profile.TxURL(tx)
	}
	return ""
}

// Sum is an amount in another currency as views show it; the amount is empty where the payer chooses it.
func Sum(x exchange.Sum) views.Price {
	p := views.Price{Currency: string(x.Currency)}
	if x.Units > 0 {
		p.Amount = x.Amount()
	}
	return p
}

// Positive writes an amount; empty for none.
func Positive(m money.Micros) string {
	if m <= 0 {
		return ""
	}
	return m.Display()
}
