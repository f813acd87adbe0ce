package payment_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// credited is a view of money that counts and that a fork can still take back.
func credited(to uint64, ts ...chain.Transfer) payment.View {
	v := view(chain.Polygon, 1, to, to, ts...)
	v.Finalized = chain.Head{}
	return v
}

// TestObserve_Reorged: credited money that vanishes is a reorganisation of the payment only
// where it bore something that was given for it, and is reported once.
func TestObserve_Reorged(t *testing.T) {
	t.Parallel()
	whole, half := transfer(usdcPolygon, "10000000", 2, "a", "w"), transfer(usdcPolygon, "5000000", 3, "a", "h")
	cent := transfer(usdcPolygon, "10000", 3, "a", "c") // a fifth of a credit
	for name, row := range map[string]struct {
		p              payment.Payment
		before, after  payment.View
		status         payment.Status
		reorged, still bool // and after the rest has vanished too
	}{
		"NotCompletedYet": {started(t, "10"), credited(5, half), credited(5), payment.Started, false, false},
		"StillEnough": {
			started(t, "10"), credited(5, whole, half), credited(5, whole), payment.Completed, false, true,
		},
		"TooLittleLeft": {started(t, "10"), credited(5, whole, half), credited(5, half), payment.Completed, true, true},
		"CreditsBoughtWithIt": {
			topUpOf(t, "10"), credited(5, whole, half), credited(5, whole), payment.Completed, true, true,
		},
		"CreditsStillBorne": {
			topUpOf(t, "10"), credited(5, whole, cent), credited(5, whole), payment.Completed, false, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := observe(t, row.p, row.before, t0).Payment
			c := observe(t, p, row.after, t0)
			if c.Payment.Status != row.status || c.Payment.Reorged != row.reorged ||
				slices.Contains(types(c), payment.EventReorged) != row.reorged {
				t.Fatalf("%s, reorged %v, events %v", c.Payment.Status, c.Payment.Reorged, types(c))
			}
			next := observe(t, c.Payment, credited(5), t0)
			if next.Payment.Reorged != row.still ||
				slices.Contains(types(next), payment.EventReorged) != (row.still && !row.reorged) {
				t.Errorf("nothing is left: reorged %v, events %v", next.Payment.Reorged, types(next))
			}
		})
	}
}

// TestObserve_Hash: the transaction of a payment is the newest that counts, and the one that
// completed it for good.
func TestObserve_Hash(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	other := transfer(bridged, "3000000", 3, "a", "bridged")
	c := observe(t, p, credited(5, transfer(usdcPolygon, "5000000", 2, "a", "first"), other), t0)
	if c.Payment.Hash != "first" {
		t.Errorf("money that does not count names the payment: %s", c.Payment.Hash)
	}
	if !slices.Contains(types(c), payment.EventExtended) {
		t.Errorf("the time was extended, and the history says %v", types(c))
	}
	second := transfer(usdcPolygon, "5000000", 6, "a", "second")
	done := observe(t, c.Payment, view(chain.Polygon, 6, 6, 6, second), t0).Payment
	if done.Status != payment.Completed || done.Hash != "second" {
		t.Fatalf("%s by %s", done.Status, done.Hash)
	}
	third := transfer(usdcPolygon, "5000000", 7, "a", "third")
	if late := observe(t, done, view(chain.Polygon, 7, 7, 7, third), t0).Payment; late.Hash != "second" {
		t.Errorf("completed by %s after more money came", late.Hash)
	}
}

// TestObserve_HashOfDust: small transfers name a payment only while nothing else does.
func TestObserve_HashOfDust(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 2, 2, specks(p, 2, payment.FoldFrom, 20_000)...), t0).Payment
	last := p.Hash
	p = observe(t, p, view(chain.Polygon, 3, 4, 4, specks(p, 4, 50, 1)...), t0).Payment
	if !slices.ContainsFunc(p.Deposits, payment.Deposit.Folded) || p.Hash != last {
		t.Errorf("the payment is named by %s after dust, and before by %s", p.Hash, last)
	}
}

