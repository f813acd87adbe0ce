package web

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
)

// The history of a payment shows when its settlement was planned, sent and final,
// in which transaction and for how much gas. It also shows money at its address on
// another network, and says whom to ask: a merchant's page has no command line.
func TestDashboard_Settlement(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	// Another wallet on Base: what comes there to a Polygon address does not count.
	_, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, merchant.CustodianInput{
		Wallets: map[chain.Network]string{"BASE": "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"},
	}, audit.Act{})
	must(t, err)
	p := b.start(b.newPayment(m), chain.Polygon)
	p = b.deposit(p, p.Amount, true)
	s := b.surfer()
	s.signIn(ownerEmail)
	shows := func(r reply, has []string, lacks ...string) {
		t.Helper()
		r.wants(t, 200, has...)
		for _, text := range lacks {
			if strings.Contains(r.body, text) {
				t.Errorf("the page says %q already, or still", text)
			}
		}
	}
	page := "/dashboard/payments/" + string(p.ID)
	shows(s.get(page), []string{}, "Settlement planned", "florin sweep")

	ctx, now := t.Context(), b.clock.Now()
	due, err := b.store.Settlement().DepositBalances(ctx, chain.Polygon, settlement.Query{Now: now, Limit: 10})
	must(t, err)
	if len(due) != 1 {
		t.Fatalf("%d deposit balances are due, want 1", len(due))
	}
	w := settlement.Sweep{
		ID: settlement.ID(testID(now)), Network: chain.Polygon, State: settlement.Planned,
		CreatedAt: now, Items: []chain.SweepItem{{
			PaymentID: due[0].PaymentID, Scheme: due[0].Scheme,
			Address: due[0].Address, Settlement: due[0].Settlement,
			Asset: due[0].Asset, Expected: due[0].Due,
		}},
	}
	must(t, b.store.Settlement().PlanSweep(ctx, w))
	shows(s.get(page), []string{"Settlement planned"}, "On the way to your wallet")
	attempt := chain.Attempt{N: 1, Tx: testHash(900), Raw: []byte{1}, MadeAt: now}
	must(t, b.store.Settlement().AddAttempt(ctx, w.ID, attempt))
	must(t, b.store.Settlement().MarkSent(ctx, w.ID, 1, now.Add(time.Second)))
	shows(s.get(page), []string{"Settlement planned", "On the way to your wallet"}, "Arrived at your wallet")
	w.State, w.Tx, w.EndedAt, w.Paid = settlement.Confirmed, attempt.Tx, now.Add(2*time.Second),
		money.UnitsFromUint64(1_230_000_000_000_000)
	w.Block = chain.Head{Number: 901, Hash: string(testHash(901)), Time: now}
	w.Moved = []chain.Moved{{Address: due[0].Address.Address, Contract: due[0].Asset.Contract, Units: due[0].Due}}
	must(t, b.store.Settlement().EndSweep(ctx, w, now))
	shows(s.get(page), []string{
		"Settlement planned", "Arrived at your wallet", string(attempt.Tx),
		"gas 0.00123 POL, paid by the operator",
	}, "On the way to your wallet", "florin sweep")
	t.Run("Export", func(t *testing.T) {
		month := now.Format("2006-01")
		shows(s.get("/dashboard/payments.csv?paid="+month), []string{
			"settlementTx,settledAt,gas", string(attempt.Tx) + "," + now.Add(2*time.Second).Format(payment.TimeFormat) + ",0.00123",
		})
		if got := s.get("/dashboard/payments.csv?paid=" + now.AddDate(0, -1, 0).Format("2006-01")); got.status != 200 ||
			strings.Contains(got.body, string(p.ID)) {
			t.Errorf("the month before has the payment: %d %s", got.status, got.body)
		}
		shows(s.get("/dashboard/payments/exports"), []string{"This month so far", `href="/dashboard/payments.csv?paid=` + month + `"`})
	})

	t.Run("AnotherNetwork", func(t *testing.T) {
		route, _ := p.Route()
		asset, _ := profileOf(chain.Base).Asset(money.USDC)
		p = b.observe(p, chain.Transfer{
			Key: chain.Key{Network: chain.Base, Tx: testHash(902)}, Asset: asset, From: merchantWallet,
			To:    route.Address.Address,
			Units: (3 * money.USD).Units(asset.Decimals),
			Block: chain.Head{Number: 902, Hash: string(testHash(902)), Time: now}, Source: "test",
		}, true)
		r := s.get(page)
		r.wants(t, 200, "3.00 USDC came to this address on Base", "Ask the operator of this server")
		if strings.Contains(r.body, "florin sweep") {
			t.Error("a merchant reads a command line")
		}
	})
}

