package devchain

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/miner"
)

// ErrClosed: no blocks are made after Close.
var ErrClosed = errors.New("devchain: the chain is closed")

// ErrFinal: a finalized block cannot be rolled back.
var ErrFinal = errors.New("devchain: the block is final; no fork may start below it")

// Commit makes a block of the pool's transactions and returns its hash. Its timestamp is the present second,
// or one more than the parent's if that is later, so many commits in a second run the chain's clock ahead.
// After Close it does nothing and returns the last block's hash.
func (c *Chain) Commit() common.Hash {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	return c.mustSeal(c.nextTime())
}

// Mine makes blocks and returns the hash of the last one.
func (c *Chain) Mine(blocks int) common.Hash {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	for range blocks {
		c.mustSeal(c.nextTime())
	}
	return c.backend.BlockChain().CurrentBlock().Hash()
}

// AdjustTime makes a block whose timestamp is by that much, at least a second, later than its parent's. Later
// blocks continue from there.
func (c *Chain) AdjustTime(by time.Duration) error {
	if by < time.Second {
		return errors.New("devchain: time can only go forward, by at least a second")
	}
	c.sealing.Lock()
	defer c.sealing.Unlock()
	return c.seal(c.backend.BlockChain().CurrentBlock().Time + uint64(by/time.Second))
}

// Fork rolls the chain back to an ancestor of the head. Transactions of the removed blocks wait in the pool
// for the next Commit. It returns ErrFinal for an ancestor below the finalized block.
func (c *Chain) Fork(parent common.Hash) error {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	return c.fork(parent)
}

// Rollback empties the pool.
func (c *Chain) Rollback() {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	c.rollback()
}

// Reorg replaces the newest blocks, at least one, by empty ones and makes one more, in one step. The removed
// transactions come back only if they are sent again. It returns the hash of the new head.
func (c *Chain) Reorg(blocks uint64) (common.Hash, error) {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	head := c.backend.BlockChain().CurrentBlock().Number.Uint64()
	if blocks == 0 || blocks > head {
		return common.Hash{}, fmt.Errorf("devchain: cannot replace %d of %d blocks", blocks, head)
	}
	if err := c.fork(c.backend.BlockChain().GetCanonicalHash(head - blocks)); err != nil {
		return common.Hash{}, err
	}
	c.rollback()
	for range blocks + 1 {
		if err := c.seal(c.nextTime()); err != nil {
			return common.Hash{}, err
		}
	}
	return c.backend.BlockChain().CurrentBlock().Hash(), nil
}

func (c *Chain) fork(parent common.Hash) error {
	if c.ended {
		return ErrClosed
	}
	blocks := c.backend.BlockChain()
	block := blocks.GetBlockByHash(parent)
	if block == nil || blocks.GetCanonicalHash(block.NumberU64()) != parent {
		return fmt.Errorf("devchain: block %s is not in the chain", parent)
	}
	if block.NumberU64() < blocks.CurrentFinalBlock().Number.Uint64() {
		return ErrFinal
	}
	if _, err := blocks.SetCanonical(block); err != nil {
		return fmt.Errorf("devchain: fork at %s: %w", parent, err)
	}
	c.label(block.NumberU64())
	return c.settlePool()
}

func (c *Chain) rollback() {
	if c.ended {
		return
	}
	if err := c.settlePool(); err == nil { // the pool must have the transactions of a fork before it is cleared
		c.backend.TxPool().Clear()
	}
}

// settlePool waits until the pool, which follows the head in the background, has caught up.
func (c *Chain) settlePool() error {
	if err := c.backend.TxPool().Sync(); err != nil {
		return fmt.Errorf("devchain: transaction pool: %w", err)
	}
	return nil
}

func (c *Chain) nextTime() uint64 {
	return max(uint64(time.Now().Unix()), c.backend.BlockChain().CurrentBlock().Time+1)
}

// mustSeal is seal for callers that return no error: a node without peers refuses its own block only when it
// is closed or broken.
func (c *Chain) mustSeal(timestamp uint64) common.Hash {
	if err := c.seal(timestamp); err != nil && !errors.Is(err, ErrClosed) {
		panic(err)
	}
	return c.backend.BlockChain().CurrentBlock().Hash()
}

// seal makes the next block of the pool's transactions, makes it the head and moves the labels.
func (c *Chain) seal(timestamp uint64) error {
	if c.ended {
		return ErrClosed
	}
	if err := c.settlePool(); err != nil {
		return err
	}
	block, err := c.build(timestamp)
	if err != nil {
		return fmt.Errorf("devchain: build block: %w", err)
	}
	blocks := c.backend.BlockChain()
	if _, err := blocks.InsertBlockWithoutSetHead(context.Background(), block, false); err != nil {
		return fmt.Errorf("devchain: insert block: %w", err)
	}
	if _, err := blocks.SetCanonical(block); err != nil {
		return fmt.Errorf("devchain: set head: %w", err)
	}
	c.label(block.NumberU64())
	if err := c.backend.ChainDb().SyncKeyValue(); err != nil {
		return fmt.Errorf("devchain: sync: %w", err)
	}
	// A caller that sees the block may spend its money at once.
	if err := c.settlePool(); err != nil {
		return err
	}
	return c.awaitIndex()
}

// indexTimeout bounds the building of the index of transactions, which exists after the first block.
const indexTimeout = 10 * time.Second

// awaitIndex waits for the index of transactions: until it exists, the node answers a request for an unknown
// receipt with an error.
func (c *Chain) awaitIndex() error {
	for began := time.Now(); !c.backend.BlockChain().TxIndexDone(); time.Sleep(time.Millisecond) {
		if time.Since(began) > indexTimeout {
			return errors.New("devchain: the index of transactions is not getting ready")
		}
	}
	return nil
}

// build makes a block on top of the head from the pool's transactions, best paid first.
func (c *Chain) build(timestamp uint64) (*types.Block, error) {
	args := miner.BuildPayloadArgs{
		Parent:     c.backend.BlockChain().CurrentBlock().Hash(),
		Timestamp:  timestamp,
		BeaconRoot: new(common.Hash),
	}
	// Otherwise an empty block of a fork would have the hash of the block it replaces.
	if _, err := rand.Read(args.Random[:]); err != nil {
		return nil, err
	}
	block, _, err := c.backend.Miner().BuildTestingPayload(&args, nil, false, nil)
	return block, err
}

// label moves the safe and finalized labels for a new head: finalized never back, safe never below it.
func (c *Chain) label(head uint64) {
	blocks := c.backend.BlockChain()
	final := head - min(head, c.config.FinalDepth)
	if current := blocks.CurrentFinalBlock(); current != nil && current.Number.Uint64() >= final {
		final = current.Number.Uint64()
	} else {
		blocks.SetFinalized(blocks.GetHeaderByNumber(final))
	}
	blocks.SetSafe(blocks.GetHeaderByNumber(max(final, head-min(head, c.config.SafeDepth))))
}
