package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// comparedBlocks is how many blocks are looked through for one with logs.
const comparedBlocks = 256

// honest checks that the endpoint returns the logs of a block which the block says it has: one that withholds logs
// hides payments.
func (p probe) honest(ctx context.Context) {
	const what = "logs"
	last := p.heads.Final.Number
	for number := last; number+comparedBlocks > last && ctx.Err() == nil; number-- {
		var block struct{ LogsBloom string }
		if err := p.into(ctx, &block, "eth_getBlockByNumber", fmt.Sprintf("%#x", number), false); err != nil {
			p.linef(what, Warning, "block %d was not compared with its logs: %s", number, err)
			return
		}
		if strings.Trim(block.LogsBloom, "0x") == "" {
			if number == 0 {
				break
			}
			continue
		}
		at := fmt.Sprintf("%#x", number)
		var logs []json.RawMessage
		switch err := p.into(ctx, &logs, "eth_getLogs", map[string]string{"fromBlock": at, "toBlock": at}); {
		case err != nil:
			p.linef(what, Warning, "block %d was not compared with its logs: %s", number, err)
		case len(logs) == 0:
			p.linef(what, Wrong, "it withholds logs: block %d has some by its bloom filter, and eth_getLogs returns none, so "+
				"payments stay unseen; take it out of FLORIN_%s_RPC", number, p.network.Profile.Network)
		default:
			p.linef(what, Fine, "block %d has the logs that its bloom filter says", number)
		}
		return
	}
	p.linef(what, Fine, "the last %d blocks have none", min(last+1, comparedBlocks))
}

// into makes one call and reads its result.
func (p probe) into(ctx context.Context, v any, method string, params ...any) error {
	return patiently(ctx, func() error {
		raw, err := p.ask(ctx, method, params...)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, v); err != nil {
			return fmt.Errorf("%s answers with something else", method)
		}
		return nil
	})
}
