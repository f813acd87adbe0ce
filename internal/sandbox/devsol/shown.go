package devsol

import (
	"math/big"
	"slices"
	"strconv"

	solana "github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"
)

// shownTransaction is a transaction in the JSON form of getTransaction.
func (l *Ledger) shownTransaction(r *result) map[string]any {
	m := &r.tx.Message
	keys := make([]string, len(m.AccountKeys))
	pre, post := make([]uint64, len(keys)), make([]uint64, len(keys))
	for i, k := range m.AccountKeys {
		keys[i] = k.String()
		pre[i], post[i] = r.pre[k].Lamports, r.post[k].Lamports
	}
	instructions := []any{}
	for _, ix := range m.Instructions {
		instructions = append(instructions, map[string]any{
			"programIdIndex": ix.ProgramIDIndex, "accounts": ix.Accounts, "data": base58.Encode(ix.Data),
			"stackHeight": 1,
		})
	}
	signatures := make([]string, len(r.tx.Signatures))
	for i, s := range r.tx.Signatures {
		signatures[i] = s.String()
	}
	var version any = "legacy"
	if m.IsVersioned() {
		version = 0
	}
	return map[string]any{
		"version": version,
		"transaction": map[string]any{
			"signatures": signatures,
			"message": map[string]any{
				"accountKeys": keys, "instructions": instructions, "recentBlockhash": m.RecentBlockhash.String(),
				"header": map[string]any{
					"numRequiredSignatures":       m.Header.NumRequiredSignatures,
					"numReadonlySignedAccounts":   m.Header.NumReadonlySignedAccounts,
					"numReadonlyUnsignedAccounts": m.Header.NumReadonlyUnsignedAccounts,
				},
			},
		},
		"meta": map[string]any{
			"err": r.failed, "status": r.status(), "fee": r.fee, "preBalances": pre, "postBalances": post,
			"preTokenBalances": l.tokenBalances(m, r.pre), "postTokenBalances": l.tokenBalances(m, r.post),
			"innerInstructions": []any{}, "logMessages": r.logs, "rewards": []any{},
			"computeUnitsConsumed": unitsUsed(r.tx),
			"loadedAddresses":      map[string]any{"writable": []any{}, "readonly": []any{}},
		},
	}
}

// tokenBalances lists what the token accounts of a message held: nothing where
// the message does not name the token program, as validators do (agave,
// svm/src/transaction_balances.rs), even if it names token accounts.
func (l *Ledger) tokenBalances(m *solana.Message, accounts map[solana.PublicKey]Account) []any {
	list := []any{}
	if !slices.Contains(m.AccountKeys, solana.TokenProgramID) {
		return list
	}
	for i, k := range m.AccountKeys {
		t, ok := readToken(accounts[k])
		if !ok {
			continue
		}
		decimals := uint8(0)
		if mint, ok := readMint(l.account(t.mint)); ok {
			decimals = mint.decimals
		}
		list = append(list, map[string]any{
			"accountIndex": i, "mint": t.mint.String(),
			"owner": t.owner.String(), "programId": solana.TokenProgramID.String(),
			"uiTokenAmount": shownAmount(t.amount, decimals),
		})
	}
	return list
}

// status is the older form of err.
func (r *result) status() map[string]any {
	if r.failed != nil {
		return map[string]any{"Err": r.failed}
	}
	return map[string]any{"Ok": nil}
}

func shownAmount(units uint64, decimals uint8) map[string]any {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	ui, _ := new(big.Rat).SetFrac(new(big.Int).SetUint64(units), scale).Float64()
	shown := map[string]any{"amount": strconv.FormatUint(units, 10), "decimals": decimals, "uiAmount": ui}
	shown["uiAmountString"] = strconv.FormatFloat(ui, 'f', -1, 64)
	if units == 0 {
		shown["uiAmount"] = nil
	}
	return shown
}

// Transaction returns a transaction in the form of getTransaction; ok is false if the ledger does not have
// it.
func (l *Ledger) Transaction(signature solana.Signature) (shown map[string]any, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.results[signature]
	if !ok {
		return nil, false
	}
	shown = l.shownTransaction(r)
	shown["slot"], shown["confirmationStatus"] = r.slot, l.status(r)
	return shown, true
}
