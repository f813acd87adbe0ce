package main

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	solana "github.com/gagliardetto/solana-go"
	ata "github.com/gagliardetto/solana-go/programs/associated-token-account"
	"github.com/gagliardetto/solana-go/programs/memo"
	"github.com/gagliardetto/solana-go/programs/system"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/wallet"
)

// solanaChain is the Solana runtime as payers use it.
type solanaChain struct {
	*surfpool
	mints map[string]solana.PublicKey
	made  atomic.Int64 // transactions
}

const (
	solanaDecimals = 6
	mintSize       = 82
	solanaGas      = 2 * solana.LAMPORTS_PER_SOL
)

// startSolana starts the runtime, makes the tokens and gives the gas wallet SOL.
func startSolana(ctx context.Context) (*network, error) {
	pool, err := startSurfpool(ctx)
	if err != nil {
		return nil, err
	}
	c := &solanaChain{surfpool: pool, mints: make(map[string]solana.PublicKey)}
	n := &network{name: "SOL", stop: pool.stop, pay: c.pay, included: c.included, balance: c.balance}
	gas, gasText := wallet.GenerateSolana()
	if err := c.equip(ctx, gas.PublicKey()); err != nil {
		return nil, errors.Join(err, n.close())
	}
	_, words, err := wallet.GenerateSeed()
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	owner, err := solana.NewRandomPrivateKey()
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	n.wallet = owner.PublicKey().String()
	addresses, err := n.open(pool.url, pool.mend)
	if err != nil {
		return nil, errors.Join(err, n.close())
	}
	n.environ = []string{
		"FLORIN_SOL_RPC=" + addresses, "FLORIN_SOL_USDT=" + c.mints[usdt].String(),
		"FLORIN_SOL_USDC=" + c.mints[usdc].String(), "FLORIN_SOL_GAS_KEY=" + gasText.Reveal(),
		"FLORIN_SOL_SEED=" + words.Reveal(), "FLORIN_SOL_MAX_PRIORITY_FEE=1000000",
	}
	return n, nil
}

