package chain

import (
	"encoding/hex"
	"strings"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"

	"github.com/florinpay/florin/internal/fault"
)

// Lengths of an address in its chain's own bytes.
const (
	evmAddressLen    = 20
	solanaAddressLen = 32
)

// How many characters the text of 32 bytes has in base58.
const solanaShortest, solanaLongest = 32, 44

// ParseAddress reads an address of the network as wallets show it and returns
// it with its raw bytes. EVM addresses may be all lower or all upper case, or
// mixed case with a valid checksum (EIP-55); Solana addresses are the base58 of
// 32 bytes. The zero address is refused: money sent there is lost.
func ParseAddress(n Network, text string) (Watched, error) {
	if n.EVM() {
		return parseEVM(n, text)
	}
	if n == Solana {
		return parseSolana(text)
	}
	return Watched{}, fault.New(fault.Invalid, "network must be BEP20, POLYGON, BASE or SOL")
}

// AddressOf returns the address with these raw bytes, which must have the
// network's length.
func AddressOf(n Network, raw []byte) Watched {
	if n.EVM() {
		return Watched{Address: checksum(raw), Raw: raw}
	}
	return Watched{Address: Address(base58.Encode(raw)), Raw: raw}
}

func parseEVM(n Network, text string) (Watched, error) {
	digits, ok := strings.CutPrefix(text, "0x")
	raw, err := hex.DecodeString(digits)
	if !ok || err != nil || len(raw) != evmAddressLen {
		return Watched{}, wrongEVM(n, text)
	}
	if allZero(raw) {
		return Watched{}, fault.New(fault.Invalid, "this address consists of zeros and belongs to nobody; money sent there is lost")
	}
	address := checksum(raw)
	lower, upper := strings.ToLower(digits), strings.ToUpper(digits)
	if digits != lower && digits != upper && text != string(address) {
		return Watched{}, fault.New(fault.Invalid, "this address has a typing error: its capital letters do not match; %s", copyAgain(n))
	}
	return Watched{Address: address, Raw: raw}, nil
}

func parseSolana(text string) (Watched, error) {
	if len(text) < solanaShortest || len(text) > solanaLongest {
		return Watched{}, wrongSolana(text)
	}
	raw, err := base58.Decode(text)
	if err != nil || len(raw) != solanaAddressLen {
		return Watched{}, wrongSolana(text)
	}
	if allZero(raw) {
		return Watched{}, fault.New(fault.Invalid, "this is the address of a program of Solana itself; money sent there is lost")
	}
	return Watched{Address: Address(text), Raw: raw}, nil
}

// checksum writes 20 bytes as EIP-55 does: a letter is upper case where the
// nibble of the Keccak-256 of the lower-case text is 8 or more.
func checksum(raw []byte) Address {
	text := []byte(hex.EncodeToString(raw))
	h := sha3.NewLegacyKeccak256()
	h.Write(text)
	sum := h.Sum(nil)
	for i, c := range text {
		nibble := sum[i/2] >> 4
		if i%2 == 1 {
			nibble = sum[i/2] & 0xf
		}
		if c >= 'a' && nibble >= 8 {
			text[i] = c - 'a' + 'A'
		}
	}
	return Address("0x" + string(text))
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
