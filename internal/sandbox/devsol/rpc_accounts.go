package devsol

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	solana "github.com/gagliardetto/solana-go"
)

func getBalance(l *Ledger, p params) (any, *rpcFailure) {
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) { return l.accountAt(key, slot).Lamports, nil })
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

func getAccountInfo(l *Ledger, p params) (any, *rpcFailure) {
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) { return l.accountAt(key, slot).shown(), nil })
}

// maxAccounts is the limit of getMultipleAccounts, as on real nodes.
const maxAccounts = 100

func getMultipleAccounts(l *Ledger, p params) (any, *rpcFailure) {
	var texts []string
	if failed := p.into(0, &texts); failed != nil {
		return nil, failed
	}
	if len(texts) > maxAccounts {
		return nil, badParams("Too many inputs provided; max %d", maxAccounts)
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) {
		list := make([]any, len(texts))
		for i, text := range texts {
			key, failed := parseKey(text)
			if failed != nil {
				return nil, failed
			}
			list[i] = l.accountAt(key, slot).shown()
		}
		return list, nil
	})
}

func getRent(l *Ledger, p params) (any, *rpcFailure) {
	var size int
	if failed := p.into(0, &size); failed != nil {
		return nil, failed
	}
	return l.config.rentExempt(size), nil
}

func getTokenAccountBalance(l *Ledger, p params) (any, *rpcFailure) {
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) {
		held, ok := readToken(l.accountAt(key, slot))
		if !ok {
			return nil, badParams("Invalid param: not a Token account")
		}
		return map[string]any{"amount": strconv.FormatUint(held.amount, 10), "decimals": Decimals}, nil
	})
}

// getTokenAccountsByOwner lists the accounts of an owner, of one mint or of one program. There is one token program
// here.
func getTokenAccountsByOwner(l *Ledger, p params) (any, *rpcFailure) {
	owner, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	var filter struct{ Mint, ProgramID *solana.PublicKey }
	if failed := p.into(1, &filter); failed != nil {
		return nil, failed
	}
	return l.reading(p[1:], func(slot uint64, _ options) (any, *rpcFailure) {
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
		return list, nil
	})
}
