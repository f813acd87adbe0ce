package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// crowd is a shop with a campaign and a link, through which strangers start payments that nobody pays.
type crowd struct {
	*bundle
	m    seller
	gift string // path that starts a donation
	link string
}

func newCrowd(t *testing.T, credits int64, free bool) *crowd {
	t.Helper()
	b := newBundleOn(t, storetest.SQLite(t), usual(testBaseURL), func(o *payment.Options) {
		if free {
			o.Meter = ledger.Free
		}
	})
	m := b.newMerchant(credits)
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "chair", Amount: "5"}, audit.Act{})
	must(t, err)
	return &crowd{b, m, "/donate/" + b.newCampaign(m).Slug + "/pay", "/link/" + l.Slug}
}

// gives starts a donation from an address and returns its txnid, or an empty text.
func (c *crowd) gives(t *testing.T, from string) string {
	t.Helper()
	r := c.ask("POST", c.gift, giftOfFive, "X-Forwarded-For", from)
	if r.status != 200 {
		return ""
	}
	return r.text(t, "transaction.txnid")
}

// uses starts a payment of the link from an address, and returns the status.
func (c *crowd) uses(from string) int {
	way := url.Values{"network": {"POLYGON"}, "token": {"USDC"}}
	return c.postForm(c.link, way, "X-Forwarded-For", from).status
}

// TestCrowd_NextCustomer: however many payments strangers start and do not pay, the next customer's starts, and the
// shop is mailed where they took every place.
func TestCrowd_NextCustomer(t *testing.T) {
	t.Parallel()
	for name, from := range map[string]func(i int) string{
		"one address":       func(int) string { return "203.0.113.9" },
		"a 48":              func(i int) string { return fmt.Sprintf("2001:db8:7:%x::1", i%100) },
		"hundred addresses": func(i int) string { return fmt.Sprintf("198.%d.100.7", i%100) },
	} {
		for _, shop := range []struct {
			credits int64
			free    bool
		}{{20, false}, {300, false}, {5_000, false}, {0, true}} {
			t.Run(fmt.Sprintf("%s, %d credits, free %t", name, shop.credits, shop.free), func(t *testing.T) {
				t.Parallel()
				c := newCrowd(t, shop.credits, shop.free)
				started := 0
				for i := range 120 {
					if c.gives(t, from(i)) != "" {
						started++
					}
					if c.uses(from(i)) == 303 {
						started++
					}
				}
				if started < 30 {
					t.Fatalf("strangers started %d payments only", started)
				}
				for i := range 3 {
					customer := fmt.Sprintf("192.0.%d.77", i)
					if c.gives(t, customer) == "" {
						t.Errorf("customer %d cannot donate", i)
					}
					if got := c.uses(customer); got != 303 {
						t.Errorf("customer %d cannot use the link: %d", i, got)
					}
				}
				if got := c.crowdedMails(); name == "hundred addresses" && got != 1 {
					t.Errorf("the shop is mailed %d times, want once", got)
				}
			})
		}
	}
}

// crowdedMails are those about strangers who fill the shop's places.
func (c *crowd) crowdedMails() (n int) {
	for _, m := range c.mails.all() {
		n += strings.Count(m, "\nMany unpaid payments")
	}
	return n
}

// TestCrowd_Share: one neighbourhood takes a quarter of what strangers can hold, and its own payments give way after
// that.
func TestCrowd_Share(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 50, false)
	for i := range 30 {
		if c.gives(t, fmt.Sprintf("203.0.113.%d", i)) == "" {
			t.Fatalf("start %d is refused", i)
		}
	}
	if left := c.balance(c.m); left != 50-5 { // a quarter of 20 places
		t.Errorf("%d credits are left, want 45", left)
	}
	list, err := c.store.Waiting(t.Context(), c.m.key.ID, 100)
	must(t, err)
	if len(list) != 5 {
		t.Errorf("%d payments wait, want 5", len(list))
	}
}

// TestCrowd_HoldEnds: a hold ends ten minutes after the page was last open. The payment goes on, and costs its credit
// when it is paid.
func TestCrowd_HoldEnds(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 20, false)
	left, open := c.gives(t, "203.0.113.9"), c.gives(t, "198.51.100.9")
	c.clock.advance(payment.HoldFor - time.Second)
	must(t, c.payments.EndHolds(t.Context()))
	if got := c.balance(c.m); got != 18 {
		t.Errorf("%d credits before the holds end, want 18", got)
	}
	must(t, c.store.Attended(t.Context(), []payment.ID{payment.ID(open)}, c.clock.Now()))
	c.clock.advance(2 * time.Second)
	must(t, c.payments.EndHolds(t.Context()))
	if got := c.balance(c.m); got != 19 {
		t.Errorf("%d credits after one hold ended, want 19", got)
	}
	for _, id := range []string{left, open} {
		p, err := c.payments.Get(t.Context(), id)
		must(t, err)
		if p = c.deposit(p, p.Amount, true); p.Status != payment.Completed || p.Near != "" {
			t.Errorf("a paid payment is %s, from %q", p.Status, p.Near)
		}
	}
	if got := c.balance(c.m); got != 18 {
		t.Errorf("%d credits after two payments, want 18", got)
	}
}

