package rpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/money"
)

const someSignature = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQkjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"

var (
	someMint  = solanago.MustPublicKeyFromBase58("Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB")
	someOwner = solanago.MustPublicKeyFromBase58("HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk")
	otherMint = solanago.MustPublicKeyFromBase58("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
	someATA   = associated(someOwner, someMint)
)

func associated(owner, mint solanago.PublicKey) solanago.PublicKey {
	ata, _, err := solanago.FindAssociatedTokenAddress(owner, mint)
	if err != nil {
		panic(err) // practically impossible
	}
	return ata
}

// asJSON is a transaction as a node returns it, which pays 7 units to someATA. That account held 5 and has
// index 1; the payer's has index 2.
func asJSON(change func(meta map[string]any, message map[string]any)) []byte {
	balance := func(index int, owner, amount string) map[string]any {
		return map[string]any{
			"accountIndex": index, "mint": someMint.String(),
			"owner": owner, "programId": solanago.TokenProgramID.String(),
			"uiTokenAmount": map[string]any{"amount": amount, "decimals": 6},
		}
	}
	payer := "Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb"
	meta := map[string]any{
		"err": nil, "fee": 5000, "preBalances": []int64{
			9, 2_039_280, 2_039_280, 1,
		}, "postBalances": []int64{8, 2_039_280, 2_039_280, 1},
		"preTokenBalances":  []any{balance(1, someOwner.String(), "5"), balance(2, payer, "10")},
		"postTokenBalances": []any{balance(1, someOwner.String(), "12"), balance(2, payer, "3")},
		"loadedAddresses": map[string]any{
			"writable": []string{}, "readonly": []string{solanago.TokenProgramID.String()},
		},
	}
	message := map[string]any{"accountKeys": []string{payer, someATA.String(), "11111111111111111111111111111112"}}
	if change != nil {
		change(meta, message)
	}
	out, err := json.Marshal(map[string]any{
		"slot": 7, "blockTime": 1_795_000_000, "meta": meta,
		"transaction": map[string]any{"signatures": []string{someSignature}, "message": message},
	})
	if err != nil {
		panic(err)
	}
	return out
}

// first is the first token balance of a list.
func first(meta map[string]any, list string) map[string]any {
	all, _ := meta[list].([]any)
	balance, _ := all[0].(map[string]any)
	return balance
}

// read decodes a transaction; ok is false if it is refused.
func read(raw []byte) (*Transaction, bool) {
	var t *Transaction
	if json.Unmarshal(raw, &t) != nil || t == nil {
		return nil, false
	}
	return t, t.Valid(someSignature)
}

// TestTransaction_Credit: a successful transaction credits only what it brought to the owner's account of the
// mint, and only if that account belonged to the owner throughout.
func TestTransaction_Credit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(meta, message map[string]any)
		want   uint64 // 0: nothing
	}{
		"Paid":   {nil, 7},
		"Opened": {func(m, _ map[string]any) { m["preBalances"] = []int64{9, 0, 2_039_280, 1} }, 12},
		"Failed": {func(m, _ map[string]any) {
			m["err"] = map[string]any{"InstructionError": []any{0, "Custom"}}
			m["postTokenBalances"] = m["preTokenBalances"]
		}, 0},
		"Lost": {func(m, _ map[string]any) {
			first(m, "preTokenBalances")["uiTokenAmount"] = map[string]any{"amount": "13"}
		}, 0},
		"Same": {func(m, _ map[string]any) {
			first(m, "preTokenBalances")["uiTokenAmount"] = map[string]any{"amount": "12"}
		}, 0},
		"Closed": {func(m, _ map[string]any) { m["postBalances"] = []int64{8, 0, 2_039_280, 1} }, 0},
		"OtherOwner": {func(m, _ map[string]any) {
			first(
				m, "preTokenBalances",
			)["owner"], first(m, "postTokenBalances")["owner"] = otherMint.String(), otherMint.String()
		}, 0},
		"OwnerBefore":  {func(m, _ map[string]any) { first(m, "preTokenBalances")["owner"] = otherMint.String() }, 0},
		"OwnerAfter":   {func(m, _ map[string]any) { first(m, "postTokenBalances")["owner"] = otherMint.String() }, 0},
		"MintBefore":   {func(m, _ map[string]any) { first(m, "preTokenBalances")["mint"] = otherMint.String() }, 0},
		"MintAfter":    {func(m, _ map[string]any) { first(m, "postTokenBalances")["mint"] = otherMint.String() }, 0},
		"ProgramAfter": {func(m, _ map[string]any) { first(m, "postTokenBalances")["programId"] = otherMint.String() }, 0},
		"OtherMint": {func(m, _ map[string]any) {
			first(
				m, "preTokenBalances",
			)["mint"], first(m, "postTokenBalances")["mint"] = otherMint.String(), otherMint.String()
		}, 0},
		"NewerProgram": {func(m, _ map[string]any) {
			newer := solanago.Token2022ProgramID.String()
			first(m, "preTokenBalances")["programId"], first(m, "postTokenBalances")["programId"] = newer, newer
		}, 0},
		"OtherAccount": {func(_, m map[string]any) {
			m["accountKeys"] = []string{"Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb", someOwner.String(), "11111111111111111111111111111112"}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tx, ok := read(asJSON(c.change))
			if !ok {
				t.Fatal("it is refused")
			}
			got, credited := tx.Credit(someATA, someOwner, someMint)
			if credited != (c.want > 0) || credited &&
				(got.Units().Cmp(money.UnitsFromUint64(c.want)) != 0 || got.Index != 1) {
				t.Errorf("credited %t, %s at %d; want %d", credited, got.Units(), got.Index, c.want)
			}
		})
	}
}

