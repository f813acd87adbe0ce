package devchain

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
)

// Feed is a price feed that Setup deploys: what a currency or a token is worth in US dollars, with 8 decimals.
type Feed struct {
	Of      string
	Address common.Address // follows from Of

	initCode []byte
	salt     [32]byte
}

// NewFeed returns the feed of a currency or token with the description and decimals.
func NewFeed(of, description string, decimals uint8) Feed {
	f := Feed{Of: of, salt: crypto.Keccak256Hash([]byte("florin devchain feed " + of))}
	f.initCode = append(common.FromHex(contractstest.TestFeedMetaData.Bin),
		contractstest.NewTestFeed().PackConstructor(description, decimals)...)
	f.Address = crypto.CreateAddress2(contracts.DeployerAddress, f.salt, crypto.Keccak256(f.initCode))
	return f
}

// Feeds returns the feeds that Setup deploys, the same on every chain.
func Feeds() []Feed {
	var all []Feed
	for _, of := range []string{"EUR", "JPY", "USDC", "USDT"} {
		all = append(all, NewFeed(of, of+" / USD", 8))
	}
	return all
}

// Deploy sends a transaction that deploys the feed.
func (c *Chain) Deploy(ctx context.Context, f Feed) (common.Hash, error) {
	return c.fromFaucet(ctx, Tx{
		To: &contracts.DeployerAddress, Gas: deployTokenGas, Data: contracts.DeployerCalldata(f.salt, f.initCode),
	})
}

// SetFeed sends a transaction that sets the price of a feed, in 1e-8 dollars, and when it was set.
func (c *Chain) SetFeed(ctx context.Context, f Feed, answer *big.Int, at time.Time) error {
	data := contractstest.NewTestFeed().PackSet(answer, big.NewInt(at.Unix()))
	return c.toFeed(ctx, f, data)
}

// StopFeed sends a transaction after which the feed answers nothing, until it is set again.
func (c *Chain) StopFeed(ctx context.Context, f Feed) error {
	return c.toFeed(ctx, f, contractstest.NewTestFeed().PackStop())
}

func (c *Chain) toFeed(ctx context.Context, f Feed, data []byte) error {
	if _, err := c.fromFaucet(ctx, Tx{To: &f.Address, Gas: transferGas, Data: data}); err != nil {
		return fmt.Errorf("devchain: feed of %s: %w", f.Of, err)
	}
	return nil
}
