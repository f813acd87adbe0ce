package devchain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/params"
)

// Chain is a running development chain. Its methods are safe for concurrent
// use. After Close no blocks are made and no calls answered.
type Chain struct {
	config  Config
	rules   *params.ChainConfig
	signer  types.Signer
	states  state.Database
	journal *journal // nil keeps the chain in memory
	server  *server
	client  *ethclient.Client
	changes event.FeedOf[change]

	sealing sync.Mutex // one change of the head at a time, from its reading to its announcement; guards ended
	ended   bool
	sending sync.Mutex // one nonce of the faucet at a time

	mu          sync.RWMutex // guards what follows, briefly
	blocks      []*block     // by number, from the first to the head; entries are never overwritten
	known       map[common.Hash]*block
	included    map[common.Hash]place
	safe, final uint64
	pool        *pool

	stopTimer func() // stops block making and waits for it
	closing   sync.Once
	closed    error
}

// place is where a transaction is in the chain.
type place struct {
	*block
	index int
}

// change is a new head: blocks that were removed and one that was added, or the one that became the head again.
type change struct {
	removed []*block
	added   *block // nil after a fork
	head    *block
}

// Start runs a chain until Close. With the DataDir of an earlier run it continues from the stored head. A
// directory that another process uses, or that holds a chain with another id, is an error.
func Start(config Config) (*Chain, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	rules := rulesOf(config.ChainID)
	c := &Chain{
		config: config, rules: rules, signer: types.LatestSigner(rules),
		known: make(map[common.Hash]*block), included: make(map[common.Hash]place),
		stopTimer: func() {},
	}
	c.pool = newPool(rules, c.signer)
	first, states, err := genesis(rules)
	if err != nil {
		return nil, err
	}
	c.states = states
	c.push(first)
	if config.DataDir != "" {
		if err := c.restore(); err != nil {
			return nil, fmt.Errorf("devchain: chain %d in %q: %w", config.ChainID, config.DataDir, err)
		}
	}
	if err := c.serve(); err != nil {
		return nil, errors.Join(fmt.Errorf("devchain: chain %d: %w", config.ChainID, err), c.journal.close())
	}
	if config.BlockTime > 0 {
		c.startTimer()
	}
	return c, nil
}

// URL is the address of the JSON-RPC server, HTTP on 127.0.0.1; WebSocket
// answers on the same port.
func (c *Chain) URL() string { return c.server.url }

// ChainID is the EIP-155 chain id.
func (c *Chain) ChainID() uint64 { return c.config.ChainID }

// Client talks to the chain inside the process.
func (c *Chain) Client() *ethclient.Client { return c.client }

// Close stops making blocks and closes the server and the stored chain. Calling it again returns the first call's
// result.
func (c *Chain) Close() error {
	c.closing.Do(func() {
		c.client.Close()
		err := c.server.close() // first, for a block waits for subscribers that do not read
		c.stopTimer()
		c.sealing.Lock()
		defer c.sealing.Unlock()
		c.ended = true
		if err := errors.Join(err, c.journal.close()); err != nil {
			c.closed = fmt.Errorf("devchain: close chain %d: %w", c.config.ChainID, err)
		}
	})
	return c.closed
}

// chain returns the blocks by number. The slice does not change.
func (c *Chain) chain() []*block {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.blocks
}

func (c *Chain) head() *block {
	blocks := c.chain()
	return blocks[len(blocks)-1]
}

// byHash finds a block, also one that was removed from the chain.
func (c *Chain) byHash(hash common.Hash) (b *block, canonical bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	b = c.known[hash]
	return b, b != nil && b.number < uint64(len(c.blocks)) && c.blocks[b.number] == b
}

func (c *Chain) labels() (safe, final uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.safe, c.final
}

// push makes a block the head.
func (c *Chain) push(b *block) {
	c.blocks = append(c.blocks, b)
	c.known[b.hash] = b
	for i, tx := range b.transactions() {
		c.included[tx.Hash()] = place{b, i}
	}
	c.label()
}

// pop makes an ancestor the head and returns the removed blocks, which remain known by their hashes.
func (c *Chain) pop(to *block) []*block {
	removed := c.blocks[to.number+1:]
	c.blocks = slices.Clip(c.blocks[:to.number+1]) // who reads the old slice keeps the old chain
	maps.DeleteFunc(c.included, func(_ common.Hash, p place) bool { return p.number > to.number })
	c.label()
	return removed
}

// label moves the safe and finalized labels for a new head: finalized never back, safe never below it.
func (c *Chain) label() {
	head := uint64(len(c.blocks) - 1)
	c.final = max(c.final, head-min(head, c.config.FinalDepth))
	c.safe = max(c.final, head-min(head, c.config.SafeDepth))
}
