package watch_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// A sweep takes all that an address holds, also the money that the scan missed. The balance then shows nothing of it,
// but what was moved does.
func TestExpirer_MissedAndSwept(t *testing.T) {
	t.Parallel()
	for name, ended := range map[string]bool{"Ended": true, "InFlight": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			p := r.start()
			r.payPart(p, money.USD)
			missed := r.pay(p)
			r.endpoints[0].Set(chaintest.Faults{Omit: func(log map[string]any) bool {
				return log["transactionHash"] == missed
			}})

			r.chain.Mine(rigFinalDepth + 1)
			r.watch()
			r.expect(p, payment.Started, money.USD)
			end := r.sweep(p, tenUSDC+int64(money.USD))
			if ended {
				end()
			}
			r.watchFor(rigTTL)
			r.must(r.expirer.RunOnce(t.Context()))
			r.expect(p, payment.Started, money.USD) // all of the money came, so it must not expire
			end()
			r.endpoints[0].Set(chaintest.Faults{})
			r.chain.Wait(2 * time.Minute)
			r.chain.Mine(1)
			r.watch()
			r.must(r.expirer.RunOnce(t.Context()))
			r.retry(r.watcher)
			r.expect(p, payment.Completed, tenUSDC+money.USD)
		})
	}
}

// payPart sends units to the payment's address; they wait for the next block. It returns the hash.
func (r *rig) payPart(p payment.Payment, units money.Micros) string {
	route, _ := p.Route()
	asset, _ := r.profile.Asset(money.USDC)
	return r.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: []chaintest.Log{
		chaintest.TransferLog(string(asset.Contract), "0x00000000000000000000000000000000000000f1",
			string(route.Address.Address), big.NewInt(int64(units))),
	}})
}

// sweep moves the units from the payment's address on the chain, in a sweep that was planned for what is recorded. end
// records what it moved; doing it again changes nothing.
func (r *rig) sweep(p payment.Payment, units int64) (end func()) {
	r.Helper()
	p = r.get(p)
	route, _ := p.Route()
	asset, _ := r.profile.Asset(money.USDC)
	w := settlement.Sweep{
		ID: settlement.ID("01KAS0000000000000000000S1"), Network: r.profile.Network, State: settlement.Planned,
		CreatedAt: r.now(), Items: []chain.SweepItem{{
			PaymentID: string(p.ID), Scheme: route.Scheme, Address: route.Address, Settlement: route.Settlement,
			Asset: asset, Expected: p.Received().Micros().Units(asset.Decimals),
		}},
	}
	r.must(r.store.Settlement().PlanSweep(r.Context(), w))
	token, from := string(asset.Contract), string(route.Address.Address)
	moved := chaintest.TransferLog(token, from, rigWallet, big.NewInt(units))
	w.Tx = chain.TxHash(r.chain.Send(chaintest.Tx{To: token, Logs: []chaintest.Log{moved}}))
	r.chain.Mine(1)
	w.State, w.Block = settlement.Confirmed, r.chain.Head()
	w.Moved = []chain.Moved{{
		Address: route.Address.Address, Contract: asset.Contract, Units: money.UnitsFromUint64(uint64(units)),
	}}
	r.chain.Mine(rigFinalDepth)
	r.watch()
	return func() {
		w.EndedAt = r.now()
		r.must(r.store.Settlement().EndSweep(r.Context(), w, r.now()))
	}
}
