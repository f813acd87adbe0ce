package checkout

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/florinpay/florin/views"
)

// head of the checkout page.
func (p Props) head() views.Head {
	h := views.Head{
		Page:        p.Page,
		Title:       p.T("title.pay", "Amount", p.Locale().Money(p.Amount, p.Unit()), "Merchant", p.Merchant.Name),
		Description: p.T("title.description", "Merchant", p.Merchant.Name),
		Theme:       views.DataTheme(p.Merchant),
		Inline:      "checkout.css",
		Extra:       views.BrandCSS(p.Merchant),
		Scripts:     []string{"checkout.js"},
	}
	switch {
	case p.Inert:
		h.Scripts = nil // a picture: its frame allows none
	case p.Live():
		h.Scripts = []string{"live.js", "checkout.js"}
	}
	if p.NeedsRefresh() {
		h.Refresh = RefreshSeconds
	}
	return h
}

func (p Props) languageHref(lang string) string { return p.in(lang, p.View) }

// sendTitle is the heading above amount and address.
func (p Props) sendTitle() string {
	if p.State == StateShort {
		return p.T("send.title_rest")
	}
	return p.T("send.title")
}

// warning is the sentence that keeps payers from sending money to the wrong network.
func (p Props) warning() string {
	f := views.Face(p.Pay.Network)
	if twin := f.Twin[p.Pay.Token]; twin != "" {
		return p.T("warn.twin", "Token", p.Pay.Token, "Network", f.Name, "Twin", twin)
	}
	if f.Wrong != "" {
		return p.T("warn.chain", "Token", p.Pay.Token, "Network", f.Name, "Wrong", f.Wrong)
	}
	return p.T("warn.plain", "Token", p.Pay.Token, "Network", f.Name)
}

// codeCheck names the recipient that a wallet must show, and the one that a scanner shows which reads the code of a
// token transfer (EIP-681) as one to the token's contract. Money sent there is lost.
func (p Props) codeCheck() string {
	if p.Pay.Browser == nil || p.Pay.Browser.Contract == "" || p.Pay.QRWallet.Size == 0 {
		return ""
	}
	return p.T("send.code_check", "Right", ends(p.Pay.Address), "Wrong", ends(p.Pay.Browser.Contract))
}

// ends is the beginning and the end of an address, kept in the order of writing in right-to-left text.
func ends(address string) string {
	const most = 6
	if len(address) <= 2*most {
		return address
	}
	return "\u2066" + address[:most] + "…" + address[len(address)-most+2:] + "\u2069"
}

// moneyCame reports whether something arrived for a payment that was not completed, so that payer and merchant have
// something to settle.
func (p Props) moneyCame() bool { return p.Received != "" || len(p.Deposits) > p.uncounted() }

// lateTitle says whether the money came after expiry or cancellation.
func (p Props) lateTitle() string {
	if p.Cancelled {
		return p.T("late.title_cancelled")
	}
	return p.T("late.title")
}

// withoutAgain is the page of a payer whose money has come: another payment would be a second one.
func (p Props) withoutAgain() Props {
	p.AgainURL, p.Restarts = "", false
	return p
}

// mailTo is a mail to the merchant that names the payment.
func (p Props) mailTo() string {
	return "mailto:" + url.PathEscape(p.Merchant.SupportEmail) + "?subject=" + url.PathEscape(p.TxnID)
}

// endStatus is the status of an unpaid payment that has ended, as the merchant's link carries it.
func (p Props) endStatus() string {
	if p.Cancelled {
		return "cancelled"
	}
	return "expired"
}

// retrying is the page with a link that opens it again.
func (p Props) retrying() Props {
	p.RetryURL = p.at(p.shownView())
	return p
}

// CountdownText is the time left as the server knows it: whole minutes while it is quiet, then mm:ss.
func (p Props) CountdownText() string {
	if p.CountdownSeconds > QuietSeconds {
		return p.N("time.minutes", (p.CountdownSeconds+59)/60)
	}
	return views.ClockText(p.CountdownSeconds)
}

// finalText says how long it takes until the money is final.
func (p Props) finalText() string {
	if p.SecondsToFinal <= 0 {
		return p.T("status.final_soon")
	}
	return p.Locale().Span(p.SecondsToFinal, "status.final_seconds", "status.final_minutes")
}

// feeText writes a fee, rounded to cents.
func (p Props) feeText(usd string) string {
	if strings.HasPrefix(usd, "0.00") {
		return p.T("choose.fee_below", "Fee", p.Locale().Money("0.01", "USD"))
	}
	return p.T("choose.fee", "Fee", p.Locale().Money(usd, "USD"))
}