// Money that has not reached the merchant's wallet for longer than a sweep takes is in
// the inbox, on the overview and in the count of the navigation, with the payment it
// belongs to; another merchant's is not.
func TestDashboard_SettlementStuck(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, _ *Options) { d.Dashboard.Dust = money.USD / 2 })
	m := b.shop(b.member(ownerEmail))
	s, other := b.surfer(), b.surfer()
	b.shop(b.member("eve@shop.example"))
	s.signIn(ownerEmail)
	other.signIn("eve@shop.example")
	paid := b.start(b.newPayment(m), chain.Polygon)
	paid = b.deposit(paid, paid.Amount, true)
	second := b.start(b.newPayment(m), chain.Polygon)
	b.deposit(second, second.Amount, true)
	dust := b.start(b.newPaymentOf(m, "0.10"), chain.Base)
	b.deposit(dust, dust.Amount, true)
	const stuck = "has not reached your wallet"
	for _, page := range []string{"/dashboard", "/dashboard/attention"} {
		if r := s.get(page); strings.Contains(r.body, stuck) {
			t.Errorf("%s says too soon: %s", page, plainText(r.body))
		}
	}
	b.clock.advance(37 * time.Hour)
	for _, page := range []string{"/dashboard", "/dashboard/attention"} {
		r := s.get(page)
		r.wants(t, 200, "Money of 2 payments on Polygon "+stuck, `href="/dashboard/payments/`+string(paid.ID)+`"`,
			`data-testid="needs">1<`)
		if strings.Contains(r.body, "on Base "+stuck) {
			t.Errorf("%s: dust is said to be stuck", page)
		}
		if r := other.get(page); strings.Contains(r.body, stuck) {
			t.Errorf("%s: another merchant reads it", page)
		}
	}
}

const settlePath = "/dashboard/settings/settlement"

// The page shows what waits and by when it is sent. The merchant lets it wait longer, or asks for it.
func TestDashboard_Schedule(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	s.get(settlePath).wants(t, 200, `data-testid="nothing-waits"`, "As soon as $1,000.00 waits", "or after 24 hours")
	p := b.deposit(b.start(b.newPayment(m), chain.Polygon), 25_000_000, true)
	s.get(settlePath).wants(t, 200, "Polygon", "$25", `data-testid="settle-now"`)

	key := m.key.PublicID
	refused := func(atOnce, hours, want string) {
		t.Helper()
		r := s.post(settlePath, "key", key, "atOnce", atOnce, "hours", hours)
		if r.status != 400 && r.status != 422 || !strings.Contains(r.body, want) {
			t.Errorf("%s and %s hours: %d, without %q", atOnce, hours, r.status, want)
		}
	}
	refused("999", "24", "must be from $1000.00 to $1000000.00")
	refused("1000", "23", "must be from 24 to 168")
	refused("1000", "169", "must be from 24 to 168")
	refused("much", "soon", "Enter a whole number of hours.")
	s.post(settlePath, "key", key, "atOnce", "2500", "hours", "48").leads(t, settlePath+"?key="+key)
	s.get(settlePath).wants(t, 200, "As soon as $2,500.00 waits", "or after 48 hours")

	s.post(settlePath+"/now", "key", key).leads(t, settlePath+"?key="+key)
	s.get(settlePath).wants(t, 200, `data-testid="asked"`)
	due, err := b.store.Settlement().DepositBalances(t.Context(), chain.Polygon,
		settlement.Query{Now: b.clock.Now(), Limit: 10})
	must(t, err)
	if len(due) != 1 || due[0].PaymentID != string(p.ID) || !due[0].Urgent || due[0].Wait != 48*time.Hour {
		t.Errorf("what is due is %+v", due)
	}
	if r := s.post(settlePath+"/now", "key", key); r.status != 409 || !strings.Contains(r.body, "less than an hour ago") {
		t.Errorf("asked again: %d", r.status)
	}
}

