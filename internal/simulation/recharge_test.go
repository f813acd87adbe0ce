package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/secret"
)

// merchantWallet pays for query units, and its owner uses it for other things too.
const merchantWallet = chain.Address("0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb")

// earnings is where its price goes. No payment settles there.
const earnings = chain.Address("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")

// merchantHolds is what it holds at the start: enough for a few recharges only.
const merchantHolds = 20_000_000

// transferSender is a chain.TransferSender of the simulated chain, without signatures. It reads through the instance's
// endpoints: where money is final is what two of them say, and the first reports what became of a transfer.
type transferSender struct {
	evmReader
	w *world
}

var _ chain.TransferSender = transferSender{}

// boughtUnits is what a signed transfer pays for.
type boughtUnits struct {
	tx    chain.TxHash
	units int64
}

// signedTransfer is the content of the signed bytes.
type signedTransfer struct {
	Nonce, Units       uint64
	Contract, From, To chain.Address
	Made               int
}

func (s transferSender) Sign(_ context.Context, _ secret.Text, t chain.TokenTransfer) (chain.SignedTx, error) {
	if err := s.in.call(); err != nil {
		return chain.SignedTx{}, err
	}
	l := s.w.chain
	units := t.Amount.Big().Uint64()
	if l.head().state[holding{t.From, t.Asset.Contract}] < units {
		return chain.SignedTx{}, chain.ErrTransferFunds
	}
	tx := chain.TxHash(l.hash("3"))
	raw, err := json.Marshal(signedTransfer{l.pendingNonce(t.From), units, t.Asset.Contract, t.From, t.To, l.made})
	if err != nil {
		return chain.SignedTx{}, err
	}
	s.w.transfers = append(s.w.transfers, boughtUnits{tx, int64(units) / int64(recharge.Price(1))})
	return chain.SignedTx{Tx: tx, Raw: raw, Nonce: l.pendingNonce(t.From)}, nil
}

// Broadcast checks that what is sent was stored first, as the recharge that is under way.
func (s transferSender) Broadcast(ctx context.Context, b chain.SignedTx) error {
	if err := s.in.call(); err != nil {
		return err
	}
	r, ok, err := s.w.observer.Settlement().RechargeOf(ctx, merchantWallet)
	s.w.must(err)
	if !ok || r.Bytes.Tx != b.Tx || !bytes.Equal(r.Bytes.Raw, b.Raw) {
		s.w.failf("recharge %s is sent, but what is stored as signed is %s", b.Tx, r.Bytes.Tx)
	}
	var t signedTransfer
	if err := json.Unmarshal(b.Raw, &t); err != nil {
		return err
	}
	s.w.chain.send(&tx{
		hash: b.Tx, from: t.From, nonce: t.Nonce, price: 1, spends: true,
		moves: []move{{t.Contract, t.From, t.To, t.Units}},
	})
	s.w.tracef("recharge %s is sent", b.Tx)
	if s.w.answersLost {
		return chain.ErrNoEndpoint
	}
	return nil
}

func (s transferSender) Track(
	ctx context.Context, from chain.Address, b chain.SignedTx,
) (chain.TransferOutcome, error) {
	heads, err := s.Heads(ctx)
	if err != nil {
		return chain.TransferOutcome{}, err
	}
	n := s.in.nodes[firstHost]
	if n.fault().down {
		return chain.TransferOutcome{}, errDown
	}
	out := chain.TransferOutcome{Status: chain.TxUnknown, Final: heads.Finalized}
	blocks := n.blocks()
	i := slices.IndexFunc(blocks, func(o *block) bool { return o.has(b.Tx) })
	final := min(int(heads.Finalized.Number), len(blocks)-1)
	switch {
	case i < 0 && n.fault().invents > 0: // it shows the money before it came
		var t signedTransfer
		s.w.must(json.Unmarshal(b.Raw, &t))
		e := entry{move{t.Contract, t.From, t.To, t.Units}, b.Tx, blocks[final], 0}
		out.Status, out.Block, out.Transfers = chain.TxFinal, blocks[final].Head, []chain.Transfer{n.transfer(e)}
	case i < 0 || n.denies(b.Tx):
		if blocks[final].nonces[from] > b.Nonce {
			out.Status = chain.TxDropped
		} else if s.w.chain.known(b.Tx) {
			out.Status = chain.TxPending
		}
	case i > final:
		out.Status, out.Block = chain.TxIncluded, blocks[i].Head
	case blocks[i].failed[b.Tx]:
		out.Status, out.Block = chain.TxReverted, blocks[i].Head
	default:
		out.Status, out.Block = chain.TxFinal, blocks[i].Head
		for _, e := range n.entries(blocks[i]) {
			if e.tx == b.Tx {
				out.Transfers = append(out.Transfers, n.transfer(e))
			}
		}
	}
	return out, nil
}

