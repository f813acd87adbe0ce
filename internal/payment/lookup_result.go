package payment

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// LookupVerdict says what became of a transaction.
type LookupVerdict string

// The verdicts.
const (
	LookupCredited      LookupVerdict = "credited"       // final and counted
	LookupNotFinal      LookupVerdict = "not_final"      // the right transfer, not final yet
	LookupShort         LookupVerdict = "short"          // counted, but money is still missing
	LookupOtherChain    LookupVerdict = "other_chain"    // sent on another network than the payer was shown
	LookupOtherToken    LookupVerdict = "other_token"    // a token that does not count
	LookupOtherAddress  LookupVerdict = "other_address"  // it pays an address of another owner
	LookupTokenContract LookupVerdict = "token_contract" // sent to the token's own contract
	LookupFailed        LookupVerdict = "failed"         // included in a block, but failed
	LookupWorthless     LookupVerdict = "worthless"      // a counterfeit token, or an amount of zero
	LookupNotFound      LookupVerdict = "not_found"      // no network knows it, or not yet
	LookupUnavailable   LookupVerdict = "unavailable"    // the network cannot be read now
)

// LookupResult is the answer of a Lookup. Unknown fields are zero.
type LookupResult struct {
	Verdict LookupVerdict
	// ByAddress: the caller gave an address, not a transaction hash.
	ByAddress bool
	Hash      chain.TxHash
	Network   chain.Network
	Token     string // as payers know it, such as USDC or USDC.e
	Amount    string // in whole tokens, a plain decimal
	Missing   money.Micros
	FinalIn   time.Duration // estimate of when the money is final
}

var lookupAdvice = map[LookupVerdict]string{
	LookupCredited:      "The payment has arrived; nothing more is to be done.",
	LookupNotFinal:      "The transfer is right; it counts as soon as the network calls it final.",
	LookupShort:         "The transfer counts, but it was too small; send what is missing to the same address.",
	LookupOtherChain:    "The transfer was made on another network than the payment was started on; ask the merchant, who can recover it.",
	LookupOtherToken:    "The transfer is in a token that this payment does not count; ask the merchant, who can recover it.",
	LookupOtherAddress:  "The transaction does not pay the address of this payment; compare the address you sent to.",
	LookupTokenContract: "The tokens were sent to the token's own contract; nobody but the token's issuer can return them.",
	LookupFailed:        "The transaction failed, so no money has moved; send it again.",
	LookupWorthless:     "The transaction moved no money of value to the address; send the token that was asked for.",
	LookupNotFound:      "No network knows this transaction; check the hash, or try again in a minute if it was just sent.",
	LookupUnavailable:   "The network cannot be asked at the moment; try again in a minute.",
}

const adviceNoMoneyAtAddress = "No money from or to this address is seen yet; " +
	"exchanges often send from an address of their own, so look for the transaction hash instead, or try again in a minute."

// Advice returns one sentence that says what the payer can do.
func (r LookupResult) Advice() string {
	if r.ByAddress && r.Verdict == LookupNotFound {
		return adviceNoMoneyAtAddress
	}
	return lookupAdvice[r.Verdict]
}

// lookupRank orders the verdicts on the transfers of one transaction; the
// highest is the answer.
var lookupRank = map[LookupVerdict]int{
	LookupCredited: 12, LookupShort: 11, LookupNotFinal: 10, LookupOtherToken: 9, LookupOtherChain: 8,
	LookupWorthless: 7, LookupFailed: 6, LookupTokenContract: 5, LookupOtherAddress: 4,
	LookupUnavailable: 2, LookupNotFound: 1,
}

// betterResult returns the result of higher rank, a if both are equal.
func betterResult(a, b LookupResult) LookupResult {
	if lookupRank[b.Verdict] > lookupRank[a.Verdict] {
		return b
	}
	return a
}