// Another merchant's key is unknown here.
func TestDashboard_ScheduleOfAnother(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.member("eve@shop.example")
	eve := b.surfer()
	eve.signIn("eve@shop.example")
	eve.get(settlePath+"?key="+m.key.PublicID).wants(t, 404)
	eve.post(settlePath, "key", m.key.PublicID, "atOnce", "2500", "hours", "48").wants(t, 404)
	eve.post(settlePath+"/now", "key", m.key.PublicID).wants(t, 404)
	schedule, err := b.store.Settlement().Schedule(t.Context(), m.key.ID)
	must(t, err)
	if schedule != (settlement.Schedule{}) {
		t.Errorf("another merchant made it %+v", schedule)
	}
}

// A wallet that is a contract on one network and nothing on another is stored all the same, and the answer, the page
// after a change and the page with a new signing secret say so.
func TestWalletWarning(t *testing.T) {
	t.Parallel()
	const vault, want = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", "is a contract on Polygon and not on Base"
	b := newDashboard(t, func(d *Deps, _ *Options) {
		d.Merchants = merchant.New(d.Store.(*store.Store).Merchant(), d.Users, d.Now, merchant.Options{
			CheckCallback: func(string) error { return nil },
			WalletCode: func(_ context.Context, n chain.Network, at chain.Address) (string, bool) {
				if n == chain.Polygon && at == vault {
					return "0xc0de", true
				}
				return "", n == chain.Base
			},
		})
	})
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	save := `mutation($i: CustodianUpdateInput!) { updateCustodianDetails(input: $i) {
		code message custodian { wallets { polygon } } } }`
	said := b.graphQL(save, `{"i":{"apiKey":"`+m.text+`","wallets":{"polygon":"`+vault+`"}}}`)
	if got := said.text(t, "data.updateCustodianDetails.message"); !strings.Contains(got, want) ||
		said.text(t, "data.updateCustodianDetails.custodian.wallets.polygon") != vault {
		t.Errorf("the answer is %s", said.body)
	}
	again := b.graphQL(save, `{"i":{"apiKey":"`+m.text+`","wallets":{"polygon":"`+vault+`"}}}`)
	if got := again.text(t, "data.updateCustodianDetails.message"); got != "OK" {
		t.Errorf("of a wallet that did not change: %q", got)
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	s.post("/dashboard/settings/payouts", "key", m.key.PublicID, "name", "Shop", "wallet.BASE", vault,
		"wallet.POLYGON", vault, "password", testPassword).leads(t, "/dashboard/settings/payouts?key="+m.key.PublicID)
	s.get("/dashboard/settings/payouts?key="+m.key.PublicID).wants(t, 200, want, vault)
	k, _, err := b.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Label: "second", Credits: 5}, audit.Act{})
	must(t, err)
	s.post("/dashboard/settings/payouts", "key", k.PublicID, "name", "Second",
		"wallet.POLYGON", vault).leads(t, "/dashboard/settings/payouts?key="+k.PublicID)
	s.get("/dashboard/settings/payouts?key="+k.PublicID).wants(t, 200, want)
}
