package chaintest

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Harness drives a chain for the conformance suite. Payments are pending until
// Mine. A method that cannot do its work fails the test.
type Harness interface {
	// Reader returns the reader under test, the same each time.
	Reader() chain.Reader
	// Credited is an asset that counts as a token; Other is one that is
	// watched only. Counterfeit has the symbol of Credited and is worthless.
	Credited() chain.Asset
	Other() chain.Asset
	Counterfeit() chain.Asset
	// Address returns an unused address.
	Address() chain.Watched
	// Pay sends a transaction that makes all of the payments, in order, and
	// returns its hash. Zero units are sent as such.
	Pay(payments ...Payment) chain.TxHash
	// PayFailed sends a transaction that would make the payment, but is
	// included as failed.
	PayFailed(p Payment) chain.TxHash
	// Mine makes n blocks, the first with everything sent so far.
	Mine(n int)
	// Finalize makes blocks until all that was mined before is final.
	Finalize()
}

// Forker is a Harness whose chain can take blocks back.
type Forker interface {
	Harness
	// Reorg replaces the newest n blocks and makes one more. Their transactions
	// are in the new blocks again (keep), in another order where that is
	// possible, or gone.
	Reorg(n int, keep bool)
}

// Summer is a Harness whose chain reports the sum that a transaction brought to
// an address, instead of each transfer.
type Summer interface {
	Harness
	// Sums marks such a chain.
	Sums()
}

// Payment is one transfer of a transaction.
type Payment struct {
	To    chain.Watched
	Asset chain.Asset
	Units uint64
}

// units returns the amount as a reader reports it.
func (p Payment) units() money.Units { return money.UnitsFromUint64(p.Units) }

// RunReader is the conformance suite of chain.Reader, one case for each
// behaviour. start makes a new chain, with a reader of it, that ends with the
// test.
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
		"Judge":                       testJudge,
		"Balances":                    testBalances,
		"Find":                        testFind,
		"FindWorthless":               testFindWorthless,
		"Check":                       testCheck,
		"Endpoints":                   testEndpoints,
		"Cancelled":                   testCancelled,
		"Concurrent":                  testConcurrent,
	})
}

// RunForks is the part of the suite about reorganisations, for chains that can
// be made to have them.
func RunForks(t *testing.T, start func(t *testing.T) Forker) {
	t.Helper()
	run(t, start, map[string]func(*testing.T, Forker){
		"ReorgDropsPayment":  testReorgDrops,
		"ReorgKeepsIdentity": testReorgKeeps,
		"ReorgBeforeScan":    testReorgUnseen,
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
