package chain

import (
	"math/big"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Feed is a contract that says what a currency or a token is worth in US dollars (Chainlink's AggregatorV3Interface).
type Feed struct {
	Of       string // a currency by ISO 4217, or a token
	Contract Address
	MaxAge   time.Duration // of its answer: its heartbeat, and a delay
}

// Token reports whether the feed is of a token.
func (f Feed) Token() bool {
	_, err := money.ParseToken(f.Of)
	return err == nil
}

// FeedAnswer is what a feed says now.
type FeedAnswer struct {
	Answer      *big.Int
	UpdatedAt   time.Time
	Decimals    int
	Description string
	Problem     string // why it could not be read; empty: it was
}

// FeedMaxAge is how old the answer of a feed may be where nothing else is set: a heartbeat of a day, and two hours.
const FeedMaxAge = 26 * time.Hour

// feeds lists the compiled-in feeds: Chainlink's own list of 2025-11-03. What does not answer as it should is not used.
func feeds(list ...[2]string) []Feed {
	all := make([]Feed, len(list))
	for i, f := range list {
		all[i] = Feed{Of: f[0], Contract: Address("0x" + f[1]), MaxAge: FeedMaxAge}
	}
	return all
}

var feedsOf = map[Network][]Feed{
	Base: feeds(
		[2]string{"EUR", "c91D87E81faB8f93699ECf7Ee9B44D11e1D53F0F"},
		[2]string{"GBP", "cceA6576904C118037695eB71195a5425E69Fa15"},
		[2]string{"CHF", "3A1d6444fb6a402470098E23DaD0B7E86E14252F"},
		[2]string{"CAD", "A840145F87572E82519d578b1F36340368a25D5d"},
		[2]string{"AUD", "46e51B8cA41d709928EdA9Ae43e42193E6CDf229"},
		[2]string{"BRL", "0b0E64c05083FdF9ED7C5D3d8262c4216eFc9394"},
		[2]string{"MXN", "9e8Ee77c76d4fa41306056d1C3196AF5da1600bd"},
		[2]string{"TRY", "29413773e7CD4Dfd6Ad89a50887877b88a6C592C"},
		[2]string{"USDC", "7e860098F58bBFC8648a4311b374B1D669a2bc6B"},
		[2]string{"USDT", "f19d560eB8d2ADf07BD6D13ed03e1D11215721F9"},
	),
	BEP20: feeds(
		[2]string{"EUR", "0bf79F617988C472DcA68ff41eFe1338955b9A80"},
		[2]string{"GBP", "8FAf16F710003E538189334541F5D4a391Da46a0"},
		[2]string{"JPY", "22Db8397a6E77E41471dE256a7803829fDC8bC57"},
		[2]string{"USDC", "51597f405303C4377E36123cBc172b13269EA163"},
		[2]string{"USDT", "B97Ad0E74fa7d920791E90258A6E2085088b4320"},
	),
	Polygon: feeds(
		[2]string{"EUR", "73366Fe0AA0Ded304479862808e02506FE556a98"},
		[2]string{"GBP", "099a2540848573e94fb1Ca0Fa420b00acbBc845a"},
		[2]string{"CNY", "04bB437Aa63E098236FA47365f0268547f6EAB32"},
		[2]string{"INR", "DA0F8Df6F5dB15b346f4B8D1156722027E194E60"},
		[2]string{"TRY", "d78325DcA0F90F0FFe53cCeA1B02Bb12E1bf8FdB"},
		[2]string{"USDC", "fE4A8cc5b5B2366C1B58Bea3858e81843581b2F7"},
		[2]string{"USDT", "0A6513e40db6EB1b165753AD52E80663aeA50545"},
	),
}

// Feeds returns the compiled-in price feeds of the network.
func Feeds(n Network) []Feed { return append([]Feed(nil), feedsOf[n]...) }
