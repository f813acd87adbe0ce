package chaintest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Behaviour is something that a provider does and a node of one's own does not.
type Behaviour struct {
	Name string
	// Source is where it is documented, or was reported.
	Source string
	Rules  func() Rules
	// Learnt is a part of what the endpoint's health must say about it afterwards; empty where there is nothing to
	// learn.
	Learnt string
	// Crowd watches more addresses than a node filters by.
	Crowd bool
	// Blocks is how long the chain must be to show it.
	Blocks int
	// Unmet: a reader never comes upon it, because it does not ask for what the provider lacks.
	Unmet bool
}

// EVMBehaviours is how providers of EVM networks differ from a node of one's own.
func EVMBehaviours() []Behaviour {
	return slices.Concat(evmRanges(), evmRates(RateLimits(5)), evmBatches(), evmKnowledge())
}

// evmRanges are limits of eth_getLogs.
func evmRanges() []Behaviour {
	const quicknode = "quicknode.com/docs/kaia/eth_getLogs: 5 blocks on trial plans, 10,000 on paid ones"
	return []Behaviour{
		logRange("Range5", quicknode, 5, -32614, "eth_getLogs is limited to a 5 range"),
		logRange("Range10", "Alchemy, free tier", 10, -32600,
			"Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."),
		logRange("Range500", "Cronos and others: a bare text", 500, -32000, "maximum [from, to] blocks distance: 500"),
		logRange("Range1000", "foundry-rs/foundry#12687", 1_000, -32603, "eth_getLogs range is too large, max is 1k blocks"),
		logRange("Range1024", "foundry-rs/foundry#12687 (BlockPI)", 1_024, -32602, "eth_getLogs is limited to 1024 block range."),
		logRange("Range2000", "bobanetwork/boba_legacy#827 (Tenderly)", 2_000, -32602, "invalid params"),
		logRange("Range5000", "enviodev/hyperindex#605", 5_000, -32000,
			"block range is larger than max block range, block range = 5120, max block range = 5000"),
		logRange("Range10000", "INFURA/infura#237", 10_000, -32602, "range 1000000 exceeds limit of 10000"),
		logRange("RangeErigon", "erigontech/erigon#20784", 800, -32000,
			"query block range exceeds server limit, narrow your filter: 800"),
		logRange("RangeFree", "foundry-rs/foundry#12687 (dRPC)", 300, 35, "ranges over 300 blocks are not supported on freetier"),
		shrinkingRange(), wholeRequest("RangeOfWholeRequest", 200), wholeRequest("RangeOfWholeRequest400", 400),
		logResults("Results", "ethers-io/ethers.js#4703 (Infura)", 5, -32005,
			"query returned more than 5 results. Try with this block range [0xBDE5F8, 0x102DBCC]."),
		logResults("ResultsErigon", "erigontech/erigon#20784", 20, -32000, "query returns too many logs, narrow your filter: 20"),
		logResults("ResultsSize", "docs.1rpc.io/using-the-web3-api/errors", 5, -32000,
			"response size should not greater than 2097152 bytes"),
		logResults("ResultsOfOneBlock", "a block with more logs than one answer may have", 1, -32005,
			"query returned more than 1 results"),
		logTime("Time", "geth: --rpc.evmtimeout", &ProviderReply{
			Err: &RPCError{Code: -32000, Message: "query timeout exceeded"},
		}),
	}
}

// logRange refuses more blocks in one eth_getLogs.
func logRange(name, source string, blocks uint64, code int, message string) Behaviour {
	learnt := "logs: " + strconv.FormatUint(blocks, 10) + " blocks"
	if !strings.Contains(message, strconv.FormatUint(blocks, 10)) && !strings.Contains(message, "1k") {
		learnt = "logs: " // and not exactly how many
	}
	if blocks >= 10_000 {
		learnt = "" // no more is ever asked for
	}
	rules := func() Rules {
		return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
			if n, ok := blocksOf(p, c); ok && n > blocks {
				return refuse(code, message)
			}
			return nil
		}}
	}
	return Behaviour{
		Name: name, Source: source, Learnt: learnt, Blocks: int(5 * blocks / 2), Unmet: blocks >= 10_000, Rules: rules,
	}
}

