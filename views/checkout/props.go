package checkout

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/florinpay/florin/views"
)

// RefreshSeconds is how often a waiting checkout reloads itself when the browser does not run its script.
const RefreshSeconds = 5

// QuietSeconds is how much time must be left for the countdown to stay in the background.
const QuietSeconds = 5 * 60

// NetworkChoice is one network of the step "choose how to pay".
type NetworkChoice struct {
	// Network is the enum value: BEP20, POLYGON, BASE, SOL.
	Network string
	Tokens  []TokenChoice
	// FeeUSD is the typical network fee of the payer in US dollars, a plain decimal such as "0.01"; may be empty.
	FeeUSD string
	// ExchangeFeeUSD is what exchanges usually charge to send there, as FeeUSD.
	ExchangeFeeUSD string
	// Seconds is the typical time from sending to final; 0 when unknown.
	Seconds int
	// Reason is why the whole network cannot be chosen; then Tokens are not offered.
	Reason Reason
	// Last marks what this payer used last time; it is shown first.
	Last bool
}

// TokenChoice is one token on a network.
type TokenChoice struct {
	// Token is USDT or USDC.
	Token string
	// Reason is why this token alone cannot be chosen.
	Reason Reason
}

// Instructions say exactly what to send and where. They exist once a payment is started.
type Instructions struct {
	// Network and Token are the enum values.
	Network, Token string
	// Address is the deposit address in the spelling to be copied.
	Address string
	// Amount is what is to be sent now, a plain decimal without separators: the whole amount, or what is missing.
	Amount string
	// WithFee is Amount with what exchanges usually charge on top: what to type where the exchange takes its fee
	// out of the amount. A plain decimal; may be empty.
	WithFee string
	// PaymentURI is the EIP-681 or Solana Pay request of Amount; only ethereum: and solana: are linked.
	PaymentURI string
	// QRPlain holds Address alone, QRWallet holds PaymentURI. Make them once per payment with [NewQR].
	QRPlain, QRWallet views.QR
	// Browser lets the page pay with a wallet in the browser on EVM networks, Solana on Solana; nil leaves it out.
	Browser *BrowserWallet
	Solana  *SolanaWallet
}

// SolanaWallet is what a wallet of the Wallet Standard needs. It is sent a transaction that the server builds:
//
//	POST /pay/{txnid}/transaction     account (base58), as a field or in JSON → 200 {"transaction": base64}, unsigned,
//	                                  with a recent blockhash and account as the fee payer; 422 when the account holds
//	                                  too little, with "reason":"gas" when that is SOL;
//	                                  any other status when it cannot be built
//	GET  /pay/{txnid}/transaction     who asks: together the two are a transaction request of Solana Pay
type SolanaWallet struct {
	// Chain is its name in the Wallet Standard: solana:mainnet, solana:devnet, solana:testnet or solana:localnet.
	Chain string
}

// BrowserWallet is what an EIP-1193 wallet needs to transfer the token.
type BrowserWallet struct {
	ChainID uint64
	// Contract is the token's contract, Units the amount in its smallest unit as plain digits.
	Contract, Units string
	// RPCURL, CoinSymbol and ExplorerURL let the wallet add a network it does not know
	// (EIP-3085; RPCURL must be https). Without RPCURL the payer is asked to add it by hand.
	RPCURL, CoinSymbol, ExplorerURL string
}

// DepositKind says what one transfer to the payment's addresses counts as.
type DepositKind string

// The kinds of deposit.
const (
	// DepositSeen is in a block that may still be undone.
	DepositSeen DepositKind = "seen"
	// DepositFinal counts.
	DepositFinal DepositKind = "final"
	// DepositLate arrived after the payment had ended.
	DepositLate DepositKind = "late"
	// DepositOther is another token (a bridged twin such as USDC.e), or money on another network; it never counts by
	// itself.
	DepositOther DepositKind = "other"
)

// Deposit is one transfer that arrived at an address of the payment.
type Deposit struct {
	Kind DepositKind
	// Network is the enum value; Token is the symbol as payers know it, such as USDC or USDC.e.
	Network, Token string
	// Amount is a plain decimal.
	Amount string
	Hash   string
	// ExplorerURL is the explorer's page of Hash; may be empty.
	ExplorerURL string
	At          time.Time
}

