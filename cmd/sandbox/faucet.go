package main

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// faucet sends unlimited test money on one development chain.
type faucet interface {
	// pay sends the amount of a token and returns the transaction.
	pay(ctx context.Context, t money.Token, to chain.Address, amount money.Micros) (string, error)
	// counterfeit sends the same amount of a worthless token.
	counterfeit(ctx context.Context, to chain.Address, amount money.Micros) error
	// reorg replaces the newest blocks without the payments in them, and returns how many.
	reorg() (int, error)
}

// evmFaucet is the faucet of an EVM chain.
type evmFaucet struct{ *devchain.Chain }

func (p evmFaucet) token(t money.Token) devchain.Token {
	if t == money.USDT {
		return p.Tokens().USDT
	}
	return p.Tokens().USDC
}

func (p evmFaucet) pay(ctx context.Context, t money.Token, to chain.Address, amount money.Micros) (string, error) {
	return p.send(ctx, p.token(t), to, amount)
}

// send pays from the faucet's own account, as a customer would: money that is minted comes from the zero address, to
// which nothing can be sent back.
func (p evmFaucet) send(
	ctx context.Context, token devchain.Token, to chain.Address, amount money.Micros,
) (string, error) {
	units := amount.Units(int(token.Decimals)).Big()
	if _, err := p.Mint(ctx, token.Address, devchain.FaucetAddress(), units); err != nil {
		return "", err
	}
	tx, err := p.Transfer(ctx, devchain.FaucetKey(), token.Address, common.HexToAddress(string(to)), units)
	return fmt.Sprint(tx), err
}

func (p evmFaucet) counterfeit(ctx context.Context, to chain.Address, amount money.Micros) error {
	_, err := p.send(ctx, p.Tokens().Counterfeit, to, amount)
	return err
}

func (p evmFaucet) reorg() (int, error) {
	const depth = devchain.DefaultFinalDepth - 1 // blocks below are final
	_, err := p.Reorg(depth)
	return depth, err
}

// solanaFaucet is the faucet of the Solana development ledger.
type solanaFaucet struct{ *devsol.Ledger }

func (p solanaFaucet) send(mint solana.PublicKey, to chain.Address, amount money.Micros) (string, error) {
	owner, err := solana.PublicKeyFromBase58(string(to))
	if err != nil {
		return "", err
	}
	tx, err := p.Pay(mint, owner, amount.Units(devsol.Decimals).Big().Uint64())
	return tx.String(), err
}

func (p solanaFaucet) pay(_ context.Context, t money.Token, to chain.Address, amount money.Micros) (string, error) {
	if t == money.USDT {
		return p.send(p.Tokens().USDT, to, amount)
	}
	return p.send(p.Tokens().USDC, to, amount)
}

func (p solanaFaucet) counterfeit(_ context.Context, to chain.Address, amount money.Micros) error {
	_, err := p.send(p.Tokens().Counterfeit, to, amount)
	return err
}

func (p solanaFaucet) reorg() (int, error) {
	const depth = devsol.DefaultFinalDepth * 2 / 3
	return depth, p.Fork(depth, false)
}
