package chain

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/fault"
)

const (
	evmTextLen = len("0x") + 2*evmAddressLen
	// wordsOfPhrase is how many words a recovery phrase has at least.
	wordsOfPhrase = 12
	// evmSecretLen and solanaSecretLen are the bytes of a private key, which those of a transaction hash and a
	// signature are too.
	evmSecretLen, solanaSecretLen = 32, 64

	bitcoinLike  = "bc1"
	evmDigits    = "0123456789abcdefABCDEF"
	solanaDigits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

// copyAgain says where the address of a wallet is found.
func copyAgain(n Network) string {
	return "open your wallet on " + nameOf(n) + ", choose Receive, and copy the whole address"
}

// nameOf returns the name of a network for display.
func nameOf(n Network) string {
	for _, p := range Profiles() {
		if p.Network == n {
			return p.Name
		}
	}
	return string(n)
}

// wrongEVM says in plain words why the text is no address of an EVM network, and what to paste instead. It repeats at
// most one character of it: the text may be a secret.
func wrongEVM(n Network, text string) error {
	if err := wrongKind(n, text); err != nil {
		return err
	}
	digits, begins := strings.CutPrefix(text, "0x")
	if _, err := parseSolana(text); err == nil {
		return fault.New(fault.Invalid, "this looks like an address on Solana; one on %s begins with 0x: %s", nameOf(n), copyAgain(n))
	}
	if strings.HasPrefix(strings.ToLower(text), bitcoinLike) {
		return fault.New(fault.Invalid, "this is an address on Bitcoin; one on %s begins with 0x: %s", nameOf(n), copyAgain(n))
	}
	if !begins {
		return fault.New(fault.Invalid, "an address on %s begins with 0x; %s", nameOf(n), copyAgain(n))
	}
	if c, ok := strange(digits, evmDigits); ok {
		return fault.New(fault.Invalid, "this has %s, which no address on %s has; %s", c, nameOf(n), copyAgain(n))
	}
	return wrongLength(n, text, strconv.Itoa(evmTextLen))
}

// wrongSolana is wrongEVM for Solana.
func wrongSolana(text string) error {
	if err := wrongKind(Solana, text); err != nil {
		return err
	}
	if strings.HasPrefix(text, "0x") {
		return fault.New(fault.Invalid, "no address on Solana begins with 0x; %s", copyAgain(Solana))
	}
	if c, ok := strange(text, solanaDigits); ok {
		return fault.New(fault.Invalid, "this has %s, which no address on Solana has; %s", c, copyAgain(Solana))
	}
	if len(text) >= solanaShortest && len(text) <= solanaLongest {
		return fault.New(fault.Invalid, "this address has a typing error; %s", copyAgain(Solana))
	}
	return wrongLength(Solana, text, fmt.Sprintf("%d to %d", solanaShortest, solanaLongest))
}

// wrongKind recognizes what is pasted instead of an address; nil for anything else.
func wrongKind(n Network, text string) error {
	if len(strings.Fields(text)) >= wordsOfPhrase {
		return fault.New(fault.Invalid,
			"these look like the recovery words of a wallet: never enter them anywhere; %s", copyAgain(n))
	}
	raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err == nil && len(raw) == evmSecretLen {
		return secretOrHash(n)
	}
	if len(text) <= 2*solanaSecretLen {
		if raw, err := base58.Decode(text); err == nil && len(raw) == solanaSecretLen {
			return secretOrHash(n)
		}
	}
	if i := strings.LastIndexByte(text, '.'); i > 0 && i < len(text)-1 {
		return fault.New(fault.Invalid, "this is a name; enter the address that it stands for: %s", copyAgain(n))
	}
	return nil
}

func secretOrHash(n Network) error {
	return fault.New(fault.Invalid, "this is a transaction or a private key, not an address; never enter a private key: %s",
		copyAgain(n))
}

// strange names the first character that is none of the digits.
func strange(text, digits string) (string, bool) {
	for _, c := range text {
		switch {
		case strings.ContainsRune(digits, c):
		case unicode.IsSpace(c):
			return "a space", true
		case !unicode.IsGraphic(c) || c == utf8.RuneError:
			return "an invisible character", true
		default:
			return "the character “" + string(c) + "”", true
		}
	}
	return "", false
}

func wrongLength(n Network, text, want string) error {
	return fault.New(fault.Invalid, "this has %d characters, and an address on %s has %s; %s",
		utf8.RuneCountInString(text), nameOf(n), want, copyAgain(n))
}
