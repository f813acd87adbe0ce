package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestReader_UnderSeed: what lies on Solana deposit addresses is summed by token, seen or final, until it is swept.
func TestReader_UnderSeed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.NewKey(5, 5)
		amounts := func() string {
			t.Helper()
			all, err := w.UnderSeed(ctx)
			w.Must(err)
			var text strings.Builder
			for _, x := range all {
				fmt.Fprintf(&text, "%s %s of %d;", x.Units.Display(x.Decimals), x.Symbol, x.Payments)
			}
			return text.String()
		}
		storetest.Same(t, "at first", amounts(), "")
		for _, tx := range []string{"0xa1", "0xa2"} {
			p := w.NewStarted(k)
			_, err := w.UpdatePayment(ctx, p.ID, storetest.Observe(20,
				storetest.Transfer(p, tx, p.Amount, 10), storetest.Transfer(p, tx+"f", p.Amount, 30)))
			w.Must(err)
		}
		storetest.Same(t, "money on Polygon only", amounts(), "")
		change := func(text string, args ...any) {
			t.Helper()
			w.MustDo(w.SQL().ExecContext(ctx, text, args...))
		}
		change("UPDATE deposits SET network = '" + string(chain.Solana) + "'")
		p := w.Stored(w.NewStarted(k).ID)
		four := (4 * p.Amount).Display()
		storetest.Same(t, "final and seen", amounts(), four+" USDC of 2;")
		change("UPDATE deposits SET token = '', symbol = 'SCAM' WHERE tx_hash = $1", db.Packed("0xa1"))
		storetest.Same(t, "without a token that does not count", amounts(), (3*p.Amount).Display()+" USDC of 2;")
		change("UPDATE deposits SET swept_at = final_at WHERE state = 'FINAL'")
		storetest.Same(t, "after a sweep", amounts(), (2*p.Amount).Display()+" USDC of 2;")
		change("UPDATE deposits SET state = 'VANISHED' WHERE state = 'SEEN'")
		storetest.Same(t, "after a reorg", amounts(), "")
	})
}