// TestObserve_NoLateTerms: without terms for late money none completes an expired payment,
// whenever its block was made.
func TestObserve_NoLateTerms(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	c, err := p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
	if err != nil || c.Payment.Status != payment.Expired {
		t.Fatal(c.Payment.Status, err)
	}
	paid := view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "10000000", 3, "a", "x"))
	late := observe(t, c.Payment, paid, p.ExpiresAt.Add(time.Hour)).Payment
	if late.Status != payment.Expired || late.Received().Micros() != 10*money.USD {
		t.Errorf("%s with %s", late.Status, late.Received().Micros())
	}
	terms := c.Payment
	terms.Terms.LateFor = time.Hour
	if late := observe(t, terms, paid, p.ExpiresAt.Add(time.Hour)).Payment; late.Status != payment.Completed {
		t.Errorf("within the terms: %s", late.Status)
	}
}

// TestStart_MoneyReceived: once final money has come, no other network or token can be chosen.
func TestStart_MoneyReceived(t *testing.T) {
	t.Parallel()
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "1", 3, "a", "x")), t0).Payment
	_, err := p.Start(payment.Choice{Network: chain.BEP20, Token: money.USDT}, routeOn(chain.BEP20), ttl, t0)
	if !errors.Is(err, payment.ErrMoneyReceived) {
		t.Errorf("another network after money came: %v", err)
	}
}

// TestStart_LeavesInput: a decision may run again, so it changes nothing of what it is given.
func TestStart_LeavesInput(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	for range 2 {
		c, err := p.Start(payment.Choice{Network: chain.Polygon, Token: money.USDT}, payment.Route{}, ttl, t0)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Routes) != 1 || len(p.Routes[0].Tokens) != 1 || len(c.Payment.Routes[0].Tokens) != 2 {
			t.Fatalf("input %v, output %v", p.Routes[0].Tokens, c.Payment.Routes[0].Tokens)
		}
	}
	c, err := p.Start(payment.Choice{Network: chain.Polygon, Token: money.USDT}, payment.Route{}, ttl, t0)
	if err != nil {
		t.Fatal(err)
	}
	back, err := c.Payment.Start(payment.Choice{Network: chain.Polygon, Token: money.USDC}, payment.Route{}, ttl, t0)
	if err != nil || len(back.Payment.Routes[0].Tokens) != 2 {
		t.Errorf("the first token again: %v, %v", back.Payment.Routes[0].Tokens, err)
	}
}

// TestResume_OnlyRunning: an outage extends no payment whose time is not that of a payer.
func TestResume_OnlyRunning(t *testing.T) {
	t.Parallel()
	p := pending(t, "10")
	for _, s := range []payment.Status{payment.Pending, payment.Completed, payment.Expired, payment.Cancelled} {
		p.Status = s
		if c, err := p.Resume(t0, t0.Add(time.Minute), t0.Add(time.Minute)); err != nil || !c.None() {
			t.Errorf("%s: %v, %v", s, types(c), err)
		}
	}
}

// TestObserve_Rule: the route's own rule decides when money counts, and where it has none the
// network's.
func TestObserve_Rule(t *testing.T) {
	t.Parallel()
	const finalized, final, latest = 10, 20, 30 // blocks, a second apart
	for name, row := range map[string]struct {
		rule  chain.Finality
		block uint64
		want  payment.DepositState
	}{
		"Network":             {chain.Finality{}, final, payment.DepositFinal},
		"NetworkAbove":        {chain.Finality{}, final + 1, payment.DepositSeen},
		"Finalized":           {chain.Finality{Tag: chain.TagFinalized}, finalized, payment.DepositFinal},
		"FinalizedAbove":      {chain.Finality{Tag: chain.TagFinalized}, finalized + 1, payment.DepositSeen},
		"Depth":               {chain.Finality{Depth: 5 * time.Second}, latest - 5, payment.DepositFinal},
		"DepthAbove":          {chain.Finality{Depth: 5 * time.Second}, latest - 4, payment.DepositSeen},
		"DeeperThanNetwork":   {chain.Finality{Depth: time.Hour}, final, payment.DepositFinal},
		"DeeperThanItsNumber": {chain.Finality{Depth: time.Hour}, final + 1, payment.DepositSeen},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := started(t, "10")
			p.Routes[0].Finality = row.rule
			at := func(n uint64) chain.Head { return transfer(usdcPolygon, "1", n, "a", "").Block }
			v := payment.View{
				Network: chain.Polygon, From: 1, To: latest, Latest: at(latest),
				Final: at(final), Finalized: at(finalized),
				Transfers: []chain.Transfer{transfer(usdcPolygon, "10000000", row.block, "a", "x")},
			}
			c := observe(t, p, v, t0)
			if got := c.Payment.Deposits[0]; got.State != row.want || got.Rechecked != (row.block <= finalized) {
				t.Errorf("%s, rechecked %v", got.State, got.Rechecked)
			}
			if (c.Payment.Status == payment.Completed) != (row.want == payment.DepositFinal) {
				t.Errorf("the payment is %s", c.Payment.Status)
			}
		})
	}
}

