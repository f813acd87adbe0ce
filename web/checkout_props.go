package web

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// checkoutProps says of a payment what its page shows, all but the QR codes,
// which are made only when they are shown.
func (s *Server) checkoutProps(ctx context.Context, p payment.Payment, page views.Page, view views.View) (views.CheckoutProps, error) {
	merchant, err := s.merchant(ctx, p)
	if err != nil {
		return views.CheckoutProps{}, err
	}
	now := s.d.Now()
	out := views.CheckoutProps{
		Page: page, Merchant: merchant, TxnID: string(p.ID), Amount: p.Amount.Display(), Token: string(p.Choice.Token),
		Description: p.Description, Reference: p.Reference, State: state(p, now), View: view, Cancelled: p.Status == payment.Cancelled,
		Deposits: s.deposits(p), Received: positive(p.Received().Micros()), Excess: positive(p.Received().Sub(p.Amount.Atto()).Micros()),
		ExpiresAt: p.ExpiresAt, CountdownSeconds: int(p.Countdown(now)),
		PaidAt: p.EndedAt, Hash: string(p.Hash), ExplorerURL: s.explorerURL(p),
		ReturnURL: returnURL(p.SuccessURL), CancelURL: returnURL(p.CancelURL),
	}
	s.addInstructions(&out, p)
	if p.Status == payment.Started {
		out.Missing = positive(p.Missing())
		s.addProgress(&out, p, now)
	}
	if out.State == views.StateChoose || view == views.ViewChoose {
		out.Choices, err = s.choices(ctx, p)
	}
	if s.o.Sandbox != nil {
		out.SandboxURL = "/sandbox#txn-" + string(p.ID)
	}
	return out, err
}

// operatorName stands where a merchant's name does when the operator is paid.
const operatorName = "Florin"

func (s *Server) merchant(ctx context.Context, p payment.Payment) (views.Merchant, error) {
	if p.Kind == payment.KindTopUp {
		return views.Merchant{Name: operatorName}, nil
	}
	c, err := s.d.Payments.Merchant(ctx, p)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return views.Merchant{Name: operatorName}, nil
	}
	if err != nil {
		return views.Merchant{}, err
	}
	b := c.Branding
	m := views.Merchant{
		Name: c.Name, LogoURL: b.LogoURL, Tagline: b.Tagline, SupportEmail: b.SupportEmail,
		Accent: b.PrimaryColor, Background: b.BackgroundColor, Theme: string(b.Theme),
	}
	if u, err := url.Parse(b.Website); err == nil {
		m.Host = u.Hostname()
	}
	return m, nil
}

// state is where the payment stands, as its payer would put it.
func state(p payment.Payment, now time.Time) views.State {
	switch p.Status {
	case payment.Completed:
		return views.StatePaid
	case payment.Expired, payment.Cancelled:
		return ended(p)
	case payment.Pending:
		if !now.Before(p.ExpiresAt) {
			return views.StateExpired
		}
		return views.StateChoose
	case payment.Started:
	}
	switch {
	case !p.Incoming().IsZero():
		return views.StateSeen
	case !p.Received().IsZero():
		return views.StateShort
	}
	return views.StateWaiting
}

func ended(p payment.Payment) views.State {
	for _, d := range p.Deposits {
		if d.Late && p.Counts(d) {
			return views.StateLate
		}
	}
	if p.Status == payment.Cancelled {
		return views.StateCancelled
	}
	return views.StateExpired
}

// addInstructions says what to send and where.
func (s *Server) addInstructions(out *views.CheckoutProps, p payment.Payment) {
	route, ok := p.Route()
	lane, known := s.d.Payments.Network(p.Choice.Network)
	if !ok || !known {
		return
	}
	due := p.Due()
	out.Pay = &views.Instructions{
		Network: string(p.Choice.Network), Token: string(p.Choice.Token), Address: string(route.Address.Address),
		Amount: due.Display(), PaymentURI: p.URI(lane.Profile),
	}
	asset, ok := lane.Profile.Asset(p.Choice.Token)
	if ok && p.Choice.Network.EVM() {
		out.Pay.Browser = &views.BrowserWallet{
			ChainID: lane.Profile.ChainID, Contract: string(asset.Contract), Units: due.Units(asset.Decimals).String(),
			CoinSymbol: lane.Profile.Coin, ExplorerURL: lane.Profile.Explorer, RPCURL: lane.Profile.WalletRPC,
		}
	}
	if ok && p.Choice.Network == chain.Solana && s.d.Transfers != nil {
		out.Pay.Solana = &views.SolanaWallet{Chain: "solana:" + lane.Profile.Cluster}
	}
}