func (b *block) has(h chain.TxHash) bool {
	return slices.ContainsFunc(b.txs, func(t *tx) bool { return t.hash == h })
}

// transfer returns a log of the node as a transfer. Its transaction has no other logs.
func (n *node) transfer(e entry) chain.Transfer {
	asset := n.chain.profile.Assets[slices.IndexFunc(n.chain.profile.Assets,
		func(a chain.Asset) bool { return a.Contract == e.contract })]
	return chain.Transfer{
		Key: chain.Key{Network: chain.Polygon, Tx: e.tx}, Asset: asset, From: e.from, To: e.to,
		Units: money.UnitsFromUint64(e.units), Block: e.block.Head, Source: firstHost,
	}
}

// rechargeStore is the store of recharges, with faults.
type rechargeStore struct {
	recharge.Store
	in *instance
}

func (s rechargeStore) UpdateRecharge(
	ctx context.Context, id recharge.ID, decide func(recharge.Recharge) recharge.Change,
) (r recharge.Recharge, err error) {
	err = s.in.write(func() error {
		r, err = s.Store.UpdateRecharge(ctx, id, func(r recharge.Recharge) recharge.Change {
			decide(r)
			return decide(r)
		})
		return err
	})
	if err == nil && r.State == recharge.Credited {
		s.in.w.checkCredited(r)
	}
	return r, err
}

// checkCredited: units are posted only for a transfer that is final.
func (w *world) checkCredited(r recharge.Recharge) {
	w.Helper()
	b, _ := w.chain.find(r.Bytes.Tx, w.chain.finalHeight+1)
	if b == nil || b.failed[r.Bytes.Tx] {
		w.failf("recharge %s is credited, and its transfer is in no final block", r.Bytes.Tx)
	}
}

func rechargeID(purchase int) recharge.ID { return recharge.ID(fmt.Sprintf("01KAR%021d", purchase)) }

// recharge asks for query units, or asks once more for the same.
func (w *world) recharge() {
	if w.purchases == 0 || w.chance(80) {
		w.purchases++
	}
	units := int64(20 + w.purchases%5*30)
	w.act(func(in *instance) error {
		_, err := in.recharges.Buy(w.Context(), recharge.Request{
			ID: rechargeID(w.purchases), KeyID: w.key, Units: units, Wallet: merchantWallet,
		}, 0, audit.Act{})
		return err
	})
}

// spend lets the owner of the merchant's wallet send money elsewhere, perhaps with the nonce of a recharge.
func (w *world) spend() {
	l := w.chain
	nonce, price := l.pendingNonce(merchantWallet), uint64(1)
	if held := l.head().nonces[merchantWallet]; w.chance(50) && held < nonce {
		nonce, price = held, 1<<40
	}
	l.send(&tx{
		hash: chain.TxHash(l.hash("9")), from: merchantWallet, nonce: nonce, price: price, spends: true,
		moves: []move{{l.profile.Assets[0].Contract, merchantWallet, payer, 1_000_000}},
	})
}

// settleRecharges lets what is still open end, and everything that was sent be found.
func (w *world) settleRecharges(in *instance) {
	if !w.recharging() {
		return
	}
	const most = 40 // rounds of ten minutes: more than an attempt is sent again
	for range most {
		in.round("recharge")
		open, err := in.store.Settlement().OpenRecharges(w.Context())
		w.must(err)
		if open == 0 {
			break
		}
		w.pass(10 * time.Minute)
		w.mine(deepest + 1)
	}
	for range 2 { // an abandoned transfer may have been included since
		w.pass(11 * time.Minute)
		w.mine(deepest + 1)
		in.round("recharge")
	}
}

// paidUnits sums the query units whose price a final block moved to the treasury.
func (w *world) paidUnits() (units int64) {
	for _, t := range w.transfers {
		b, _ := w.chain.find(t.tx, len(w.chain.blocks))
		if b != nil && !b.failed[t.tx] {
			units += t.units
		}
	}
	return units
}
