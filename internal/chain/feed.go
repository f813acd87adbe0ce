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

// FeedMaxAge is how old the answer of a feed may be where nothing else is set: that of a heartbeat of a day.
const FeedMaxAge = 26 * time.Hour

// Heartbeats of compiled-in feeds: a feed answers anew when its price has moved, and at the latest after this time, at
// weekends too. Seen in Chainlink's directory and on chain between August and October 2026; a day where nobody says.
const (
	halfMinute = 27 * time.Second
	minute     = time.Minute
	quarter    = 15 * time.Minute
	hour       = time.Hour
	day        = 24 * time.Hour
)

// delay is what an answer may be late: a twelfth of its heartbeat, at least some minutes, since it takes some blocks to
// be included and what was read is used for two minutes and a half.
func delay(heartbeat time.Duration) time.Duration { return max(heartbeat/12, 5*time.Minute) }

// feed is a compiled-in feed: Chainlink's own list of 2025-11-03. What does not answer as it should is not used.
func feed(of, contract string, heartbeat time.Duration) Feed {
	return Feed{Of: of, Contract: Address("0x" + contract), MaxAge: heartbeat + delay(heartbeat)}
}

var feedsOf = map[Network][]Feed{
	Base: {
		feed("EUR", "c91D87E81faB8f93699ECf7Ee9B44D11e1D53F0F", hour),
		feed("GBP", "cceA6576904C118037695eB71195a5425E69Fa15", day),
		feed("CHF", "3A1d6444fb6a402470098E23DaD0B7E86E14252F", day),
		feed("CAD", "A840145F87572E82519d578b1F36340368a25D5d", hour),
		feed("AUD", "46e51B8cA41d709928EdA9Ae43e42193E6CDf229", day),
		feed("BRL", "0b0E64c05083FdF9ED7C5D3d8262c4216eFc9394", hour),
		feed("MXN", "9e8Ee77c76d4fa41306056d1C3196AF5da1600bd", hour),
		feed("TRY", "29413773e7CD4Dfd6Ad89a50887877b88a6C592C", hour),
		feed("NZD", "06bdFe07E71C476157FC025d3cCD4BBe08e83EF9", day),
		feed("PHP", "0396000dc82bfAEe746A9Ac6dC69dAd3223Ca9c6", day),
		feed("USDC", "7e860098F58bBFC8648a4311b374B1D669a2bc6B", day),
		feed("USDT", "f19d560eB8d2ADf07BD6D13ed03e1D11215721F9", day),
	},
	BEP20: {
		feed("EUR", "0bf79F617988C472DcA68ff41eFe1338955b9A80", day),
		feed("GBP", "8FAf16F710003E538189334541F5D4a391Da46a0", day),
		feed("JPY", "22Db8397a6E77E41471dE256a7803829fDC8bC57", day),
		feed("USDC", "51597f405303C4377E36123cBc172b13269EA163", quarter),
		feed("USDT", "B97Ad0E74fa7d920791E90258A6E2085088b4320", quarter),
	},
	Polygon: {
		feed("EUR", "73366Fe0AA0Ded304479862808e02506FE556a98", halfMinute),
		feed("GBP", "099a2540848573e94fb1Ca0Fa420b00acbBc845a", halfMinute),
		feed("JPY", "D647a6fC9BC6402301583C91decC5989d8Bc382D", day),
		feed("CHF", "c76f762CedF0F78a439727861628E0fdfE1e70c2", day),
		feed("CAD", "ACA44ABb8B04D07D883202F99FA5E3c53ed57Fb5", halfMinute),
		feed("AUD", "062Df9C4efd2030e243ffCc398b652e8b8F95C6f", halfMinute),
		feed("BRL", "B90DA3ff54C3ED09115abf6FbA0Ff4645586af2c", day),
		feed("MXN", "171b16562EA3476F5C61d1b8dad031DbA0768545", day),
		feed("NZD", "a302a0B8a499fD0f00449df0a490DedE21105955", day),
		feed("PHP", "218231089Bebb2A31970c3b77E96eCfb3BA006D1", day),
		feed("CNY", "04bB437Aa63E098236FA47365f0268547f6EAB32", day),
		feed("INR", "DA0F8Df6F5dB15b346f4B8D1156722027E194E60", day),
		feed("TRY", "d78325DcA0F90F0FFe53cCeA1B02Bb12E1bf8FdB", minute),
		feed("USDC", "fE4A8cc5b5B2366C1B58Bea3858e81843581b2F7", halfMinute),
		feed("USDT", "0A6513e40db6EB1b165753AD52E80663aeA50545", halfMinute),
	},
}

// Feeds returns the compiled-in price feeds of the network.
func Feeds(n Network) []Feed { return append([]Feed(nil), feedsOf[n]...) }
