package solana

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// ErrTooLittle: the payer's wallet holds too little of the token.
var ErrTooLittle = fault.New(fault.Unprocessable, "this wallet holds too little of the token")

var errNoPayer = fault.New(fault.Invalid, "account must be the address of a wallet that can sign")

// signatureFee is the base fee of one signature, in lamports. Wallets add a priority fee of their own.
const signatureFee = 5_000

// Transfer returns an unsigned transaction by which the payer sends units of the asset to the owner `to`,
// whose token account it creates if there is none. The payer pays the fee. It fails with ErrTooLittle or
// chain.ErrPayerGas when the network would refuse the transfer. It signs and sends nothing.
func (a *Adapter) Transfer(
	ctx context.Context, payer, to chain.Address, asset chain.Asset, units money.Units,
) ([]byte, error) {
	return a.Transfers(ctx, payer, []chain.Transfer{{To: to, Asset: asset, Units: units}})
}

// Transfers is Transfer of several amounts, at most chain.MostTransfers, in one transaction: all of them arrive, or
// none. Of each transfer only recipient, asset and units are read.
func (a *Adapter) Transfers(ctx context.Context, payer chain.Address, list []chain.Transfer) ([]byte, error) {
	from, err := parseKey(string(payer))
	if err != nil || !solanago.IsOnCurve(from[:]) {
		return nil, errNoPayer
	}
	if len(list) == 0 || len(list) > chain.MostTransfers {
		return nil, fault.New(fault.Invalid, "%d transfers in one transaction; at most %d", len(list),
			chain.MostTransfers)
	}
	legs := make([]*leg, len(list))
	for i, t := range list {
		m, known := a.mint(t.Asset.Contract)
		if !known || !t.Units.Big().IsUint64() || t.Units.IsZero() {
			return nil, fault.New(
				fault.Invalid, "%s of %s cannot be sent on %s", t.Units, t.Asset.Contract, a.profile.Network)
		}
		if t.To == payer {
			return nil, errNoPayer
		}
		owner, err := parseKey(string(t.To))
		if err != nil {
			return nil, err
		}
		legs[i] = transferLeg(m, from, owner, t.Units)
	}
	var bytes []byte
	err = a.pool.unlessAll(ctx, func(ctx context.Context, e *endpoint) (verdict, err error) {
		bytes, verdict, err = e.transfer(ctx, legs)
		return verdict, err
	})
	if err != nil {
		return nil, fmt.Errorf("prepare a transfer on %s: %w", a.profile.Network, err)
	}
	return bytes, nil
}

var errNotSigned = fault.New(fault.Invalid, "this is no signed transaction of the transfers that were asked for")

// SendTransfers sends a transaction that a wallet has signed and does not send itself, and returns its signature. It
// fails with fault.Invalid unless every instruction of the token program is a transfer of the list, each another one,
// and there is one. Of the list, recipient, asset and units are read; no units are any. Wallets add instructions of
// other programs, for fees.
func (a *Adapter) SendTransfers(ctx context.Context, raw []byte, list []chain.Transfer) (chain.TxHash, error) {
	tx, err := solanago.TransactionFromBytes(raw)
	if err != nil || len(raw) > maxTransaction || len(tx.Signatures) == 0 || tx.VerifySignatures() != nil ||
		!a.makes(tx.Message, list) {
		return "", errNotSigned
	}
	signed := chain.Attempt{Tx: chain.TxHash(tx.Signatures[0].String()), Raw: raw}
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) error { return e.offer(ctx, signed) })
	return signed.Tx, err
}