// TestCrowd_PaidWithoutCredit: a payment whose hold ended is completed although no credit is left.
func TestCrowd_PaidWithoutCredit(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 11, false)
	id := c.gives(t, "203.0.113.9")
	c.clock.advance(payment.HoldFor + time.Second)
	must(t, c.payments.EndHolds(t.Context()))
	for range 11 {
		c.start(c.newPayment(c.m), chain.Polygon)
	}
	p, err := c.payments.Get(t.Context(), id)
	must(t, err)
	if p = c.deposit(p, p.Amount, true); p.Status != payment.Completed || c.balance(c.m) != 0 {
		t.Errorf("it is %s, and %d credits are left", p.Status, c.balance(c.m))
	}
}

// TestCrowd_GaveWayCosts: a payment that gave its place up with its credit, and that is paid then, costs one as any
// other.
func TestCrowd_GaveWayCosts(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 1_000, false)
	first := c.gives(t, "203.0.113.9")
	c.clock.advance(time.Second)
	for i := range testWaiting {
		c.gives(t, fmt.Sprintf("198.%d.100.7", i))
	}
	p, err := c.payments.Get(t.Context(), first)
	must(t, err)
	before := c.balance(c.m)
	if p = c.deposit(p, p.Amount, true); p.Status != payment.Completed || c.balance(c.m) != before-1 {
		t.Errorf("it is %s and has cost %d credits, want one", p.Status, before-c.balance(c.m))
	}
}

// TestCrowd_GaveWay: a payment that ended early to make room is completed by money within its time.
func TestCrowd_GaveWay(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 0, true)
	first := c.gives(t, "203.0.113.9")
	c.clock.advance(time.Second)
	for i := range testWaiting {
		c.gives(t, fmt.Sprintf("198.%d.100.7", i))
	}
	p, err := c.payments.Get(t.Context(), first)
	must(t, err)
	if p.Status != payment.Expired || !c.clock.Now().Before(p.ExpiresAt) {
		t.Fatalf("it is %s until %s", p.Status, p.ExpiresAt)
	}
	part := c.deposit(p, 2*money.USD, true)
	if part.Status != payment.Expired {
		t.Errorf("with a part it is %s", part.Status)
	}
	c.clock.advance(10 * time.Minute)
	if p = c.deposit(part, 3*money.USD, true); p.Status != payment.Completed {
		t.Errorf("paid within its time it is %s", p.Status)
	}
}

// TestCrowd_Shown: while strangers take every place of a shop, needs attention and the operator's page of stuck work
// say so, and no longer.
func TestCrowd_Shown(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "chair", Amount: "5"}, audit.Act{})
	must(t, err)
	_, err = b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	owner, root := b.surfer(), b.surfer()
	owner.signIn(ownerEmail)
	root.signIn(rootEmail)
	has := func(r reply, text string) bool { return strings.Contains(plainText(r.body), text) }
	says := func(crowded bool) {
		t.Helper()
		const opens, take = "opens more payments", "take every place of the key"
		if r := owner.get("/dashboard/attention"); r.status != 200 || has(r, opens) != crowded {
			t.Errorf("needs attention says it: %v, want %v", has(r, opens), crowded)
		}
		if r := owner.get("/dashboard"); has(r, opens) != crowded {
			t.Errorf("the overview says it: %v, want %v", has(r, opens), crowded)
		}
		r := root.get(operatorPath + "/problems")
		if r.status != 200 || has(r, take) != crowded || crowded && !has(r, ownerEmail) {
			t.Errorf("the operator reads it: %v, want %v", has(r, take), crowded)
		}
	}
	says(false)
	for i := range 40 {
		way := map[string][]string{"network": {"POLYGON"}, "token": {"USDC"}}
		b.postForm("/link/"+l.Slug, way, "X-Forwarded-For", fmt.Sprintf("198.%d.100.7", i))
	}
	says(true)
	b.clock.advance(payment.HoldFor + 2*time.Hour)
	must(t, b.payments.EndHolds(t.Context()))
	owner.signIn(ownerEmail)
	root.signIn(rootEmail)
	says(false)
}
