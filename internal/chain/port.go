package chain

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Reader sees one network. Every implementation passes the conformance suite
// of package chaintest. Methods are safe for concurrent use, honour ctx, and
// fail with fault.Unavailable when no endpoint can answer.
type Reader interface {
	// Network names the network it reads.
	Network() Network
	// Check asks the chain whether it is the configured one: chain id, the
	// decimals of every asset, and what deposit addresses need (on EVM the
	// forwarder factory with the expected code). Its error is for the
	// operator and says what to do.
	Check(ctx context.Context) error
	// Heads returns the present of the chain.
	Heads(ctx context.Context) (Heads, error)
	// BlockAt returns the head of the block with that number, for comparing a
	// stored hash; ok is false when the chain has no such block.
	BlockAt(ctx context.Context, number uint64) (head Head, ok bool, err error)
	// Scan returns every transfer of a known asset, or of a watched other
	// asset, to an address in the set that lies in blocks from..to, both
	// included; zero-value transfers and failed transactions are left out.
	// It returns all of them or an error, never some. It fails with
	// ErrReorged when the chain no longer has block `to` with to.Hash.
	Scan(ctx context.Context, from uint64, to Head, watch *WatchSet) ([]Transfer, error)
	// Confirm asks an endpoint other than their source, where there is more
	// than one, whether the transfers stand in a block at or below `at`. They
	// are one or more of a single transaction, as one Scan gave them, so one
	// look at the transaction answers for all; Stands means every one of them.
	Confirm(ctx context.Context, transfers []Transfer, at Head) (Verdict, error)
	// Balances asks directly, as of block `at` or later, what the addresses
	// hold of the asset: a second detector, independent of Scan. The result
	// has one entry for each address.
	Balances(ctx context.Context, asset Asset, addresses []Address, at Head) ([]money.Units, error)
	// Find looks a transaction up and tells everything it moved, whatever
	// the recipient; it serves the search for a payment that cannot be seen.
	Find(ctx context.Context, tx TxHash) (Found, error)
	// Endpoints tells the health of each endpoint.
	Endpoints() []EndpointHealth
}

// Verdict is what a second look at a transfer gave.
type Verdict int

// The verdicts.
const (
	// Unsettled: the endpoint does not know the block yet; ask again.
	Unsettled Verdict = iota
	// Stands: the same transfer is there, in a block of the chain.
	Stands
	// Missing: the endpoint knows the block and the transfer is not in it.
	Missing
)

// Found is a transaction somebody asked about.
type Found struct {
	Exists    bool
	Failed    bool // it was included, but reverted or failed
	Block     Head // zero while it is not included
	Final     bool
	Transfers []Transfer // of any contract; Asset.Decimals is 0 where unknown
}

// EndpointHealth is how one RPC endpoint does. Name holds no credentials.
type EndpointHealth struct {
	Name      string
	Healthy   bool
	Head      uint64
	Latency   time.Duration
	Reason    string    // why it is not healthy
	CoolUntil time.Time // zero when it is in use
	Errors    int64     // since start
	Requests  int64     // since start
}

// Settlement is where a deposit's money goes, and all that is needed to derive
// the address it arrives on.
type Settlement struct {
	Network Network
	Wallet  Address // the merchant's settlement wallet
	Number  int64   // the payment's internal number, at least 1
}

// Depositor derives deposit addresses. It does no I/O: the address is known
// before anything is stored.
type Depositor interface {
	// DepositAddress returns the address whose money can only go to the
	// settlement wallet. The same Settlement gives the same address for ever.
	DepositAddress(s Settlement) (Watched, error)
}