// makes reports whether the message makes transfers of the list and no other, each by TransferChecked: eight bytes of
// units follow, and the third account gets the tokens.
func (a *Adapter) makes(m solanago.Message, list []chain.Transfer) bool {
	key := func(i uint16) (k solanago.PublicKey) {
		if int(i) < len(m.AccountKeys) {
			k = m.AccountKeys[i]
		}
		return k
	}
	left := slices.Clone(list)
	for _, i := range m.Instructions {
		if key(i.ProgramIDIndex) != solanago.TokenProgramID {
			continue
		}
		if len(i.Data) < 9 || i.Data[0] != rpc.TransferChecked || len(i.Accounts) < 3 {
			return false
		}
		to, units := key(i.Accounts[2]), money.UnitsFromUint64(binary.LittleEndian.Uint64(i.Data[1:]))
		at := slices.IndexFunc(left, func(t chain.Transfer) bool {
			return a.pays(t, to) && (t.Units.IsZero() || t.Units.Cmp(units) == 0)
		})
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return len(left) < len(list)
}

// pays reports whether the token account is that of the transfer's recipient.
func (a *Adapter) pays(t chain.Transfer, account solanago.PublicKey) bool {
	m, known := a.mint(t.Asset.Contract)
	owner, err := parseKey(string(t.To))
	return known && err == nil && rpc.AccountOf(owner, m.key) == account
}

func transferLeg(m mint, from, to solanago.PublicKey, units money.Units) *leg {
	l := &leg{
		owner: from, account: rpc.AccountOf(from, m.key), mint: m.key, program: solanago.TokenProgramID,
		wallet: to, settlement: rpc.AccountOf(to, m.key), decimals: byte(m.asset.Decimals),
		units: units.Big().Uint64(),
	}
	l.Asset = m.asset
	return l
}

// transfer builds the transaction through one endpoint. Its verdict is a refusal, if all repeat it.
func (e *endpoint) transfer(ctx context.Context, legs []*leg) (bytes []byte, verdict, err error) {
	payer := legs[0].owner
	keys := []solanago.PublicKey{payer}
	for _, l := range legs {
		keys = append(keys, l.account, l.settlement)
	}
	held, _, err := e.Accounts(ctx, keys, 0)
	if err != nil {
		return nil, nil, err
	}
	var list []solanago.Instruction
	made, spent, fresh := make(map[solanago.PublicKey]bool), make(map[solanago.PublicKey]uint64), uint64(0)
	for i, l := range legs {
		from, err := held[1+2*i].Holding()
		if err != nil {
			return nil, nil, err
		}
		spent[l.account] += l.units
		if !from.Valid || from.Frozen || from.Amount < spent[l.account] || spent[l.account] < l.units {
			return nil, ErrTooLittle, nil
		}
		if !made[l.settlement] {
			made[l.settlement] = true
			list = append(list, l.to().Create(payer)) // even if it is there: a sweep may close it meanwhile
			if held[2+2*i] == nil {
				fresh++
			}
		}
		list = append(list, l.from().Transfer(l.settlement, l.units, l.decimals))
	}
	cost, err := e.costOfTransfer(ctx, fresh)
	if err != nil {
		return nil, nil, err
	}
	if held[0] == nil || held[0].Lamports < cost {
		return nil, chain.ErrPayerGas, nil
	}
	hash, _, err := e.Blockhash(ctx)
	if err != nil {
		return nil, nil, err
	}
	tx, verdict := solanago.NewTransaction(list, hash, solanago.TransactionPayer(payer))
	if verdict != nil {
		return nil, verdict, nil
	}
	tx.Signatures = make([]solanago.Signature, tx.Message.Header.NumRequiredSignatures)
	bytes, verdict = tx.MarshalBinary()
	return bytes, verdict, nil
}

// costOfTransfer is what the payer needs in lamports: fee, rent of new accounts, and the minimum balance of
// the wallet itself.
func (e *endpoint) costOfTransfer(ctx context.Context, fresh uint64) (uint64, error) {
	cost, err := e.Rent(ctx, 0)
	if err != nil || fresh == 0 {
		return cost + signatureFee, err
	}
	account, err := e.Rent(ctx, rpc.TokenAccountSize)
	return cost + signatureFee + fresh*account, err
}
