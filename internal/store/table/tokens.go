package table

import (
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// JoinTokens writes tokens as a list separated by commas.
func JoinTokens(tokens []money.Token) string {
	names := make([]string, len(tokens))
	for i, t := range tokens {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

// SplitTokens reads what JoinTokens wrote.
func SplitTokens(text string) []money.Token {
	if text == "" {
		return nil
	}
	var tokens []money.Token
	for name := range strings.SplitSeq(text, ",") {
		tokens = append(tokens, money.Token(name))
	}
	return tokens
}

// JoinAddresses writes addresses as a list separated by commas.
func JoinAddresses(list []chain.Address) string {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = string(a)
	}
	return strings.Join(texts, ",")
}

// SplitAddresses reads what JoinAddresses wrote.
func SplitAddresses(text string) []chain.Address {
	if text == "" {
		return nil
	}
	var list []chain.Address
	for a := range strings.SplitSeq(text, ",") {
		list = append(list, chain.Address(a))
	}
	return list
}

// JoinChoices writes choices as NETWORK.TOKEN, separated by commas.
func JoinChoices(choices []payment.Choice) string {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = string(c.Network) + "." + string(c.Token)
	}
	return strings.Join(names, ",")
}

// SplitChoices reads what JoinChoices wrote.
func SplitChoices(text string) []payment.Choice {
	if text == "" {
		return nil
	}
	var choices []payment.Choice
	for name := range strings.SplitSeq(text, ",") {
		network, token, _ := strings.Cut(name, ".")
		choices = append(choices, payment.Choice{Network: chain.Network(network), Token: money.Token(token)})
	}
	return choices
}
