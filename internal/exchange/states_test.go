package exchange_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/exchange/reference"
)

// state is what the sources say in one case, and what is true.
type state struct {
	view  exchange.View
	rules exchange.Rules
	now   time.Time
	euro  *big.Rat // of the fence; nil: there is no usable one
	whole string   // how the state came about
}

// truth is what a euro is worth, and noon of a Wednesday.
const truth = 1.1615

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func feed(source, of string, price float64) exchange.Reading {
	return exchange.Reading{
		Source: source, Of: of, Answer: big.NewInt(int64(price * 1e8)), Decimals: 8, Description: of + " / USD",
		UpdatedAt: noon.Add(-time.Hour), MaxAge: 26 * time.Hour, ReadAt: noon.Add(-10 * time.Second),
	}
}

// faults are what may be wrong with a source.
var faults = []func(*rand.Rand, *exchange.Reading){
	func(r *rand.Rand, x *exchange.Reading) {
		x.Answer = big.NewInt(int64(truth * 1e8 * (0.5 + r.Float64())))
	}, // lies
	func(r *rand.Rand, x *exchange.Reading) {
		x.UpdatedAt = noon.Add(-x.MaxAge - time.Duration(r.Int64N(int64(time.Hour))) - 1)
	},
	func(r *rand.Rand, x *exchange.Reading) {
		x.ReadAt = noon.Add(-151*time.Second - time.Duration(r.Int64N(int64(24*time.Hour))))
	},
	func(_ *rand.Rand, x *exchange.Reading) { x.Problem = "it could not be read" },
	func(_ *rand.Rand, x *exchange.Reading) { x.Answer = new(big.Int) },
	func(_ *rand.Rand, x *exchange.Reading) { x.Answer.Neg(x.Answer) },
	func(_ *rand.Rand, x *exchange.Reading) { x.Answer = nil },
	func(_ *rand.Rand, x *exchange.Reading) { x.Answer.Exp(big.NewInt(10), big.NewInt(30), nil) },
	func(r *rand.Rand, x *exchange.Reading) { x.Decimals = r.IntN(20) },
	func(_ *rand.Rand, x *exchange.Reading) { x.Description = "GBP / USD" },
	func(_ *rand.Rand, x *exchange.Reading) { x.UpdatedAt = noon.Add(time.Hour) },
	func(_ *rand.Rand, x *exchange.Reading) { x.Source = "chainlink:a" },
}

// fenceTexts are what the bank's server may answer; the last ones are no rates.
var fenceTexts = []string{
	`<Cube time="%s"><Cube currency="USD" rate="1.1615"/></Cube>`, `<Cube time="%s"><Cube currency="USD" rate="1.1700"/></Cube>`,
	`<Cube time="%s"><Cube currency="USD" rate="1.2500"/></Cube>`, `<Cube time="%s"><Cube currency="USD" rate="1e30"/></Cube>`,
	`<Cube time="%s"><Cube currency="USD" rate="NaN"/></Cube>`, `<Cube time="%s"><Cube currency="USD" rate="-1.16"/></Cube>`,
	`<Cube time="%s"><Cube currency="JPY" rate="180"/></Cube>`, `<Cube time="%s"><Cube currency="USD" rate="0"/></Cube>`,
	`<html><!-- %s --><body>Sign in</body></html>`,
}

// newState returns the state of a seed.
func newState(seed uint64) state {
	r := rand.New(rand.NewPCG(seed, 37)) //nolint:gosec // a seeded test
	s := state{now: noon, rules: exchange.Rules{Fenced: true, FencePercent: 3, PegPercent: 1}}
	s.view.Readings = make(map[string][]exchange.Reading)
	for i := range 1 + r.IntN(4) {
		x := feed(fmt.Sprintf("chainlink:%c", 'a'+i), "EUR", truth*(1+(r.Float64()-0.5)/100))
		if r.IntN(3) == 0 {
			fault := r.IntN(len(faults))
			faults[fault](r, &x)
			s.whole += fmt.Sprintf(" source %d has fault %d;", i, fault)
		}
		s.view.Readings["EUR"] = append(s.view.Readings["EUR"], x)
	}
	for _, token := range []string{"USDC", "USDT"} {
		peg := feed("chainlink:a", token, 1)
		if r.IntN(20) == 0 {
			faults[r.IntN(len(faults))](r, &peg)
			s.whole += " a fault of " + token + ";"
		}
		s.view.Readings[token] = []exchange.Reading{peg}
	}
	text := fenceTexts[min(r.IntN(3*len(fenceTexts)), len(fenceTexts)-1)*r.IntN(2)]
	date := noon.AddDate(0, 0, -r.IntN(9))
	s.view.Fence = fenceOf(text, date)
	s.euro = s.view.Fence.PerEuro[exchange.USD]
	s.whole += " the fence is " + text + " of " + date.Format(time.DateOnly)
	return s
}

