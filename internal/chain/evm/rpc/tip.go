package rpc

import (
	"math/big"
	"sync"
	"time"
)

// tipFor is how long a tip that an endpoint demanded is paid: then less is tried again.
const tipFor = time.Hour

// demandedTip is the least tip that an endpoint has demanded of late, in wei for a unit of gas.
type demandedTip struct {
	mu    sync.Mutex
	wei   *big.Int
	until time.Time
}

// RequireTip records that an endpoint demanded a tip.
func (p *Pool) RequireTip(wei *big.Int) {
	p.tip.mu.Lock()
	defer p.tip.mu.Unlock()
	p.tip.wei, p.tip.until = wei, p.now().Add(tipFor)
}

// LeastTip returns the tip that an endpoint has demanded of late, 0 if none has.
func (p *Pool) LeastTip() *big.Int {
	p.tip.mu.Lock()
	defer p.tip.mu.Unlock()
	if p.tip.wei == nil || !p.now().Before(p.tip.until) {
		return new(big.Int)
	}
	return p.tip.wei
}
