package views

import (
	"maps"
	"net/url"
	"testing"
	"time"

	"github.com/a-h/templ"
)

// Samples of every state of the checkout, used by the component tests, the byte budget and the preview.

var sampleTime = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

const (
	sampleTxn      = "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA"
	sampleAddress  = "0x71C7656EC7ab88b098defB751B7401B5f6d8976F"
	sampleHash     = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
	sampleContract = "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"
	sampleURI      = "ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer?address=0x71C7656EC7ab88b098defB751B7401B5f6d8976F&uint256=49900000"
)

func mustQR(t testing.TB, text string) QR {
	t.Helper()
	q, err := NewQR(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func sampleChoices() []NetworkChoice {
	both := []TokenChoice{{Token: "USDC"}, {Token: "USDT"}}
	return []NetworkChoice{
		{Network: "POLYGON", Tokens: both, FeeUSD: "0.005", Seconds: 5, Last: true},
		{Network: "BEP20", Tokens: both, FeeUSD: "0.01", Seconds: 3},
		{Network: "BASE", Tokens: []TokenChoice{{Token: "USDC"}, {Token: "USDT", Reason: ReasonNotOffered}}, FeeUSD: "0.01", Seconds: 120},
		{Network: "SOL", Tokens: both, FeeUSD: "0.01", Seconds: 13, Reason: ReasonBehind},
	}
}

func sampleDeposit(kind DepositKind, amount string) Deposit {
	return Deposit{
		Kind: kind, Network: "POLYGON", Token: "USDC", Amount: amount,
		Hash: sampleHash, ExplorerURL: "https://polygonscan.com/tx/" + sampleHash, At: sampleTime,
	}
}

// sampleCheckout is a payment of 49.90 that waits for its money on Polygon.
func sampleCheckout(t testing.TB, lang string) CheckoutProps {
	t.Helper()
	return CheckoutProps{
		Page: Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: Merchant{
			Name: "Nordlicht Coffee", Tagline: "Roasted in Tromsø", Host: "nordlicht.example", HostVerified: true,
			SupportEmail: "hello@nordlicht.example",
		},
		TxnID: sampleTxn, Amount: "49.90", Token: "USDC",
		Description: "2 × Espresso No. 4, 1 kg", Reference: "NL-10423",
		State:   StateWaiting,
		Choices: sampleChoices(),
		Pay: &Instructions{
			Network: "POLYGON", Token: "USDC", Address: sampleAddress, Amount: "49.90", PaymentURI: sampleURI,
			QRPlain: mustQR(t, sampleAddress), QRWallet: mustQR(t, sampleURI),
			Browser: &BrowserWallet{
				ChainID: 137, Contract: sampleContract, Units: "49900000",
				RPCURL: "https://polygon-rpc.example", CoinSymbol: "POL", ExplorerURL: "https://polygonscan.com",
			},
		},
		ExpiresAt: sampleTime.Add(29 * time.Minute), CountdownSeconds: 29*60 - 20,
		ReturnURL: "https://nordlicht.example/thanks?order=10423", CancelURL: "https://nordlicht.example/cart",
	}
}

// checkoutSample is one state and how it differs from sampleCheckout.
type checkoutSample struct {
	name string
	edit func(*CheckoutProps)
}

var checkoutSamples = []checkoutSample{
	{"choose", func(p *CheckoutProps) { p.State, p.Pay, p.Token = StateChoose, nil, "" }},
	{"choose-none", func(p *CheckoutProps) { p.State, p.Pay, p.Token, p.Choices = StateChoose, nil, "", nil }},
	{"choose-problem", func(p *CheckoutProps) {
		p.State, p.Pay, p.Token, p.Problem = StateChoose, nil, "", ProblemUnavailable
	}},
	{"waiting", func(*CheckoutProps) {}},
	{"waiting-hurry", func(p *CheckoutProps) { p.CountdownSeconds = 4*60 + 7 }},
	{"waiting-sandbox", func(p *CheckoutProps) { p.SandboxURL = "http://127.0.0.1:8080/sandbox" }},
	{"behind", func(p *CheckoutProps) { p.Paused = true }},
	{"choose-again", func(p *CheckoutProps) { p.View = ViewChoose }},
	{"confirm-cancel", func(p *CheckoutProps) { p.View = ViewCancel }},
	{"find", func(p *CheckoutProps) { p.View = ViewFind }},
	{"find-other-chain", func(p *CheckoutProps) {
		p.View = ViewFind
		p.Finding = &Finding{Verdict: VerdictOtherChain, Asked: sampleHash, Network: "BASE", ExplorerURL: "https://basescan.org/tx/" + sampleHash}
	}},
	{"find-invalid", func(p *CheckoutProps) {
		p.View = ViewFind
		p.Finding = &Finding{Verdict: VerdictInvalid, Asked: "my payment"}
	}},
	{"seen", func(p *CheckoutProps) {
		p.State, p.Deposits = StateSeen, []Deposit{sampleDeposit(DepositSeen, "49.90")}
	}},
	{"confirming", func(p *CheckoutProps) {
		p.State, p.Deposits = StateConfirming, []Deposit{sampleDeposit(DepositSeen, "49.90")}
		p.SecondsToFinal, p.Progress = 12, 40
	}},
	{"short", func(p *CheckoutProps) {
		p.State, p.Received, p.Missing, p.Pay.Amount = StateShort, "49.53", "0.37", "0.37"
		p.Deposits = []Deposit{sampleDeposit(DepositFinal, "49.53")}
	}},
	{"wrong-token", func(p *CheckoutProps) {
		d := sampleDeposit(DepositOther, "49.90")
		d.Token = "USDC.e"
		p.Deposits = []Deposit{d}
	}},
	{"wrong-network", func(p *CheckoutProps) {
		d := sampleDeposit(DepositOther, "49.90")
		d.Network = "BEP20"
		p.Deposits = []Deposit{d}
	}},
	{"paid", func(p *CheckoutProps) {
		p.State, p.Received, p.PaidAt, p.Hash = StatePaid, "49.90", sampleTime, sampleHash
		p.ExplorerURL = "https://polygonscan.com/tx/" + sampleHash
	}},
	{"over", func(p *CheckoutProps) {
		p.State, p.Received, p.Excess, p.PaidAt, p.Hash = StatePaid, "51.00", "1.10", sampleTime, sampleHash
		p.ExplorerURL = "https://polygonscan.com/tx/" + sampleHash
	}},
	{"late", func(p *CheckoutProps) {
		p.State, p.Deposits = StateLate, []Deposit{sampleDeposit(DepositLate, "49.90")}
	}},
	{"late-cancelled", func(p *CheckoutProps) {
		p.State, p.Cancelled, p.Deposits = StateLate, true, []Deposit{sampleDeposit(DepositLate, "49.90")}
	}},
	{"expired", func(p *CheckoutProps) { p.State = StateExpired }},
	{"expired-part", func(p *CheckoutProps) {
		p.State, p.Received = StateExpired, "20"
		p.Deposits = []Deposit{sampleDeposit(DepositFinal, "20")}
	}},
	{"cancelled", func(p *CheckoutProps) { p.State = StateCancelled }},
	{"branded", func(p *CheckoutProps) {
		p.Merchant.Accent, p.Merchant.Background = "#ffd400", "#0b3d2e"
	}},
	{"solana", func(p *CheckoutProps) {
		p.Pay.Network, p.Pay.Token, p.Token = "SOL", "USDT", "USDT"
		p.Pay.Address, p.Pay.Browser = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", nil
		p.Pay.PaymentURI = "solana:HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk?amount=49.9&spl-token=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
	}},
}

// sample renders one named state in a language.
func (s checkoutSample) props(t testing.TB, lang string) CheckoutProps {
	t.Helper()
	p := sampleCheckout(t, lang)
	s.edit(&p)
	return p
}

func sampleReceipt(lang string) ReceiptProps {
	return ReceiptProps{
		Page: Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: Merchant{
			Name: "Nordlicht Coffee", Host: "nordlicht.example", HostVerified: true, SupportEmail: "hello@nordlicht.example",
		},
		TxnID: sampleTxn, Reference: "NL-10423", Description: "2 × Espresso No. 4, 1 kg",
		Amount: "49.90", Received: "49.90", Network: "POLYGON", Token: "USDC", Address: sampleAddress,
		CreatedAt: sampleTime, PaidAt: sampleTime, Deposits: []Deposit{sampleDeposit(DepositFinal, "49.90")},
		VerifyURL: "https://pay.example/pay/" + sampleTxn + "/receipt",
	}
}

func sampleSandbox() SandboxProps {
	return SandboxProps{
		Page: Page{Nonce: "r4nd0m"},
		Payments: []SandboxPayment{
			{TxnID: sampleTxn, Amount: "49.90", Network: "POLYGON", Token: "USDC", Address: sampleAddress, Status: "STARTED", CreatedAt: sampleTime},
			{TxnID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWB", Amount: "12", Status: "PENDING", CreatedAt: sampleTime},
			{TxnID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWC", Amount: "250", Network: "BEP20", Token: "USDT", Address: sampleAddress, Status: "COMPLETED", Received: "251.1", CreatedAt: sampleTime},
		},
		Inbox: []SandboxDelivery{{
			At: sampleTime, ID: "evt_01KJ4ZB7", Status: "completed", TxnID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWC",
			Headers: []Header{{"content-type", "application/json"}, {"webhook-id", "evt_01KJ4ZB7"}, {"webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}},
			Body:    `{"txnid":"01KJ4Z8Y3T6Q0M5V9B2N7R1XWC","status":"completed","amount":250}`,
			Signed:  true, Verdict: "the signature matches the signing secret", Answered: 200,
		}},
		Receiver: "up", APIKey: "flk_test", BaseURL: "http://127.0.0.1:8080", DashboardURL: "/dashboard", DocsURL: "/docs",
		Notice: "Sent 49.90 USDC on Polygon.",
	}
}

func sampleLanding() LandingProps {
	return LandingProps{
		Page: Page{Nonce: "r4nd0m"}, Version: "0.1.0", Networks: []string{"BEP20", "POLYGON", "BASE", "SOL"},
		SignInURL: "/signin", SignUpURL: "/signup", DocsURL: "/docs", SandboxURL: "/sandbox", SourceURL: "https://github.com/florinpay/florin",
	}
}

var failureKinds = []FailureKind{
	FailurePaymentUnknown, FailureNotFound, FailureTooOften, FailureInvalid,
	FailureForbidden, FailureConflict, FailureUnavailable, FailureInternal,
}

// failureAgain is where a page leads on to, for the kinds that are met where something can be tried again.
var failureAgain = map[FailureKind]string{
	FailureTooOften: "/pay?txnid=" + sampleTxn, FailureUnavailable: "/pay?txnid=" + sampleTxn, FailureInternal: "/pay?txnid=" + sampleTxn,
	FailureInvalid: "/donate/winter-shelter", FailureConflict: "/link/table-4",
}

func sampleFailure(kind FailureKind, lang string) FailureProps {
	return FailureProps{Page: Page{Lang: lang, Nonce: "r4nd0m"}, Kind: kind, RequestID: "01KJ4ZB7REQ", RetrySeconds: 40, Checkout: true, Again: failureAgain[kind]}
}

// sampleDonate is a campaign that runs and has been given to.
func sampleDonate(lang string) DonateProps {
	return DonateProps{
		Page: Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: Merchant{
			Name: "Tromsø Animal Shelter", Host: "shelter.example", HostVerified: true, SupportEmail: "hello@shelter.example",
		},
		CampaignID: "winter-shelter", Title: "A warm winter for 120 dogs", Status: CampaignActive,
		Description: "Our heating failed in October, and the repair costs more than a whole year of food.\n\n" +
			"Every donation goes to the new heat pump. What is left over buys blankets.",
		Raised: "8421.50", Goal: "12000", Percent: 70, Donors: 214, EndsAt: sampleTime.AddDate(0, 1, 0),
		Suggested: []string{"10", "25", "50", "100"}, Min: "1", Max: "10000", Choices: sampleChoices(),
		Donations: []Donation{
			{Name: "Ada", Message: "For Rex, who was with us for 14 years.", Amount: "50", Token: "USDC", Network: "POLYGON", Hash: sampleHash, ExplorerURL: "https://polygonscan.com/tx/" + sampleHash, At: sampleTime},
			{Amount: "10", Token: "USDT", Network: "BEP20", Hash: sampleHash, ExplorerURL: "https://bscscan.com/tx/" + sampleHash, At: sampleTime},
		},
		Older: "/donate/winter-shelter?before=2", URL: "https://pay.example/donate/winter-shelter", CardURL: "https://pay.example/donate/winter-shelter/card.png",
	}
}

// sampleGift is a campaign's page on which a donation is paid, in a state of the checkout.
func sampleGift(t testing.TB, lang, state string) DonateProps {
	t.Helper()
	p := sampleDonate(lang)
	for _, s := range checkoutSamples {
		if s.name == state {
			pay := s.props(t, lang).OnCampaign(p.CampaignID)
			pay.Merchant, pay.Description, pay.Reference = p.Merchant, "", ""
			p.Paying = &pay
			return p
		}
	}
	t.Fatalf("no sample is called %q", state)
	return p
}

// sampleDonations are the states of a campaign's page.
func sampleDonations(t testing.TB, lang string) map[string]templ.Component {
	t.Helper()
	base := sampleDonate(lang)
	paused, ended, empty, wrong, alone := base, base, base, base, base
	paused.Status, ended.Status = CampaignPaused, CampaignEnded
	ended.Raised, ended.Percent, ended.Reached, ended.Donors = "12450", 100, true, 1843
	empty.Donations, empty.Older, empty.Raised, empty.Goal, empty.Donors, empty.Suggested, empty.Choices = nil, "", "0", "", 0, nil, nil
	wrong.Typed = url.Values{"suggested": {"other"}, "amount": {"0.5"}, "name": {"Eve"}, "message": {"Hello"}, "way": {"BEP20.USDT"}}
	wrong.Errors = map[string]InputError{"amount": InputTooSmall, "way": InputWay, "name": InputTooLong, "message": InputText}
	wrong.Problem = ProblemUnavailable
	alone.Merchant.Accent, alone.Merchant.Background = "#c2185b", "#fff3e0"
	return map[string]templ.Component{
		"donate": Donate(base), "donate-paused": Donate(paused), "donate-ended": Donate(ended), "donate-empty": Donate(empty),
		"donate-wrong": Donate(wrong), "donate-branded": Donate(alone), "donate-widget": DonateWidget(base),
		"gift": Donate(sampleGift(t, lang, "waiting-sandbox")), "gift-short": Donate(sampleGift(t, lang, "short")),
		"gift-seen": Donate(sampleGift(t, lang, "confirming")), "gift-paid": Donate(sampleGift(t, lang, "paid")), "gift-choose": Donate(sampleGift(t, lang, "choose-again")),
	}
}

func sampleLink(lang string) LinkProps {
	return LinkProps{
		Page: Page{Lang: lang, Nonce: "r4nd0m"}, Merchant: Merchant{Name: "Nordlicht Coffee", Host: "nordlicht.example", HostVerified: true},
		Slug: "table-4", Description: "Your table at Nordlicht Coffee", Amount: "18.50",
	}
}

func sampleLinks(lang string) map[string]templ.Component {
	fixed := sampleLink(lang)
	open, wrong, closed := fixed, fixed, fixed
	open.Amount, open.Min, open.Max, open.Bounded = "", "5.00", "500.00", true
	wrong.Amount, wrong.Min, wrong.Typed = "", "5", url.Values{"amount": {"ten"}}
	wrong.Errors, wrong.Problem = map[string]InputError{"amount": InputAmount}, ProblemMerchant
	closed.Closed = true
	return map[string]templ.Component{"link": PayLink(fixed), "link-open": PayLink(open), "link-wrong": PayLink(wrong), "link-closed": PayLink(closed)}
}

// samplePages is every page by name, in a language it speaks.
func samplePages(t testing.TB, lang string) map[string]templ.Component {
	t.Helper()
	pages := map[string]templ.Component{"receipt": Receipt(sampleReceipt(lang))}
	if lang == "en" {
		pages["sandbox"], pages["landing"] = Sandbox(sampleSandbox()), Landing(sampleLanding())
	}
	maps.Copy(pages, sampleDonations(t, lang))
	maps.Copy(pages, sampleLinks(lang))
	for _, s := range checkoutSamples {
		pages[s.name] = Checkout(s.props(t, lang))
	}
	for _, k := range failureKinds {
		pages["failure-"+string(k)] = Failure(sampleFailure(k, lang))
	}
	return pages
}
