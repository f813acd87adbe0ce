package shell

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// pace is the time between two rounds of strangers, each of as many starts as the limits allow. The limits refill
// steadily, so shorter rounds start no more.
const pace = 5 * time.Minute

// What strangers may cost a merchant on one day: twenty credits are a dollar.
const mostCost = 20

// attack is a day on which strangers start as many donations as the limits allow
// and pay none. It uses the program's limits, decisions and ledger.
type attack struct {
	limits  *Limits
	ledger  ledger.Posting
	now     time.Time
	open    []payment.Payment
	started int
	refused int
	lowest  int64 // fewest credits that were left for the merchant's own payments
}

const attacked = 7 // the number of the merchant's key

var account = ledger.KeyAccount{KeyID: attacked, Unit: ledger.Credit}

func newAttack(credits int64) *attack {
	a := &attack{now: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC), lowest: credits}
	a.limits = NewLimits(DefaultRates(), func() time.Time { return a.now })
	a.ledger.SetBalance(account, ledger.Funds{Balance: credits})
	return a
}

// start lets a client start donations until a limit refuses it.
func (a *attack) start(t *testing.T, client string) {
	t.Helper()
	ctx := operation.WithCall(t.Context(), &operation.Call{Client: client})
	for a.limits.Open(ctx) == nil {
		n := a.started + a.refused
		p := payment.New(payment.Request{
			ID: payment.ID(fmt.Sprintf("01K%023d", n)), KeyID: attacked, Kind: payment.KindDonation, CampaignID: 1,
			Amount: money.USD, ValidFor: time.Hour,
		}, a.now).Payment
		choice := payment.Choice{Network: chain.Base, Token: money.USDC}
		c, err := p.Start(choice, payment.Route{Network: chain.Base}, 30*time.Minute, a.now)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.ledger.Post(c.Entries); errors.Is(err, ledger.ErrReserve) || errors.Is(err, ledger.ErrNoCredits) {
			a.refused++
			return // the next round is soon enough: a refusal costs nothing
		} else if err != nil {
			t.Fatal(err)
		}
		a.started++
		a.open = append(a.open, c.Payment)
	}
}

// expire ends the payments whose time has run out.
func (a *attack) expire(t *testing.T) {
	t.Helper()
	var open []payment.Payment
	for _, p := range a.open {
		c, err := p.Expire(payment.Coverage{chain.Base: a.now}, a.now)
		if err == nil {
			err = a.ledger.Post(c.Entries)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !c.Payment.Status.Final() {
			open = append(open, c.Payment)
		}
	}
	a.open = open
}

// customer starts a payment that the merchant created, and pays the credit back to
// keep the count simple.
func (a *attack) customer(t *testing.T, round int) {
	t.Helper()
	ref := strconv.Itoa(round)
	spend := ledger.Spend(attacked, ledger.Credit, ledger.ReasonStart, "own:"+ref, a.now)
	grant := ledger.Grant(attacked, ledger.Credit, 1, ledger.ReasonGrant, "back:"+ref, a.now)
	if err := a.ledger.Post([]ledger.Entry{spend, grant}); err != nil {
		t.Fatalf("in round %d the merchant's customer is refused: %v", round, err)
	}
}

// origin is where strangers come from.
type origin struct {
	name    string
	clients []string
}

func origins() []origin {
	prefix, scattered := make([]string, 100), make([]string, 100)
	for i := range prefix {
		prefix[i] = fmt.Sprintf("2001:db8:7:%x::/64", i)
		scattered[i] = fmt.Sprintf("198.%d.100.7", i)
	}
	return []origin{{"one address", []string{"203.0.113.9"}}, {"a /48", prefix}, {"a hundred addresses", scattered}}
}

// day is a day of the attack, and an hour in which all payments end. It returns how many credits that cost.
func (a *attack) day(t *testing.T, credits int64, clients []string) (cost int64) {
	t.Helper()
	for round := range int(24 * time.Hour / pace) {
		for _, client := range clients {
			a.start(t, client)
		}
		a.lowest = min(a.lowest, credits+a.ledger.Changes()[account].Balance)
		a.customer(t, round)
		a.now = a.now.Add(pace)
		a.expire(t)
	}
	a.now = a.now.Add(time.Hour)
	a.expire(t)
	return -a.ledger.Changes()[account].Balance
}

// TestStrangers_Cost prints what strangers who pay nothing cost a merchant on one
// day, and holds it to at most one dollar and none of the reserve.
func TestStrangers_Cost(t *testing.T) {
	t.Parallel()
	for _, credits := range []int64{20, 300, 3_000} {
		for _, from := range origins() {
			t.Run(fmt.Sprintf("%d credits, %s", credits, from.name), func(t *testing.T) {
				t.Parallel()
				a := newAttack(credits)
				cost := a.day(t, credits, from.clients)
				t.Logf("%d started, %d refused by the reserve; cost %d credits ($%.2f); never fewer than %d of %d left for the merchant",
					a.started, a.refused, cost, float64(cost)/ledger.PerUSD, a.lowest, credits)
				if cost > mostCost || len(a.open) != 0 {
					t.Errorf("the day cost %d credits, want at most %d; %d payments are open", cost, mostCost, len(a.open))
				}
				if want := ledger.Reserve(ledger.Funds{Balance: credits}); a.lowest < want {
					t.Errorf("strangers left %d credits, want at least the reserve of %d", a.lowest, want)
				}
			})
		}
	}
}
