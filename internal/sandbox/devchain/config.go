package devchain

import (
	"errors"
	"time"
)

// DefaultFinalDepth is how many blocks the finalized label trails the head by
// when Config.FinalDepth is zero: about what BNB Smart Chain does.
const DefaultFinalDepth = 3

// Config configures a chain. Only ChainID is required.
type Config struct {
	// ChainID is the EIP-155 chain id, such as 56, 137 or 8453.
	ChainID uint64
	// DataDir stores the chain; empty keeps it in memory. A directory belongs to one chain id, and to one
	// process at a time.
	DataDir string
	// BlockTime is the interval at which blocks are made, with or without transactions; with zero only Commit
	// makes them. It must be whole seconds: a block's timestamp counts seconds and must exceed its parent's,
	// so a faster timer would run the chain's clock ahead of the wall clock, and everything that measures
	// windows by block time with it.
	BlockTime time.Duration
	// Decimals is the number of decimals of the test USDT and USDC; zero
	// means 6. BNB Smart Chain's have 18.
	Decimals uint8
	// SafeDepth is how many blocks the safe label trails the head by; zero
	// means that the head itself is safe.
	SafeDepth uint64
	// FinalDepth is how many blocks the finalized label trails the head by;
	// zero means DefaultFinalDepth.
	FinalDepth uint64
}

func (c Config) withDefaults() (Config, error) {
	if c.ChainID == 0 {
		return c, errors.New("devchain: ChainID is missing")
	}
	if c.BlockTime < 0 || c.BlockTime%time.Second != 0 {
		return c, errors.New("devchain: BlockTime must be whole seconds, or zero for blocks by Commit")
	}
	if c.Decimals == 0 {
		c.Decimals = 6
	}
	if c.FinalDepth == 0 {
		c.FinalDepth = DefaultFinalDepth
	}
	if c.SafeDepth > c.FinalDepth {
		return c, errors.New("devchain: SafeDepth must not exceed FinalDepth")
	}
	return c, nil
}
