package settlement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestDueRecharges_Unreadable: recharges that cannot be read are named, and take nothing of the limit of the others.
func TestDueRecharges_Unreadable(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.NewKey(0, 0)
		var good, torn []recharge.ID
		for i := range 12 {
			r := recharge.Recharge{
				ID: recharge.ID(storetest.NewID()), KeyID: k.ID, Units: 1, State: recharge.Signed,
				Transfer: chain.TokenTransfer{
					Asset: chain.Asset{
						Network: chain.BEP20, Contract: "0xusdt", Symbol: "USDT", Decimals: 18, Token: money.USDT,
					},
					From: chain.Address(fmt.Sprintf("0x%040d", i)), To: "0xtreasury", Amount: money.UnitsFromUint64(5),
				},
				Bytes:     chain.SignedTx{Tx: chain.TxHash(fmt.Sprintf("0x%064d", i)), Raw: []byte{1}},
				CreatedAt: storetest.Start, LookAt: storetest.Start.Add(time.Duration(i) * time.Second),
			}
			w.Must(w.Settlement().CreateRecharge(ctx, r, audit.Record{}))
			if i%6 == 5 {
				good = append(good, r.ID)
				continue
			}
			torn = append(torn, r.ID)
			w.MustDo(w.SQL().Exec("UPDATE recharges SET amount = 'torn' WHERE public_id = $1", string(r.ID)))
		}
		for limit, want := range map[int][]recharge.ID{1: good[:1], 2: good, 9: good} {
			list, err := w.Settlement().DueRecharges(ctx, storetest.Start.Add(time.Minute), limit)
			if err == nil || !strings.Contains(err.Error(), string(torn[0])) {
				t.Errorf("limit %d: the error %v does not name the first that cannot be read", limit, err)
			}
			var ids []recharge.ID
			for _, r := range list {
				ids = append(ids, r.ID)
			}
			storetest.Same(t, fmt.Sprintf("due, at most %d", limit), ids, want)
		}
	})
}
