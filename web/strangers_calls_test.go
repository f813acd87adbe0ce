package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
	"github.com/florinpay/florin/web/shell"
)

// asking are all requests of people without a session, or with an API key that anybody may have, for which the
// endpoints of networks are called. How many each may make, whoever sends them, is bounded by shell.Rates.Calls;
// paying, donating and links call nothing, and raise the pace of reading within its own budget.
var asking = []string{
	"POST /graphql: rechargeApiKey", "POST /graphql: updateCustodianDetails", "POST /pay/:txnid/find",
	"POST /pay/:txnid/transaction", "POST /txn/:txnid/find",
}

// askers counts the calls of endpoints, and those that do not say that a stranger asks.
type askers struct{ calls, unmarked atomic.Int64 }

func (a *askers) note(ctx context.Context) {
	a.calls.Add(1)
	if !chain.OfStranger(ctx) {
		a.unmarked.Add(1)
	}
}

type countedReader struct {
	chain.Reader
	askers *askers
}

func (r countedReader) Find(ctx context.Context, tx chain.TxHash) (chain.Found, error) {
	r.askers.note(ctx)
	return r.Reader.Find(ctx, tx)
}

// countedRecharges sells query units as far as the first call of an endpoint.
type countedRecharges struct{ askers *askers }

func (countedRecharges) Offered() error { return nil }

func (r countedRecharges) Buy(
	ctx context.Context, _ recharge.Request, _ time.Duration, _ audit.Act,
) (recharge.Recharge, error) {
	r.askers.note(ctx)
	return recharge.Recharge{}, recharge.ErrBusy
}

// asked is a server whose calls of endpoints are counted.
type asked struct {
	*bundle
	askers askers

	m       seller
	p       payment.Payment
	gifts   campaign.Campaign
	private secret.Text // of the wallet of another key of the merchant
	buyer   secret.Text // the text of that key
	wallets int
}

func newAsked(t *testing.T) *asked {
	t.Helper()
	b := newBundle(t)
	b.networks.health[chain.Solana] = b.networks.health[chain.Polygon]
	a := &asked{bundle: b, m: b.newSolanaMerchant(), private: secret.New("0x" + strings.Repeat("11", 32))}
	a.p, a.gifts = b.start(b.newPayment(a.m), chain.Solana), b.newCampaign(a.m)
	own, err := wallet.ParseEVM(a.private)
	must(t, err)
	owner, err := b.accounts.UserByEmail(t.Context(), a.m.key.Email)
	must(t, err)
	_, a.buyer, err = b.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Wallet: string(own.Wallet())},
		audit.Act{})
	must(t, err)
	readers := b.networks.readers()
	for n, r := range readers {
		readers[n] = countedReader{r, &a.askers}
	}
	checked := newServices(b.store.Identity(), b.store.Merchant(), b.clock.Now, identity.Options{}, merchant.Options{
		CheckWallet: func(ctx context.Context, _ chain.Network, _ chain.Address) error {
			if err := b.server.CountCheck(ctx); err != nil {
				return err
			}
			a.askers.note(chain.AsStranger(ctx)) // as internal/app does
			return nil
		},
	})
	d := b.server.d
	d.Lookup, d.Recharges = lookup.New(b.payments, readers, b.store, b.clock.Now), countedRecharges{&a.askers}
	d.Merchants, d.Users = checked.merchants, checked.users
	d.BuildTransfer = func(
		ctx context.Context, payer, to chain.Address, asset chain.Asset, units money.Units,
	) ([]byte, error) {
		a.askers.note(ctx)
		return solanaAccounts{}.buildTransfer(ctx, payer, to, asset, units)
	}
	d.SendTransfers = sendTransfers
	b.server = New(d, b.server.o)
	return a
}