// shrinkingRange takes 1,000 blocks at first, and 64 after some queries.
func shrinkingRange() Behaviour {
	const first, then, queries = 1_000, 64, 2
	return Behaviour{
		Name: "RangeShrinks", Source: "a provider that lowers its limit",
		Learnt: "logs: 64 blocks", Blocks: 5 * first / 2,
		Rules: func() Rules {
			return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
				n, ok := blocksOf(p, c)
				if ok && (n > first || n > then && c.Nth > queries) {
					return refuse(-32000, "block range is too wide (maximum 64)")
				}
				return nil
			}}
		},
	}
}

// wholeRequest refuses every request with a query of more than 10 blocks by one error object without an id.
func wholeRequest(name string, status int) Behaviour {
	const blocks = 10
	return Behaviour{
		Name: name, Source: "gateways that check a request before they pass it on", Learnt: "logs: 10 blocks",
		Blocks: 5 * blocks / 2, Rules: func() Rules {
			return Rules{Request: func(_ int, calls []ProviderCall, _ bool) *HTTPAnswer {
				for _, c := range calls {
					if n, ok := blocksOf(nil, c); ok && n > blocks {
						return &HTTPAnswer{Status: status, Body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,` +
							`"message":"eth_getLogs range is too large, max is 10 blocks"}}`}
					}
				}
				return nil
			}}
		},
	}
}

// logResults refuses answers with more logs.
func logResults(name, source string, most, code int, message string) Behaviour {
	return Behaviour{Name: name, Source: source, Crowd: true, Rules: func() Rules {
		return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
			if c.Method != "eth_getLogs" {
				return nil
			}
			var logs []json.RawMessage
			if json.Unmarshal(p.Ask(c.Method, anyOf(c.Params)...), &logs) == nil && len(logs) > most {
				return refuse(code, message)
			}
			return nil
		}}
	}}
}

// logTime refuses ranges of more than 64 blocks as too slow.
func logTime(name, source string, late *ProviderReply) Behaviour {
	return Behaviour{Name: name, Source: source, Learnt: "logs: ", Rules: func() Rules {
		return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
			if n, ok := blocksOf(p, c); ok && n > 64 {
				return late
			}
			return nil
		}}
	}}
}

// evmRates are the limits of a rate, and one that a gateway sets by time.
func evmRates(rates []Behaviour) []Behaviour {
	return append(rates,
		Behaviour{
			Name: "GatewayTimeout", Source: "nginx in front of a slow node", Learnt: "logs:", Rules: gatewayTimeout,
		},
		Behaviour{Name: "RatePartOfBatch", Source: "support.quicknode.com 12002099702289: 26 calls at 25 a second are " +
			"25 answers and one error", Rules: func() Rules {
			return Rules{Replies: func(replies []json.RawMessage) []json.RawMessage {
				for i := 5; i < len(replies); i++ {
					replies[i] = failedReply(replies[i], 429, "Too Many Requests")
				}
				return replies
			}}
		}},
	)
}

func gatewayTimeout() Rules {
	return Rules{Request: func(_ int, calls []ProviderCall, _ bool) *HTTPAnswer {
		for _, c := range calls {
			if n, ok := blocksOf(nil, c); ok && n > 64 {
				return &HTTPAnswer{Status: http.StatusGatewayTimeout, Body: "<html>504 Gateway Time-out</html>"}
			}
		}
		return nil
	}}
}

func failedReply(reply json.RawMessage, code int, message string) json.RawMessage {
	var envelope struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(reply, &envelope); err != nil {
		panic(err) // the node's own
	}
	return encode(object{"jsonrpc": "2.0", "id": envelope.ID, "error": RPCError{Code: code, Message: message}})
}

// RateLimits are refusals of every so many requests because of a rate.
func RateLimits(every int) []Behaviour {
	object := func(code int, message, data string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q%s}}`, code, message, data)
	}
	limited := func(name, source string, a HTTPAnswer) Behaviour {
		return Behaviour{Name: name, Source: source, Rules: func() Rules {
			return Rules{Request: func(nth int, _ []ProviderCall, _ bool) *HTTPAnswer {
				if nth%every == 0 {
					return &a
				}
				return nil
			}}
		}}
	}
	return []Behaviour{
		limited("Rate429", "RFC 6585, section 4", HTTPAnswer{Status: 429, Body: "Too Many Requests"}),
		limited("RateRetryAfter", "RFC 9110, section 10.2.3", HTTPAnswer{
			Status: 429, Header: map[string]string{"Retry-After": "1"}, Body: "slow down",
		}),
		limited("RateRetryAfterDate", "RFC 9110, section 10.2.3", HTTPAnswer{
			Status: 429,
			Header: map[string]string{"Retry-After": time.Now().Add(time.Second).UTC().Format(http.TimeFormat)},
		}),
		limited("Rate503", "RFC 9110, section 10.2.3", HTTPAnswer{
			Status: 503, Header: map[string]string{"Retry-After": "0.5"}, Body: "<html>busy</html>",
		}),
		limited("Rate429Object", "an error object with the status", HTTPAnswer{Status: 429, Body: object(-32000,
			"call rate limit exhausted, retry in 1s", "")}),
		limited("RateBodyRequest", "drpc-sdk: too many request", HTTPAnswer{Status: 200, Body: object(15,
			"Too many request, try again later", "")}),
		limited("RateBodyRPS", "plans by requests a second", HTTPAnswer{Status: 200, Body: object(-32000,
			"Exceeded the allowed RPS", "")}),
		limited("RateBodyParams", "a code of parameters", HTTPAnswer{Status: 200, Body: object(-32602,
			"rate limit exceeded, retry in 0m1s", "")}),
		limited("RateBodyBase", "mainnet.base.org", HTTPAnswer{Status: 200, Body: object(-32016, "over rate limit", "")}),
		limited("RateBody", "Alchemy: compute units a second", HTTPAnswer{Status: 200, Body: object(429,
			"Your app has exceeded its compute units per second capacity.", "")}),
		limited("RateBodyInfura", "Infura: project ID request rate exceeded", HTTPAnswer{Status: 200, Body: object(-32005,
			"project ID request rate exceeded", `,"data":{"rate":{"backoff_seconds":1}}`)}),
		limited("RateBodyQuickNode", "BobTheBuidler/dank_mids#642, #684", HTTPAnswer{Status: 200, Body: object(-32007,
			"50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com", "")}),
		limited("RateBodyDaily", "QuickNode: daily limit", HTTPAnswer{Status: 200, Body: object(-32003,
			"daily request limit reached - upgrade your account at quicknode.com", "")}),
		limited("RateBodyChainstack", "docs.chainstack.com/reference/node-api-errors-reference", HTTPAnswer{
			Status: 200,
			Body:   object(-32005, "You've exceeded the RPS limit available on the current plan.", ""),
		}),
		limited("RateBodyUsage", "docs.1rpc.io/using-the-web3-api/errors", HTTPAnswer{Status: 200, Body: object(-32001,
			"You've reached the usage limit for your current plan.", "")}),
	}
}

// evmBatches are limits of batches.
func evmBatches() []Behaviour {
	tooMany := func(most int, a HTTPAnswer) func() Rules {
		return func() Rules {
			return Rules{Request: func(_ int, calls []ProviderCall, batch bool) *HTTPAnswer {
				if batch && len(calls) > most {
					return &a
				}
				return nil
			}}
		}
	}
	plain := func(text string) string { return text }
	one := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch requests are not supported"}}`
	return []Behaviour{
		{
			Name: "BatchRefused", Source: "JSON-RPC 2.0 section 6: an error object in place of an array",
			Learnt: "batch: 1 call", Rules: tooMany(1, HTTPAnswer{Status: 200, Body: one}),
		},
		{
			Name: "BatchRefusedPlain", Source: "proxies that parse one object", Learnt: "batch: 1 call",
			Rules: tooMany(1, HTTPAnswer{Status: 400, Body: plain("Bad Request")}),
		},
		{
			Name: "Batch3", Source: "hemilabs/ui-monorepo#887 (dRPC): status 500", Learnt: "batch: 3 calls",
			Rules: tooMany(3, HTTPAnswer{Status: 500, Body: `{"code":31,"message":"Batch of more than 3 requests are ` +
				`not allowed on free tier, to use this feature register paid account at drpc.org"}`}),
		},
		{
			Name: "Batch10", Source: "subquery/subql#1852", Learnt: "batch: 10 calls",
			Rules: tooMany(10, HTTPAnswer{Status: 200, Body: strings.Replace(one, "requests are not supported",
				"size exceeds the limit of 10", 1)}),
		},
		{Name: "Batch413", Source: "RFC 9110, section 15.5.14", Rules: tooMany(10, HTTPAnswer{Status: 413, Body: "too large"})},
		{
			Name: "Batch100", Source: "NethermindEth/nethermind#5122", Unmet: true, // no batch is so large
			Rules: tooMany(100, HTTPAnswer{Status: 200, Body: one}),
		},
		{
			Name: "BatchGeth", Source: "go-ethereum rpc/handler.go: an array of one error with the first id",
			Learnt: "batch: 10 calls", Rules: gethBatch,
		},
		{
			Name: "BatchDropped", Source: "erigontech/erigon#18074: the connection is dropped", Learnt: "batch: 10 calls",
			Rules: tooMany(10, HTTPAnswer{Drop: true}),
		},
		{Name: "BatchReversed", Source: "JSON-RPC 2.0 section 6: any order", Rules: func() Rules {
			return Rules{Replies: func(replies []json.RawMessage) []json.RawMessage {
				slices.Reverse(replies)
				return replies
			}}
		}},
		{
			Name: "BatchNullID", Source: "JSON-RPC 2.0 section 5: null where the id was not found", Learnt: "batch: 4 calls",
			Rules: func() Rules {
				return Rules{Replies: func(replies []json.RawMessage) []json.RawMessage {
					if len(replies) > 4 {
						replies[2] = encode(
							object{
								"jsonrpc": "2.0", "id": nil,
								"error": RPCError{Code: -32600, Message: "invalid request"},
							},
						)
					}
					return replies
				}}
			},
		},
		{Name: "RateNullID", Source: "a rate that one call of a batch exceeds", Rules: func() Rules {
			nth := 0
			return Rules{Replies: func(replies []json.RawMessage) []json.RawMessage {
				if nth++; nth%5 == 0 {
					replies[len(replies)-1] = encode(object{
						"jsonrpc": "2.0", "id": nil, "error": RPCError{Code: -32005, Message: "limit exceeded"},
					})
				}
				return replies
			}}
		}},
		{Name: "BatchPart", Source: "replies that are missing", Learnt: "batch: 4 calls", Rules: func() Rules {
			return Rules{Replies: func(replies []json.RawMessage) []json.RawMessage {
				return replies[:min(len(replies), 4)]
			}}
		}},
		{Name: "BatchEmpty", Source: "an empty array", Learnt: "batch: 4 calls", Rules: func() Rules {
			return Rules{Replies: func(replies []json.RawMessage) []json.RawMessage {
				if len(replies) > 4 {
					return []json.RawMessage{}
				}
				return replies
			}}
		}},
	}
}

func gethBatch() Rules {
	return Rules{Request: func(_ int, calls []ProviderCall, batch bool) *HTTPAnswer {
		if !batch || len(calls) <= 10 {
			return nil
		}
		return &HTTPAnswer{Status: 200, Body: fmt.Sprintf(
			`[{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"batch too large"}}]`, calls[0].ID)}
	}}
}

// blocksOf returns how many blocks a query for logs covers.
func blocksOf(p *Provider, c ProviderCall) (uint64, bool) {
	from, to, ok := rangeOf(p, c)
	return to - from + 1, ok
}

// rangeOf returns the first and the last block of a query. A query up to the newest block needs the provider.
func rangeOf(p *Provider, c ProviderCall) (from, to uint64, ok bool) {
	var q struct{ FromBlock, ToBlock string }
	if c.Method != "eth_getLogs" || json.Unmarshal(c.Params[0], &q) != nil || q.FromBlock == "" {
		return 0, 0, false
	}
	from, errFrom := strconv.ParseUint(strings.TrimPrefix(q.FromBlock, "0x"), 16, 64)
	if q.ToBlock == "latest" && p != nil {
		return from, head(p), errFrom == nil
	}
	to, errTo := strconv.ParseUint(strings.TrimPrefix(q.ToBlock, "0x"), 16, 64)
	return from, to, errFrom == nil && errTo == nil
}

func anyOf(params []json.RawMessage) []any {
	list := make([]any, len(params))
	for i, p := range params {
		list[i] = p
	}
	return list
}