// fences are those of all texts and days that were read already.
var fences sync.Map

// fenceOf reads what the bank's server answers on a day.
func fenceOf(text string, date time.Time) exchange.Fence {
	text = `<Envelope><Cube>` + fmt.Sprintf(text, date.Format(time.DateOnly)) + `</Cube></Envelope>`
	if f, ok := fences.Load(text); ok {
		return f.(exchange.Fence)
	}
	f, err := reference.ParseXML([]byte(text))
	if f.Name = "ecb"; err != nil {
		f.Problem, f.PerEuro = err.Error(), nil
	}
	fences.Store(text, f)
	return f
}

// check decides, and returns why there is no rate, and what is wrong with the decision.
func (s state) check() (exchange.Cause, error) {
	q, err := exchange.Decide("EUR", s.view, s.rules, s.now)
	if err == nil {
		return "", s.checkRate(q)
	}
	refusal, ok := errors.AsType[*exchange.Refusal](err)
	if !ok || refusal.Cause == "" || refusal.Currency != "EUR" || refusal.Detail.String() == "" || q.Rate != 0 {
		return "", fmt.Errorf("a refusal without a reason, or with a rate: %w", err)
	}
	return refusal.Cause, nil
}

// checkRate returns what is wrong with a rate. It knows nothing of how it is made.
func (s state) checkRate(q exchange.Quote) error {
	rate := big.NewRat(int64(q.Rate), 1e10)
	if s.euro == nil {
		return fmt.Errorf("a rate of %s without a fence", q.Rate)
	}
	// Three per cent on a fresh day, and at most as much again and a third after six.
	off, _ := new(big.Rat).Quo(rate, s.euro).Float64()
	age := s.now.Sub(s.view.Fence.Date.Add(15 * time.Hour))
	if most := map[bool]float64{true: 0.03, false: 0.07}[age <= 48*time.Hour]; off < 1-most-1e-9 || off > 1+most+1e-9 ||
		age > 6*24*time.Hour {
		return fmt.Errorf("a rate of %s is outside the fence, which is %s old", q.Rate, age)
	}
	agree := 0
	for _, x := range s.view.Readings["EUR"] {
		used := slices.Contains(q.Sources, x.Source)
		fresh := x.Problem == "" && s.now.Sub(x.UpdatedAt) <= x.MaxAge && s.now.Sub(x.ReadAt) <= 150*time.Second
		whole := x.Decimals == 8 && x.Description == "EUR / USD" && x.Answer != nil && x.Answer.Sign() > 0
		if used && fresh && whole {
			price, _ := new(big.Rat).Quo(big.NewRat(x.Answer.Int64(), 1e8), rate).Float64()
			if price > 0.9899 && price < 1.0101 {
				agree++
			}
		}
	}
	if agree < 2 {
		return fmt.Errorf("a rate of %s, with which %d sources agree", q.Rate, agree)
	}
	return nil
}

// No state of the sources yields a rate outside the fence or on a source past its age, and each refusal has its reason.
func TestDecide_States(t *testing.T) {
	t.Parallel()
	const all, workers = 1_000_000, 4
	var group sync.WaitGroup
	var ends [workers]map[exchange.Cause]int
	for w := range uint64(workers) {
		ends[w] = make(map[exchange.Cause]int)
		group.Go(func() {
			for seed := w; seed < all && !t.Failed(); seed += workers {
				s := newState(seed)
				cause, err := s.check()
				if ends[w][cause]++; err != nil {
					t.Errorf("seed %d:%s: %v", seed, s.whole, err)
				}
			}
		})
	}
	group.Wait()
	for _, c := range []exchange.Cause{
		"", exchange.TooFew, exchange.Disagree, exchange.FenceMissing, exchange.FenceOld, exchange.FenceOutside,
		exchange.PegUnknown, exchange.Depegged,
	} {
		n := 0
		for _, counts := range ends {
			n += counts[c]
		}
		if n < all/1000 {
			t.Errorf("only %d states end with %q", n, c)
		}
	}
}
