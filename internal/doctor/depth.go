package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// ages are how old a block is asked for, from the newest on.
var ages = []struct {
	name string
	age  time.Duration
}{{"an hour", time.Hour}, {"a day", day}, {"7 days", 7 * day}, {"30 days", 30 * day}}

// depth finds how old the blocks are that the endpoint still has: a server reads old ones after an outage.
func (p probe) depth(ctx context.Context) {
	const what = "archive depth"
	final := p.heads.Final
	if final.Number <= measured {
		p.linef(what, Fine, "the chain has %d blocks", final.Number)
		return
	}
	recent, ok, err := p.reader.BlockAt(ctx, final.Number-measured)
	if err != nil || !ok {
		if pruned, why := p.old(ctx, final.Number-measured); why != nil && !pruned {
			p.linef(what, Warning, "it was not found out: %s", why)
			return
		}
		p.linef(what, Wrong, "it is pruned: it does not have block %d, which is new; use an endpoint that keeps "+
			"some days", final.Number-measured)
		return
	}
	each := max(final.Time.Sub(recent.Time)/measured, time.Millisecond)
	reached := "a few minutes"
	for _, x := range ages {
		number := final.Number - min(final.Number, uint64(x.age/each))
		if number == 0 {
			p.linef(what, Fine, "it has what is %s old, and the chain is not older than %s", reached, x.name)
			return
		}
		if pruned, err := p.old(ctx, number); err != nil {
			if !pruned {
				p.linef(what, Warning, "it has what is %s old; whether it has what is %s old was not found out: %s", reached, x.name, err)
				return
			}
			verdict, advice := Fine, ", which only `florin rescan` needs"
			if x.age <= day {
				verdict, advice = Warning, ", so an outage of that length needs another endpoint"
			}
			p.linef(what, verdict, "it has what is %s old; it is pruned and does not have what is %s old%s: %s", reached, x.name, advice, err)
			return
		}
		reached = x.name
	}
	p.linef(what, Fine, "it has what is %s old", reached)
}

// old reads a block and its logs, and reports whether an error says that the endpoint does not have what is so old.
func (p probe) old(ctx context.Context, number uint64) (pruned bool, err error) {
	err = patiently(ctx, func() error {
		block, err := p.ask(ctx, "eth_getBlockByNumber", fmt.Sprintf("%#x", number), false)
		if err == nil && (len(block) == 0 || string(block) == "null") {
			pruned, err = true, fmt.Errorf("there is no block %d", number)
		}
		return err
	})
	if err == nil {
		err = p.logs(ctx, number, number)
	}
	return pruned || err != nil && endpoint.Pruned(err.Error()), err
}
