package chain

import (
	"cmp"
	"encoding/hex"
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
func copyAgain(n Network) fault.Words {
	return fault.Text("open your wallet on %s, choose Receive, and copy the whole address", nameOf(n))
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
	return wrongLength(n, text, fault.Text("%d", evmTextLen))
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
	return wrongLength(Solana, text, fault.Text("%d to %d", solanaShortest, solanaLongest))
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
	if err := prefixed(n, text); err != nil {
		return err
	}
	if i := strings.LastIndexByte(text, '.'); i > 0 && i < len(text)-1 {
		return fault.New(fault.Invalid, "this is a name; enter the address that it stands for: %s", copyAgain(n))
	}
	return nil
}

// prefixNames are what wallets and lists of networks write before an address (CAIP-10, EIP-3770, EIP-681, Solana Pay),
// by the network that they mean.
var prefixNames = map[string]Network{
	"eip155:56": BEP20, "bnb": BEP20, "bsc": BEP20, "bep20": BEP20,
	"eip155:137": Polygon, "matic": Polygon, "pol": Polygon, "polygon": Polygon,
	"eip155:8453": Base, "base": Base,
	"solana": Solana, "sol": Solana,
}

// prefixed names the part of the text that is an address of the network, where the rest says on which network it is.
// What it repeats is an address, so no secret.
func prefixed(n Network, text string) error {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return nil
	}
	before, rest := strings.ToLower(text[:i]), text[i+1:]
	rest, _, _ = strings.Cut(rest, "?")
	rest, chainID, _ := strings.Cut(rest, "@") // EIP-681
	w, err := ParseAddress(n, strings.TrimSpace(strings.TrimPrefix(rest, "pay-")))
	if err != nil {
		return nil //nolint:nilerr // it is something else
	}
	if chainID != "" {
		before = "eip155:" + chainID
	}
	name, _, _ := strings.Cut(before, ":")
	on := cmp.Or(prefixNames[before], prefixNames[name])
	if on != n && (on != "" || strings.HasPrefix(before, "eip155:") || before == "eth") {
		other := fault.Text("another network")
		if on != "" {
			other = fault.Text("%s", nameOf(on))
		}
		return fault.New(fault.Invalid, "what stands before the address says that it is on %s; if the same wallet receives "+
			"on %s too, enter %s alone", other, nameOf(n), w.Address)
	}
	return fault.New(fault.Invalid, "enter the address alone, without what stands before it: %s", w.Address)
}

func secretOrHash(n Network) error {
	return fault.New(fault.Invalid, "this is a transaction or a private key, not an address; never enter a private key: %s",
		copyAgain(n))
}

// strange names the first character that is none of the digits.
func strange(text, digits string) (fault.Words, bool) {
	for _, c := range text {
		switch {
		case strings.ContainsRune(digits, c):
		case unicode.IsSpace(c):
			return fault.Text("a space"), true
		case !unicode.IsGraphic(c) || c == utf8.RuneError:
			return fault.Text("an invisible character"), true
		default:
			return fault.Text("the character “%c”", c), true
		}
	}
	return fault.Words{}, false
}

func wrongLength(n Network, text string, want fault.Words) error {
	return fault.New(fault.Invalid, "this has %d characters, and an address on %s has %s; %s",
		utf8.RuneCountInString(text), nameOf(n), want, copyAgain(n))
}