// addCodes draws the QR codes of the instructions.
func (s *Server) addCodes(p *views.CheckoutProps) {
	if p.Pay == nil || (p.State != views.StateWaiting && p.State != views.StateShort) {
		return
	}
	p.Pay.QRPlain = s.codes.of(p.Pay.Address)
	p.Pay.QRWallet = s.codes.of(p.Pay.PaymentURI)
}

// Progress of a deposit on its way: the end of the bar belongs to the chain.
const (
	mostProgress = 95
	leastSeconds = 1
)

// addProgress says how far the newest deposit is from being final, by how long
// the network takes at present.
func (s *Server) addProgress(out *views.CheckoutProps, p payment.Payment, now time.Time) {
	h := s.d.Payments.Health(p.Choice.Network)
	out.Paused = !h.OK
	d, ok := newestSeen(p)
	if !ok {
		return
	}
	takes := s.d.Payments.Health(d.Transfer.Network).FinalIn
	if takes <= 0 {
		return
	}
	since := max(now.Sub(d.SeenAt), 0)
	out.State = views.StateConfirming
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

// deposits lists the money that arrived.
func (s *Server) deposits(p payment.Payment) []views.Deposit {
	var out []views.Deposit
	for _, d := range p.Deposits {
		if d.State == payment.DepositVanished {
			continue
		}
		t := d.Transfer
		v := views.Deposit{
			Kind: depositKind(p, d), Network: string(t.Network), Token: t.Asset.Symbol,
			Amount: t.Units.Display(t.Asset.Decimals), Hash: string(t.Tx), At: d.SeenAt,
		}
		if lane, ok := s.d.Payments.Network(t.Network); ok {
			v.ExplorerURL = lane.Profile.TxURL(t.Tx)
		}
		out = append(out, v)
	}
	return out
}

func depositKind(p payment.Payment, d payment.Deposit) views.DepositKind {
	switch {
	case !p.Counts(d):
		return views.DepositOther
	case d.Late:
		return views.DepositLate
	case d.State == payment.DepositFinal:
		return views.DepositFinal
	}
	return views.DepositSeen
}

// choices lists the networks the payer may choose, the present one first.
func (s *Server) choices(ctx context.Context, p payment.Payment) ([]views.NetworkChoice, error) {
	offers, err := s.d.Payments.Offers(ctx, p)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []views.NetworkChoice
	for _, o := range offers {
		n := views.NetworkChoice{
			Network: string(o.Network), FeeUSD: o.Profile.TypicalFee.String(), Seconds: shell.Seconds(o.FinalIn),
			Last: o.Network == p.Choice.Network,
		}
		if o.Reason != "" {
			n.Reason = views.ReasonBehind
		}
		for _, t := range o.Tokens {
			n.Tokens = append(n.Tokens, views.TokenChoice{Token: string(t)})
		}
		if n.Last {
			out = append([]views.NetworkChoice{n}, out...)
			continue
		}
		out = append(out, n)
	}
	return out, nil
}

func (s *Server) explorerURL(p payment.Payment) string {
	for _, d := range p.Deposits {
		if d.Transfer.Tx == p.Hash {
			return s.txURL(d.Transfer.Network, p.Hash)
		}
	}
	return ""
}

func (s *Server) txURL(n chain.Network, tx chain.TxHash) string {
	if lane, ok := s.d.Payments.Network(n); ok && tx != "" {
		return lane.Profile.TxURL(tx)
	}
	return ""
}

// returnURL is the merchant's address if a browser may be sent there; the page
// adds the txnid and what became of the payment.
func returnURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return ""
	}
	return text
}

// positive writes an amount; empty for none.
func positive(m money.Micros) string {
	if m <= 0 {
		return ""
	}
	return m.Display()
}
