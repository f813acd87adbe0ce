package evm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
)

var (
	shop   = chain.Address("0x52908400098527886E0F7030069857D2E4169EE7")
	plenty = money.UnitsFromUint64(1e12)
)

func (g *geth) sender(price money.Units) *sender.Sweeps {
	return sender.NewSweeps(g.reader, sender.Config{Signer: faucetSigner{}, MaxPrice: price})
}

// item is a deposit of some units on the address of the n-th payment.
func (g *geth) item(number int64, units uint64) chain.SweepItem {
	g.t.Helper()
	at, err := evm.NewDepositor(g.profile.Network).DepositAddress(chain.Settlement{
		Network: g.profile.Network, Wallet: shop, PaymentID: chaintest.TxnID(number), Scheme: chain.SchemeTxnID,
	})
	if err != nil {
		g.t.Fatal(err)
	}
	if units > 0 {
		if _, err := g.chain.Mint(g.t.Context(), common.HexToAddress(string(g.Credited().Contract)),
			common.Address(at.Raw), new(big.Int).SetUint64(units)); err != nil {
			g.t.Fatal(err)
		}
	}
	return chain.SweepItem{
		PaymentID: chaintest.TxnID(number), Scheme: chain.SchemeTxnID, Address: at, Settlement: shop,
		Asset: g.Credited(), Expected: money.UnitsFromUint64(units),
	}
}

// The tip is at least the network's least, and the ceiling covers what the
// transaction costs in the end.
func TestSweeps_Fees(t *testing.T) {
	t.Parallel()
	for n, floor := range map[chain.Network]int64{chain.BEP20: 5e7, chain.Polygon: 25e9, chain.Base: 1e6} {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			g, items := toSweep(t, n)
			s := g.sender(plenty)
			a, err := s.Sign(t.Context(), items, nil, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var tx types.Transaction
			if err := tx.UnmarshalBinary(a.Raw); err != nil {
				t.Fatal(err)
			}
			if tx.Type() != types.DynamicFeeTxType || tx.GasTipCap().Cmp(big.NewInt(floor)) < 0 ||
				tx.GasFeeCap().Cmp(tx.GasTipCap()) < 0 || chain.TxHash(tx.Hash().Hex()) != a.Tx {
				t.Errorf("type %d, tip %s, most %s", tx.Type(), tx.GasTipCap(), tx.GasFeeCap())
			}
			for range 2 { // the same bytes twice are no error, in the pool and in a block
				if err := s.Broadcast(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			g.Mine(1)
			if err := s.Broadcast(t.Context(), a); err != nil {
				t.Error(err)
			}
			g.Finalize()
			outcome, err := s.Track(t.Context(), items, []chain.Attempt{a})
			if err != nil || outcome.Status != chain.TxFinal || len(outcome.Moved) != 1 ||
				outcome.Moved[0].Units.String() != "10" {
				t.Fatalf("the outcome is %+v, %v", outcome, err)
			}
			if outcome.Paid.Cmp(a.Fee.Ceiling) > 0 || outcome.Paid.IsZero() {
				t.Errorf("paid %s with a ceiling of %s", outcome.Paid, a.Fee.Ceiling)
			}
		})
	}
}

// Sign offers at most what the operator allows, even if that is less than twice
// the base fee, and fails where not even the current base fee fits.
func TestSweeps_Ceiling(t *testing.T) {
	t.Parallel()
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			g, items := toSweep(t, n)
			free, err := g.sender(plenty).Sign(t.Context(), items, nil, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			base := new(big.Int).Rsh(free.Fee.Price.Sub(free.Fee.Tip).Big(), 1)
			least := money.NewUnits(new(big.Int).Add(base, free.Fee.Tip.Big()))
			between := least.Add(money.NewUnits(new(big.Int).Rsh(base, 1)))
			if between.Cmp(free.Fee.Price) >= 0 || between.Cmp(least) <= 0 {
				t.Fatalf("a base fee of %s shows nothing", base)
			}
			capped, err := g.sender(between).Sign(t.Context(), items, nil, time.Now())
			if err != nil || capped.Fee.Price.Cmp(between) != 0 || capped.Fee.Tip.Cmp(free.Fee.Tip) != 0 {
				t.Errorf("of at most %s wei %s are offered, %v", between, capped.Fee.Price, err)
			}
			var tx types.Transaction
			if err := tx.UnmarshalBinary(capped.Raw); err != nil || tx.GasFeeCap().Cmp(between.Big()) != 0 {
				t.Errorf("the transaction offers %s, %v", tx.GasFeeCap(), err)
			}
			if _, err := g.sender(least.Sub(money.UnitsFromUint64(1))).Sign(t.Context(), items, nil,
				time.Now()); !errors.Is(err, chain.ErrTooExpensive) {
				t.Errorf("with a wei less than it costs: %v, want ErrTooExpensive", err)
			}
		})
	}
}

