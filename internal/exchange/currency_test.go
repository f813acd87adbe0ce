package exchange_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
)

// exact is what a price is worth in millionths of a dollar, exactly.
func exact(p exchange.Price) *big.Rat {
	amount, _ := new(big.Rat).SetString(p.Amount())
	rate, _ := new(big.Rat).SetString(p.Rate.String())
	return amount.Mul(amount, rate).Mul(amount, big.NewRat(1_000_000, 1))
}

// What a price in any currency is worth is the exact product, rounded half up once.
func TestPrice_Worth(t *testing.T) {
	t.Parallel()
	if n := len(exchange.Currencies()); n < 150 {
		t.Fatalf("the library has %d currencies", n)
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a seeded test
	half := big.NewRat(1, 2)
	for _, c := range exchange.Currencies() {
		sum, paid := new(big.Rat), new(big.Rat)
		for range 10_000 / 50 {
			p := exchange.Price{Sum: exchange.Sum{Currency: c, Units: 1 + r.Int64N(1_000_000_00)}}
			p.Rate = exchange.Rate(1 + r.Int64N(1<<r.IntN(45)))
			worth, ok := p.Worth()
			off := new(big.Rat).Sub(new(big.Rat).SetInt64(int64(worth)), exact(p))
			if !ok || off.Cmp(half) > 0 || off.Cmp(new(big.Rat).Neg(half)) <= 0 {
				t.Fatalf("%s %s at %s is worth %s, off by %s", p.Amount(), c, p.Rate, worth, off.FloatString(6))
			}
			sum.Add(sum, exact(p))
			paid.Add(paid, new(big.Rat).SetInt64(int64(worth)))
			back, err := exchange.Text{Amount: p.Amount(), Currency: string(c)}.Sum()
			if err != nil || back != p.Sum {
				t.Fatalf("%s %s is read as %+v: %v", p.Amount(), c, back, err)
			}
		}
		if off := sum.Sub(sum, paid); off.Abs(off).Cmp(big.NewRat(10_000/50, 2)) > 0 {
			t.Errorf("%s: the sum is off by %s", c, off.FloatString(3))
		}
	}
}

// A sum of ten thousand payments differs from the exact one by at most half a millionth each.
func TestPrice_Sum(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // a seeded test
	off := new(big.Rat)
	for range 10_000 {
		p := exchange.Price{Sum: exchange.Sum{Currency: "EUR", Units: 1 + r.Int64N(100_000)}}
		p.Rate = exchange.Rate(10_000_000_000 + r.Int64N(3_000_000_000))
		worth, _ := p.Worth()
		off.Add(off, exact(p)).Sub(off, new(big.Rat).SetInt64(int64(worth)))
	}
	if off.Abs(off).Cmp(big.NewRat(5_000, 1)) > 0 {
		t.Errorf("ten thousand payments are off by %s millionths", off.FloatString(3))
	}
}

func TestText_Sum(t *testing.T) {
	t.Parallel()
	for text, want := range map[exchange.Text]int64{
		{Amount: "30.50", Currency: "EUR"}: 3050, {Amount: "30.5", Currency: "eur"}: 3050,
		{Amount: "3000", Currency: "JPY"}: 3000, {Amount: "3000.00", Currency: "JPY"}: 3000,
		{Amount: "1.500", Currency: "KWD"}: 1500, {Amount: "0.01", Currency: "EUR"}: 1,
	} {
		if sum, err := text.Sum(); err != nil || sum.Units != want {
			t.Errorf("%v: %+v, %v; want %d", text, sum, err, want)
		}
	}
	for _, text := range []exchange.Text{
		{Amount: "30.505", Currency: "EUR"},
		{Amount: "1.000", Currency: "EUR"},
		{Amount: "1.000", Currency: "JPY"},
		{Amount: "0.5", Currency: "JPY"},
		{Amount: "0", Currency: "EUR"},
		{Amount: "-1", Currency: "EUR"},
		{Amount: "1e3", Currency: "EUR"},
		{Amount: "1,5", Currency: "EUR"},
		{Amount: "", Currency: "EUR"},
		{Amount: "NaN", Currency: "EUR"},
		{Amount: "1", Currency: "XYZ"},
		{Amount: "1", Currency: ""},
		{Amount: "99999999999999999999", Currency: "EUR"},
		{Amount: "1.0000", Currency: ""},
	} {
		if sum, err := text.Sum(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: %+v, %v; want a fault.Invalid", text, sum, err)
		}
	}
}
