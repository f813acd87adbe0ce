package settlement_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestSweeper_HostileTokens: a token counts as moved only if its transfer log shows so, and no token stops the others
// of its batch.
func TestSweeper_HostileTokens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behaviour contractstest.TokenBehaviour
		moved     bool
		reason    string
	}{
		"Lies":           {contractstest.TokenLies, false, "its log does not show"},
		"ReturnsFalse":   {contractstest.TokenReturnsFalse, false, "reported that the transfer failed"},
		"Reverts":        {contractstest.TokenReverts, false, "refused"},
		"RevertsEmpty":   {contractstest.TokenRevertsEmpty, false, "refused"},
		"BurnsGas":       {contractstest.TokenBurnsGas, false, "refused"},
		"TakesFee":       {contractstest.TokenTakesFee, true, ""},
		"ReturnsNothing": {contractstest.TokenReturnsNothing, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, chain.Polygon, storetest.SQLite(t))
			hostile := w.hostileToken(c.behaviour)
			bad, good := w.started(10*money.USD, merchantWallet), w.started(10*money.USD, merchantWallet)
			w.call(hostile, contractstest.NewHostileToken().PackMint(addressOf(bad), big.NewInt(1e18)))
			w.pay(good, 10*money.USD)
			w.finalize()
			w.watch()
			s := w.sweeper()
			w.once(s)
			id := w.inFlight().ID
			w.settleBlocked(s)
			done := w.sweepOf(id)
			if done.State != settlement.Confirmed || len(done.Moved)+len(done.Unmoved) != 2 ||
				(len(done.Moved) == 2) != c.moved {
				t.Fatalf("the sweep ended as %+v", done)
			}
			if !c.moved && !strings.Contains(done.Unmoved[0].Reason, c.reason) {
				t.Errorf("the reason is %q, want %q", done.Unmoved[0].Reason, c.reason)
			}
			w.wantSwept(good, true)
			w.wantSwept(bad, c.moved)
			w.wantBalance(merchantWallet, 10*money.USD)
		})
	}
}

// hostileToken makes a token with that behaviour one of the network's assets.
func (w *world) hostileToken(b contractstest.TokenBehaviour) common.Address {
	w.t.Helper()
	init := append(
		common.FromHex(contractstest.HostileTokenMetaData.Bin),
		contractstest.NewHostileToken().PackConstructor(uint8(b))...,
	)
	return w.deploy(init, 2, chain.Asset{Symbol: "HOSTILE"})
}
