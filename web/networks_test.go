package web

import (
	"context"
	"crypto/sha256"
	"math/big"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

func testHash(n uint64) chain.TxHash {
	sum := sha256.Sum256(new(big.Int).SetUint64(n).Bytes())
	return chain.TxHash("0x" + hexOf(sum[:]))
}

func hexOf(b []byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 2*len(b))
	for _, x := range b {
		out = append(out, digits[x>>4], digits[x&15])
	}
	return string(out)
}

// testNetworks are networks whose health is set by hand. Solana is not configured.
type testNetworks struct {
	mu     sync.Mutex
	health map[chain.Network]payment.Health
	found  map[chain.Network]chain.Found
}

func newTestNetworks() *testNetworks {
	l := &testNetworks{health: make(map[chain.Network]payment.Health), found: make(map[chain.Network]chain.Found)}
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		l.health[n] = payment.Health{
			OK: true, Latest: chain.Head{Number: 1_010}, Final: chain.Head{Number: 1_000},
			Scanned: chain.Head{Number: 1_000},
			Lag:     2 * time.Second, FinalIn: 10 * time.Second,
		}
	}
	return l
}

func profileOf(n chain.Network) chain.Profile {
	for _, p := range chain.Profiles() {
		if p.Network == n {
			return p
		}
	}
	panic("no profile of " + n)
}

func (l *testNetworks) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.health[n]; !ok {
		return payment.OfferedNetwork{}, false
	}
	return payment.OfferedNetwork{Profile: profileOf(n), Depositor: testDepositor, Treasury: merchantWallet}, true
}

func (l *testNetworks) Health(n chain.Network) payment.Health {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.health[n]
}

func (l *testNetworks) fallBehind(n chain.Network) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.health[n]
	h.OK, h.Reason = false, "it has not produced a block for a while"
	l.health[n] = h
}

func (l *testNetworks) readers() map[chain.Network]chain.Reader {
	out := make(map[chain.Network]chain.Reader)
	for n := range l.health {
		out[n] = testReader{l: l, n: n}
	}
	return out
}

// testReader knows at most one transaction of its network.
type testReader struct {
	chain.Reader

	l *testNetworks
	n chain.Network
}

func (testReader) Balances(_ context.Context, _ chain.Asset, addresses []chain.Address, _ chain.Head) ([]money.Units,
	error,
) {
	return make([]money.Units, len(addresses)), nil
}

func (r testReader) Find(_ context.Context, tx chain.TxHash) (chain.Found, error) {
	r.l.mu.Lock()
	defer r.l.mu.Unlock()
	f := r.l.found[r.n]
	if len(f.Transfers) > 0 && f.Transfers[0].Tx != tx {
		return chain.Found{}, nil
	}
	return f, nil
}

// testDepositor derives an address from its arguments, as a real one does.
func testDepositor(s chain.Settlement) (chain.Watched, error) {
	if _, err := chain.ParseTxnID(s.PaymentID); err != nil {
		return chain.Watched{}, err
	}
	sum := sha256.Sum256([]byte(string(s.Wallet) + "/" + s.PaymentID))
	if s.Network == chain.Solana {
		return chain.AddressOf(chain.Solana, sum[:]), nil
	}
	return chain.AddressOf(chain.BEP20, sum[:20]), nil
}
