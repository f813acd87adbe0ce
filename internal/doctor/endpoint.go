package doctor

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/secret"
)

// Endpoint is one endpoint of a network: a reader that uses no other, and its address.
type Endpoint struct {
	Reader

	Address secret.Text
}

const (
	// endpointLimit bounds all checks of one endpoint.
	endpointLimit = 3 * time.Minute
	// rangeBlocks is the longest range of blocks that a server asks for at once, and fewBlocks is one with which it
	// catches up slowly.
	rangeBlocks, fewBlocks = 10_000, 100
	// batchCalls is the most calls that a server makes in one request.
	batchCalls = 50
	// accountsACall is the most accounts of Solana that a server asks for at once.
	accountsACall = 100
	// rateCalls is the most calls that are made to check a rate.
	rateCalls = 50
	// measured is how many blocks the time between blocks is measured over.
	measured = 1_000
	// solanaSlot is the time of a slot of Solana.
	solanaSlot = 400 * time.Millisecond
	// day is the outage that a server should be able to catch up with.
	day = 24 * time.Hour
)

// endpoint checks one endpoint: that it is of the chain, with contracts, tokens and decimals as configured, then what
// it answers. The checks that need an endpoint that works are left out for one that does not.
func (r *Report) endpoint(ctx context.Context, name string, n Network, e Endpoint, now func() time.Time) {
	ctx, cancel := context.WithTimeout(ctx, endpointLimit)
	defer cancel()
	health := func() chain.EndpointHealth { return e.Endpoints()[0] }
	target, err := endpoint.Parse(e.Address.Reveal())
	if err != nil {
		r.addf(name, Wrong, "%s", err)
		return
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	calls := caller{target, client, now}
	if why := calls.reach(ctx, n); why != "" {
		r.addf(name, Wrong, "%s: %s", health().Name, why)
		return
	}
	if err := e.Check(ctx); err != nil {
		r.addf(name, Wrong, "%s: %s", health().Name, own(e, err))
		return
	}
	heads, err := e.Heads(ctx)
	if err != nil {
		r.addf(name, Wrong, "%s: its newest and final blocks cannot be read: %s; take it out of FLORIN_%s_RPC until they can",
			health().Name, own(e, err), n.Profile.Network)
		return
	}
	if err := query(ctx, n, e, heads.Final); err != nil {
		r.addf(name, Wrong, "%s: it does not answer the queries for payments: %s; use an endpoint that keeps and returns what "+
			"the last %d blocks hold", health().Name, own(e, err), measured)
		return
	}
	h := health()
	text := fmt.Sprintf("%s: block %d, %s a call", h.Name, heads.Latest.Number, h.Latency.Round(time.Millisecond))
	if len(h.Learnt) > 0 {
		text += "; " + strings.Join(h.Learnt, "; ")
	}
	what := "cluster, mints and decimals are right"
	if n.Profile.Network.EVM() {
		what = fmt.Sprintf("chain id %d, contracts, tokens and decimals are right", n.Profile.ChainID)
	}
	r.addf(name, Fine, "%s; %s", text, what)
	r.lag(name, n, heads.Latest, now())
	p := probe{Report: r, caller: calls, name: name, network: n, reader: e, heads: heads}
	if n.Profile.Network.EVM() {
		p.tags(ctx)
		p.honest(ctx)
		p.logRange(ctx)
		p.depth(ctx)
		p.batch(ctx)
	} else {
		p.accounts(ctx)
		p.firstBlock(ctx)
	}
	p.rate(ctx)
}

// query scans the newest final blocks as a server does.
func query(ctx context.Context, n Network, e Reader, final chain.Head) error {
	watch := chain.NewWatchSet(1)
	watch.Add(n.Watched)
	_, _, err := e.Scan(ctx, final.Number-min(final.Number, measured), final, watch)
	return err
}

// lag checks how old the newest block is. One that comes from the future shows that this machine's clock is behind.
func (r *Report) lag(name string, n Network, latest chain.Head, now time.Time) {
	name += " lag"
	age := now.Sub(latest.Time)
	switch {
	case age > n.Profile.HeadLimit:
		r.addf(name, Wrong, "its newest block is %s old, limit %s; use an endpoint that follows the network, and let NTP set "+
			"this machine's clock", age.Round(time.Second), n.Profile.HeadLimit)
	case age < -futureLimit:
		r.addf(name, Warning, "its newest block is %s ahead of this machine's clock: let NTP set the clock",
			age.Abs().Round(time.Second))
	default:
		r.addf(name, Fine, "its newest block is %s old, limit %s", max(age, 0).Round(time.Second), n.Profile.HeadLimit)
	}
}

// futureLimit is how far ahead of an exact clock a block may be: block producers round up, and differ.
const futureLimit = 15 * time.Second

// probe checks what one endpoint answers.
type probe struct {
	*Report
	caller

	name    string
	network Network
	reader  Reader
	heads   chain.Heads
}

func (p probe) linef(what string, v Verdict, format string, args ...any) {
	p.addf(p.name+" "+what, v, format, args...)
}

// tags checks that the endpoint knows the tags of the blocks that are final.
func (p probe) tags(ctx context.Context) {
	rule := p.network.Profile.Finality
	tags := []string{string(chain.TagFinalized)}
	if rule.Tag == chain.TagSafe {
		tags = append(tags, string(chain.TagSafe))
	}
	var unknown []string
	for _, tag := range tags {
		err := patiently(ctx, func() error {
			block, err := p.ask(ctx, "eth_getBlockByNumber", tag, false)
			if err == nil && (len(block) == 0 || string(block) == "null") {
				err = errors.New("it has no such block")
			}
			return err
		})
		if err != nil {
			unknown = append(unknown, fmt.Sprintf("%s (%s)", tag, err))
		}
	}
	known := strings.Join(tags, " and ")
	switch {
	case len(unknown) == 0:
		p.linef("tags", Fine, "it knows the tag %s", known)
	case rule.Depth > 0 || len(unknown) < len(tags) && strings.HasPrefix(unknown[0], string(chain.TagFinalized)):
		p.linef("tags", Warning, "it does not know the tag %s: what is credited earlier is not checked again with it; use an "+
			"endpoint that knows it", strings.Join(unknown, ", "))
	default:
		p.linef("tags", Wrong, "it does not know the tag %s: nothing that it reports becomes final; use an endpoint that "+
			"knows it", strings.Join(unknown, ", "))
	}
}

// transferTopic is the topic of the ERC-20 event Transfer, and topicPadding makes a topic of an address.
const (
	transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	topicPadding  = "0x000000000000000000000000"
)

// logs asks for the transfers of the network's first token to the watched address.
func (p probe) logs(ctx context.Context, from, to uint64) error {
	filter := map[string]any{
		"fromBlock": fmt.Sprintf("%#x", from), "toBlock": fmt.Sprintf("%#x", to),
		"address": p.network.Profile.Assets[0].Contract,
		"topics":  []any{transferTopic, nil, topicPadding + hex.EncodeToString(p.network.Watched.Raw)},
	}
	return patiently(ctx, func() error {
		_, err := p.ask(ctx, "eth_getLogs", filter)
		return err
	})
}

// logRange finds how many blocks one eth_getLogs may ask for.
func (p probe) logRange(ctx context.Context) {
	final := p.heads.Final.Number
	most := min(uint64(rangeBlocks), final+1)
	var refused error
	for blocks := most; blocks > 0 && ctx.Err() == nil; blocks /= 2 {
		if refused = p.logs(ctx, final+1-blocks, final); refused != nil {
			continue
		}
		verdict, advice := Fine, ""
		if blocks < fewBlocks && blocks < most {
			verdict, advice = Warning, ": after an outage it catches up slowly; an endpoint that takes more is quicker"
		}
		p.linef("getLogs", verdict, "eth_getLogs takes a range of %d blocks at once%s", blocks, advice)
		return
	}
	p.linef("getLogs", Wrong, "eth_getLogs is refused: %s; use an endpoint that answers it", errors.Join(refused, ctx.Err()))
}

// batch finds how many calls one request may make.
func (p probe) batch(ctx context.Context) {
	most := batchCalls
	if p.network.Rate > 0 {
		most = max(min(most, int(p.network.Rate)), 2)
	}
	var refused error
	for calls := most; calls > 1 && ctx.Err() == nil; calls /= 2 {
		refused = patiently(ctx, func() error { return p.caller.batch(ctx, calls, "eth_blockNumber") })
		if refused == nil {
			p.linef("batch", Fine, "it takes a batch of %d calls in one request", calls)
			return
		}
	}
	p.linef("batch", Warning, "it takes no batch, only one call a request, so reading takes longer: %s; an endpoint that "+
		"takes batches is quicker", errors.Join(refused, ctx.Err()))
}

// accounts finds how many accounts of Solana one call may ask for.
func (p probe) accounts(ctx context.Context) {
	var refused error
	for n := accountsACall; n > 0 && ctx.Err() == nil; n /= 2 {
		list := make([]chain.Address, n)
		for i := range list {
			list[i] = p.network.Profile.Assets[i%len(p.network.Profile.Assets)].Contract
		}
		refused = patiently(ctx, func() error {
			_, err := p.ask(ctx, "getMultipleAccounts", list, map[string]any{
				"encoding": "base64", "commitment": "finalized", "dataSlice": map[string]int{"offset": 0, "length": 0},
			})
			return err
		})
		switch {
		case refused != nil:
		case n == accountsACall:
			p.linef("accounts", Fine, "getMultipleAccounts takes %d accounts at once", n)
			return
		default:
			p.linef("accounts", Warning, "getMultipleAccounts takes only %d accounts at once, so reading takes more calls; an "+
				"endpoint that takes %d is quicker", n, accountsACall)
			return
		}
	}
	p.linef("accounts", Wrong, "getMultipleAccounts is refused: %s; use an endpoint that answers it",
		errors.Join(refused, ctx.Err()))
}

// firstBlock finds how far back a node of Solana goes.
func (p probe) firstBlock(ctx context.Context) {
	const what = "archive depth"
	var first uint64
	err := patiently(ctx, func() error {
		raw, err := p.ask(ctx, "getFirstAvailableBlock")
		if err == nil && json.Unmarshal(raw, &first) != nil {
			err = errors.New("it answers " + p.target.Redact(string(raw)))
		}
		return err
	})
	if err != nil {
		p.linef(what, Warning, "it does not say how far back it goes (%s): an outage of a day may need another endpoint", err)
		return
	}
	final := p.heads.Final.Number
	back := time.Duration(final-min(final, first)) * solanaSlot //nolint:gosec // far below 2⁶³
	if first > 0 && back < day {
		p.linef(what, Warning, "it has blocks of the last %s only, so an outage of a day needs another endpoint",
			back.Round(time.Minute))
		return
	}
	p.linef(what, Fine, "it has blocks from slot %d on", first)
}

// rate makes as many calls in a second as the endpoint gets at most. An endpoint that refuses some gets a second try,
// since what was asked before may have used up its second.
func (p probe) rate(ctx context.Context) {
	if p.network.Rate <= 0 {
		p.linef("rate", Fine, "there is no limit: a node of one's own needs none")
		return
	}
	calls := int(min(max(p.network.Rate, 1), rateCalls))
	answered, err := p.burst(ctx, calls)
	if over, ok := errors.AsType[limited](err); ok && chain.Sleep(ctx, min(over.after, maxRest)) == nil {
		before := answered
		answered, err = p.burst(ctx, calls)
		answered = max(answered, before)
	}
	if err != nil {
		p.linef("rate", Warning, "it answers %d of %d calls in a second: a server asks less from its first refusal on, and reads "+
			"slower after an outage; a larger plan is quicker (%s)", answered, calls, err)
		return
	}
	p.linef("rate", Fine, "it answers %d calls in a second; a server makes %.0f at most", calls, p.network.Rate)
}

// burst makes calls at once, and returns how many were answered and why another one was not.
func (p probe) burst(ctx context.Context, calls int) (answered int, err error) {
	method := "getSlot"
	if p.network.Profile.Network.EVM() {
		method = "eth_blockNumber"
	}
	var good atomic.Int64
	refused := make([]error, calls)
	var under sync.WaitGroup
	for i := range calls {
		under.Go(func() {
			if _, refused[i] = p.ask(ctx, method); refused[i] == nil {
				good.Add(1)
			}
		})
	}
	under.Wait()
	for _, x := range refused {
		if over, ok := errors.AsType[limited](x); ok {
			return int(good.Load()), over
		}
		if x != nil && err == nil {
			err = x
		}
	}
	return int(good.Load()), err
}