// Props is everything the checkout page shows. Amounts are plain decimals ("1234.5");
// the view adds the separators of the language for reading and keeps the plain digits for copying.
type Props struct {
	views.Page
	Merchant views.Merchant

	TxnID string
	// Campaign is the slug of the campaign on whose page the payment is shown; empty on a page of its own.
	Campaign string
	// Gift is the slug of the campaign that the payment is a donation to, on whichever page; empty for none.
	Gift string
	// Amount is the requested amount; Token is empty until a token is chosen (then the page says USD).
	Amount, Token string
	// Price is what the amount was made of, if it was given in another currency.
	Price views.Price
	// Description is what the payment is for, Reference the merchant's order number; both may be empty.
	Description, Reference string

	State State
	// Cancelled: the payment did not run out but was cancelled; StateLate may be either.
	Cancelled bool
	View      View
	Problem   Problem
	// Lookup answers the "I have paid" form; nil before it was sent.
	Lookup *Lookup

	// Via is where the payer's money is.
	Via     Via
	Choices []NetworkChoice
	// FocusChoice: ProblemChoice is the first problem of the form, so that the page opens there.
	FocusChoice bool
	// Blocked: nobody can pay until the merchant mends something, so that there is nothing to choose.
	Blocked bool
	// Twice: another payment of the same order is paid, so that the payer is warned, and asked before choosing.
	Twice bool
	// RetryURL is the page to open again while no way to pay can be chosen.
	RetryURL string
	// Origin is the public address of the checkout without a path, for links by which wallets open this page;
	// empty leaves them out.
	Origin string
	// Pay is nil while State is StateChoose. In a later state nil means that the network chosen is not known to this
	// installation any more; then Choices are offered again.
	Pay *Instructions

	Deposits []Deposit
	// Received is what counts so far, Missing what is still to come, Excess what came on top and does not go back;
	// empty when zero.
	Received, Missing, Excess string
	Back                      Back
	// Offer is the largest amount that the payer may have back, with its token; empty: none.
	Offer string
	// Askable: the payer may ask the merchant to accept what came. Asked: the payer has.
	Askable, Asked bool

	// ExpiresAt is when an unpaid payment ends; CountdownSeconds is the whole seconds until then,
	// taken at rendering. Paused: the network is behind and the payer's time does not run.
	// Stalled: it is read, but makes nothing final; Paused is set too.
	ExpiresAt        time.Time
	CountdownSeconds int
	Paused, Stalled  bool

	// SecondsToFinal and Progress (0 to 100) describe the newest deposit that is not yet final.
	SecondsToFinal, Progress int

	// PaidAt is when the payment completed; Hash and ExplorerURL name the transaction that did it.
	PaidAt            time.Time
	Hash, ExplorerURL string

	// ReturnURL leads back to the merchant after success, CancelURL otherwise; http and https only, may be empty.
	ReturnURL, CancelURL string
	// AgainURL leads to a new payment of the same kind after this one has ended; may be empty.
	AgainURL string
	// Restarts: the payer may start the order again, which makes a new payment.
	Restarts bool
	// Inert turns links, forms and live updates off, for the preview of a merchant's branding.
	Inert bool
	// SandboxURL is where test money pays this payment; set only in the sandbox.
	SandboxURL string
}

// Stage names what the page shows apart from the live line. Two props with the same stage differ
// in the live line only.
func (p Props) Stage() string {
	parts := []string{p.stageState(), string(p.shownView())}
	if p.Pay != nil {
		parts = append(parts, p.Pay.Network, p.Pay.Token, p.Pay.Amount)
	}
	if p.Twice {
		parts = append(parts, "twice")
	}
	if p.choosing() {
		parts = append(parts, p.choosable()...)
	}
	switch p.State {
	case StateSeen, StateConfirming, StateLate, StateExpired: // they list what arrived
		for _, d := range p.Deposits {
			if d.Kind != DepositOther {
				parts = append(parts, string(d.Kind))
			}
		}
	}
	if n := p.uncounted(); n > 0 {
		parts = append(parts, "other", strconv.Itoa(n))
	}
	if !p.Back.None() {
		parts = append(parts, fmt.Sprint(p.Back))
	}
	switch {
	case p.Asked:
		parts = append(parts, "asked")
	case p.Askable:
		parts = append(parts, "askable")
	}
	return strings.Join(parts, ".")
}

// choosing reports whether the page offers the ways to pay.
func (p Props) choosing() bool {
	return p.shownView() == ViewChoose || p.shownView() == ViewAgain || p.shownView() == ViewNow &&
		(p.State == StateChoose || p.Pay == nil && (p.State == StateWaiting || p.State == StateShort))
}

// uncounted is the number of transfers that do not count; the page lists each.
func (p Props) uncounted() (n int) {
	for _, d := range p.Deposits {
		if d.Kind == DepositOther {
			n++
		}
	}
	return n
}

// stageState is the part of the state that changes more than the live line. All states of a started
// payment keep address and amount in place, so that nothing moves under the payer's finger.
func (p Props) stageState() string {
	switch p.State {
	case StateSeen, StateConfirming:
		return "seen"
	case StateWaiting, StateShort:
		return "send"
	}
	return string(p.State)
}

