package chain

import (
	"context"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Reader reads one network. Every implementation passes the conformance suite
// of package chaintest. Methods are safe for concurrent use, honour ctx, and
// fail with fault.Unavailable when no endpoint can answer.
type Reader interface {
	// Network names the network it reads.
	Network() Network
	// Check compares the chain with the configuration: chain id, the decimals
	// of every asset, and what deposit addresses need (on EVM the forwarder
	// factory with the expected code). Its error is for the operator and says
	// what to do.
	Check(ctx context.Context) error
	// Heads returns the newest, final and finalized blocks.
	Heads(ctx context.Context) (Heads, error)
	// BlockAt returns the head of the block with that number, for comparing a
	// stored hash; ok is false when the chain has no such block.
	BlockAt(ctx context.Context, number uint64) (head Head, ok bool, err error)
	// Scan returns every transfer of a known asset, or of a watched other
	// asset, to an address in the set that lies in blocks from..to, both
	// included, as one endpoint reports it; zero-value transfers and failed transactions are left out.
	// It returns all of them or an error, never some; with an *UnreadError, all
	// but those to the addresses it names. It fails with ErrReorged when the
	// chain no longer has block `to` with to.Hash. by is the endpoint's voice, which is none of those in not: one
	// endpoint alone may leave money out, so a range of blocks is read through as many voices as Quorum.
	Scan(
		ctx context.Context, from uint64, to Head, watch *WatchSet, not ...string,
	) (found []Transfer, by string, err error)
	// Quorum is how many voices must say the same.
	Quorum() int
	// QuickRead asks one endpoint, in as few calls as it can, whether a Scan would find
	// news. It credits nothing and rules nothing out: what it misses, the next Scan
	// finds.
	QuickRead(ctx context.Context, l Look) (QuickRead, error)
	// Judge asks which of the transfers, which are of one transaction and have one Source, stand in the block that
	// they name, at or below `at`, and returns a verdict on each: what a source adds to a transaction must not cost
	// what is in it. Stands and Missing are what a quorum of voices says (Judged). Their source has one vote; without
	// a Source, as for a recorded transfer that a Scan has not shown, nobody has voted yet. Where one endpoint is all
	// there is, Missing also needs that it has replaced the block.
	Judge(ctx context.Context, transfers []Transfer, at Head) ([]Verdict, error)
	// Balances reads, as of block `at` or later, what the addresses hold of the
	// asset. The result has one entry for each address, which is what a quorum of voices says: it fails with
	// ErrDisagree where they differ, and with ErrNoEndpoint where too few answer. With an *UnreadError the entries of
	// the addresses that it names are not known.
	Balances(ctx context.Context, asset Asset, addresses []Address, at Head) ([]money.Units, error)
	// MostHeld is Balances, with the largest answer for an address where there is no quorum: a second detector,
	// independent of Scan, that one endpoint cannot blind. It fails where too few answer, also while one of two decides
	// alone, beside what these say: payments do not expire on that word alone. So it does for what too few can read of
	// some addresses (UnreadError.Heard).
	MostHeld(ctx context.Context, asset Asset, addresses []Address, at Head) ([]money.Units, error)
	// Find looks up a transaction and returns everything it moved to any
	// recipient, as a quorum of voices says; it serves the lookup of payments that were not detected.
	Find(ctx context.Context, tx TxHash) (Found, error)
	// Endpoints reports the health of each endpoint.
	Endpoints() []EndpointHealth
}

// Look is what a QuickRead is asked.
type Look struct {
	// After is the block above which money is looked for.
	After uint64
	Watch *WatchSet
	// News reports whether money that came to an address is news: its transaction is not known yet. The hash is empty
	// where only the balance of the address has changed.
	News func(Address, TxHash) bool
	// Final asks for the number of the newest final block.
	Final bool
}

// QuickRead is what one endpoint shows in one quick read.
type QuickRead struct {
	News  bool   // there is money to a watched address that is not known
	Final uint64 // the newest final block by the endpoint's tag; 0 if it was not asked for or has none
}

// Verdict is what an endpoint, or a quorum of them, says of a transfer.
type Verdict int

// The verdicts.
const (
	// Undecided: the endpoint cannot tell, or there is no quorum; try again.
	Undecided Verdict = iota
	// Stands: the same transfer is in a block of the chain.
	Stands
	// Missing: the endpoint has the block, and the transfer is not in it.
	Missing
)

// Found is a transaction that was looked up.
type Found struct {
	Exists    bool
	Failed    bool // it was included, but reverted or failed
	Block     Head // zero while it is not included
	Final     bool
	Transfers []Transfer // of any contract; Asset.Decimals is 0 where unknown
	// Parts are, where a transfer is what an account gained in all (Solana), the several transfers that it consists of.
	Parts []Transfer
}

// Each lists the transfers with parts in the place of those that consist of several.
func (f Found) Each() []Transfer {
	whole := slices.DeleteFunc(slices.Clone(f.Transfers), func(t Transfer) bool {
		return slices.ContainsFunc(f.Parts, func(p Transfer) bool { return p.ID() == t.ID() })
	})
	return append(whole, f.Parts...)
}

// MostTransfers is how many transfers one transaction of Solana has room for, whatever accounts they need, beside what
// a wallet adds of its own: a transaction has at most 1,232 bytes.
const MostTransfers = 8

// Same reports whether two endpoints found the same: the transaction in the same
// block, with the same transfers.
func (f Found) Same(o Found) bool {
	return f.Exists == o.Exists && f.Failed == o.Failed && f.Final == o.Final && f.Block.Same(o.Block) &&
		slices.EqualFunc(f.Transfers, o.Transfers, sameTransfer) && slices.EqualFunc(f.Parts, o.Parts, sameTransfer)
}

func sameTransfer(a, b Transfer) bool {
	return a.ID() == b.ID() && a.From == b.From && a.Units.Cmp(b.Units) == 0
}

// EndpointHealth is the state of one RPC endpoint. Name holds no credentials.
type EndpointHealth struct {
	Name      string
	Voice     string // who answers; endpoints of one voice count as one opinion
	Healthy   bool
	Head      uint64
	Latency   time.Duration
	Reason    string    // why it is not healthy
	CoolUntil time.Time // zero when it is in use
	Limited   bool      // it cools down because it allows fewer calls
	Errors    int64     // since start
	Requests  int64     // since start
	// Learnt says, in words for the operator, what the endpoint was found to limit, to refuse or not to know; empty
	// where nothing was. It is forgotten slowly, since limits change.
	Learnt []string
}

// Settlement says where a deposit's money goes, with everything needed to
// derive the deposit address.
type Settlement struct {
	Network   Network
	Wallet    Address // the merchant's settlement wallet
	PaymentID string  // the payment's txnid
	Scheme    AddressScheme
}

// Depositor derives deposit addresses: the address whose money can only go to the settlement wallet. The same
// Settlement gives the same address for ever, in every installation. It does no I/O: the address is known before
// anything is stored.
type Depositor func(s Settlement) (Watched, error)

// DepositAddress returns the address of a settlement.
func (d Depositor) DepositAddress(s Settlement) (Watched, error) { return d(s) }
