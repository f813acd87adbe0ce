// Package chain is the vocabulary of the networks Florin accepts money on, and
// the ports through which the rest of the program reads and uses them.
//
// Its one invariant: a token is identified by network and contract (or mint)
// alone, never by its name or symbol.
package chain

import (
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Network is a chain payments can be made on, by the name the interface uses.
type Network string

// The networks.
const (
	BEP20   Network = "BEP20"
	Polygon Network = "POLYGON"
	Base    Network = "BASE"
	Solana  Network = "SOL"
)

// Networks lists the networks in the order they are offered.
func Networks() []Network { return []Network{BEP20, Polygon, Base, Solana} }

// ParseNetwork returns the network of that exact name, or fault.Invalid.
func ParseNetwork(s string) (Network, error) {
	s = strings.TrimSpace(s)
	if strings.EqualFold(s, "SOLANA") {
		return Solana, nil
	}
	for _, n := range Networks() {
		if strings.EqualFold(string(n), s) {
			return n, nil
		}
	}
	return "", fault.New(fault.Invalid, "network must be BEP20, POLYGON, BASE or SOL")
}

// Lower returns the name as webhooks spell it; empty for no network.
func (n Network) Lower() string { return strings.ToLower(string(n)) }

// Name is what people call the network, such as BNB Smart Chain (BEP20).
func (n Network) Name() string {
	for _, p := range Profiles() {
		if p.Network == n {
			return p.Name
		}
	}
	return string(n)
}

// EVM reports whether the network runs the Ethereum virtual machine.
func (n Network) EVM() bool { return n == BEP20 || n == Polygon || n == Base }

// SharesAddresses reports whether an address of one of the networks is one of the other: on all EVM networks it is.
func (n Network) SharesAddresses(o Network) bool { return n == o || n.EVM() && o.EVM() }

// CoinDecimals is the scale of the network's native coin.
func (n Network) CoinDecimals() int {
	if n.EVM() {
		return 18
	}
	return 9
}

// Address is an account, contract or mint in its network's canonical text:
// EIP-55 for EVM networks, base58 for Solana. Make one with ParseAddress.
type Address string

// TxHash is a transaction's hash (0x-hex, lower case) or signature (base58).
type TxHash string

// Head is a block as far as Florin needs to know it. On Solana, Number is the
// slot and Hash the blockhash.
type Head struct {
	Number uint64
	Hash   string
	Time   time.Time
}

// Same reports whether two endpoints show the same block. When it was made decides as much as what it holds does, and
// an endpoint may lie about either.
func (h Head) Same(o Head) bool {
	return h.Number == o.Number && h.Hash == o.Hash && h.Time.Equal(o.Time)
}

const (
	// clockSlack is how far the chain's clock may differ from that of this machine.
	clockSlack = 10 * time.Minute
	// aheadMost is the same for a block that is refused because of it: a development chain whose blocks are made faster
	// than their times say runs ahead by hours.
	aheadMost = 24 * time.Hour
	// mostBlocks is more than any chain makes in a second. An endpoint may name wrong times by blockSlack.
	mostBlocks = 10
	blockSlack = time.Minute
)

// After fails for a block that cannot be on the chain of a known one: its time lies in the future, or the chain cannot
// have made so many blocks in the time between the two.
func (h Head) After(known Head, now time.Time) error {
	most := max(h.Time.Sub(known.Time.Add(-blockSlack)), blockSlack) / time.Second * mostBlocks
	switch {
	case h.Time.After(now.Add(aheadMost)):
		return fmt.Errorf("block %d is of the future: of %s", h.Number, h.Time.UTC().Format(time.RFC3339))
	case h.Number > known.Number && h.Number-known.Number > uint64(most): //nolint:gosec // not negative
		return fmt.Errorf("block %d of %s cannot come so soon after %d", h.Number, h.Time.UTC().Format(time.RFC3339), known.Number)
	}
	return nil
}

// Heads are the newest blocks of a network, by how certain they are.
type Heads struct {
	// Latest is the newest block; money in it may still vanish.
	Latest Head
	// Final is the newest block whose money is credited, by the network's
	// Finality rule.
	Final Head
	// Finalized is the newest block the chain itself will never take back.
	// It equals Final unless the rule credits earlier.
	Finalized Head
	// Alone: what is final is the word of the endpoint that is left of two, AloneDepth later.
	Alone bool
}

// Finality is the rule by which a block's money is credited: a tag of the
// chain, or a depth counted in seconds of the chain's own clock. Never in
// blocks: chains change their block time.
type Finality struct {
	Tag   FinalityTag   // empty when Depth counts
	Depth time.Duration // whole seconds, 0 < Depth ≤ 24 h
}

// FinalityTag is a block tag of the chain's own finality.
type FinalityTag string

// The tags.
const (
	TagSafe      FinalityTag = "safe"
	TagFinalized FinalityTag = "finalized"
)

// MaxFinalityDepth bounds a depth in time: a day is beyond any chain's finality.
const MaxFinalityDepth = 24 * time.Hour

// ParseFinality reads `finalized`, `safe` or a duration such as `12s`.
func ParseFinality(s string) (Finality, error) {
	switch tag := FinalityTag(s); tag {
	case TagSafe, TagFinalized:
		return Finality{Tag: tag}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < time.Second || d > MaxFinalityDepth || d%time.Second != 0 {
		return Finality{}, fault.New(fault.Invalid, "finality must be finalized, safe, or whole seconds such as 12s")
	}
	return Finality{Depth: d}, nil
}

// String returns the rule as ParseFinality reads it.
func (f Finality) String() string {
	if f.Tag != "" {
		return string(f.Tag)
	}
	return f.Depth.String()
}

// Asset is a token contract or mint on one network.
type Asset struct {
	Network  Network
	Contract Address
	Symbol   string // for display only; decides nothing
	Decimals int
	// Token is what the asset counts as. Empty for one that is watched but
	// never credited, such as a bridged twin.
	Token money.Token
}

// Listed reports whether the asset is one of the network's. Any other is named by its address, because anyone can
// choose the name of a token, and is worth nothing.
func (a Asset) Listed() bool { return a.Contract == "" || a.Symbol != string(a.Contract) }

// Worth returns what units of the asset are worth: a dollar for each token of a listed one.
func (a Asset) Worth(units money.Units) money.Atto {
	if !a.Listed() {
		return money.Atto{}
	}
	return units.Atto(a.Decimals)
}

// Advice names what an operator can correct when the chain does not have the asset as configured: its own setting, with
// the suffix, or, for one that has none because it is only watched, the endpoints.
func (a Asset) Advice(suffix string) string {
	if a.Token == "" {
		return "FLORIN_" + string(a.Network) + "_RPC, which is of another chain, or set FLORIN_" + string(a.Network) +
			"_USDT and FLORIN_" + string(a.Network) + "_USDC of a test network"
	}
	return "FLORIN_" + string(a.Network) + "_" + string(a.Token) + suffix
}

// Key is the place of a transfer: network, transaction hash and the ordinal of the
// transfer inside its transaction. A log's index within the block would change
// when a reorg includes the transaction again; this does not.
type Key struct {
	Network Network
	Tx      TxHash
	Ordinal int
}

// Transfer is money that moved to a watched address, as the chain reports it.
type Transfer struct {
	Key
	Asset Asset
	From  Address // may be empty where the chain does not say (Solana)
	To    Address // the watched address as it was shown to the payer
	// Account is the token account that it arrived on, where that is not the associated one of To (Solana). Holder, of
	// a transfer that was looked up, is who that belonged to.
	Account, Holder Address
	Units           money.Units
	Block           Head
	// Source names the endpoint that reported it, for the timeline.
	Source string
}

// Placed reports whether it is known which transfer of its transaction it is, and of which block. Of one that is not,
// the ordinal is -1 less the index of its log in the block, or of its account in the transaction (Solana, where the
// hash of the block is not known, either), and when its block was made is not known.
func (t Transfer) Placed() bool { return t.Ordinal >= 0 }

// TransferID is the identity of a transfer. A contract can make the recipient and
// the asset of a log depend on the block, so that one Key stands for different
// transfers in two forks; these never share an identity.
type TransferID struct {
	Key
	To       Address
	Contract Address
}

// ID returns the transfer's identity.
func (t Transfer) ID() TransferID {
	return TransferID{Key: t.Key, To: t.To, Contract: t.Asset.Contract}
}

// Inclusion says where a transfer was found: in which transaction and block,
// and by which endpoint. Transfers of one inclusion share one confirmation.
type Inclusion struct {
	Tx     TxHash
	Block  string
	At     int64 // the time of the block
	Source string
}

// Inclusion returns where the transfer was found.
func (t Transfer) Inclusion() Inclusion {
	return Inclusion{Tx: t.Tx, Block: t.Block.Hash, At: t.Block.Time.Unix(), Source: t.Source}
}

// SameInclusion reports whether there are transfers and all are of one
// inclusion.
func SameInclusion(transfers []Transfer) bool {
	for _, t := range transfers {
		if t.Inclusion() != transfers[0].Inclusion() {
			return false
		}
	}
	return len(transfers) > 0
}

// ByTransaction groups transfers. Those of one transaction are judged together:
// an attacker can put a thousand of them into one.
func ByTransaction(transfers []Transfer) [][]Transfer {
	var groups [][]Transfer
	at := make(map[Inclusion]int)
	for _, t := range transfers {
		i, known := at[t.Inclusion()]
		if !known {
			i = len(groups)
			at[t.Inclusion()] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// Lower returns the older of two blocks.
func Lower(a, b Head) Head {
	if b.Number < a.Number {
		return b
	}
	return a
}
