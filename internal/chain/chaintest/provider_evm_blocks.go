package chaintest

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// evmKnowledge is what providers do not know, or not yet, or no more.
func evmKnowledge() []Behaviour {
	return []Behaviour{
		unknownTag("FinalizedUnknown", "iotexproject/iotex-core#4942", -32603,
			`strconv.ParseUint: parsing "TAG": invalid syntax`, "finalized"),
		unknownTag("SafeUnknown", "rsksmart/rskj#3309", -32602, "unsupported block tag: TAG", "safe"),
		unknownTag("TagsUnknown", "old versions of geth", -32602, "invalid argument 0: hex string without 0x prefix",
			"finalized", "safe", "pending"),
		nullTag("FinalizedNull", "finalized"), nullTag("SafeNull", "safe"),
		{
			Name: "Archive128", Source: "ethereum/go-ethereum#20874: a full node keeps 128 states", Blocks: 300, Unmet: true,
			Rules: archive128,
		},
		{
			Name: "AnnouncedNull", Source: "brson in Aimeedeer/realtps#23: announced, and not there a moment later",
			Rules: announcedNull,
		},
		{Name: "Balancer", Source: "members behind one address that differ by seconds", Rules: balancer},
	}
}

// archive128 has the states of the last 128 blocks alone.
func archive128() Rules {
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		if tag, ok := stateTag(c); ok && tag != "latest" && tag != "pending" && number(tag)+128 <= head(p) {
			return refuse(-32000, "missing trie node 8b1604e0d19d9be9a94cab027e74134e674bccdb (path )")
		}
		return nil
	}}
}

// nullTag has no block of the tag, and does not say that it does not know it.
func nullTag(name, tag string) Behaviour {
	return Behaviour{Name: name, Source: "nodes that have just started", Rules: func() Rules {
		return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
			var asked string
			if c.Method == "eth_getBlockByNumber" && json.Unmarshal(c.Params[0], &asked) == nil && asked == tag {
				return &ProviderReply{}
			}
			return nil
		}}
	}}
}

func unknownTag(name, source string, code int, message string, tags ...string) Behaviour {
	learnt := "unknown tag: " + tags[0]
	return Behaviour{Name: name, Source: source, Learnt: learnt, Rules: func() Rules {
		return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
			for _, p := range c.Params {
				var tag string
				if json.Unmarshal(p, &tag) == nil && slices.Contains(tags, tag) {
					return refuse(code, strings.ReplaceAll(message, "TAG", tag))
				}
			}
			return nil
		}}
	}}
}

// stateTag returns the block whose state a call needs.
func stateTag(c ProviderCall) (tag string, ok bool) {
	at := map[string]int{"eth_call": 1, "eth_getBalance": 1, "eth_getCode": 1, "eth_getTransactionCount": 1}
	i, ok := at[c.Method]
	if !ok || len(c.Params) <= i || json.Unmarshal(c.Params[i], &tag) != nil {
		return "", false
	}
	return tag, true
}

func number(tag string) uint64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(tag, "0x"), 16, 64)
	if err != nil {
		return 0
	}
	return n
}

// head returns the number of the node's newest block.
func head(p *Provider) uint64 {
	var text string
	if err := json.Unmarshal(p.Ask("eth_blockNumber"), &text); err != nil {
		p.t.Error(err)
	}
	return number(text)
}

// announcedNull answers every other question for the newest block by number with null.
func announcedNull() Rules {
	asked := 0
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		var tag string
		if c.Method != "eth_getBlockByNumber" || json.Unmarshal(c.Params[0], &tag) != nil ||
			!strings.HasPrefix(tag, "0x") || number(tag) != head(p) {
			return nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if asked++; asked%2 == 1 {
			return &ProviderReply{}
		}
		return nil
	}}
}

// behindBy is how many blocks a slow member is behind.
const behindBy = 3

// balancer sends every other request to a member that is behind.
func balancer() Rules {
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		if c.Request%2 == 0 {
			return nil
		}
		newest := head(p) - behindBy
		if c.Method == "eth_blockNumber" {
			return &ProviderReply{Result: hexQuantity(newest)}
		}
		if _, to, ok := rangeOf(p, c); ok && to > newest {
			return refuse(-32602, "block range extends beyond current head block")
		}
		var tag string
		if c.Method != "eth_getBlockByNumber" || json.Unmarshal(c.Params[0], &tag) != nil {
			return nil
		}
		switch {
		case tag == "latest":
			return &ProviderReply{Result: p.Ask(c.Method, hexQuantity(newest), false)}
		case strings.HasPrefix(tag, "0x") && number(tag) > newest:
			return &ProviderReply{}
		}
		return nil
	}}
}

// PrunedLogs has no logs of blocks that are so far back.
func PrunedLogs(depth uint64) Rules {
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		if from, _, ok := rangeOf(p, c); ok && from+depth <= head(p) {
			return refuse(4444, "pruned history unavailable")
		}
		return nil
	}}
}

// TagLimited refuses tags of finality because of a rate, in words that sound like an unknown tag.
func TagLimited() Rules {
	return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
		var tag string
		if c.Method == "eth_getBlockByNumber" && json.Unmarshal(c.Params[0], &tag) == nil &&
			(tag == "safe" || tag == "finalized") {
			return refuse(-32602, "invalid request: rate limit exceeded")
		}
		return nil
	}}
}
