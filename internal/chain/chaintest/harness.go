package chaintest

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Harness drives a chain for the conformance suite. Payments wait until Mine.
// Whatever cannot be done fails the test it was made for.
type Harness interface {
	// Reader returns the reader under test, the same each time.
	Reader() chain.Reader
	// Credited is an asset that counts as a token; Other is one that is
	// watched only. Counterfeit has the symbol of Credited and is worthless.
	Credited() chain.Asset
	Other() chain.Asset
	Counterfeit() chain.Asset
	// Address returns an address nobody has used.
	Address() chain.Watched
	// Pay sends a transaction that makes all of the payments, in order, and
	// returns its hash. Zero units are sent as such.
	Pay(payments ...Payment) chain.TxHash
	// PayFailed sends a transaction that will be included but fail, and would
	// have made the payment.
	PayFailed(p Payment) chain.TxHash
	// Mine makes n blocks, the first with everything that was sent.
	Mine(n int)
	// Finalize makes blocks until all that was mined before is final.
	Finalize()
}

// Forker is a Harness whose chain can take blocks back.
type Forker interface {
	Harness
	// Reorg replaces the newest n blocks and makes one more. Their
	// transactions are in the new blocks again (keep), in another order where
	// that is possible, or gone.
	Reorg(n int, keep bool)
}

// Summer is a Harness whose chain tells what a transaction brought to an
// address in one sum, instead of each transfer.
type Summer interface {
	Harness
	// Sums does nothing; it says that the chain is such a one.
	Sums()
}

// Payment is one transfer of a transaction.
type Payment struct {
	To    chain.Watched
	Asset chain.Asset
	Units uint64
}

// units returns the amount as a reader tells it.
func (p Payment) units() money.Units { return money.UnitsFromUint64(p.Units) }

// RunReader is the conformance suite of chain.Reader. start makes a fresh
// chain, with a reader of it, that ends with the test.
func RunReader(t *testing.T, start func(t *testing.T) Harness) {
	t.Helper()
	run(t, start, map[string]func(*testing.T, Harness){
		"Heads":                       testHeads,
		"BlockAt":                     testBlockAt,
		"ScanNothing":                 testScanNothing,
		"ScanPayment":                 testScanPayment,
		"ScanBounds":                  testScanBounds,
		"ScanOnlyWatched":             testScanOnlyWatched,
		"ScanManyWatched":             testScanManyWatched,
		"ScanWorthless":               testScanWorthless,
		"ScanOtherAsset":              testScanOtherAsset,
		"ScanSeveralInOneTransaction": testScanSeveral,
		"ScanLargeAmount":             testScanLargeAmount,
		"ScanUnknownBlock":            testScanUnknownBlock,
		"Confirm":                     testConfirm,
		"Balances":                    testBalances,
		"Find":                        testFind,
		"FindWorthless":               testFindWorthless,
		"Check":                       testCheck,
		"Endpoints":                   testEndpoints,
		"Cancelled":                   testCancelled,
		"Concurrent":                  testConcurrent,
	})
}

// RunForks is what RunReader leaves out: reorganisations, on a chain that can
// be made to have them.
func RunForks(t *testing.T, start func(t *testing.T) Forker) {
	t.Helper()
	run(t, start, map[string]func(*testing.T, Forker){
		"ReorgDropsPayment":  testReorgDrops,
		"ReorgKeepsIdentity": testReorgKeeps,
		"ReorgOfNothingSeen": testReorgUnseen,
	})
}

func run[H Harness](t *testing.T, start func(t *testing.T) H, cases map[string]func(*testing.T, H)) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, start(t))
		})
	}
}
