package views_test

import (
	"maps"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/views/sandbox"
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

// sampleCodes are the codes of the samples by their text: all languages and states have the same two, and most of the
// work of the pages would be to draw them.
var sampleCodes sync.Map

func mustQR(t testing.TB, text string) views.QR {
	t.Helper()
	if q, drawn := sampleCodes.Load(text); drawn {
		return q.(views.QR)
	}
	q, err := views.NewQR(text)
	if err != nil {
		t.Fatal(err)
	}
	sampleCodes.Store(text, q)
	return q
}

func sampleChoices() []checkout.NetworkChoice {
	both := []checkout.TokenChoice{{Token: "USDC"}, {Token: "USDT"}}
	return []checkout.NetworkChoice{
		{Network: "POLYGON", Tokens: both, FeeUSD: "0.005", ExchangeFeeUSD: "0.10", Seconds: 5, Last: true},
		{Network: "BEP20", Tokens: both, FeeUSD: "0.01", ExchangeFeeUSD: "0.30", Seconds: 3},
		{Network: "BASE", Tokens: []checkout.TokenChoice{{Token: "USDC"}, {Token: "USDT", Reason: checkout.ReasonNotOffered}}, FeeUSD: "0.01", ExchangeFeeUSD: "0.10", Seconds: 120},
		{
			Network: "SOL", Tokens: both, FeeUSD: "0.01", ExchangeFeeUSD: "1.00", Seconds: 13,
			Reason: checkout.ReasonBehind,
		},
	}
}

func sampleDeposit(kind checkout.DepositKind, amount string) checkout.Deposit {
	return checkout.Deposit{
		Kind: kind, Network: "POLYGON", Token: "USDC", Amount: amount,
		Hash: sampleHash, ExplorerURL: "https://polygonscan.com/tx/" + sampleHash, At: sampleTime,
	}
}

// sampleCheckout is a payment of 49.90 that waits for its money on Polygon.
func sampleCheckout(t testing.TB, lang string) checkout.Props {
	t.Helper()
	return checkout.Props{
		Page: views.Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: views.Merchant{
			Name: "Nordlicht Coffee", Tagline: "Roasted in Tromsø", Host: "nordlicht.example", HostVerified: true,
			SupportEmail: "hello@nordlicht.example",
		},
		TxnID: sampleTxn, Amount: "49.90", Token: "USDC",
		Description: "2 × Espresso No. 4, 1 kg", Reference: "NL-10423",
		Origin:  "https://pay.example",
		State:   checkout.StateWaiting,
		Choices: sampleChoices(),
		Pay: &checkout.Instructions{
			Network: "POLYGON", Token: "USDC", Address: sampleAddress, Amount: "49.90",
			WithFee: "50.00", PaymentURI: sampleURI,
			QRPlain: mustQR(t, sampleAddress), QRWallet: mustQR(t, sampleURI),
			Browser: &checkout.BrowserWallet{
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
	edit func(*checkout.Props)
}

var checkoutSamples = []checkoutSample{
	{"choose", func(p *checkout.Props) { p.State, p.Pay, p.Token = checkout.StateChoose, nil, "" }},
	{"choose-none", func(p *checkout.Props) { p.State, p.Pay, p.Token, p.Choices = checkout.StateChoose, nil, "", nil }},
	{"choose-problem", func(p *checkout.Props) {
		p.State, p.Pay, p.Token, p.Problem = checkout.StateChoose, nil, "", checkout.ProblemUnavailable
	}},
	{"waiting", func(*checkout.Props) {}},
	{"waiting-last-minutes", func(p *checkout.Props) { p.CountdownSeconds = 4*60 + 7 }},
	{"waiting-sandbox", func(p *checkout.Props) { p.SandboxURL = "http://127.0.0.1:8080/sandbox" }},
	{"behind", func(p *checkout.Props) { p.Paused = true }},
	{"stalled", func(p *checkout.Props) { p.Paused, p.Stalled = true, true }},
	{"choose-again", func(p *checkout.Props) { p.View = checkout.ViewChoose }},
	{"confirm-cancel", func(p *checkout.Props) { p.View = checkout.ViewCancel }},
	{"find", func(p *checkout.Props) { p.View = checkout.ViewFind }},
	{"find-other-chain", func(p *checkout.Props) {
		p.View = checkout.ViewFind
		p.Lookup = &checkout.Lookup{Verdict: checkout.VerdictOtherChain, Asked: sampleHash, Network: "BASE", ExplorerURL: "https://basescan.org/tx/" + sampleHash}
	}},
	{"find-invalid", func(p *checkout.Props) {
		p.View = checkout.ViewFind
		p.Lookup = &checkout.Lookup{Verdict: checkout.VerdictInvalid, Asked: "my payment"}
	}},
	{"seen", func(p *checkout.Props) {
		p.State, p.Deposits = checkout.StateSeen, []checkout.Deposit{sampleDeposit(checkout.DepositSeen, "49.90")}
	}},
	{"confirming", func(p *checkout.Props) {
		p.State, p.Deposits = checkout.StateConfirming, []checkout.Deposit{sampleDeposit(checkout.DepositSeen, "49.90")}
		p.SecondsToFinal, p.Progress = 12, 40
	}},
	{"short", func(p *checkout.Props) {
		p.State, p.Received, p.Missing, p.Askable = checkout.StateShort, "49.53", "0.37", true
		p.Pay.Amount, p.Pay.WithFee = "0.37", "0.47"
		p.Deposits = []checkout.Deposit{sampleDeposit(checkout.DepositFinal, "49.53")}
	}},
	{"short-asked", func(p *checkout.Props) {
		p.State, p.Received, p.Missing, p.Askable, p.Asked = checkout.StateShort, "49.53", "0.37", true, true
		p.Pay.Amount, p.Pay.WithFee = "0.37", "0.47"
		p.Deposits = []checkout.Deposit{sampleDeposit(checkout.DepositFinal, "49.53")}
	}},
	{"wrong-token", func(p *checkout.Props) {
		d := sampleDeposit(checkout.DepositOther, "49.90")
		d.Token = "USDC.e"
		p.Deposits, p.Askable = []checkout.Deposit{d}, true
	}},
	{"wrong-asked", func(p *checkout.Props) {
		d := sampleDeposit(checkout.DepositOther, "49.90")
		d.Token = "USDC.e"
		p.Deposits, p.Askable, p.Asked = []checkout.Deposit{d}, true, true
	}},
	{"wrong-network", func(p *checkout.Props) {
		d := sampleDeposit(checkout.DepositOther, "49.90")
		d.Network = "BEP20"
		p.Deposits = []checkout.Deposit{d}
	}},
	{"paid", func(p *checkout.Props) {
		p.State, p.Received, p.PaidAt, p.Hash = checkout.StatePaid, "49.90", sampleTime, sampleHash
		p.ExplorerURL = "https://polygonscan.com/tx/" + sampleHash
	}},
	{"over", func(p *checkout.Props) {
		p.State, p.Received, p.Excess, p.PaidAt, p.Hash = checkout.StatePaid, "51.00", "1.10", sampleTime, sampleHash
		p.ExplorerURL = "https://polygonscan.com/tx/" + sampleHash
	}},
	{"back-part", func(p *checkout.Props) {
		p.State, p.Received, p.PaidAt, p.Hash = checkout.StatePaid, "49.90", sampleTime, sampleHash
		p.Back = checkout.Back{Arrived: "20.00", Asked: "9.90", Unit: "USDC"}
	}},
	{"back-all", func(p *checkout.Props) {
		p.State, p.Received, p.PaidAt, p.Hash = checkout.StatePaid, "49.90", sampleTime, sampleHash
		p.Back = checkout.Back{Arrived: "49.90", Unit: "USDC", All: true}
	}},
	{"reversed", func(p *checkout.Props) {
		p.State, p.PaidAt, p.Hash = checkout.StateReversed, sampleTime, sampleHash
		p.ExplorerURL = "https://polygonscan.com/tx/" + sampleHash
	}},
	{"late", func(p *checkout.Props) {
		p.State, p.Deposits = checkout.StateLate, []checkout.Deposit{sampleDeposit(checkout.DepositLate, "49.90")}
		p.Askable = true
	}},
	{"late-cancelled", func(p *checkout.Props) {
		p.State, p.Cancelled, p.Deposits = checkout.StateLate, true,
			[]checkout.Deposit{sampleDeposit(checkout.DepositLate, "49.90")}
	}},
	{"expired", func(p *checkout.Props) { p.State = checkout.StateExpired }},
	{"expired-part", func(p *checkout.Props) {
		p.State, p.Received, p.Askable = checkout.StateExpired, "20", true
		p.Deposits = []checkout.Deposit{sampleDeposit(checkout.DepositFinal, "20")}
	}},
	{"cancelled", func(p *checkout.Props) { p.State = checkout.StateCancelled }},
	{"branded", func(p *checkout.Props) {
		p.Merchant.Accent, p.Merchant.Background = "#ffd400", "#0b3d2e"
	}},
	{"solana", func(p *checkout.Props) {
		p.Pay.Network, p.Pay.Token, p.Token = "SOL", "USDT", "USDT"
		p.Pay.Address, p.Pay.Browser = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", nil
		p.Pay.PaymentURI = "solana:HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk?amount=49.9&spl-token=Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"
	}},
}

// sample renders one named state in a language.
func (s checkoutSample) props(t testing.TB, lang string) checkout.Props {
	t.Helper()
	p := sampleCheckout(t, lang)
	s.edit(&p)
	return p
}

func sampleReceipt(lang string) checkout.ReceiptProps {
	return checkout.ReceiptProps{
		Page: views.Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: views.Merchant{
			Name: "Nordlicht Coffee", Host: "nordlicht.example", HostVerified: true,
			SupportEmail: "hello@nordlicht.example",
			LegalName:    "Nordlicht Kaffee GmbH", LegalAddress: "Hafenstraße 1, 20457 Hamburg", TaxID: "DE123456789",
		},
		TxnID: sampleTxn, Reference: "NL-10423", Description: "2 × Espresso No. 4, 1 kg",
		Amount: "49.90", Received: "49.90", Network: "POLYGON", Token: "USDC", Address: sampleAddress,
		CreatedAt: sampleTime, PaidAt: sampleTime,
		Deposits:  []checkout.Deposit{sampleDeposit(checkout.DepositFinal, "49.90")},
		VerifyURL: "https://pay.example/pay/" + sampleTxn + "/receipt",
	}
}

func sampleSandbox() sandbox.Props {
	return sandbox.Props{
		Page: views.Page{Nonce: "r4nd0m"},
		Payments: []sandbox.Payment{
			{
				TxnID: sampleTxn, Amount: "49.90", Network: "POLYGON", Token: "USDC", Address: sampleAddress,
				Status: "STARTED", CreatedAt: sampleTime,
			},
			{TxnID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWB", Amount: "12", Status: "PENDING", CreatedAt: sampleTime},
			{
				TxnID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWC", Amount: "250", Network: "BEP20", Token: "USDT",
				Address: sampleAddress, Status: "COMPLETED", Received: "251.1", CreatedAt: sampleTime,
			},
		},
		Inbox: []sandbox.Delivery{{
			At: sampleTime, ID: "evt_01KJ4ZB7", Status: "completed", TxnID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWC",
			Headers: []sandbox.Header{{Name: "content-type", Value: "application/json"}, {Name: "webhook-id", Value: "evt_01KJ4ZB7"}, {Name: "webhook-signature", Value: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}},
			Body:    `{"txnid":"01KJ4Z8Y3T6Q0M5V9B2N7R1XWC","status":"completed","amount":250}`,
			Signed:  true, Verdict: "the signature matches the signing secret", Answered: 200,
		}},
		Mails: []sandbox.Mail{{
			At: sampleTime, To: "owner@shop.example", Subject: "Set a new password",
			Text: "Open this link within an hour:\n\nhttp://127.0.0.1:8080/reset?token=r4nd0m\n",
		}},
		Receiver: "up", APIKey: "flk_test", BaseURL: "http://127.0.0.1:8080", DashboardURL: "/dashboard", DocsURL: "/docs",
		Notice: "Sent 49.90 USDC on Polygon.",
	}
}

func sampleLanding() views.LandingProps {
	return views.LandingProps{
		Page: views.Page{Nonce: "r4nd0m"}, Version: "0.1.0", Networks: []string{"BEP20", "POLYGON", "BASE", "SOL"},
		SignInURL: "/signin", SignUpURL: "/signup", DocsURL: "/docs", SandboxURL: "/sandbox", DemoURL: "/sandbox/create", SourceURL: "https://github.com/florinpay/florin",
	}
}

var failureKinds = []views.FailureKind{
	views.FailurePaymentUnknown, views.FailureNotFound, views.FailureTooOften, views.FailureInvalid,
	views.FailureForbidden, views.FailureConflict, views.FailureUnavailable, views.FailureInternal,
}

// failureAgain is where a page leads on to, for the kinds that are met where something can be tried again.
var failureAgain = map[views.FailureKind]string{
	views.FailureTooOften: "/pay?txnid=" + sampleTxn, views.FailureUnavailable: "/pay?txnid=" + sampleTxn, views.FailureInternal: "/pay?txnid=" + sampleTxn,
	views.FailureInvalid: "/donate/winter-shelter", views.FailureConflict: "/link/table-4",
}

func sampleFailure(kind views.FailureKind, lang string) views.FailureProps {
	return views.FailureProps{
		Page: views.Page{Lang: lang, Nonce: "r4nd0m"}, Kind: kind, RequestID: "01KJ4ZB7REQ",
		RetrySeconds: 40, Checkout: true, Again: failureAgain[kind],
	}
}

// sampleDonate is a campaign that runs and has been given to.
func sampleDonate(lang string) donate.Props {
	return donate.Props{
		Page: views.Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: views.Merchant{
			Name: "Tromsø Animal Shelter", Host: "shelter.example", HostVerified: true,
			SupportEmail: "hello@shelter.example",
		},
		CampaignID: "winter-shelter", Title: "A warm winter for 120 dogs", Status: donate.CampaignActive,
		Description: "Our heating failed in October, and the repair costs more than a whole year of food.\n\n" +
			"Every donation goes to the new heat pump. What is left over buys blankets.",
		Raised: "8421.50", Goal: "12000", Percent: 70, Donors: 214, EndsAt: sampleTime.AddDate(0, 1, 0),
		Suggested: []string{"10", "25", "50", "100"}, Min: "1", Max: "10000", Choices: sampleChoices(),
		Donations: []donate.Donation{
			{Name: "Ada", Message: "For Rex, who was with us for 14 years.", Amount: "50", Token: "USDC", Network: "POLYGON", Hash: sampleHash, ExplorerURL: "https://polygonscan.com/tx/" + sampleHash, At: sampleTime},
			{Amount: "10", Token: "USDT", Network: "BEP20", Hash: sampleHash, ExplorerURL: "https://bscscan.com/tx/" + sampleHash, At: sampleTime},
		},
		Older: "/donate/winter-shelter?before=2", URL: "https://pay.example/donate/winter-shelter", CardURL: "https://pay.example/donate/winter-shelter/card.png",
	}
}

// sampleGift is a campaign's page on which a donation is paid, in a state of the checkout.
func sampleGift(t testing.TB, lang, state string) donate.Props {
	t.Helper()
	p := sampleDonate(lang)
	for _, s := range checkoutSamples {
		if s.name == state {
			pay := s.props(t, lang).OnCampaign(p.CampaignID)
			pay.Merchant, pay.Description, pay.Reference = p.Merchant, "", ""
			p.Paying = &pay
			p.LivePath = pay.LivePath()
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
	paused.Status, ended.Status = donate.CampaignPaused, donate.CampaignEnded
	ended.Raised, ended.Percent, ended.Reached, ended.Donors = "12450", 100, true, 1843
	empty.Donations, empty.Older, empty.Raised, empty.Goal, empty.Donors, empty.Suggested, empty.Choices = nil, "",
		"0", "", 0, nil, nil
	wrong.Typed = url.Values{
		"suggested": {"other"}, "amount": {"0.5"}, "name": {"Eve"}, "message": {"Hello"},
		"network": {"BEP20"}, "token": {"USDC"}, "via": {"wallet"},
	}
	wrong.Errors = map[string]donate.InputError{
		"amount": donate.InputTooSmall, "way": donate.InputWay,
		"name": donate.InputTooLong, "message": donate.InputText,
	}
	wrong.Problem = checkout.ProblemUnavailable
	alone.Merchant.Accent, alone.Merchant.Background = "#c2185b", "#fff3e0"
	return map[string]templ.Component{
		"donate": donate.Campaign(base), "donate-paused": donate.Campaign(paused),
		"donate-ended": donate.Campaign(ended), "donate-empty": donate.Campaign(empty),
		"donate-wrong": donate.Campaign(wrong), "donate-branded": donate.Campaign(alone),
		"donate-widget": donate.Widget(base),
		"gift":          donate.Campaign(sampleGift(t, lang, "waiting-sandbox")),
		"gift-stalled":  donate.Campaign(sampleGift(t, lang, "stalled")),
		"gift-short":    donate.Campaign(sampleGift(t, lang, "short")),
		"gift-seen":     donate.Campaign(sampleGift(t, lang, "confirming")),
		"gift-paid":     donate.Campaign(sampleGift(t, lang, "paid")),
		"gift-choose":   donate.Campaign(sampleGift(t, lang, "choose-again")),
	}
}

func sampleLink(lang string) donate.LinkProps {
	return donate.LinkProps{
		Page:     views.Page{Lang: lang, Nonce: "r4nd0m"},
		Merchant: views.Merchant{Name: "Nordlicht Coffee", Host: "nordlicht.example", HostVerified: true},
		Slug:     "table-4", Description: "Your table at Nordlicht Coffee", Amount: "18.50",
		Choices: sampleChoices(),
	}
}

func sampleLinks(lang string) map[string]templ.Component {
	fixed := sampleLink(lang)
	open, wrong, closed := fixed, fixed, fixed
	open.Amount, open.Min, open.Max, open.Bounded = "", "5.00", "500.00", true
	wrong.Amount, wrong.Min, wrong.Typed = "", "5", url.Values{"amount": {"ten"}}
	wrong.Errors, wrong.Problem = map[string]donate.InputError{"amount": donate.InputAmount}, checkout.ProblemMerchant
	closed.Closed = true
	return map[string]templ.Component{
		"link": donate.PayLink(fixed), "link-open": donate.PayLink(open),
		"link-wrong": donate.PayLink(wrong), "link-closed": donate.PayLink(closed),
	}
}

// samplePages is every page by name, in a language it speaks.
func samplePages(t testing.TB, lang string) map[string]templ.Component {
	t.Helper()
	pages := map[string]templ.Component{"receipt": checkout.Receipt(sampleReceipt(lang))}
	if lang == "en" {
		pages["sandbox"], pages["landing"] = sandbox.Page(sampleSandbox()), views.Landing(sampleLanding())
	}
	maps.Copy(pages, sampleDonations(t, lang))
	maps.Copy(pages, sampleLinks(lang))
	for _, s := range checkoutSamples {
		pages[s.name] = checkout.Pay(s.props(t, lang))
	}
	for _, k := range failureKinds {
		pages["failure-"+string(k)] = views.Failure(sampleFailure(k, lang))
	}
	return pages
}