// TestTransaction_Invalid: an answer that is incomplete, about another transaction, or contradicts itself is
// refused.
func TestTransaction_Invalid(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"OtherSignature": bytes.ReplaceAll(asJSON(nil), []byte(someSignature), []byte("6"+someSignature[1:])),
		"NoSignature":    bytes.ReplaceAll(asJSON(nil), []byte(`"`+someSignature+`"`), nil),
		"NoMeta":         []byte(`{"slot":7,"transaction":{"signatures":["` + someSignature + `"]}}`),
		"FailedPays":     asJSON(func(m, _ map[string]any) { m["err"] = "AccountInUse" }),
		"FewBefore":      asJSON(func(m, _ map[string]any) { m["preBalances"] = []int64{9} }),
		"FewAfter":       asJSON(func(m, _ map[string]any) { m["postBalances"] = []int64{9} }),
		"MoreBefore":     asJSON(func(m, _ map[string]any) { m["preBalances"] = []int64{9, 1, 1, 1, 1} }),
		"Index":          asJSON(func(m, _ map[string]any) { first(m, "preTokenBalances")["accountIndex"] = 4 }),
		"NegativeIndex":  asJSON(func(m, _ map[string]any) { first(m, "postTokenBalances")["accountIndex"] = -1 }),
		"Twice":          asJSON(func(m, _ map[string]any) { first(m, "preTokenBalances")["accountIndex"] = 2 }),
		"NoAmount":       asJSON(func(m, _ map[string]any) { first(m, "preTokenBalances")["uiTokenAmount"] = map[string]any{} }),
		"NegativeAmount": asJSON(func(m, _ map[string]any) {
			first(m, "preTokenBalances")["uiTokenAmount"] = map[string]any{"amount": "-5"}
		}),
		"HugeAmount": asJSON(func(m, _ map[string]any) {
			first(m, "postTokenBalances")["uiTokenAmount"] = map[string]any{"amount": "18446744073709551616"}
		}),
		"SameAccountTwice": asJSON(func(_, m map[string]any) {
			m["accountKeys"] = []string{someATA.String(), someATA.String(), "11111111111111111111111111111112"}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, ok := read(raw); ok {
				t.Error("it is accepted")
			}
		})
	}
	failed, ok := read(asJSON(func(m, _ map[string]any) {
		m["err"], m["preBalances"], m["postBalances"] = "x", []int64{}, nil
	}))
	if !ok || !failed.Failed() || len(failed.Changes()) != 0 {
		t.Errorf("a failed transaction without balances is refused: %t", !ok)
	}
}

// FuzzTransaction: any answer of a node is decoded or refused. A credit requires that the answer shows a balance
// after the transaction, higher than the one before, of that account, mint and owner, in a successful transaction.
func FuzzTransaction(f *testing.F) {
	for _, raw := range [][]byte{
		asJSON(nil), asJSON(func(m, _ map[string]any) { m["err"] = "x" }),
		asJSON(func(m, _ map[string]any) { m["preTokenBalances"] = []any{} }),
		asJSON(func(m, _ map[string]any) { m["preBalances"] = []int64{9, 0, 0, 0} }),
		asJSON(func(m, _ map[string]any) { m["postBalances"] = []int64{-9, -1, 0, 0} }),
		asJSON(func(m, _ map[string]any) { m["err"] = []any{} }), []byte("null"), []byte("{}"), []byte(`{"meta":{}}`),
		[]byte("[]"), []byte(`"x"`), nil,
		bytes.ReplaceAll(asJSON(nil), []byte(`"12"`), []byte(`"18446744073709551615"`)), bytes.ReplaceAll(asJSON(nil), []byte(`"err":null`), []byte(`"err": null , "ERR":1`)),
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, ok := read(raw)
		if !ok {
			return
		}
		for index, units := range tx.Coins() {
			if units.Big().Sign() <= 0 || index < 0 || index >= len(tx.Keys) {
				t.Fatalf("%s gives %s lamports to account %d", raw, units, index)
			}
		}
		tx.Paid()
		c, credited := tx.Credit(someATA, someOwner, someMint)
		if !credited {
			return
		}
		after, before := only(tx.Meta.PostTokens, c.Index), only(tx.Meta.PreTokens, c.Index)
		now, _ := after.units()
		then, _ := before.units()
		switch {
		case tx.Failed(), tx.Keys[c.Index] != someATA.String(), after.Mint != someMint.String(),
			after.Owner != someOwner.String(),
			after.ProgramID != solanago.TokenProgramID.String(), tx.Meta.PostBalances[c.Index] <= 0:
			t.Fatalf("%s credits %+v", raw, c)
		case before.Mint != "" && tx.Meta.PreBalances[c.Index] > 0 &&
			(before.Owner != after.Owner || before.Mint != after.Mint):
			t.Fatalf("%s credits an account that was another's", raw)
		case c.Units().Big().Uint64() > now, tx.Meta.PreBalances[c.Index] > 0 && c.Units().Big().Uint64() != now-then:
			t.Fatalf("%s credits %s, which held %d before and %d after", raw, c.Units(), then, now)
		}
		if strings.Contains(string(tx.Meta.Err), "{") {
			t.Fatalf("%s failed", raw)
		}
	})
}

// only returns the balance of an account.
func only(list []tokenBalance, index int) tokenBalance {
	for _, b := range list {
		if b.AccountIndex == index {
			return b
		}
	}
	return tokenBalance{}
}
