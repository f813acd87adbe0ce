package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// override is what the operator says about one network; zero values leave what
// is compiled in.
type override struct {
	rpc       []secret.Text
	chainID   uint64
	contracts map[money.Token]chain.Address
	decimals  map[money.Token]int
	finality  chain.Finality
	explorer  string
	walletRPC string
	cluster   string
	treasury  chain.Address
	gasPrice  money.Units
	// priorityFee is the same on Solana, in micro-lamports a unit of compute.
	priorityFee uint64
}

func newOverride() *override {
	return &override{contracts: make(map[money.Token]chain.Address), decimals: make(map[money.Token]int)}
}

// network returns the compiled-in profile with what is overridden.
//
// The compiled-in contracts belong to one chain together. Once a contract or
// the chain id is another, it is a test network where none of them exist: then
// only the contracts that are given count, and no bridged twin is watched.
func (o *override) network(p chain.Profile) (Network, Problems) {
	var problems Problems
	name := prefix + string(p.Network)
	if o.chainID != 0 && o.chainID != p.ChainID && len(o.contracts) == 0 {
		problems.add(name+"_CHAIN_ID", fmt.Errorf("is not the chain of the compiled-in tokens; set %s_USDT or %[1]s_USDC too", name))
	}
	if o.chainID != 0 {
		p.ChainID = o.chainID
	}
	p.Assets = o.assets(p)
	if o.finality != (chain.Finality{}) {
		p.Finality = o.finality
	}
	if o.finality.Depth > 0 {
		p.TypicalFinal = o.finality.Depth
	}
	if o.explorer != "" {
		p.Explorer = o.explorer
	}
	o.addWallets(&p)
	for i, a := range p.Assets {
		same := func(b chain.Asset) bool { return b.Contract == a.Contract }
		if slices.ContainsFunc(p.Assets[:i], same) {
			problems.add(name+"_"+a.Symbol, errors.New("is the contract of another token too"))
		}
		if a.Contract == o.treasury {
			problems.add(name+"_TREASURY", fmt.Errorf("is the contract of %s, not a wallet", a.Symbol))
		}
	}
	return Network{
		Profile: p, RPC: o.rpc, Treasury: o.treasury, MaxGasPrice: o.gasPrice, MaxPriorityFee: o.priorityFee,
	}, problems
}

// addWallets says how wallets know the chain. Of a test network nothing is
// known but what is given: a wallet must not be sent to the real one.
func (o *override) addWallets(p *chain.Profile) {
	if len(o.contracts) > 0 {
		p.WalletRPC = ""
		if p.Cluster != "" {
			p.Cluster = "localnet"
		}
	}
	if o.walletRPC != "" {
		p.WalletRPC = o.walletRPC
	}
	if o.cluster != "" {
		p.Cluster = o.cluster
	}
}

func (o *override) assets(p chain.Profile) []chain.Asset {
	var assets []chain.Asset
	for _, a := range p.Assets {
		contract, given := o.contracts[a.Token]
		if len(o.contracts) > 0 && !given {
			continue
		}
		if given {
			a.Contract = contract
		}
		if d, ok := o.decimals[a.Token]; ok && a.Token != "" {
			a.Decimals = d
		}
		assets = append(assets, a)
	}
	return assets
}
