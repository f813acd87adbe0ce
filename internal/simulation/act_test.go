package simulation

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// act is something that can happen, and how often it does.
type act struct {
	name   string
	weight int
	do     func(*world)
}

var acts = []act{
	{"create", 6, func(w *world) {
		amount := money.Micros(1_000_000 * (1 + w.rng.IntN(50)))
		_, err := w.any().service.Create(w.Context(), payment.CreateInput{KeyID: w.key, Amount: amount.String()})
		w.tellf("failed=%t", err != nil)
	}},
	{"top up", 1, func(w *world) {
		_, err := w.any().service.CreateTopUp(w.Context(), w.newPayment(w.clock), w.key, int64(20+w.rng.IntN(100)))
		w.tellf("failed=%t", err != nil)
	}},
	{"start", 14, func(w *world) {
		if p, ok := w.newest(); ok {
			tok := money.Tokens()[w.rng.IntN(2)]
			_, err := w.any().service.Start(w.Context(), string(p.ID), payment.Choice{Network: chain.Polygon, Token: tok})
			w.tellf("%s %s failed=%t", p.ID, tok, err != nil)
		}
	}},
	{"pay", 14, (*world).pay},
	{"mine", 16, func(w *world) {
		for range 1 + w.rng.IntN(5) {
			w.pass(2 * time.Second)
			w.ledger.mine(w.clock)
		}
	}},
	{"watch", 20, loop("watch")},
	{"expire", 8, loop("expire")},
	{"sweep", 16, loop("sweep")},
	{"deliver", 8, loop("deliver")},
	{"cancel", 2, (*world).cancel},
	{"mark", 1, func(w *world) {
		if p, ok := w.newest(); ok {
			_, err := w.any().service.MarkCompleted(w.Context(), w.key, string(p.ID), payment.Actor{Name: "API key"})
			w.tellf("failed=%t", err != nil)
		}
	}},
	{"accept", 1, func(w *world) {
		if p, ok := w.newest(); ok {
			_, err := w.any().service.Accept(w.Context(), w.key, string(p.ID), payment.Actor{Name: "owner"})
			w.tellf("failed=%t", err != nil)
		}
	}},
	{"another settlement wallet", 1, (*world).moveShop},
	{"reorg", 3, (*world).reorg},
	{"the pool forgets", 1, func(w *world) { w.ledger.drop() }},
	{"a clock jumps", 2, func(w *world) {
		in := w.any()
		if in.skew = 0; w.chance(50) {
			in.skew = time.Duration(w.rng.IntN(240)-120) * time.Second
		}
	}},
	{"a crash is near", 5, func(w *world) {
		f := w.any().fuse
		f.armed, f.left, f.after = true, w.rng.IntN(6), w.chance(50)
		f.dead = w.path == "" // commits of PostgreSQL cannot be refused: it dies now
	}},
	{"a commit will fail", 2, func(w *world) { w.any().fuse.once = true }},
	{"instances", 2, func(w *world) {
		if len(w.live) == 1 {
			w.live = append(w.live, w.start())
			return
		}
		_ = w.live[0].store.Close()
		w.live = w.live[1:]
	}},
	{"time passes", 1, func(w *world) {
		w.pass(time.Duration(1+w.rng.IntN(40)) * time.Minute)
		w.ledger.mine(w.clock)
	}},
	{"gas", 2, func(w *world) { w.dear, w.broke, w.deaf = w.chance(20), w.chance(20), w.chance(20) }},
	{"another uses the gas wallet", 1, func(w *world) {
		w.ledger.send(&tx{hash: chain.TxHash(w.ledger.hash("f")), ours: true, nonce: w.ledger.head().nonce, price: 1 << 40})
	}},
	{"the last minute", 3, (*world).lastMinute},
	{"finality", 1, func(w *world) {
		w.ledger.frozen = 0
		if w.chance(50) {
			w.ledger.frozen = w.ledger.forever
		}
		w.ledger.settle()
	}},
	{"endpoints tell all", 1, func(w *world) { clear(w.hidden) }},
	{"receivers", 2, func(w *world) { w.badPost, w.fullPost = w.chance(30), w.chance(20) }},
}

// step does one thing.
func (w *world) step() {
	w.pass(time.Duration(w.rng.IntN(8)) * time.Second)
	weights := 0
	for _, a := range acts {
		weights += a.weight
	}
	at := w.rng.IntN(weights)
	for _, a := range acts {
		if at -= a.weight; at < 0 {
			w.tellf("%s", a.name)
			a.do(w)
			break
		}
	}
	w.reap()
	w.check()
}

func (w *world) reorg() {
	n := w.ledger.reorg(1+w.rng.IntN(w.ledger.deepDepth), w.chance(70), w.clock)
	w.tellf("reorg of %d", n)
}

func (w *world) cancel() {
	if p, ok := w.newest(); ok {
		_, err := w.any().service.Cancel(w.Context(), string(p.ID))
		w.tellf("cancel %s failed=%t", p.ID, err != nil)
	}
}

// loop runs a round of one of the loops under new weather.
func loop(kind string) func(*world) {
	return func(w *world) {
		in := w.any()
		if !w.chance(30) {
			in.weather = weather{}
		}
		if w.chance(45) {
			in.weather = w.newWeather()
		}
		in.round(kind)
	}
}

func (w *world) newWeather() weather {
	switch w.rng.IntN(12) {
	case 0:
		return weather{failAt: 1 + w.rng.IntN(6)}
	case 1:
		return weather{lag: 1 + w.rng.IntN(12)}
	case 2:
		return weather{blind: true}
	case 3:
		return weather{invents: true}
	case 4:
		return weather{repeats: true}
	case 5:
		return weather{doubts: true}
	}
	return weather{interlude: 1 + w.rng.IntN(5)}
}

// moveShop has the merchant settle to another wallet from now on.
func (w *world) moveShop() {
	to := otherShop
	if w.wallet == otherShop {
		to = firstShop
	}
	_, _ = w.any().store.UpdateCustodian(w.Context(), w.key, nil, func(c merchant.Custodian) (merchant.Custodian, error) {
		c.Wallets = map[chain.Network]chain.Address{chain.Polygon: to}
		return c, nil
	})
	c, err := w.books.Custodian(context.Background(), w.key)
	w.must(err)
	w.wallet = c.Wallets[chain.Polygon]
}
