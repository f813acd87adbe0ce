package chain

import (
	"strings"
	"testing"
)

// What is pasted instead of an address is named in plain words, with what to paste, and is never repeated: it may be a
// secret.
func TestParseAddress_Wrong(t *testing.T) {
	t.Parallel()
	const (
		evm    = "0x52908400098527886E0F7030069857D2E4169EE7"
		solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
		key    = "0x9a983cb3d832fbde5ab49d692b7a8bf5b5d232479c99333d0fc8e1d21f1b55b6"
	)
	words := strings.TrimSpace(strings.Repeat("abandon ", wordsOfPhrase))
	for name, x := range map[string]struct {
		network    Network
		text, says string
	}{
		"short":           {Polygon, evm[:41], "has 41 characters, and an address on Polygon has 42"},
		"letter":          {Base, evm[:41] + "O", "the character “O”, which no address on Base has"},
		"space inside":    {Base, evm[:20] + " " + evm[20:], "a space, which no address on Base has"},
		"invisible":       {Base, evm[:20] + "\u200b" + evm[20:], "an invisible character"},
		"typing error":    {Polygon, strings.Replace(evm, "E", "e", 1), "typing error: its capital letters do not match"},
		"no 0x":           {BEP20, evm[2:], "an address on BNB Smart Chain (BEP20) begins with 0x"},
		"solana's":        {Polygon, solana, "looks like an address on Solana; one on Polygon begins with 0x"},
		"bitcoin's":       {Polygon, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "an address on Bitcoin"},
		"name":            {Polygon, "shop.eth", "this is a name"},
		"private key":     {Polygon, key, "never enter a private key"},
		"bare key":        {Solana, key[2:], "never enter a private key"},
		"words":           {BEP20, words, "recovery words of a wallet: never enter them anywhere"},
		"zeros":           {BEP20, "0x" + strings.Repeat("0", 40), "belongs to nobody"},
		"solana: 0x":      {Solana, evm, "no address on Solana begins with 0x"},
		"solana: letter":  {Solana, solana[:42] + "0", "the character “0”, which no address on Solana has"},
		"solana: short":   {Solana, solana[:20], "has 20 characters, and an address on Solana has 32 to 44"},
		"solana: too big": {Solana, strings.Repeat("z", 44), "this address has a typing error"},
	} {
		_, err := ParseAddress(x.network, x.text)
		if err == nil {
			t.Errorf("%s: %q is taken", name, x.text)
			continue
		}
		said := err.Error()
		if !strings.Contains(said, x.says) {
			t.Errorf("%s: %s; want %q in it", name, said, x.says)
		}
		if name != "zeros" && !strings.HasSuffix(said, copyAgain(x.network).String()) {
			t.Errorf("%s: it does not say what to paste: %s", name, said)
		}
		for _, word := range []string{"base58", "hexadecimal", "checksum", "EIP", x.text} {
			if strings.Contains(said, word) {
				t.Errorf("%s: it says %q: %s", name, word, said)
			}
		}
	}
}

// What wallets write before an address is named with the part that is the address, and with the network that it means.
func TestParseAddress_Prefixed(t *testing.T) {
	t.Parallel()
	const (
		evm    = "0x52908400098527886E0F7030069857D2E4169EE7"
		solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
	)
	for text, x := range map[string]struct {
		network Network
		says    string
	}{
		"eip155:137:" + evm:        {Polygon, "enter the address alone"},
		"EIP155:137:" + evm:        {Polygon, "enter the address alone"},
		"eip155:1:" + evm:          {Polygon, "on another network; if the same wallet receives on Polygon"},
		"eip155:56:" + evm:         {Base, "on BNB Smart Chain (BEP20); if the same wallet receives on Base"},
		"matic:" + evm:             {Polygon, "enter the address alone"},
		"eth:" + evm:               {Base, "on another network"},
		"ethereum:" + evm + "@137": {Polygon, "enter the address alone"},
		"ethereum:" + evm + "@1":   {Polygon, "on another network"},
		"ethereum:" + evm:          {BEP20, "enter the address alone"},
		"Polygon: " + evm:          {Polygon, "enter the address alone"},
		"solana:" + solana:         {Solana, "enter the address alone"},
		"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:" + solana: {Solana, "enter the address alone"},
		"solana:" + solana + "?amount=1":                    {Solana, "enter the address alone"},
	} {
		_, err := ParseAddress(x.network, text)
		part := evm
		if x.network == Solana {
			part = solana
		}
		if err == nil || !strings.Contains(err.Error(), x.says) || !strings.Contains(err.Error(), part) {
			t.Errorf("%s on %s: %v; want %q and the address in it", text, x.network, err, x.says)
		}
	}
	// What is no address is not repeated: it may be a secret.
	secret := "0x9a983cb3d832fbde5ab49d692b7a8bf5b5d232479c99333d0fc8e1d21f1b55b6"
	if _, err := ParseAddress(Polygon, "eip155:137:"+secret); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("a secret with something before it: %v", err)
	}
}
