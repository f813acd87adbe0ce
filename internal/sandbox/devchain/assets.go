package devchain

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
)

// Token is a test ERC-20 that Setup deploys.
type Token struct {
	Name     string
	Symbol   string
	Decimals uint8
	Address  common.Address // follows from the other three and the kind

	initCode []byte
	salt     [32]byte
}

func newToken(kind, name, symbol string, decimals uint8) Token {
	t := Token{Name: name, Symbol: symbol, Decimals: decimals}
	t.salt = crypto.Keccak256Hash([]byte("florin devchain " + kind))
	t.initCode = append(common.FromHex(contractstest.TestTokenMetaData.Bin),
		contractstest.NewTestToken().PackConstructor(name, symbol, decimals)...)
	t.Address = crypto.CreateAddress2(contracts.DeployerAddress, t.salt, crypto.Keccak256(t.initCode))
	return t
}

// Tokens are the test tokens of a chain. Chains with equal decimals have them at equal addresses, so that
// code that forgets the chain id fails tests.
type Tokens struct {
	USDT, USDC  Token
	Bridged     Token // a bridged twin of USDC: real money elsewhere, but not USDC
	Counterfeit Token // name and symbol of USDT, worth nothing
}

// Tokens returns the tokens that Setup deploys; their addresses are known before.
func (c *Chain) Tokens() Tokens {
	d := c.config.Decimals
	return Tokens{
		USDT:        newToken("USDT", "Tether USD", "USDT", d),
		USDC:        newToken("USDC", "USD Coin", "USDC", d),
		Bridged:     newToken("bridged USDC", "USD Coin (bridged)", "USDC.e", d),
		Counterfeit: newToken("counterfeit USDT", "Tether USD", "USDT", d),
	}
}

// Gas limits of Setup's transactions, above what they use.
const (
	deployTokenGas   = 2_000_000
	deployFactoryGas = 4_000_000
)

// Setup deploys the deterministic deployment proxy, the test tokens, price feeds and the forwarder factory where they
// are missing, and returns when they have code, after at most one block of its own. Calling it again does
// nothing.
func (c *Chain) Setup(ctx context.Context) error {
	sent, err := c.sendMissing(ctx)
	if err != nil || !sent {
		return err
	}
	c.Commit()
	if again, err := c.sendMissing(ctx); err != nil || again {
		return errors.Join(errors.New("devchain: setup transactions failed"), err)
	}
	return nil
}

// sendMissing sends the deployments of the contracts that have no code and reports whether there were any.
// The proxy pays most and so comes first in the block.
func (c *Chain) sendMissing(ctx context.Context) (sent bool, err error) {
	missing := func(a common.Address) bool {
		if err != nil {
			return false
		}
		var code []byte
		code, err = c.client.CodeAt(ctx, a, nil)
		return err == nil && len(code) == 0
	}
	send := func(gas uint64, data []byte) {
		if err == nil {
			_, err = c.fromFaucet(ctx, Tx{To: &contracts.DeployerAddress, Gas: gas, Data: data})
			sent = true
		}
	}
	if missing(contracts.DeployerAddress) {
		err = c.client.SendTransaction(ctx, contracts.DeployerTransaction())
		sent = true
	}
	tokens := c.Tokens()
	for _, t := range []Token{tokens.USDT, tokens.USDC, tokens.Bridged, tokens.Counterfeit} {
		if missing(t.Address) {
			send(deployTokenGas, contracts.DeployerCalldata(t.salt, t.initCode))
		}
	}
	for _, f := range Feeds() {
		if missing(f.Address) {
			send(deployTokenGas, contracts.DeployerCalldata(f.salt, f.initCode))
		}
	}
	if missing(contracts.FactoryAddress()) {
		_, data := contracts.FactoryDeployment()
		send(deployFactoryGas, data)
	}
	if err != nil {
		return sent, fmt.Errorf("devchain: setup: %w", err)
	}
	return sent, nil
}
