package lookup

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Verdict says what became of a transaction.
type Verdict string

// The verdicts.
const (
	Credited      Verdict = "credited"       // final and counted
	NotFinal      Verdict = "not_final"      // the right transfer, not final yet
	Short         Verdict = "short"          // counted, but money is still missing
	OtherChain    Verdict = "other_chain"    // sent on another network than the payer was shown
	OtherToken    Verdict = "other_token"    // a token that does not count
	OtherAddress  Verdict = "other_address"  // it pays an address of another owner
	TokenContract Verdict = "token_contract" // sent to the token's own contract
	Failed        Verdict = "failed"         // included in a block, but failed
	Worthless     Verdict = "worthless"      // a counterfeit token, or an amount of zero
	NotFound      Verdict = "not_found"      // no network knows it, or not yet
	Unavailable   Verdict = "unavailable"    // the network cannot be read now
)

// Result is the answer of a Finder. Unknown fields are zero.
type Result struct {
	Verdict Verdict
	// ByAddress: the caller gave an address, not a transaction hash.
	ByAddress bool
	Hash      chain.TxHash
	Network   chain.Network
	Token     string // as payers know it, such as USDC or USDC.e
	Amount    string // in whole tokens, a plain decimal
	Missing   money.Micros
	FinalIn   time.Duration // estimate of when the money is final
	// Late: the payment has ended, so that the money does not count by itself.
	Late bool
	// Reread: the transaction is final and not recorded, and its block is read now.
	Reread bool
}

var advice = map[Verdict]string{
	Credited:      "The payment has arrived; nothing more is to be done.",
	NotFinal:      "The transfer is right; it counts as soon as the network calls it final.",
	Short:         "The transfer counts, but it was too small; send what is missing to the same address.",
	OtherChain:    "The transfer was made on another network than the payment was started on; ask the merchant, who can recover it.",
	OtherToken:    "The transfer is in a token that this payment does not count; ask the merchant, who can recover it.",
	OtherAddress:  "The transaction does not pay the address of this payment; compare the address you sent to.",
	TokenContract: "The tokens were sent to the token's own contract; only the issuer of the token can return them.",
	Failed:        "The transaction failed, so no money has moved; send it again.",
	Worthless:     "The transaction moved no money of value to the address; send the token that was asked for.",
	NotFound:      "No network knows this transaction; check the hash, or try again in a minute if it was just sent.",
	Unavailable:   "The network cannot be asked at the moment; try again in a minute.",
}

const adviceNoMoneyAtAddress = "No money from or to this address is seen yet; " +
	"exchanges often send from an address of their own, so look for the transaction hash instead, or try again in a minute."

const (
	adviceReread = "The transfer is right and final, and was not noticed before; it is read again now, and counts within a minute or two."
	adviceLate   = "The transfer is right, and came after the payment had ended; the merchant is shown it as late money, and decides."
)

// Advice returns one sentence that says what the payer can do.
func (r Result) Advice() string {
	if r.ByAddress && r.Verdict == NotFound {
		return adviceNoMoneyAtAddress
	}
	switch {
	case r.Verdict == NotFinal && r.Late:
		return adviceLate
	case r.Verdict == NotFinal && r.Reread:
		return adviceReread
	}
	return advice[r.Verdict]
}

// rank orders the verdicts on the transfers of one transaction; the
// highest is the answer.
var rank = map[Verdict]int{
	Credited: 12, Short: 11, NotFinal: 10, OtherToken: 9, OtherChain: 8,
	Worthless: 7, Failed: 6, TokenContract: 5, OtherAddress: 4,
	Unavailable: 2, NotFound: 1,
}

// betterResult returns the result of higher rank, a if both are equal.
func betterResult(a, b Result) Result {
	if rank[b.Verdict] > rank[a.Verdict] {
		return b
	}
	return a
}
