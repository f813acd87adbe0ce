package main

import (
	"context"
	cryptorand "crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/sandbox"
)

// pages serves the paths below /sandbox.
type pages struct {
	*http.ServeMux
	sandbox *Sandbox
}

// shownPayments bounds the list: the sandbox shows recent payments only.
const shownPayments = 50

func newPages(s *Sandbox) *pages {
	p := &pages{ServeMux: http.NewServeMux(), sandbox: s}
	p.HandleFunc("GET /sandbox", p.index)
	p.HandleFunc("POST /sandbox/create", p.create)
	p.HandleFunc("POST /sandbox/pay/{txnid}", p.pay)
	p.Handle("GET /sandbox/mail/{id}", &s.mails)
	p.HandleFunc("POST /sandbox/receiver", p.receiver)
	p.HandleFunc("POST /sandbox/feeds", p.feeds)
	p.HandleFunc("GET "+referencePath, p.reference)
	p.HandleFunc("GET /sandbox/explorer/{network}/tx/{hash}", p.transaction)
	p.HandleFunc(inboxPath, func(w http.ResponseWriter, r *http.Request) { s.inbox.ServeHTTP(w, r) })
	return p
}

func (p *pages) index(w http.ResponseWriter, r *http.Request) {
	p.show(w, r, http.StatusOK, r.URL.Query().Get("notice"))
}

func (p *pages) show(w http.ResponseWriter, r *http.Request, status int, notice string) {
	list, err := p.sandbox.App.Payments.List(
		r.Context(), payment.Filter{KeyID: p.sandbox.Demo.KeyID, Limit: shownPayments, TopUps: true},
	)
	if err != nil {
		p.fail(w, err)
		return
	}
	nonce := cryptorand.Text()
	props := sandbox.Props{
		Page: views.Page{Lang: "en", Nonce: nonce}, Inbox: p.sandbox.inbox.Deliveries(),
		Receiver: string(p.sandbox.inbox.Mode()), APIKey: p.sandbox.Demo.Key, BaseURL: p.sandbox.BaseURL,
		Notice: notice, Mails: p.sandbox.mails.list(), DashboardURL: "/dashboard", DocsURL: "/docs",
	}
	for _, x := range list {
		props.Payments = append(props.Payments, shown(x))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+
		"'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
	_ = sandbox.Page(props).Render(r.Context(), w)
}

func shown(x payment.Payment) sandbox.Payment {
	s := sandbox.Payment{
		TxnID: string(x.ID), Amount: x.Amount.Display(), Network: string(x.Choice.Network),
		Token:  string(x.Choice.Token),
		Status: string(x.Status), Received: x.Received().Micros().Display(), CreatedAt: x.CreatedAt,
	}
	if route, ok := x.Route(); ok {
		s.Address = string(route.Address.Address)
	}
	return s
}

func (p *pages) create(w http.ResponseWriter, r *http.Request) {
	in := payment.CreateInput{KeyID: p.sandbox.Demo.KeyID, Amount: strings.TrimSpace(r.PostFormValue("amount"))}
	if currency := r.PostFormValue("currency"); currency != "" && currency != string(exchange.USD) {
		in.Price, in.Amount = exchange.Text{Amount: in.Amount, Currency: currency}, ""
	}
	x, err := p.sandbox.App.Payments.Create(r.Context(), in, audit.Act{})
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	http.Redirect(w, r, checkout.PayPath(string(x.ID), "", checkout.ViewNow), http.StatusSeeOther)
}

func (p *pages) pay(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("txnid")
	x, err := p.sandbox.App.Payments.Get(r.Context(), id)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	if x.Status == payment.Pending {
		if err := p.choose(r.Context(), x); err != nil {
			p.refuse(w, r, err)
			return
		}
	}
	payer := Payer{faucets: p.sandbox.faucets(), store: p.sandbox.App.Store}
	// The payment goes on even if the browser stops waiting for the response.
	notice, err := payer.Pay(context.WithoutCancel(r.Context()), x.ID, Act(r.PostFormValue("how")))
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	p.back(w, r, notice, "txn-"+id)
}

// choose starts the payment by the first network that is offered, as its payer might have.
func (p *pages) choose(ctx context.Context, x payment.Payment) error {
	offers, err := p.sandbox.App.Payments.Offers(ctx, x)
	if err != nil {
		return err
	}
	for _, o := range offers {
		if o.Reason == "" {
			_, err := p.sandbox.App.Payments.Start(
				ctx, string(x.ID), payment.Choice{Network: o.Network, Token: o.Tokens[0]}, audit.Act{},
			)
			return err
		}
	}
	return fault.New(fault.Unprocessable, "no network is offered for this payment at the moment")
}

func (p *pages) receiver(w http.ResponseWriter, r *http.Request) {
	if !p.sandbox.inbox.SetMode(Mode(r.PostFormValue("mode"))) {
		p.refuse(w, r, fault.New(fault.Invalid, "mode must be up, failing or slow"))
		return
	}
	p.back(w, r, "", "inbox")
}

// back redirects to the sandbox page with a sentence about what was done.
func (p *pages) back(w http.ResponseWriter, r *http.Request, notice, at string) {
	target := "/sandbox"
	if notice != "" {
		target += "?notice=" + url.QueryEscape(notice)
	}
	http.Redirect(w, r, target+"#"+at, http.StatusSeeOther)
}

// refuse shows the page again with the reason of the refusal.
func (p *pages) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.Of(err)
	if f == nil {
		p.fail(w, err)
		return
	}
	p.show(w, r, f.Kind.Code(), "Nothing was sent: "+f.Message+".")
}

func (p *pages) fail(w http.ResponseWriter, err error) {
	p.sandbox.log.Error("sandbox page failed", "error", err)
	http.Error(w, "The sandbox failed; its log says why.", http.StatusInternalServerError)
}

// transaction is the sandbox's block explorer: it returns what a development chain knows of one transaction,
// as JSON.
func (p *pages) transaction(w http.ResponseWriter, r *http.Request) {
	shown, err := p.sandbox.transaction(
		r.Context(), chain.Network(strings.ToUpper(r.PathValue("network"))), r.PathValue("hash"),
	)
	if err != nil {
		http.Error(w, "the sandbox runs no such chain, or it holds no such transaction", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(shown)
}

// errNoTransaction: no development chain holds the transaction.
var errNoTransaction = errors.New("no such transaction")

func (s *Sandbox) transaction(ctx context.Context, n chain.Network, hash string) (any, error) {
	if dev, ok := s.chains[n]; ok {
		return dev.Client().TransactionReceipt(ctx, common.HexToHash(hash))
	}
	signature, err := solana.SignatureFromBase58(hash)
	if n != chain.Solana || err != nil {
		return nil, errNoTransaction
	}
	shown, ok := s.sol.Transaction(signature)
	if !ok {
		return nil, errNoTransaction
	}
	return shown, nil
}

// faucets returns the faucet of every chain.
func (s *Sandbox) faucets() map[chain.Network]faucet {
	all := map[chain.Network]faucet{chain.Solana: solanaFaucet{s.sol}}
	for n, dev := range s.chains {
		all[n] = evmFaucet{dev}
	}
	return all
}
