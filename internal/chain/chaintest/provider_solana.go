package chaintest

import (
	"encoding/json"
	"slices"
)

// SolanaBehaviours is how providers of Solana differ from a node of one's own.
func SolanaBehaviours() []Behaviour {
	const trial = "quicknode.com/docs/solana/getBlocks: 5 slots on trial plans, 1,005 on paid ones"
	return append(RateLimits(30),
		tooManyInputs("Accounts5", "QuickNode, trial plans", 5, -32602, "Too many inputs provided; max 5"),
		tooManyInputs("Accounts10Bare", "a code alone", 10, -32600, "invalid request"),
		Behaviour{
			Name: "Signatures10", Source: "agave: Invalid limit; max 1000, and providers with less",
			Learnt: "signatures: 10 a page", Rules: func() Rules { return pages(10, true) },
		},
		Behaviour{
			Name: "SignaturesCut", Source: "providers that cut a page without saying so",
			Rules: func() Rules { return pages(10, false) },
		},
		Behaviour{Name: "Slots5", Source: trial, Unmet: true, Rules: func() Rules { return slotRange(5) }},
		Behaviour{
			Name: "MinContextSlot", Source: "jet-lab/jet-v2#814: a member of a balancer that is behind",
			Rules: func() Rules { return notYet(-32016, "Minimum context slot has not been reached") },
		},
		Behaviour{
			Name: "MinContextSlotHelius", Source: "magicblock-labs/magicblock-validator#1468, #1473",
			Rules: func() Rules { return notYet(-32603, "Minimum context slot has not been reached") },
		},
		Behaviour{Name: "CleanedUp", Source: "solana-labs/solana#11963", Rules: CleanedUp, Unmet: true},
		Behaviour{
			Name: "AnnouncedNull", Source: "solana-labs/solana#12208: announced, and not available a moment later",
			Rules: func() Rules { return atFirst("getBlock", refuse(-32004, "Block not available for slot 1")) },
		},
		Behaviour{
			Name: "TransactionNull", Source: "anza-xyz/agave#3787: listed, and not there a moment later",
			Rules: func() Rules { return atFirst("getTransaction", &ProviderReply{}) },
		},
		Behaviour{Name: "Balancer", Source: "solana-labs/solana#15705", Rules: solanaBalancer},
	)
}

// tooManyInputs refuses more accounts in one getMultipleAccounts.
func tooManyInputs(name, source string, most, code int, message string) Behaviour {
	return Behaviour{Name: name, Source: source, Learnt: "accounts: ", Rules: func() Rules {
		return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
			var keys []string
			if c.Method == "getMultipleAccounts" && json.Unmarshal(c.Params[0], &keys) == nil && len(keys) > most {
				return refuse(code, message)
			}
			return nil
		}}
	}}
}

// pages gives at most so many signatures, and says so or not.
func pages(most int, says bool) Rules {
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		if c.Method != "getSignaturesForAddress" || len(c.Params) < 2 {
			return nil
		}
		var options map[string]any
		if json.Unmarshal(c.Params[1], &options) != nil {
			return nil
		}
		limit, _ := options["limit"].(float64)
		if int(limit) <= most {
			return nil
		}
		if says {
			return refuse(-32602, "Invalid limit; max 10")
		}
		options["limit"] = most
		return &ProviderReply{Result: p.Ask(c.Method, c.Params[0], options)}
	}}
}

// slotRange refuses longer ranges of getBlocks.
func slotRange(most uint64) Rules {
	return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
		var first, last uint64
		if c.Method == "getBlocks" && json.Unmarshal(c.Params[0], &first) == nil &&
			json.Unmarshal(c.Params[1], &last) == nil && last-first+1 > most {
			return refuse(-32602, "getBlocks is limited to a 5 range")
		}
		return nil
	}}
}

// notYet answers every other question with a minimum slot by an error: another member was asked.
func notYet(code int, message string) Rules {
	return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
		if c.Method == "getMultipleAccounts" && c.Nth%2 == 1 {
			return refuse(code, message)
		}
		return nil
	}}
}

// CleanedUp has no block of the first slots.
func CleanedUp() Rules {
	return Rules{Call: func(_ *Provider, c ProviderCall) *ProviderReply {
		var slot uint64
		if c.Method == "getBlock" && json.Unmarshal(c.Params[0], &slot) == nil && slot < 3 {
			return refuse(-32001, "Block 1 cleaned up, does not exist on node. First available block: 3")
		}
		return nil
	}}
}

// atFirst answers the first call for each thing so. What a round gets does not depend on the order of its calls.
func atFirst(method string, reply *ProviderReply) Rules {
	asked := make(map[string]bool)
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		if c.Method != method {
			return nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if thing := string(c.Params[0]); !asked[thing] {
			asked[thing] = true
			return reply
		}
		return nil
	}}
}

// solanaBalancer sends every third request to a member that is behind.
func solanaBalancer() Rules {
	return Rules{Call: func(p *Provider, c ProviderCall) *ProviderReply {
		if c.Request%3 != 0 {
			return nil
		}
		var slot uint64
		if err := json.Unmarshal(p.Ask("getSlot", object{"commitment": "confirmed"}), &slot); err != nil {
			p.t.Error(err)
		}
		slot -= behindBy
		var asked uint64
		switch {
		case c.Method == "getBlock" && json.Unmarshal(c.Params[0], &asked) == nil && asked > slot:
			return refuse(-32004, "Block not available for slot")
		case slices.Contains([]string{"getMultipleAccounts", "getAccountInfo"}, c.Method):
			var o struct{ MinContextSlot uint64 }
			if len(c.Params) > 1 && json.Unmarshal(c.Params[1], &o) == nil && o.MinContextSlot > slot {
				return refuse(-32016, "Minimum context slot has not been reached")
			}
		case c.Method == "getSlot":
			var o struct{ Commitment string }
			if len(c.Params) > 0 && json.Unmarshal(c.Params[0], &o) == nil && o.Commitment == "confirmed" {
				return &ProviderReply{Result: slot}
			}
		}
		return nil
	}}
}
