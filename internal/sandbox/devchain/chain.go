package devchain

import (
	"errors"
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/node"
)

// Chain is a running development chain. Its methods are safe for concurrent
// use. After Close no blocks are made and no calls answered.
type Chain struct {
	config  Config
	stack   *node.Node
	backend *eth.Ethereum
	client  *ethclient.Client

	sealing sync.Mutex // one block at a time; guards ended
	ended   bool
	sending sync.Mutex // one nonce of the faucet at a time

	stopTimer func() // stops block making and waits for it
	closing   sync.Once
	closed    error
}

// Start runs a chain until Close. With the DataDir of an earlier run it continues from the stored head. A
// directory that another process uses, or that holds a chain with another id, is an error.
func Start(config Config) (*Chain, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	stack, backend, err := newNode(config)
	if err != nil {
		return nil, err
	}
	c := &Chain{
		config:    config,
		stack:     stack,
		backend:   backend,
		client:    ethclient.NewClient(stack.Attach()),
		stopTimer: func() {},
	}
	head := backend.BlockChain().CurrentBlock().Number.Uint64()
	c.label(head)
	if head > 0 {
		if err := c.awaitIndex(); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	if config.BlockTime > 0 {
		c.startTimer()
	}
	return c, nil
}

// URL is the address of the JSON-RPC server, HTTP on 127.0.0.1; WebSocket
// answers on the same port.
func (c *Chain) URL() string { return c.stack.HTTPEndpoint() }

// ChainID is the EIP-155 chain id.
func (c *Chain) ChainID() uint64 { return c.config.ChainID }

// Client talks to the chain inside the process.
func (c *Chain) Client() *ethclient.Client { return c.client }

// Close stops making blocks and closes the server and the database. Calling it again returns the first call's
// result.
func (c *Chain) Close() error {
	c.closing.Do(func() {
		c.stopTimer()
		c.sealing.Lock()
		defer c.sealing.Unlock()
		c.ended = true
		c.client.Close()
		if err := c.stack.Close(); err != nil && !errors.Is(err, node.ErrNodeStopped) {
			c.closed = fmt.Errorf("devchain: close chain %d: %w", c.config.ChainID, err)
		}
	})
	return c.closed
}
