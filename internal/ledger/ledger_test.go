package ledger_test

import (
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
)

func TestPrice(t *testing.T) {
	t.Parallel()
	for credits, want := range map[int64]money.Micros{
		20: money.USD, 21: 1_050_000, 1_000: 50 * money.USD, ledger.MaxTopUp: 50_000 * money.USD,
	} {
		price, err := ledger.Price(credits)
		if err != nil || price != want || ledger.Bought(price) != credits {
			t.Errorf("%d credits cost %s, which buys %d, %v", credits, price, ledger.Bought(price), err)
		}
	}
	for _, credits := range []int64{-20, 0, 19, ledger.MaxTopUp + 1} {
		if _, err := ledger.Price(credits); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d credits: %v", credits, err)
		}
	}
	if got := ledger.Bought(1_049_999); got != 20 {
		t.Errorf("a fraction of a credit was rounded up: %d", got)
	}
}