// What Base charges for publishing on Ethereum is part of the ceiling.
func TestSweeps_DataFee(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Base)
	const fee = 1_000_000_000_000_000
	oracle := newProxy(t, g.chain.URL())
	oracle.set("eth_call", func(params, result json.RawMessage) json.RawMessage {
		if strings.Contains(strings.ToLower(string(params)), `"to":"0x420000000000000000000000000000000000000f"`) {
			return fmt.Appendf(nil, `"0x%064x"`, fee)
		}
		return result
	})
	behind, _ := g.through(oracle.URL)
	plain, charged := g.mustSign(g.sender(plenty), items), g.mustSign(behind, items)
	more := charged.Fee.Ceiling.Sub(plain.Fee.Ceiling)
	if more.Cmp(money.UnitsFromUint64(2*fee)) != 0 {
		t.Errorf("the ceiling is %s more, want data fee and operator fee, %d", more, 2*fee)
	}
}

// As many first sweeps as MaxFirstSweeps fit one transaction; more are refused
// before anything is signed.
func TestSweeps_BatchLimit(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.Polygon)
	var items []chain.SweepItem
	for i := range int64(300) {
		items = append(items, g.item(i+1, 5))
		if i%100 == 99 {
			g.Mine(1)
		}
	}
	s := g.sender(plenty)
	if _, err := s.Sign(t.Context(), items, nil, time.Now()); !errors.Is(err, chain.ErrTooLarge) {
		t.Errorf("300 at once: %v, want ErrTooLarge", err)
	}
	a, err := s.Sign(t.Context(), items[:contracts.MaxFirstSweeps], nil, time.Now())
	if err != nil || a.Fee.Gas > 1<<24 {
		t.Fatalf("%d at once: %d gas, %v", contracts.MaxFirstSweeps, a.Fee.Gas, err)
	}
	if err := s.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	g.Mine(1)
	g.Finalize()
	outcome, err := s.Track(t.Context(), items[:contracts.MaxFirstSweeps], []chain.Attempt{a})
	if err != nil || len(outcome.Moved) != contracts.MaxFirstSweeps || len(outcome.Unmoved) != 0 {
		t.Errorf("%d moved, %d left, %v", len(outcome.Moved), len(outcome.Unmoved), err)
	}
}

// Sign refuses an item whose address is not the settlement's forwarder.
func TestSweeps_WrongAddress(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.BEP20)
	good := g.item(1, 5)
	g.Mine(1)
	for name, change := range map[string]func(*chain.SweepItem){
		"Address":    func(i *chain.SweepItem) { i.Address = g.Address() },
		"Settlement": func(i *chain.SweepItem) { i.Settlement = g.Address().Address },
		"Payment":    func(i *chain.SweepItem) { i.PaymentID = chaintest.TxnID(2) },
		"NoPayment":  func(i *chain.SweepItem) { i.PaymentID = "2" },
		"Scheme":     func(i *chain.SweepItem) { i.Scheme++ },
		"NoScheme":   func(i *chain.SweepItem) { i.Scheme = 0 },
		"Zero":       func(i *chain.SweepItem) { i.Settlement = "0x0000000000000000000000000000000000000000" },
		"Contract":   func(i *chain.SweepItem) { i.Asset.Contract = "0x1" },
	} {
		bad := good
		change(&bad)
		if _, err := g.sender(plenty).Sign(t.Context(), []chain.SweepItem{bad}, nil, time.Now()); err == nil {
			t.Errorf("%s: it was signed", name)
		}
	}
	if _, err := g.sender(plenty).Sign(t.Context(), nil, nil, time.Now()); err == nil {
		t.Error("a sweep of nothing was signed")
	}
	for _, a := range []chain.Attempt{{Tx: "nonsense"}, {Tx: "0x12"}} {
		if _, err := g.sender(plenty).Track(t.Context(), nil, []chain.Attempt{a}); err == nil {
			t.Error("a malformed hash was tracked")
		}
		if err := g.sender(plenty).Broadcast(t.Context(), a); err == nil {
			t.Error("a malformed hash was sent")
		}
	}
}

// saltOf is the salt of the payment's forwarder.
func saltOf(t *testing.T, txnid string) [32]byte {
	t.Helper()
	id, err := chain.ParseTxnID(txnid)
	if err != nil {
		t.Fatal(err)
	}
	return contracts.Salt(id)
}
