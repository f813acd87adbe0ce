package main

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// network is a running chain, and two endpoints by which the program reads it.
type network struct {
	name    string // as in the API
	wallet  string // the merchant's settlement wallet
	environ []string
	gates   []*gate

	// pay sends a token to an address and returns the transaction.
	pay func(ctx context.Context, token, to string, amount money.Micros) (tx string, err error)
	// included returns when a transaction was included; ok is false if it is in no block.
	included func(ctx context.Context, tx string) (at time.Time, ok bool, err error)
	// balance returns what an account holds.
	balance func(ctx context.Context, token, of string) (money.Micros, error)
	// reorg replaces the newest blocks and drops their transactions; nil where the engine cannot.
	reorg func(blocks uint64) error
	// deepest is how many blocks may be replaced without breaking the network's finality.
	deepest uint64
	stop    func() error
}

// Tokens that payers pay with. The counterfeit has the symbol of USDT and is worth nothing.
const (
	usdt        = "USDT"
	usdc        = "USDC"
	counterfeit = "counterfeit"
)

// endpoints is how many endpoints the program gets of each network: with two, it believes nothing of one alone.
const endpoints = 2

// open serves the network's endpoints and returns the setting that names them.
func (n *network) open(node string, mend func(request, answer []byte) []byte) (addresses string, err error) {
	for range endpoints {
		g, err := newGate(node, mend)
		if err != nil {
			return "", err
		}
		n.gates = append(n.gates, g)
		if addresses != "" {
			addresses += ","
		}
		addresses += g.url
	}
	return addresses, nil
}

func (n *network) close() error {
	var errs []error
	for _, g := range n.gates {
		errs = append(errs, g.server.Close())
	}
	if n.stop != nil {
		errs = append(errs, n.stop())
	}
	return errors.Join(errs...)
}
