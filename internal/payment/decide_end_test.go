package payment_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

func TestExpire(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	end := p.ExpiresAt
	blind := payment.Coverage{}
	full := payment.Coverage{chain.Polygon: end}
	incoming := observe(t, p, view(chain.Polygon, 1, 10, 5, transfer(usdcPolygon, "1", 9, "a", "x")), t0).Payment
	switched := mustStart(t, p, chain.BEP20, money.USDT, t0.Add(2*time.Minute))
	for name, tt := range map[string]struct {
		p    payment.Payment
		seen payment.Coverage
		now  time.Time
		want payment.Status
	}{
		"TimeLeft":         {p, full, end.Add(-time.Nanosecond), payment.Started},
		"Over":             {p, full, end, payment.Expired},
		"BlindNetwork":     {p, blind, end.Add(time.Hour), payment.Started},
		"MoneyOnItsWay":    {incoming, full, end.Add(time.Hour), payment.Started},
		"EarlierNetwork":   {switched, full, end.Add(time.Hour), payment.Started},
		"BothNetworks":     {switched, payment.Coverage{chain.Polygon: end, chain.BEP20: end}, end, payment.Expired},
		"PendingNeedsNone": {pending(t, "10"), blind, t0.Add(time.Hour), payment.Expired},
	} {
		c, err := tt.p.Expire(tt.seen, tt.now)
		if err != nil || c.Payment.Status != tt.want {
			t.Errorf("%s: %s, %v; want %s", name, c.Payment.Status, err, tt.want)
		}
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	from, to := t0.Add(10*time.Minute), t0.Add(15*time.Minute)
	c, err := p.Resume(from, to, to)
	if err != nil || !c.Payment.ExpiresAt.Equal(p.ExpiresAt.Add(5*time.Minute)) {
		t.Fatalf("until %s, %v", c.Payment.ExpiresAt, err)
	}
	if again, _ := c.Payment.Resume(from, to, to); !again.None() {
		t.Errorf("the same outage was given back twice")
	}
	more, _ := c.Payment.Resume(from, to.Add(time.Minute), to)
	if !more.Payment.ExpiresAt.Equal(p.ExpiresAt.Add(6 * time.Minute)) {
		t.Errorf("a longer report of the same outage gives %s", more.Payment.ExpiresAt.Sub(p.ExpiresAt))
	}
	if over, _ := p.Resume(p.ExpiresAt.Add(time.Hour), p.ExpiresAt.Add(2*time.Hour), to); !over.None() {
		t.Errorf("an outage after the end gave time back")
	}
}

// TestDiagram holds the table in doc.go against what the decisions do, from
// every status with every input.
func TestDiagram(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([A-Z]+) +(\w+) +([A-Z]+)$`).FindAllStringSubmatch(string(src), -1) {
		documented = append(documented, m[1]+" "+m[2]+" "+m[3])
	}
	enough := view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "10000000", 3, "a", "x"))
	inputs := map[string]func(payment.Payment) (payment.Change, error){
		"start": func(p payment.Payment) (payment.Change, error) {
			return p.Start(
				payment.Choice{Network: chain.Polygon, Token: money.USDT}, routeOn(chain.Polygon), ttl,
				t0.Add(time.Minute),
			)
		},
		"observe": func(p payment.Payment) (payment.Change, error) { return p.Observe(enough, t0.Add(time.Minute)) },
		"expire": func(p payment.Payment) (payment.Change, error) {
			return p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
		},
		"cancel": func(p payment.Payment) (payment.Change, error) { return p.Cancel(t0.Add(time.Minute)) },
		"markCompleted": func(p payment.Payment) (payment.Change, error) {
			return p.MarkCompleted(payment.Actor{}, t0.Add(time.Minute))
		},
		"accept": func(p payment.Payment) (payment.Change, error) {
			short := view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "4000000", 3, "a", "x"))
			return observe(t, p, short, t0).Payment.Accept(payment.Actor{}, t0.Add(time.Minute))
		},
	}
	var done []string
	for _, s := range payment.Statuses() {
		for name, decide := range inputs {
			p := inStatus(t, s)
			c, err := decide(p)
			if err != nil || c.None() || (c.Payment.Status == p.Status && name == "observe") {
				continue
			}
			done = append(done, fmt.Sprintf("%s %s %s", s, name, c.Payment.Status))
			if c.Payment.Status.Final() != (c.Payment.EndedAt != time.Time{}) {
				t.Errorf("%s %s: status %s, ended %s", s, name, c.Payment.Status, c.Payment.EndedAt)
			}
		}
	}
	slices.Sort(documented)
	slices.Sort(done)
	if !slices.Equal(documented, done) {
		t.Errorf("doc.go says\n%q\nthe code does\n%q", documented, done)
	}
}

// inStatus returns a payment in the status whose terms allow late money.
func inStatus(t *testing.T, s payment.Status) payment.Payment {
	p := started(t, "10")
	p.Terms.LateFor = time.Hour
	var c payment.Change
	var err error
	switch s {
	case payment.Pending:
		return pending(t, "10")
	case payment.Started:
		return p
	case payment.Completed:
		c, err = p.MarkCompleted(payment.Actor{}, t0)
	case payment.Expired:
		c, err = p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
	case payment.Cancelled:
		c, err = p.Cancel(t0)
	}
	if err != nil || c.Payment.Status != s {
		t.Fatalf("cannot reach %s: %s, %v", s, c.Payment.Status, err)
	}
	return c.Payment
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	seen := observe(t, started(t, "10"), view(chain.Polygon, 1, 10, 5, transfer(usdcPolygon, "1", 9, "a", "x")), t0).Payment
	topUp := started(t, "10")
	topUp.Kind = payment.KindTopUp
	for name, tt := range map[string]struct {
		do   func() (payment.Change, error)
		want error
	}{
		"CancelCompleted": {func() (payment.Change, error) {
			return inStatus(t, payment.Completed).Cancel(t0)
		}, payment.ErrEnded},
		"CancelExpired": {func() (payment.Change, error) {
			return inStatus(t, payment.Expired).Cancel(t0)
		}, payment.ErrEnded},
		"CancelCancelled": {func() (payment.Change, error) {
			return inStatus(t, payment.Cancelled).Cancel(t0)
		}, payment.ErrEnded},
		"CancelMoneySeen": {func() (payment.Change, error) { return seen.Cancel(t0) }, payment.ErrMoneyReceived},
		"CompleteCompleted": {func() (payment.Change, error) {
			return inStatus(t, payment.Completed).MarkCompleted(payment.Actor{}, t0)
		}, payment.ErrCompleted},
		"AcceptNothing": {func() (payment.Change, error) {
			return inStatus(t, payment.Expired).Accept(payment.Actor{}, t0)
		}, payment.ErrNoMoney},
		"AcceptNotFinal": {func() (payment.Change, error) {
			return seen.Accept(payment.Actor{}, t0)
		}, payment.ErrNoMoney},
		"AcceptCompleted": {func() (payment.Change, error) {
			return inStatus(t, payment.Completed).Accept(payment.Actor{}, t0)
		}, payment.ErrCompleted},
		"AcceptTopUp": {func() (payment.Change, error) {
			return topUp.Accept(payment.Actor{}, t0)
		}, payment.ErrNotByHand},
		"CompleteTopUp": {func() (payment.Change, error) {
			return topUp.MarkCompleted(payment.Actor{}, t0)
		}, payment.ErrNotByHand},
	} {
		if c, err := tt.do(); !errors.Is(err, tt.want) || !c.None() {
			t.Errorf("%s: %v with %v, want %v and no change", name, err, types(c), tt.want)
		}
	}
}

// TestAccept: the owner takes short money as the whole, for nothing; if the
// chain takes it back, the owner is notified.
func TestAccept(t *testing.T) {
	t.Parallel()
	soft := view(chain.Polygon, 1, 9, 9, transfer(usdcPolygon, "4000000", 9, "a", "x"))
	soft.Finalized.Number = 2
	p := observe(t, started(t, "10"), soft, t0).Payment
	if !p.Acceptable() || started(t, "10").Acceptable() {
		t.Fatalf("acceptable %v with money, %v without", p.Acceptable(), started(t, "10").Acceptable())
	}
	c, err := p.Accept(payment.Actor{Name: "ada@shop.example"}, t0)
	if err != nil || len(c.Entries) != 0 ||
		!slices.Equal(types(c), []payment.EventType{payment.EventAccepted, payment.EventCompleted}) {
		t.Fatalf("%v with entries %v, %v", types(c), c.Entries, err)
	}
	if !strings.Contains(string(c.Events[0].Data), "ada@shop.example") || !strings.Contains(string(c.Events[1].Data), `"receivedAmount":4`) {
		t.Errorf("events say %s and %s", c.Events[0].Data, c.Events[1].Data)
	}
	if c.Payment.Acceptable() || !c.Payment.ByHand || c.Payment.Hash != "x" {
		t.Errorf("accepted: %+v", c.Payment)
	}
	if again := observe(t, c.Payment, soft, t0); again.Payment.Reorged {
		t.Error("money that is still there is called vanished")
	}
	hard := soft
	hard.Finalized.Number = 9
	if again := observe(t, c.Payment, hard, t0); again.Payment.Reorged {
		t.Error("money that became final for ever is called vanished")
	}
	if gone := observe(t, c.Payment, view(chain.Polygon, 3, 12, 12), t0); !gone.Payment.Reorged {
		t.Error("money that was accepted vanished, without a notification")
	}
}

// TestMarkCompleted_Reason: who did it and why is in the history, before what
// the shop is notified.
func TestMarkCompleted_Reason(t *testing.T) {
	t.Parallel()
	c, err := started(t, "10").MarkCompleted(payment.Actor{Name: "ada@shop.example", Reason: "paid in cash"}, t0)
	if err != nil || !slices.Equal(types(c), []payment.EventType{payment.EventMarked, payment.EventCompleted}) {
		t.Fatalf("%v, %v", types(c), err)
	}
	if text := string(c.Events[0].Data); !strings.Contains(text, "paid in cash") ||
		!strings.Contains(text, "ada@shop.example") {
		t.Errorf("the event says %s", text)
	}
	if text := string(c.Events[1].Data); strings.Contains(text, "cash") || strings.Contains(text, "ada@") {
		t.Errorf("the shop is notified of %s", text)
	}
}

// TestShow: opening the page is noted once, and only while nothing else has happened.
func TestShow(t *testing.T) {
	t.Parallel()
	c, err := pending(t, "10").Show("en", false, t0)
	if err != nil || !slices.Equal(types(c), []payment.EventType{payment.EventShown}) ||
		c.Payment.Status != payment.Pending {
		t.Fatalf("%v, %v", types(c), err)
	}
	for name, p := range map[string]payment.Payment{
		"again": c.Payment, "started": started(t, "10"), "completed": inStatus(t, payment.Completed),
	} {
		if c, err := p.Show("en", false, t0); err != nil || !c.None() {
			t.Errorf("%s: %v, %v", name, types(c), err)
		}
	}
	if c, _ := pending(t, "10").Show("en", false, t0.Add(1000*time.Hour)); !c.None() {
		t.Error("a payment whose time has run out is shown")
	}
}

// TestStart_PastExpiry: a payment about to expire shows no new address.
func TestStart_PastExpiry(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	late := p.ExpiresAt.Add(90 * time.Second)
	other := payment.Choice{Network: chain.BEP20, Token: money.USDT}
	if c, err := p.Start(other, routeOn(chain.BEP20), ttl, late); !errors.Is(err, payment.ErrPastExpiry) || !c.None() {
		t.Errorf("another network past the time: %v", err)
	}
	if c, err := p.Start(p.Choice, payment.Route{}, ttl, late); err != nil || !c.None() {
		t.Errorf("the same choice past the time: %v", err)
	}
}

// TestCancel_BackInABlock: money that a fork took back does not keep its payer from cancelling. If it is back later it
// is late money, and the merchant learns of it.
func TestCancel_BackInABlock(t *testing.T) {
	t.Parallel()
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 10, 5, transfer(usdcPolygon, "10000000", 9, "a", "x")), t0).Payment
	c, err := observe(t, p, view(chain.Polygon, 6, 11, 5), t0).Payment.Cancel(t0)
	if err != nil {
		t.Fatal(err)
	}
	c = observe(t, c.Payment, view(chain.Polygon, 6, 12, 12, transfer(usdcPolygon, "10000000", 12, "b", "x")), t0)
	late := c.Payment.Deposits[0].Late && slices.Contains(types(c), payment.EventLate)
	if !late || c.Payment.Status != payment.Cancelled {
		t.Errorf("back: %s, late %t, events %v", c.Payment.Status, c.Payment.Deposits[0].Late, types(c))
	}
}
