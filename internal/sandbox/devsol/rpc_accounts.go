package devsol

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	solana "github.com/gagliardetto/solana-go"
)

func getBalance(l *Ledger, p *params) any {
	key := p.key()
	return l.reading(p, 1, func(slot uint64) any { return l.accountAt(key, slot).Lamports })
}

// shown is an account in the JSON form of the RPC calls; nil if it does not exist.
func (a Account) shown() any {
	if !a.exists() {
		return nil
	}
	return map[string]any{
		"lamports": a.Lamports, "owner": a.Owner.String(), "executable": a.Executable, "space": len(a.Data),
		"rentEpoch": uint64(1<<64 - 1), "data": []string{base64.StdEncoding.EncodeToString(a.Data), "base64"},
	}
}

func getAccountInfo(l *Ledger, p *params) any {
	key := p.key()
	return l.reading(p, 1, func(slot uint64) any { return l.accountAt(key, slot).shown() })
}

// maxAccounts is the limit of getMultipleAccounts, as on real nodes.
const maxAccounts = 100

func getMultipleAccounts(l *Ledger, p *params) any {
	var texts []string
	p.into(0, &texts)
	if len(texts) > maxAccounts {
		return p.badParams("Too many inputs provided; max %d", maxAccounts)
	}
	return l.reading(p, 1, func(slot uint64) any {
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = l.accountAt(p.parseKey(text), slot).shown()
		}
		return list
	})
}

func getRent(l *Ledger, p *params) any {
	var size int
	p.into(0, &size)
	return l.config.rentExempt(size)
}

func getTokenAccountBalance(l *Ledger, p *params) any {
	key := p.key()
	return l.reading(p, 1, func(slot uint64) any {
		held, ok := readToken(l.accountAt(key, slot))
		if !ok {
			return p.badParams("Invalid param: not a Token account")
		}
		return map[string]any{"amount": strconv.FormatUint(held.amount, 10), "decimals": Decimals}
	})
}

// getTokenAccountsByOwner lists the accounts of an owner, of one mint or of one program. There is one token program
// here.
func getTokenAccountsByOwner(l *Ledger, p *params) any {
	owner := p.key()
	var filter struct{ Mint, ProgramID *solana.PublicKey }
	p.into(1, &filter)
	return l.reading(p, 2, func(slot uint64) any {
		list := []any{}
		for _, key := range slices.SortedFunc(maps.Keys(l.state), func(a, b solana.PublicKey) int {
			return bytes.Compare(a[:], b[:])
		}) {
			a := l.accountAt(key, slot)
			held, ok := readToken(a)
			if !ok || held.owner != owner || filter.Mint != nil && held.mint != *filter.Mint ||
				filter.ProgramID != nil && a.Owner != *filter.ProgramID {
				continue
			}
			list = append(list, map[string]any{"pubkey": key.String(), "account": a.shown()})
		}
		return list
	})
}
