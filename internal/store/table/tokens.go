package table

import (
	"strings"

	"github.com/florinpay/florin/internal/money"
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
