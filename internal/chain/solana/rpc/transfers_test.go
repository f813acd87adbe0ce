package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// transferSeed pays 7 units to the account of index 1, and one lamport to that of index 2.
const transferSeed = `{"slot":7,"blockTime":1795000000,"meta":{"err":null,"fee":5000,"preBalances":[9,2039280,2039280,1],"postBalances":[8,2039280,2039281,1],"preTokenBalances":[{"accountIndex":1,"mint":"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB","owner":"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk","programId":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA","uiTokenAmount":{"amount":"5"}}],"postTokenBalances":[{"accountIndex":1,"mint":"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB","owner":"HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk","programId":"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA","uiTokenAmount":{"amount":"12"}}],"loadedAddresses":{"writable":[],"readonly":["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"]}},"transaction":{"signatures":["5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"],"message":{"accountKeys":["Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb","6pXYguUixhfdydHDMgsvSy3sAWjStL2eEYh4KeYJAUDk","11111111111111111111111111111112"]}}}`

// FuzzTransfers: what a transaction moved is more than nothing and went to one of its accounts, whatever a node
// answers.
func FuzzTransfers(f *testing.F) {
	for _, raw := range []string{
		transferSeed, strings.ReplaceAll(transferSeed, `"5"`, `"13"`), strings.ReplaceAll(transferSeed, `"err":null`, `"err":"x"`),
		strings.ReplaceAll(transferSeed, `"12"`, `"18446744073709551615"`), "null", "{}", `{"meta":{}}`,
	} {
		f.Add([]byte(raw))
	}
	mintKey := solanago.MustPublicKeyFromBase58("Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB")
	profile := chain.Profile{
		Network: chain.Solana, Coin: "SOL", Assets: []chain.Asset{{Contract: chain.Address(mintKey.String())}},
	}
	const signature = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
	f.Fuzz(func(t *testing.T, raw []byte) {
		var tx *rpc.Transaction
		if json.Unmarshal(raw, &tx) != nil || tx == nil || !tx.Valid(signature) {
			return
		}
		moved := tx.Transfers(profile, signature)
		for _, m := range moved {
			if m.Units.Big().Sign() <= 0 || m.Ordinal < 0 || m.Ordinal >= len(tx.Keys) {
				t.Fatalf("%s moved %+v", raw, m)
			}
		}
		if string(raw) == transferSeed && len(moved) != 2 {
			t.Fatalf("the seed moved %+v", moved)
		}
	})
}