// ReasonText returns the reason in the words of the page.
func (p Props) ReasonText(r Reason) string {
	switch r {
	case ReasonBehind:
		return p.T("reason.behind")
	case ReasonTooSmall:
		return p.T("reason.too_small")
	case ReasonTooLarge:
		return p.T("reason.too_large")
	}
	return p.T("reason.not_offered", "Merchant", p.Merchant.Name)
}

// problemWords say why something was refused, and what to do next.
func problemWords(p views.Page, problem Problem, merchant string) (what, next string) {
	switch problem {
	case ProblemReceived:
		return p.T("problem.received"), p.T("problem.next")
	case ProblemCannotCancel:
		return p.T("problem.cannot_cancel"), p.T("problem.next")
	case ProblemClosed:
		return p.T("problem.closed"), p.T("problem.next")
	case ProblemMerchant:
		return p.T("problem.merchant", "Merchant", merchant), p.T("problem.merchant_next", "Merchant", merchant)
	case ProblemTooOften:
		return p.T("problem.too_often"), p.T("problem.too_often_next")
	}
	return p.T("problem.unavailable"), p.T("problem.unavailable_next")
}

func (p Props) depositText(k DepositKind) string {
	switch k {
	case DepositSeen:
		return p.T("deposit.seen")
	case DepositLate:
		return p.T("deposit.late")
	}
	return p.T("deposit.final")
}

// otherDetail says below the last of the transfers that do not count what the payment asks for, where they go, and
// what the payer can do.
func (p Props) otherDetail(last bool) string {
	if !last || p.Pay == nil {
		return ""
	}
	detail := p.T("other.detail",
		"Token", p.Pay.Token, "Network", views.Face(p.Pay.Network).Short, "Merchant", p.Merchant.Name)
	if p.State == StateWaiting || p.State == StateShort {
		if !strings.HasSuffix(detail, "。") { // Chinese puts no space between sentences
			detail += " "
		}
		detail += p.T("other.next", "Merchant", p.Merchant.Name)
	}
	return detail
}

// mostOthers is how many transfers that do not count the page lists.
const mostOthers = 3

// others are the newest transfers that do not count.
func (p Props) others() []Deposit {
	if p.Back.All {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(p.Deposits), func(d Deposit) bool { return d.Kind != DepositOther })
	return all[max(len(all)-mostOthers, 0):]
}

// asks reports whether the step of the state itself offers to ask the merchant: otherwise it is offered where the
// transfers are listed that do not count.
func (p Props) asks() bool { return (p.Askable || p.Asked) && p.uncounted() == 0 && !p.Back.All }

// walletData is what checkout.js needs to pay with a wallet in the browser, words included.
func (p Props) walletData() templ.Attributes {
	network := views.Face(p.Pay.Network).Short
	coin := "SOL"
	if p.Pay.Browser != nil {
		coin = p.Pay.Browser.CoinSymbol
	}
	data := templ.Attributes{
		"data-payment":    p.TxnID,
		"data-to":         p.Pay.Address,
		"data-amount":     p.Pay.Amount,
		"data-funds":      p.T("wallet.funds", "Token", p.Pay.Token),
		"data-gas":        p.T("wallet.no_gas", "Coin", coin),
		"data-unseen":     p.T("wallet.unseen"),
		"data-again":      p.T("wallet.again"),
		"data-pay":        p.T("wallet.pay"),
		"data-injected":   p.T("wallet.pay_injected"),
		"data-connect":    p.T("wallet.connect"),
		"data-switch":     p.T("wallet.switch", "Network", network),
		"data-confirm":    p.T("wallet.confirm"),
		"data-sent":       p.T("wallet.sent"),
		"data-refused":    p.T("wallet.refused"),
		"data-unknown":    p.T("wallet.unknown", "Network", network),
		"data-unprepared": p.T("wallet.unprepared"),
		"data-failed":     p.T("wallet.failed"),
		"data-locked":     p.T("wallet.locked"),
		"data-pending":    p.T("wallet.pending"),
		"data-stayed":     p.T("wallet.stayed", "Network", network),
	}
	if b := p.Pay.Browser; b != nil {
		data["data-chain"] = "0x" + strconv.FormatUint(b.ChainID, 16)
		data["data-contract"], data["data-units"] = b.Contract, b.Units
		data["data-doubt-gas"] = p.T("wallet.doubt_gas", "Coin", coin)
		data["data-doubt-funds"] = p.T("wallet.doubt_funds", "Token", p.Pay.Token)
		delete(data, "data-gas")
		delete(data, "data-funds")
		data["data-name"], data["data-rpc"] = network, b.RPCURL
		data["data-coin"], data["data-explorer"] = b.CoinSymbol, b.ExplorerURL
	}
	if s := p.Pay.Solana; s != nil {
		data["data-solana"], data["data-make"] = s.Chain, ActPath(p.TxnID, "transaction", "")
	}
	return data
}