// equip makes the mints and funds the gas wallet.
func (c *solanaChain) equip(ctx context.Context, gas solana.PublicKey) error {
	var rent uint64
	if err := c.ask(ctx, &rent, "getMinimumBalanceForRentExemption", mintSize); err != nil {
		return err
	}
	rich := c.rich.PublicKey()
	for _, name := range []string{usdt, usdc, counterfeit} {
		key, err := solana.NewRandomPrivateKey()
		if err != nil {
			return err
		}
		c.mints[name] = key.PublicKey()
		if _, err := c.send(ctx, []solana.Instruction{
			system.NewCreateAccountInstruction(rent, mintSize, solana.TokenProgramID, rich, key.PublicKey()).Build(),
			initializeMint(key.PublicKey(), rich),
			ata.NewCreateIdempotentInstruction(rich, rich, key.PublicKey()).Build(),
		}, key); err != nil {
			return fmt.Errorf("make %s: %w", name, err)
		}
	}
	tx, err := c.send(ctx, []solana.Instruction{system.NewTransferInstruction(solanaGas, rich, gas).Build()})
	if err != nil {
		return err
	}
	for {
		_, ok, err := c.included(ctx, tx)
		if ok || err != nil {
			return err
		}
		pause(ctx, time.Second)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// send signs and sends a unique transaction paid by the rich account.
func (c *solanaChain) send(ctx context.Context, list []solana.Instruction, more ...solana.PrivateKey) (string, error) {
	var latest struct {
		Value struct{ Blockhash solana.Hash }
	}
	if err := c.ask(ctx, &latest, "getLatestBlockhash", map[string]any{"commitment": "confirmed"}); err != nil {
		return "", err
	}
	rich := c.rich.PublicKey()
	list = append(list, memo.NewMemoInstruction(fmt.Appendf(nil, "%d", c.made.Add(1)), rich).Build())
	tx, err := solana.NewTransaction(list, latest.Value.Blockhash, solana.TransactionPayer(rich))
	if err != nil {
		return "", err
	}
	if _, err := tx.Sign(func(k solana.PublicKey) *solana.PrivateKey {
		for _, s := range append(more, c.rich) {
			if s.PublicKey() == k {
				return &s
			}
		}
		return nil
	}); err != nil {
		return "", err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return "", err
	}
	var signature string
	err = c.ask(ctx, &signature, "sendTransaction", base64.StdEncoding.EncodeToString(raw),
		map[string]any{"encoding": "base64", "skipPreflight": true})
	return signature, err
}

func (c *solanaChain) pay(ctx context.Context, name, to string, amount money.Micros) (string, error) {
	owner, err := solana.PublicKeyFromBase58(to)
	if err != nil {
		return "", err
	}
	rich, mint, units := c.rich.PublicKey(), c.mints[name], amount.Units(solanaDecimals).Big().Uint64()
	from, into, err := accounts(rich, owner, mint)
	if err != nil {
		return "", err
	}
	return c.send(ctx, []solana.Instruction{
		ata.NewCreateIdempotentInstruction(rich, owner, mint).Build(),
		mintTo(mint, from, rich, units),
		transferChecked(from, mint, into, rich, units),
	})
}

// accounts returns the token accounts of two owners.
func accounts(a, b, mint solana.PublicKey) (of, and solana.PublicKey, err error) {
	of, _, err = solana.FindAssociatedTokenAddress(a, mint)
	if err != nil {
		return of, and, err
	}
	and, _, err = solana.FindAssociatedTokenAddress(b, mint)
	return of, and, err
}

func (c *solanaChain) included(ctx context.Context, tx string) (at time.Time, ok bool, err error) {
	var answer struct {
		Value []*struct {
			Slot uint64
			Err  any
		}
	}
	err = c.ask(
		ctx, &answer, "getSignatureStatuses", []string{tx}, map[string]any{"searchTransactionHistory": true},
	)
	if err != nil || len(answer.Value) == 0 || answer.Value[0] == nil {
		return at, false, err
	}
	status := answer.Value[0]
	if status.Err != nil {
		return at, false, fmt.Errorf("the payment %s failed: %v", tx, status.Err)
	}
	seconds, err := c.blockTime(ctx, status.Slot)
	return time.Unix(seconds, 0), err == nil, err
}

// amountAt is where a token account holds its amount.
const amountAt = 64

func (c *solanaChain) balance(ctx context.Context, name, of string) (money.Micros, error) {
	owner, err := solana.PublicKeyFromBase58(of)
	if err != nil {
		return 0, err
	}
	account, _, err := solana.FindAssociatedTokenAddress(owner, c.mints[name])
	if err != nil {
		return 0, err
	}
	var got struct {
		Value *struct{ Data []string }
	}
	err = c.ask(ctx, &got, "getAccountInfo", account.String(), map[string]any{"encoding": "base64"})
	if err != nil || got.Value == nil || len(got.Value.Data) == 0 {
		return 0, err // there is none
	}
	data, err := base64.StdEncoding.DecodeString(got.Value.Data[0])
	if err != nil || len(data) < amountAt+8 {
		return 0, err // it is closed
	}
	return money.Micros(binary.LittleEndian.Uint64(data[amountAt:])), nil //nolint:gosec // minted by this run
}

// Instructions of the token program in its layout.

func tokens(data []byte, accounts ...*solana.AccountMeta) solana.Instruction {
	return solana.NewInstruction(solana.TokenProgramID, accounts, data)
}

func initializeMint(mint, authority solana.PublicKey) solana.Instruction {
	data := append([]byte{20, solanaDecimals}, authority[:]...)
	return tokens(append(data, 0), solana.Meta(mint).WRITE()) // nobody can freeze an account
}

func mintTo(mint, account, authority solana.PublicKey, units uint64) solana.Instruction {
	return tokens(binary.LittleEndian.AppendUint64([]byte{7}, units),
		solana.Meta(mint).WRITE(), solana.Meta(account).WRITE(), solana.Meta(authority).SIGNER())
}

func transferChecked(from, mint, to, owner solana.PublicKey, units uint64) solana.Instruction {
	return tokens(append(binary.LittleEndian.AppendUint64([]byte{12}, units), solanaDecimals),
		solana.Meta(from).WRITE(), solana.Meta(mint), solana.Meta(to).WRITE(), solana.Meta(owner).SIGNER())
}
