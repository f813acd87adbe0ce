package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
)

// solanaNode is an endpoint of Solana. It makes a block in every slot.
type solanaNode struct{ *testChain }

// genesis is the hash of mainnet's first block, because the mints are mainnet's.
const genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

// solanaPayer is the account that pays and holds the tokens before.
var solanaPayer = solanago.PublicKey(sha256.Sum256([]byte("the payer")))

func (n solanaNode) answer(c call) string {
	switch c.Method {
	case "getGenesisHash":
		return `"` + genesis + `"`
	case "getSlot":
		return strconv.FormatUint(n.slot(c.Params), 10)
	case "getBlock":
		var slot uint64
		_ = json.Unmarshal(c.Params[0], &slot) // the adapter's own request
		return n.block(slot)
	case "getMultipleAccounts":
		return n.accounts(c.Params[0])
	case "getTokenAccountsByOwner": // the payers' wallets make none beside the associated ones
		return fmt.Sprintf(`{"context":{"slot":%d},"value":[]}`, n.tagged("latest"))
	case "getSignaturesForAddress":
		var o struct {
			Before string `json:"before"`
			Limit  int    `json:"limit"`
		}
		_ = json.Unmarshal(c.Params[1], &o) // the adapter's own request
		return n.signatures(text(c.Params[0]), o.Before, o.Limit)
	case "getSignatureStatuses":
		return n.statuses(c.Params[0])
	case "getTransaction":
		return n.transaction(text(c.Params[0]))
	}
	return "null"
}

func (n solanaNode) slot(params []json.RawMessage) uint64 {
	if len(params) > 0 && strings.Contains(string(params[len(params)-1]), "finalized") {
		return n.tagged("finalized")
	}
	return n.tagged("latest")
}

func (n solanaNode) block(slot uint64) string {
	if slot > n.tagged("latest") {
		return "null"
	}
	return fmt.Sprintf(`{"blockhash":%q,"previousBlockhash":%q,"parentSlot":%d,"blockTime":%d,"signatures":[]}`,
		blockhash(slot), blockhash(slot-1), slot-1, n.timeOf(slot).Unix())
}

func blockhash(slot uint64) string {
	return solanago.Hash(sha256.Sum256(fmt.Appendf(nil, "slot %d", slot))).String()
}

// solanaTx returns the signature of the n-th transaction.
func solanaTx(i int) string {
	a, b := sha256.Sum256(fmt.Appendf(nil, "a %d", i)), sha256.Sum256(fmt.Appendf(nil, "b %d", i))
	return solanago.SignatureFromBytes(append(a[:], b[:]...)).String()
}

// tokenAccount returns the token account of an owner.
func tokenAccount(to chain.Watched, asset chain.Asset) string {
	mint := solanago.MustPublicKeyFromBase58(string(asset.Contract))
	key, _, err := solanago.FindAssociatedTokenAddress(solanago.PublicKey(to.Raw), mint)
	if err != nil {
		panic(err) // practically every owner has one
	}
	return key.String()
}

// tokenAccountSize is the size of the token program's accounts; the amount and the state are at these offsets.
const (
	tokenAccountSize = 165
	amountAt         = 64
	stateAt          = 108
)

func (n solanaNode) accounts(raw json.RawMessage) string {
	var keys []string
	_ = json.Unmarshal(raw, &keys) // the adapter's own request
	values := make([]string, len(keys))
	for i, key := range keys {
		paid := n.toTarget(key)
		if values[i] = "null"; len(paid) == 0 {
			continue
		}
		t, sum := paid[0], uint64(0)
		for _, one := range paid {
			sum += one.units.Big().Uint64()
		}
		data := make([]byte, tokenAccountSize)
		copy(data, solanago.MustPublicKeyFromBase58(string(t.asset.Contract)).Bytes())
		copy(data[32:], t.to.Raw)
		binary.LittleEndian.PutUint64(data[amountAt:], sum)
		data[stateAt] = 1
		values[i] = fmt.Sprintf(`{"lamports":2039280,"owner":%q,"executable":false,"rentEpoch":0,"data":[%q,"base64"]}`,
			solanago.TokenProgramID, base64.StdEncoding.EncodeToString(data))
	}
	return fmt.Sprintf(`{"context":{"slot":%d},"value":[%s]}`, n.tagged("latest"), strings.Join(values, ","))
}

func (n solanaNode) signatures(address, before string, limit int) string {
	paid := n.toTarget(address)
	if at := slices.IndexFunc(paid, func(t transfer) bool { return t.tx == before }); at >= 0 {
		paid = paid[:at]
	}
	var list []string
	for _, t := range slices.Backward(paid[max(len(paid)-limit, 0):]) {
		list = append(list, fmt.Sprintf(`{"signature":%q,"slot":%d,"err":null}`, t.tx, t.block))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func (n solanaNode) statuses(raw json.RawMessage) string {
	var signatures []string
	_ = json.Unmarshal(raw, &signatures) // the adapter's own request
	values := make([]string, len(signatures))
	for i, s := range signatures {
		t, ok := n.byHash(s)
		if values[i] = "null"; !ok {
			continue
		}
		status := "confirmed"
		if t.block <= n.tagged("finalized") {
			status = "finalized"
		}
		values[i] = fmt.Sprintf(`{"slot":%d,"err":null,"confirmationStatus":%q}`, t.block, status)
	}
	return fmt.Sprintf(`{"context":{"slot":%d},"value":[%s]}`, n.tagged("latest"), strings.Join(values, ","))
}

func (n solanaNode) transaction(signature string) string {
	t, ok := n.byHash(signature)
	if !ok {
		return "null"
	}
	balance := func(index int, owner string, amount uint64) string {
		return fmt.Sprintf(`{"accountIndex":%d,"mint":%q,"owner":%q,"programId":%q,"uiTokenAmount":{"amount":"%d"}}`,
			index, t.asset.Contract, owner, solanago.TokenProgramID, amount)
	}
	const plenty = 1 << 50
	units := t.units.Big().Uint64()
	before := uint64(0)
	for _, o := range n.toTarget(t.account) {
		if o.tx == t.tx {
			break
		}
		before += o.units.Big().Uint64()
	}
	to := solanago.PublicKey(t.to.Raw).String()
	return fmt.Sprintf(`{"slot":%d,"blockTime":%d,"meta":{"err":null,"fee":5000,"preBalances":[9,2039280,2039280],`+
		`"postBalances":[9,2039280,2039280],"preTokenBalances":[%s,%s],"postTokenBalances":[%s,%s],`+
		`"loadedAddresses":{"writable":[],"readonly":[]}},"transaction":{"signatures":[%q],`+
		`"message":{"accountKeys":[%q,%q,%q]}}}`,
		t.block, n.timeOf(t.block).Unix(),
		balance(1, solanaPayer.String(), plenty), balance(2, to, before),
		balance(1, solanaPayer.String(), plenty-units), balance(2, to, before+units),
		t.tx, solanaPayer, solanago.PublicKey(sha256.Sum256([]byte("the payer's account"))), t.account)
}
