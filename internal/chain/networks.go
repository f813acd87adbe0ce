package chain

import (
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Profile is what is compiled in about a network. Contract addresses and
// decimals are compared with the chain at start; test networks override them.
type Profile struct {
	Network  Network
	Name     string // for display
	ChainID  uint64 // EIP-155; 0 on Solana
	Coin     string // native coin, which pays for gas
	Explorer string // base address, EIP-3091 paths on EVM networks
	Finality Finality
	Assets   []Asset
	// HeadLimit is how old the newest block may be before the network counts
	// as behind.
	HeadLimit time.Duration
	// SafeLimit and FinalizedLimit are how much older than the newest block the
	// safe and the finalized one may be before the network counts as confirming
	// slowly (see FinalLimit).
	SafeLimit, FinalizedLimit time.Duration
	// TypicalFinal is how long a payer usually waits until money is final;
	// shown before they choose, never used in a decision.
	TypicalFinal time.Duration
	// WalletRPC is a public JSON-RPC address by which a wallet in the browser
	// adds a network it does not know (EIP-3085); empty: it cannot. Those of
	// BNB Smart Chain and Base are the networks' own (docs.bnbchain.org, page
	// JSON-RPC Endpoint; docs.base.org, page Network Information). Polygon's
	// former own address is gone from Chainlist's data (ethereum-lists/chains,
	// eip155-137.json), which names this one of PublicNode.
	WalletRPC string
	// Cluster is the name of Solana's chain in the Wallet Standard (mainnet,
	// devnet, testnet, localnet); empty on EVM networks.
	Cluster string
	// IndexLag is how much later than a block an endpoint's list of an address's transactions may have those of the
	// block; 0 where such lists are not read.
	IndexLag time.Duration
	// TypicalFee is what a wallet usually pays for a token transfer, in USD.
	TypicalFee money.Micros
	// ExchangeFee is what large exchanges usually charge for a withdrawal of a
	// listed token on the network, in USD. It is shown to payers, never used in
	// a decision.
	ExchangeFee money.Micros
}

// CoinAsset returns the network's native coin as an asset without a contract.
func (p Profile) CoinAsset() Asset {
	return Asset{Network: p.Network, Symbol: p.Coin, Decimals: p.Network.CoinDecimals()}
}

// How old final may be, from what the networks themselves call normal.
const (
	// bscFinalLimit: fast finality takes a second; later than this, voting has
	// failed, and a block is final after 79 to 108 s (BEP-619).
	bscFinalLimit = time.Minute
	// polygonFinalLimit: a milestone takes 2 to 5 s; later than this, Heimdall has
	// stalled while Bor goes on.
	polygonFinalLimit = time.Minute
	// baseSafeLimit: a batch reaches L1 about every 2 minutes.
	baseSafeLimit = 10 * time.Minute
	// baseFinalizedLimit: two epochs of L1 after the batch, about 20 minutes.
	baseFinalizedLimit = 45 * time.Minute
	// solanaFinalLimit: 31 confirmed slots on top, at most 13 s.
	solanaFinalLimit = time.Minute
	// solanaIndexLag: what a node writes into its index comes some slots after the block.
	solanaIndexLag = time.Minute
)

// FinalLimit returns how much older than the newest block the final one may be, by
// the profile's own rule. It is never below HeadLimit.
func (p Profile) FinalLimit() time.Duration {
	switch p.Finality.Tag {
	case TagSafe:
		return max(p.SafeLimit, p.HeadLimit)
	case TagFinalized:
		return max(p.FinalizedLimit, p.HeadLimit)
	}
	return p.Finality.Depth + p.HeadLimit
}

// Profiles returns the compiled-in networks: facts as of November 2026.
func Profiles() []Profile {
	return []Profile{
		{
			Network: BEP20, Name: "BNB Smart Chain (BEP20)", ChainID: 56, Coin: "BNB", Explorer: "https://bscscan.com",
			Finality: Finality{
				Tag: TagFinalized,
			}, HeadLimit: 60 * time.Second, TypicalFinal: 2 * time.Second, TypicalFee: 5_000, ExchangeFee: 300_000,
			SafeLimit: bscFinalLimit, FinalizedLimit: bscFinalLimit,
			WalletRPC: "https://bsc-dataseed.bnbchain.org",
			Assets: []Asset{
				{BEP20, "0x55d398326f99059fF775485246999027B3197955", "USDT", 18, money.USDT},
				{BEP20, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "USDC", 18, money.USDC},
			},
		},
		{
			Network: Polygon, Name: "Polygon", ChainID: 137, Coin: "POL", Explorer: "https://polygonscan.com",
			Finality: Finality{
				Tag: TagFinalized,
			}, HeadLimit: 60 * time.Second, TypicalFinal: 5 * time.Second, TypicalFee: 4_000, ExchangeFee: 100_000,
			SafeLimit: polygonFinalLimit, FinalizedLimit: polygonFinalLimit,
			WalletRPC: "https://polygon-bor-rpc.publicnode.com",
			Assets: []Asset{
				{Polygon, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT", 6, money.USDT},
				{Polygon, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", 6, money.USDC},
				{Polygon, "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", "USDC.e", 6, ""},
			},
		},
		{
			Network: Base, Name: "Base", ChainID: 8453, Coin: "ETH", Explorer: "https://basescan.org",
			Finality: Finality{
				Tag: TagSafe,
			}, HeadLimit: 60 * time.Second, TypicalFinal: 2 * time.Minute, TypicalFee: 2_000, ExchangeFee: 100_000,
			SafeLimit: baseSafeLimit, FinalizedLimit: baseFinalizedLimit,
			WalletRPC: "https://mainnet.base.org",
			Assets: []Asset{
				{Base, "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2", "USDT", 6, money.USDT},
				{Base, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", 6, money.USDC},
				{Base, "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", "USDbC", 6, ""},
			},
		},
		{
			Network: Solana, Name: "Solana", Coin: "SOL", Explorer: "https://solscan.io",
			Finality: Finality{Tag: TagFinalized}, HeadLimit: 60 * time.Second, TypicalFinal: 12 * time.Second,
			SafeLimit: solanaFinalLimit, FinalizedLimit: solanaFinalLimit,
			TypicalFee: 1_000, ExchangeFee: 1_000_000,
			Cluster: "mainnet", IndexLag: solanaIndexLag,
			Assets: []Asset{
				{Solana, "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB", "USDT", 6, money.USDT},
				{Solana, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "USDC", 6, money.USDC},
			},
		},
	}
}

// Asset returns the asset that counts as the token on the network.
func (p Profile) Asset(t money.Token) (Asset, bool) {
	for _, a := range p.Assets {
		if a.Token == t && t != "" {
			return a, true
		}
	}
	return Asset{}, false
}

// TxURL returns the explorer's page of a transaction.
func (p Profile) TxURL(tx TxHash) string { return p.Explorer + "/tx/" + string(tx) }