// moneySeen reports whether money is there, but not all of it or not final yet.
func (p Props) moneySeen() bool {
	return p.State == StateSeen || p.State == StateConfirming || p.State == StateShort
}

// shownView is the side step that fits the state: a payment with money cannot be changed or cancelled.
func (p Props) shownView() View {
	switch {
	case p.View == ViewFind && p.State != StatePaid:
		return ViewFind
	case p.View == ViewChoose && p.State == StateWaiting:
		return ViewChoose
	case p.View == ViewCancel && (p.State == StateChoose || p.State == StateWaiting):
		return ViewCancel
	case p.View == ViewAgain && p.State == StateChoose && p.Twice:
		return ViewAgain
	}
	return ViewNow
}

// asksAgain reports whether the payer is asked before an order that is paid is paid once more.
func (p Props) asksAgain() bool {
	return p.Twice && p.shownView() == ViewNow && p.Problem == ProblemNone
}

// Live reports whether the page is kept up to date. Nothing is the last that happens to a payment: money of one that is
// paid may go back.
func (p Props) Live() bool { return !p.Inert }

// Parts are what an open page is kept up to date by: the whole step, and in it the live line. They are compared by what
// is known of p, and rendered from what whole returns.
func (p Props) Parts(whole func() (Props, error)) []views.Part {
	from := func(part func(Props) templ.Component) templ.Component {
		return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
			full, err := whole()
			if err != nil {
				return err
			}
			return part(full).Render(ctx, w)
		})
	}
	return []views.Part{
		{Name: "stage", Key: p.Stage(), HTML: from(stage)},
		{Name: "status", Key: p.statusKey(), HTML: from(status), In: "stage"},
	}
}

// statusKey stands for what the live line shows. The seconds that the page counts down by itself are no part of it.
func (p Props) statusKey() string {
	return fmt.Sprint(p.State, p.Paused, p.Stalled, p.Missing, p.over(), p.ExpiresAt.Unix(),
		p.SecondsToFinal, p.Progress)
}

// over reports whether the payer's time is up, though the payment has not ended yet: the network is still read up to
// then. Money that is sent now comes too late.
func (p Props) over() bool {
	return p.CountdownSeconds <= 0 && !p.Paused && (p.State == StateWaiting || p.State == StateShort)
}

// LivePath is the address of the page's event stream. It names what the page shows.
func (p Props) LivePath() string {
	q := url.Values{"shown": {views.Tag(p.Parts(nil)...)}}
	if p.Lang != "" {
		q.Set("lang", p.Lang)
	}
	if v := p.shownView(); v != ViewNow {
		q.Set("view", string(v))
	}
	if p.Campaign != "" {
		q.Set("campaign", p.Campaign)
	}
	if p.Via == ViaWallet {
		q.Set("via", string(p.Via))
	}
	return ActPath(p.TxnID, "live", "") + "?" + q.Encode()
}

// OnCampaign is the payment as the page of its campaign shows it, without a way back to a merchant's site.
func (p Props) OnCampaign(slug string) Props {
	p.Campaign, p.Gift, p.ReturnURL, p.CancelURL, p.AgainURL, p.Restarts = slug, slug, "", "", "", false
	return p
}

// at is the address of the page in one of its views.
func (p Props) at(view View) string { return p.in(p.Lang, view) }

// in is at in another language. A picture's payment does not exist, so its links lead nowhere.
func (p Props) in(lang string, view View) string {
	switch {
	case p.Inert:
		return "#"
	case p.Campaign != "":
		return GiftPath(p.Campaign, p.TxnID, lang, view)
	}
	return PayPath(p.TxnID, lang, view)
}

// act is the address of a payer's action, which leads back to the page it was sent from.
func (p Props) act(act string) string {
	q := url.Values{}
	if p.Lang != "" {
		q.Set("lang", p.Lang)
	}
	if p.Campaign != "" {
		q.Set("campaign", p.Campaign)
	}
	path := ActPath(p.TxnID, act, "")
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path
}

// NeedsRefresh reports whether a browser that does not run the script should reload the page by itself. A page
// with a field to fill in must not.
func (p Props) NeedsRefresh() bool {
	if p.shownView() != ViewNow || p.Inert {
		return false
	}
	switch p.State {
	case StateWaiting, StateSeen, StateConfirming, StateShort:
		return true
	}
	return false
}

// Unit is what the amount is counted in: the token, or US dollars while none is chosen.
func (p Props) Unit() string {
	if p.Token != "" {
		return p.Token
	}
	return "USD"
}
