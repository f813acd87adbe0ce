package sandbox

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

// purse is test money without end on one development chain.
type purse interface {
	// pay sends the amount of a token and returns the transaction.
	pay(ctx context.Context, t money.Token, to chain.Address, amount money.Micros) (string, error)
	// counterfeit sends as much of a token that is worth nothing.
	counterfeit(ctx context.Context, to chain.Address, amount money.Micros) error
	// reorg replaces the newest blocks, without what was paid in them, and
	// returns how many.
	reorg() (int, error)
}

// evmPurse is the faucet of an EVM chain.
type evmPurse struct{ *devchain.Chain }

func (p evmPurse) token(t money.Token) devchain.Token {
	if t == money.USDT {
		return p.Tokens().USDT
	}
	return p.Tokens().USDC
}

func (p evmPurse) pay(ctx context.Context, t money.Token, to chain.Address, amount money.Micros) (string, error) {
	token := p.token(t)
	tx, err := p.Mint(ctx, token.Address, common.HexToAddress(string(to)), amount.Units(int(token.Decimals)).Big())
	return fmt.Sprint(tx), err
}

func (p evmPurse) counterfeit(ctx context.Context, to chain.Address, amount money.Micros) error {
	fake := p.Tokens().Counterfeit
	_, err := p.Mint(ctx, fake.Address, common.HexToAddress(string(to)), amount.Units(int(fake.Decimals)).Big())
	return err
}

func (p evmPurse) reorg() (int, error) {
	const depth = devchain.DefaultFinalDepth - 1 // one less than are final
	_, err := p.Reorg(depth)
	return depth, err
}

// solPurse is the faucet of the Solana development ledger.
type solPurse struct{ *devsol.Ledger }

func (p solPurse) send(mint solana.PublicKey, to chain.Address, amount money.Micros) (string, error) {
	owner, err := solana.PublicKeyFromBase58(string(to))
	if err != nil {
		return "", err
	}
	tx, err := p.Pay(mint, owner, amount.Units(devsol.Decimals).Big().Uint64())
	return tx.String(), err
}

func (p solPurse) pay(_ context.Context, t money.Token, to chain.Address, amount money.Micros) (string, error) {
	if t == money.USDT {
		return p.send(p.Tokens().USDT, to, amount)
	}
	return p.send(p.Tokens().USDC, to, amount)
}

func (p solPurse) counterfeit(_ context.Context, to chain.Address, amount money.Micros) error {
	_, err := p.send(p.Tokens().Counterfeit, to, amount)
	return err
}

func (p solPurse) reorg() (int, error) {
	const depth = devsol.DefaultFinalDepth * 2 / 3
	return depth, p.Fork(depth, false)
}
