package devchain

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
)

// ErrClosed: no blocks are made after Close.
var ErrClosed = errors.New("devchain: the chain is closed")

// ErrFinal: a finalized block cannot be rolled back.
var ErrFinal = errors.New("devchain: the block is final; no fork may start below it")

// Commit makes a block of the pool's transactions and returns its hash. Its timestamp is the present second,
// or one more than the parent's if that is later, so many commits in a second run the chain's clock ahead.
// After Close it does nothing and returns the last block's hash.
func (c *Chain) Commit() common.Hash { return c.Mine(1) }

// Mine makes blocks and returns the hash of the last one.
func (c *Chain) Mine(blocks int) common.Hash {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	for range blocks {
		// Only a closed chain or a broken disk makes no block.
		if err := c.seal(c.nextTime()); err != nil && !errors.Is(err, ErrClosed) {
			panic(err)
		}
	}
	return c.head().hash
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
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pool.clear()
}

// Reorg replaces the newest blocks, at least one, by empty ones and makes one more, in one step. The removed
// transactions come back only if they are sent again. It returns the hash of the new head.
func (c *Chain) Reorg(blocks uint64) (common.Hash, error) {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	head := c.head().number
	if blocks == 0 || blocks > head {
		return common.Hash{}, fmt.Errorf("devchain: cannot replace %d of %d blocks", blocks, head)
	}
	if err := c.fork(c.chain()[head-blocks].hash); err != nil {
		return common.Hash{}, err
	}
	c.Rollback()
	for range blocks + 1 {
		if err := c.seal(c.nextTime()); err != nil {
			return common.Hash{}, err
		}
	}
	return c.head().hash, nil
}

func (c *Chain) fork(parent common.Hash) error {
	if c.ended {
		return ErrClosed
	}
	to, canonical := c.byHash(parent)
	if !canonical {
		return fmt.Errorf("devchain: block %s is not in the chain", parent)
	}
	if _, final := c.labels(); to.number < final {
		return ErrFinal
	}
	if err := c.journal.forked(to); err != nil {
		return err
	}
	on, err := state.New(to.root, c.states)
	if err != nil {
		return fmt.Errorf("devchain: fork at %s: %w", parent, err)
	}
	c.mu.Lock()
	removed := c.pop(to)
	c.pool.settle(on)
	for _, b := range removed {
		for _, tx := range b.transactions() {
			_ = c.pool.add(tx, to.header(), on) // what the fork made impossible ends
		}
	}
	c.mu.Unlock()
	c.changes.Send(change{removed: removed, head: to})
	return nil
}

func (c *Chain) nextTime() uint64 {
	return max(uint64(time.Now().Unix()), c.head().time+1)
}

// seal makes the next block of the pool's transactions, makes it the head and moves the labels.
func (c *Chain) seal(at uint64) error {
	if c.ended {
		return ErrClosed
	}
	var salt [8]byte
	if _, err := rand.Read(salt[:]); err != nil {
		return err
	}
	b, err := c.buildNext(at, binary.BigEndian.Uint64(salt[:]))
	if err != nil {
		return err
	}
	on, err := state.New(b.root, c.states)
	if err != nil {
		return fmt.Errorf("devchain: state of block %d: %w", b.number, err)
	}
	if err := c.journal.sealed(b); err != nil {
		return err
	}
	c.mu.Lock()
	c.push(b)
	c.pool.settle(on) // who sees the block may spend its money at once
	c.mu.Unlock()
	c.changes.Send(change{added: b, head: b})
	return nil
}

// buildNext makes a block on the head of what waits in the pool, best paid first.
func (c *Chain) buildNext(at, salt uint64) (*block, error) {
	head := c.head()
	baseFee := newBlock(head, c.rules, at, salt).header().BaseFee
	c.mu.RLock()
	txs := c.pool.ordered(baseFee)
	c.mu.RUnlock()
	return c.build(head, at, salt, txs)
}

// send takes a transaction into the pool.
func (c *Chain) send(tx *types.Transaction) error {
	_, _ = types.Sender(c.signer, tx) // the slow part, before the lock; the transaction keeps the result
	c.mu.Lock()
	defer c.mu.Unlock()
	head := c.blocks[len(c.blocks)-1]
	on, err := state.New(head.root, c.states)
	if err != nil {
		return err
	}
	return c.pool.add(tx, head.header(), on)
}

// nextNonce is an account's next nonce, after what waits in the pool.
func (c *Chain) nextNonce(of common.Address) (uint64, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	on, err := state.New(c.blocks[len(c.blocks)-1].root, c.states)
	if err != nil {
		return 0, err
	}
	return c.pool.nonce(of, on), nil
}
