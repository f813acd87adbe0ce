package main

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/testkit"
)

// pace is how a network makes blocks and calls them final, from the facts of November 2026.
type pace struct {
	block time.Duration
	// safe and finalized are how far the tags are behind the newest block. They move in steps of safeStep and
	// finalizedStep.
	safe, finalized         time.Duration
	safeStep, finalizedStep time.Duration
}

// paces are the networks as they are: BSC makes a block final with the second one after it, Polygon with a milestone
// every few seconds, Base with a batch on L1, Solana with 31 slots on top.
var paces = map[chain.Network]pace{
	chain.BEP20:   {block: 450 * time.Millisecond, safe: 900 * time.Millisecond, finalized: 900 * time.Millisecond},
	chain.Polygon: {block: 1500 * time.Millisecond, safe: 4500 * time.Millisecond, finalized: 4500 * time.Millisecond},
	chain.Base: {
		block: 200 * time.Millisecond, safe: 2 * time.Minute, finalized: 20 * time.Minute,
		safeStep: 12 * time.Second, finalizedStep: 384 * time.Second,
	},
	chain.Solana: {
		block: 214 * time.Millisecond, safe: 32 * 214 * time.Millisecond, finalized: 32 * 214 * time.Millisecond,
	},
}

// transfer is a payment on a simulated chain.
type transfer struct {
	tx    string
	to    chain.Watched
	asset chain.Asset
	units money.Units
	block uint64
	// account is the token account on Solana.
	account string
}

// testChain is a chain that makes blocks by the clock.
type testChain struct {
	profile chain.Profile
	pace    pace
	clock   *testkit.Clock

	mu        sync.Mutex
	transfers []transfer // in the order of their blocks
	byTx      map[string]int
	byTarget  map[string][]int // by the address, or by the token account on Solana
}

// firstBlock is the number of the block at the beginning of the simulated time, as of a chain of some years.
const firstBlock = 60_000_000

func newChain(p chain.Profile, c *testkit.Clock) *testChain {
	return &testChain{
		profile: p, pace: paces[p.Network], clock: c, byTx: make(map[string]int), byTarget: make(map[string][]int),
	}
}

// at returns the number of the newest block at that time, and timeOf when a block was made.
func (l *testChain) at(t time.Time) uint64 {
	return firstBlock + uint64(max(t.Sub(begin), 0)/l.pace.block) //nolint:gosec // not negative
}

func (l *testChain) timeOf(number uint64) time.Time {
	return begin.Add(time.Duration(int64(number)-firstBlock) * l.pace.block) //nolint:gosec // far below the limit
}

// tagged returns the number of the block that a tag names now.
func (l *testChain) tagged(tag string) uint64 {
	now := l.clock.Now()
	behind, step := time.Duration(0), time.Duration(0)
	switch tag {
	case "safe":
		behind, step = l.pace.safe, l.pace.safeStep
	case "finalized":
		behind, step = l.pace.finalized, l.pace.finalizedStep
	}
	return l.at(stepped(now, step).Add(-behind))
}

// stepped returns the last time at or before t at which something that moves in steps moved.
func stepped(t time.Time, step time.Duration) time.Time {
	if step == 0 {
		return t
	}
	return begin.Add(t.Sub(begin).Truncate(step))
}

// finalAt returns when the block becomes final by the network's rule.
func (l *testChain) finalAt(number uint64) time.Time {
	behind, step := l.pace.finalized, l.pace.finalizedStep
	if l.profile.Finality.Tag == chain.TagSafe {
		behind, step = l.pace.safe, l.pace.safeStep
	}
	at := l.timeOf(number).Add(behind)
	if step == 0 {
		return at
	}
	if on := stepped(at, step); on.Before(at) {
		return on.Add(step)
	}
	return at
}

// pay puts a transfer into the next block.
func (l *testChain) pay(to chain.Watched, asset chain.Asset, units money.Units) transfer {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := len(l.transfers)
	t := transfer{to: to, asset: asset, units: units, block: l.at(l.clock.Now()) + 1}
	target := string(to.Raw)
	if l.profile.Network == chain.Solana {
		t.tx, t.account = solanaTx(i), tokenAccount(to, asset)
		target = t.account
	} else {
		t.tx = hashOf("transaction "+string(l.profile.Network), uint64(i)) //nolint:gosec // counts up from 0
	}
	l.transfers = append(l.transfers, t)
	l.byTx[t.tx] = i
	l.byTarget[target] = append(l.byTarget[target], i)
	return t
}

// included returns the transfers in blocks from..to that exist now, in order.
func (l *testChain) included(from, to uint64) []transfer {
	l.mu.Lock()
	defer l.mu.Unlock()
	to = min(to, l.at(l.clock.Now()))
	first, _ := slices.BinarySearchFunc(l.transfers, from, func(t transfer, n uint64) int {
		return cmp.Compare(t.block, n)
	})
	var list []transfer
	for _, t := range l.transfers[first:] {
		if t.block > to {
			break
		}
		list = append(list, t)
	}
	return list
}

// toTarget returns the transfers to an address, or to a token account on Solana, that exist now.
func (l *testChain) toTarget(target string) []transfer {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := l.at(l.clock.Now())
	var list []transfer
	for _, i := range l.byTarget[target] {
		if t := l.transfers[i]; t.block <= newest {
			list = append(list, t)
		}
	}
	return list
}

func (l *testChain) byHash(tx string) (transfer, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, ok := l.byTx[tx]
	if !ok || l.transfers[i].block > l.at(l.clock.Now()) {
		return transfer{}, false
	}
	return l.transfers[i], true
}

// held returns what an address holds of an asset.
func (l *testChain) held(to []byte, contract string) money.Units {
	var sum money.Units
	for _, t := range l.toTarget(string(to)) {
		if strings.EqualFold(string(t.asset.Contract), contract) {
			sum = sum.Add(t.units)
		}
	}
	return sum
}