// TestObserve_OutsideView: a view says nothing of other blocks and other networks.
func TestObserve_OutsideView(t *testing.T) {
	t.Parallel()
	p := mustStart(t, started(t, "10"), chain.BEP20, money.USDT, t0)
	kept := transfer(usdtBSC, "10000000000000000000", 3, "a", "kept")
	v := view(chain.BEP20, 1, 3, 2, kept)
	p = observe(t, p, v, t0).Payment
	for name, v := range map[string]payment.View{
		"Before":       view(chain.Polygon, 5, 9, 9, transfer(usdcPolygon, "10000000", 4, "a", "x")),
		"After":        view(chain.Polygon, 5, 9, 9, transfer(usdcPolygon, "10000000", 10, "a", "x")),
		"OtherNetwork": view(chain.Polygon, 1, 9, 9, transfer(usdtBSC, "10000000000000000000", 4, "a", "x")),
		"MissingThere": view(chain.Polygon, 1, 9, 9),
	} {
		if c := observe(t, p, v, t0); !c.None() || c.Payment.Status != payment.Started {
			t.Errorf("%s: %s, %v", name, c.Payment.Status, types(c))
		}
	}
}

// TestEnd_ShortPayment: what was paid in part expires, and is neither cancelled nor completed
// by itself.
func TestEnd_ShortPayment(t *testing.T) {
	t.Parallel()
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "9000000", 3, "a", "x")), t0).Payment
	if _, err := p.Cancel(t0); !errors.Is(err, payment.ErrMoneyReceived) {
		t.Errorf("cancel: %v", err)
	}
	c, err := p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
	if err != nil || c.Payment.Status != payment.Expired || len(c.Entries) != 0 {
		t.Errorf("expire: %s, %v, %v", c.Payment.Status, c.Entries, err)
	}
	if !c.Payment.Acceptable() {
		t.Error("its owner cannot accept it")
	}
	topUp := topUpOf(t, "10")
	topUp.Deposits = p.Deposits
	if topUp.Acceptable() {
		t.Error("a top-up can be accepted by hand")
	}
	if c, err := p.Show("en", false, t0); err != nil || !c.None() {
		t.Errorf("shown after it was started: %v, %v", types(c), err)
	}
}

// TestResume_Recorded: the time that an outage gave back is in the history.
func TestResume_Recorded(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	c, err := p.Resume(p.StartedAt, p.StartedAt.Add(time.Minute), p.StartedAt.Add(time.Minute))
	if err != nil || !slices.Equal(types(c), []payment.EventType{payment.EventResumed}) ||
		c.Payment.ExpiresAt.Sub(p.ExpiresAt) != time.Minute {
		t.Errorf("%v, %s, %v", types(c), c.Payment.ExpiresAt.Sub(p.ExpiresAt), err)
	}
}

// TestObserve_LateDust: small transfers that are summed up after the end have no time each, so
// they do not count as being in time.
func TestObserve_LateDust(t *testing.T) {
	t.Parallel()
	p := started(t, "1")
	p.Terms.LateFor = time.Hour
	p = observe(t, p, view(chain.Polygon, 1, 2, 2, specks(p, 2, payment.FoldFrom, 20_000)...), t0).Payment
	c, err := p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
	if err != nil || c.Payment.Status != payment.Expired {
		t.Fatal(c.Payment.Status, err)
	}
	late := observe(t, c.Payment, view(chain.Polygon, 3, 4, 4, specks(p, 4, 200, 5_000)...), p.ExpiresAt).Payment
	if late.Status != payment.Expired || late.Received().Micros() < late.Amount {
		t.Errorf("%s with %s", late.Status, late.Received().Micros())
	}
}