// requests are one of each kind that a person without a session, or with an API key, can send.
func (a *asked) requests() map[string]func(from string) {
	all := map[string]func(from string){}
	path := strings.NewReplacer(":txnid", string(a.p.ID), ":campaignId", a.gifts.Slug, ":slug", "none")
	for _, r := range a.server.handler.Routes() {
		public := !shell.InDashboard(r.Path) && !strings.HasPrefix(r.Path, operatorPath)
		if !public || r.Method != http.MethodGet && r.Method != http.MethodPost || r.Path == "/graphql" ||
			strings.HasSuffix(r.Path, "/live") || strings.Contains(r.Path, "cancel") {
			continue
		}
		all[r.Method+" "+r.Path] = func(from string) {
			form := "hash=" + txOf(from) + "&account=" + solanaWallet + "&network=SOL&token=USDC&amount=5"
			a.ask(r.Method, path.Replace(r.Path), form, append(asForm, "X-Forwarded-For", from)...)
			body := fmt.Sprintf(`{"hash":%q,"txnid":%q,"network":"SOL","token":"USDC","amount":5,"apiKey":%q}`,
				txOf(from), a.p.ID, a.m.text)
			a.ask(r.Method, path.Replace(r.Path), body, "X-Forwarded-For", from)
		}
	}
	for name, document := range a.documents() {
		all["POST /graphql: "+name] = func(from string) { a.graphQL(document(), "", "X-Forwarded-For", from) }
	}
	return all
}

// documents are calls of GraphQL fields that could ask endpoints.
func (a *asked) documents() map[string]func() string {
	return map[string]func() string{
		"updateCustodianDetails": func() string {
			a.wallets++
			return fmt.Sprintf(`mutation { updateCustodianDetails(input: {apiKey: %q, wallets: {base: "0x%040x"}}) { code } }`,
				a.m.text, a.wallets)
		},
		"rechargeApiKey": func() string {
			return fmt.Sprintf(`mutation { rechargeApiKey(apiKey: %q, privateKey: %q, unit: 1) { code } }`, a.buyer.Reveal(),
				a.private.Reveal())
		},
		"payment": func() string {
			return fmt.Sprintf(`mutation { payment(apiKey: %q, amount: 5) { code } }`, a.m.text)
		},
		"getTxnDetails": func() string { return fmt.Sprintf(`{ getTxnDetails(txnid: %q) { code } }`, a.p.ID) },
		"startSolPayment": func() string {
			return fmt.Sprintf(`mutation { startSolPayment(txnid: %q, token: USDC) { code } }`, a.p.ID)
		},
		"StartDonation": func() string {
			return fmt.Sprintf(`mutation { StartDonation(campaignId: %q, amount: 5, network: SOL, token: USDC) { code } }`,
				a.gifts.Slug)
		},
	}
}

// txOf is a transaction that no network knows, another one for each text.
func txOf(text string) string { return fmt.Sprintf("0x%064x", []byte(text)) }

// TestStrangers_Calls: what costs calls of endpoints is on the list, says that a stranger asks, and is bounded from
// however many networks it comes.
func TestStrangers_Calls(t *testing.T) {
	t.Parallel()
	a := newAsked(t)
	var found []string
	for name, send := range a.requests() {
		before := a.askers.calls.Load()
		send("203.0.113.9")
		if a.askers.calls.Load() > before {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, asking) {
		t.Errorf("endpoints are asked by %q, want %q", found, asking)
	}
	for _, name := range asking {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAsked(t)
			send := a.requests()[name]
			for i := range 300 {
				send(fmt.Sprintf("198.%d.%d.7", i%100, i/100))
			}
			burst := int64(shell.DefaultRates().Calls.Burst)
			if calls := a.askers.calls.Load(); calls == 0 || calls > burst*mostCalls || a.askers.unmarked.Load() > 0 {
				t.Errorf("strangers had %d calls made, want at most %d; %d look like the reading of money", calls,
					burst*mostCalls, a.askers.unmarked.Load())
			}
		})
	}
}

// mostCalls is on how many networks a transaction is looked for.
const mostCalls = 4
