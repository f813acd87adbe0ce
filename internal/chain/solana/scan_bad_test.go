package solana_test

import (
	"encoding/json"
	"net/http"
	"strings"
)

// bad is a node that answers wrongly for one account or one transaction, in one way.
type bad func(n *node, account, tx string)

// forText makes the node answer a method otherwise where the parameters name the text.
func forText(method string, what func(account, tx string) string, answer func(result string) string) bad {
	return func(n *node, account, tx string) {
		text := what(account, tx)
		n.set(method, func(params, result json.RawMessage) json.RawMessage {
			if strings.Contains(string(params), text) {
				return json.RawMessage(answer(string(result)))
			}
			return result
		})
	}
}

func theTx(_, tx string) string           { return tx }
func theAccount(account, _ string) string { return account }

func says(text string) func(string) string { return func(string) string { return text } }

func replacing(old, by string) func(string) string {
	return func(result string) string { return strings.ReplaceAll(result, old, by) }
}

// unloaded takes an account of the transaction out of those that it names itself, as with a lookup table, and leaves
// out which were loaded.
func unloaded(result string) string {
	var tx struct {
		Slot        uint64         `json:"slot"`
		BlockTime   int64          `json:"blockTime"`
		Meta        map[string]any `json:"meta"`
		Transaction struct {
			Signatures []string `json:"signatures"`
			Message    struct {
				AccountKeys []string `json:"accountKeys"`
			} `json:"message"`
		} `json:"transaction"`
	}
	if json.Unmarshal([]byte(result), &tx) != nil || tx.Meta == nil {
		return result
	}
	delete(tx.Meta, "loadedAddresses")
	m := &tx.Transaction.Message
	m.AccountKeys = m.AccountKeys[:len(m.AccountKeys)-1]
	out, err := json.Marshal(tx)
	if err != nil {
		return result
	}
	return string(out)
}

// refusing makes the node refuse a method where the parameters name the text.
func refusing(method string, what func(account, tx string) string, status int, body string) bad {
	return func(n *node, account, tx string) { n.failFor(method, what(account, tx), status, body) }
}

// statusOf makes the node answer another status of the transaction alone.
func statusOf(change func(status map[string]any) any) bad {
	return func(n *node, _, tx string) {
		n.set("getSignatureStatuses", func(params, result json.RawMessage) json.RawMessage {
			var asked []json.RawMessage
			var signatures []string
			var answer struct {
				Context any              `json:"context"`
				Value   []map[string]any `json:"value"`
			}
			if json.Unmarshal(params, &asked) != nil || json.Unmarshal(asked[0], &signatures) != nil ||
				json.Unmarshal(result, &answer) != nil {
				return result
			}
			values := make([]any, len(answer.Value))
			for i, v := range answer.Value {
				values[i] = v
				if signatures[i] == tx {
					values[i] = change(v)
				}
			}
			out, err := json.Marshal(map[string]any{"context": answer.Context, "value": values})
			if err != nil {
				return result
			}
			return out
		})
	}
}

// hostileAccounts are ways in which one account or one transaction cannot be read.
func hostileAccounts() map[string]bad {
	const tx, list, accounts = "getTransaction", "getSignaturesForAddress", "getMultipleAccounts"
	return map[string]bad{
		"TxNull":         forText(tx, theTx, says("null")),
		"TxNotAnObject":  forText(tx, theTx, says(`"?"`)),
		"TxWithoutMeta":  forText(tx, theTx, replacing(`"meta":`, `"other":`)),
		"TxMetaNull":     forText(tx, theTx, replacing(`"meta":`, `"meta":null,"other":`)),
		"TxNotLoaded":    forText(tx, theTx, unloaded),
		"TxOwnerless":    forText(tx, theTx, replacing(`"owner":`, `"other":`)),
		"TxProgramless":  forText(tx, theTx, replacing(`"programId":`, `"other":`)),
		"TxMintless":     forText(tx, theTx, replacing(`"mint":`, `"other":`)),
		"TxNoTokens":     forText(tx, theTx, replacing(`TokenBalances":`, `Others":`)),
		"TxNoTokensPost": forText(tx, theTx, replacing(`"postTokenBalances":`, `"others":`)),
		"TxAmountless":   forText(tx, theTx, replacing(`"amount":"`, `"amount":"x`)),
		"TxVersion":      refusing(tx, theTx, http.StatusOK, rpcError(-32015, "version (2) is not supported")),
		"TxInternal":     refusing(tx, theTx, http.StatusOK, rpcError(-32603, "Internal error")),
		"TxHTTP":         refusing(tx, theTx, http.StatusInternalServerError, "worker crashed"),
		"TxGateway":      refusing(tx, theTx, http.StatusGatewayTimeout, "<html>"),
		"TxDropped":      refusing(tx, theTx, dropped, ""),
		"TxFailed":       forText(tx, theTx, replacing(`"err":null`, `"err":"AccountInUse"`)),
		"TxInOtherSlot":  forText(tx, theTx, replacing(`"slot":`, `"slot":1`)),
		"ListFailed":     forText(list, theAccount, replacing(`"err":null`, `"err":"AccountInUse"`)),
		"ListNull":       forText(list, theAccount, says("null")),
		"ListEmpty":      forText(list, theAccount, says("[]")),
		"ListGarbled":    forText(list, theAccount, says(`[{"signature":"x","slot":1}]`)),
		"ListFails":      refusing(list, theAccount, http.StatusOK, rpcError(-32603, "Internal error")),
		"ListHTTP":       refusing(list, theAccount, http.StatusBadGateway, "bad gateway"),
		"ListDropped":    refusing(list, theAccount, dropped, ""),
		"AccountDropped": refusing(accounts, theAccount, dropped, ""),
		"AccountFails":   refusing(accounts, theAccount, http.StatusOK, rpcError(-32603, "Internal error")),
		"AccountHTTP":    refusing(accounts, theAccount, http.StatusInternalServerError, "no"),
		"AccountGarbled": garbled,
		"StatusFails":    refusing("getSignatureStatuses", theTx, http.StatusOK, rpcError(-32603, "Internal error")),
		"StatusDropped":  refusing("getSignatureStatuses", theTx, dropped, ""),
		"StatusNull":     forText("getSignatureStatuses", theTx, says("null")),
		"StatusNotFinal": statusOf(func(s map[string]any) any { s["confirmationStatus"] = "confirmed"; return s }),
		"StatusGone":     statusOf(func(map[string]any) any { return nil }),
		"StatusMoves":    statusOf(moving()),
	}
}

// moving reports another slot each time.
func moving() func(map[string]any) any {
	slot := 0
	return func(s map[string]any) any {
		slot++
		s["slot"] = slot
		return s
	}
}

// garbled makes the data of the account no base64.
func garbled(n *node, account, _ string) {
	n.set("getMultipleAccounts", func(params, result json.RawMessage) json.RawMessage {
		var asked []json.RawMessage
		var keys []string
		var answer struct {
			Context any              `json:"context"`
			Value   []map[string]any `json:"value"`
		}
		if json.Unmarshal(params, &asked) != nil || json.Unmarshal(asked[0], &keys) != nil ||
			json.Unmarshal(result, &answer) != nil {
			return result
		}
		for i, v := range answer.Value {
			if keys[i] == account && v != nil {
				v["data"] = []string{"!", "base64"}
			}
		}
		out, err := json.Marshal(answer)
		if err != nil {
			return result
		}
		return out
	})
}
