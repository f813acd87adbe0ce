package chain

import (
	"strings"
	"unicode"

	"github.com/florinpay/florin/internal/fault"
)

// TxnID is the 16 bytes of a payment's txnid, which is a ULID. Deposit addresses derive from it: it is made before
// anything is stored, and a database that is restored from a backup cannot give it out twice.
type TxnID [16]byte

// txnidDigits are the digits of Crockford's base 32, in which a ULID is written.
const txnidDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// txnidLength is the length of a ULID: 26 digits of 5 bits. The first is at most 7, because it has 128 bits.
const txnidLength = 26

// ReadTxnID reads a txnid as people paste it: in any case, in wide letters, with the look-alikes that its alphabet
// leaves out and Crockford's base 32 forgives (O for 0, I and L for 1), hyphens, in two lines, and with what a sentence
// or a chat puts around it.
func ReadTxnID(text string) (TxnID, error) {
	const mostText = 4 * txnidLength
	if len(text) > mostText {
		return TxnID{}, errNoTxnID(text[:txnidLength])
	}
	clean := strings.Map(func(r rune) rune {
		const wide = '！' - '!'
		if r >= '！' && r <= '～' {
			r -= wide
		}
		switch unicode.ToUpper(r) {
		case 'O':
			return '0'
		case 'I', 'L':
			return '1'
		}
		if unicode.In(r, unicode.Cf, unicode.Pd, unicode.White_Space) { // zero width, hyphens, a line that was broken
			return -1
		}
		return r
	}, text)
	return ParseTxnID(strings.TrimFunc(clean, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// IsTxnID reports whether a text is a txnid as String writes it.
func IsTxnID(text string) bool {
	if len(text) != txnidLength || text[0] > '7' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') || c == 'I' || c == 'L' || c == 'O' || c == 'U' {
			return false
		}
	}
	return true
}

// ParseTxnID reads a txnid, in upper or lower case. It fails with fault.Invalid.
func ParseTxnID(text string) (id TxnID, err error) {
	upper := strings.ToUpper(text)
	if len(text) != txnidLength || len(upper) != txnidLength || upper[0] > '7' {
		return TxnID{}, errNoTxnID(text)
	}
	for i := range len(upper) {
		digit := strings.IndexByte(txnidDigits, upper[i])
		if digit < 0 {
			return TxnID{}, errNoTxnID(text)
		}
		id.shift(byte(digit))
	}
	return id, nil
}

// shift makes room for a digit of 5 bits at the end.
func (id *TxnID) shift(digit byte) {
	const bits = 5
	for i := range id {
		id[i] <<= bits
		if i+1 < len(id) {
			id[i] |= id[i+1] >> (8 - bits)
		}
	}
	id[len(id)-1] |= digit
}

func errNoTxnID(text string) error {
	return fault.New(fault.Invalid, "%q is not a txnid, which has 26 letters and digits", text)
}

// String writes the txnid in upper case.
func (id TxnID) String() string {
	out := make([]byte, txnidLength)
	for at := range out {
		digit := byte(0)
		for bit := at*5 - 2; bit < at*5+3; bit++ { // two zero bits come before the 128
			digit <<= 1
			if bit >= 0 {
				digit |= id[bit/8] >> (7 - bit%8) & 1
			}
		}
		out[at] = txnidDigits[digit]
	}
	return string(out)
}

// AddressScheme is the version of the rule by which a deposit address derives. It is stored with every address, so that
// the money on an address stays within reach after the rule has changed.
type AddressScheme int

// SchemeTxnID derives from the txnid: on EVM networks with the settlement wallet, on Solana with the operator's seed.
// The page /docs/addresses describes it.
const SchemeTxnID AddressScheme = 1

// Check fails with fault.Internal for a scheme that this version does not know.
func (s AddressScheme) Check() error {
	if s != SchemeTxnID {
		return fault.New(
			fault.Internal, "address scheme %d is not known to this version of Florin; a newer one made the address", s,
		)
	}
	return nil
}
