package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/web/shell"
)

// asking are all requests of people without a session, or with an API key that anybody may have, for which the endpoints
// of networks are called. How many each may make, whoever sends them, is bounded by shell.Rates.Calls; paying, donating
// and links call nothing, and raise the pace of reading within its own budget.
var asking = []string{
	"POST /graphql: updateCustodianDetails", "POST /pay/:txnid/find", "POST /pay/:txnid/transaction", "POST /txn/:txnid/find",
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

// newAsked returns a server whose calls of endpoints are counted, and a request of each kind for a payment of the merchant.
func newAsked(t *testing.T) (b *bundle, a *askers, requests map[string]func(from string) reply) {
	t.Helper()
	b, a = newBundle(t), &askers{}
	b.networks.health[chain.Solana] = b.networks.health[chain.Polygon]
	m := b.newSolanaMerchant()
	p := b.start(b.newPayment(m), chain.Solana)
	readers := b.networks.readers()
	for n, r := range readers {
		readers[n] = countedReader{r, a}
	}
	d := b.server.d
	d.Lookup = lookup.New(b.payments, readers, b.store, b.clock.Now)
	d.BuildTransfer = func(
		ctx context.Context, payer, to chain.Address, asset chain.Asset, units money.Units,
	) ([]byte, error) {
		a.note(ctx)
		return solanaAccounts{}.buildTransfer(ctx, payer, to, asset, units)
	}
	checked := newServices(b.store.Identity(), b.store.Merchant(), b.clock.Now, identity.Options{}, merchant.Options{
		CheckWallet: func(ctx context.Context, _ chain.Network, _ chain.Address) error {
			if err := b.server.CountCheck(ctx); err != nil {
				return err
			}
			a.note(chain.AsStranger(ctx)) // as internal/app does
			return nil
		},
	})
	d.Merchants, d.Users = checked.merchants, checked.users
	b.server = New(d, b.server.o)
	c := b.newCampaign(m)
	requests = map[string]func(from string) reply{}
	path := strings.NewReplacer(":txnid", string(p.ID), ":campaignId", c.Slug, ":slug", "none")
	for _, r := range b.server.handler.Routes() {
		if shell.InDashboard(r.Path) || strings.HasPrefix(r.Path, operatorPath) || strings.HasSuffix(r.Path, "/live") ||
			r.Method != http.MethodGet && r.Method != http.MethodPost || r.Path == "/graphql" {
			continue
		}
		requests[r.Method+" "+r.Path] = func(from string) reply {
			b.ask(r.Method, path.Replace(r.Path), "hash="+txOf(from)+"&account="+solanaWallet+"&network=SOL&token=USDC&amount=5",
				append(asForm, "X-Forwarded-For", from)...)
			return b.ask(r.Method, path.Replace(r.Path), fmt.Sprintf(
				`{"hash":%q,"txnid":%q,"network":"SOL","token":"USDC","amount":5,"apiKey":%q}`, txOf(from), p.ID, m.text),
				"X-Forwarded-For", from)
		}
	}
	wallets := 0
	for name, call := range map[string]func() string{
		"updateCustodianDetails": func() string {
			wallets++
			return fmt.Sprintf(`mutation { updateCustodianDetails(input: {apiKey: %q, wallets: {base: "0x%040x"}}) { code } }`, m.text, wallets)
		},
		"payment":       func() string { return `mutation { payment(apiKey: "` + m.text + `", amount: 5) { code } }` },
		"getTxnDetails": func() string { return `{ getTxnDetails(txnid: "` + string(p.ID) + `") { code } }` },
		"startSolPayment": func() string {
			return `mutation { startSolPayment(txnid: "` + string(p.ID) + `", token: USDT) { code } }`
		},
		"StartDonation": func() string {
			return `mutation { StartDonation(campaignId: "` + c.Slug + `", amount: 5, network: SOL, token: USDC) { code } }`
		},
		"cancelPayment": func() string { return `mutation { cancelPayment(txnid: "` + unknownTxn + `") { code } }` },
	} {
		requests["POST /graphql: "+name] = func(from string) reply { return b.graphQL(call(), "", "X-Forwarded-For", from) }
	}
	return b, a, requests
}

// txOf is a transaction that no network knows, another one for each text.
func txOf(text string) string { return fmt.Sprintf("0x%064x", []byte(text)) }

// TestStrangers_Calls: what costs calls of endpoints is on the list, says that a stranger asks, and is bounded from however
// many networks it comes.
func TestStrangers_Calls(t *testing.T) {
	t.Parallel()
	_, a, requests := newAsked(t)
	var found []string
	for name, send := range requests {
		before := a.calls.Load()
		send("203.0.113.9")
		if a.calls.Load() > before {
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
			_, a, requests := newAsked(t)
			for i := range 300 {
				requests[name](fmt.Sprintf("198.%d.%d.7", i%100, i/100))
			}
			burst := int64(shell.DefaultRates().Calls.Burst)
			if calls := a.calls.Load(); calls == 0 || calls > burst*mostCalls || a.unmarked.Load() > 0 {
				t.Errorf("strangers had %d calls made, want at most %d; %d look like the reading of money", calls,
					burst*mostCalls, a.unmarked.Load())
			}
		})
	}
}

// mostCalls is on how many networks a transaction is looked for.
const mostCalls = 4
