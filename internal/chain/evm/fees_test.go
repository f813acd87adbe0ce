package evm_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/fault"
)

// market is the prices a network reports.
type market struct {
	baseFee, tip int64 // wei
	gas          uint64
	l1, operator int64 // what the oracle of an OP Stack chain charges; -1: no oracle
	noTip        bool  // the node does not know the method
}

const gwei = 1_000_000_000

// answers makes an endpoint report the market.
func (m market) answers(s *script) chaintest.Faults {
	f := chaintest.Faults{
		AlterBlock: func(b map[string]any) { b["baseFeePerGas"] = hexutil.EncodeUint64(uint64(m.baseFee)) },
		Answer: func(method string, params []json.RawMessage) (any, bool) {
			switch method {
			case "eth_maxPriorityFeePerGas":
				return hexutil.EncodeUint64(uint64(m.tip)), !m.noTip
			case "eth_estimateGas":
				return hexutil.EncodeUint64(m.gas), true
			case "eth_getBalance":
				return "0xde0b6b3a7640000", true
			case "eth_getTransactionCount":
				return "0x7", true
			case "eth_call":
				return m.oracle(string(params[0]))
			}
			return nil, false
		},
	}
	s.endpoints[0].Set(f)
	return f
}

func (m market) oracle(question string) (any, bool) {
	fees := map[string]int64{"0xf1c7a58b": m.l1, "0x275aedd2": m.operator}
	for selector, fee := range fees {
		if strings.Contains(question, "0x420000000000000000000000000000000000000f") &&
			strings.Contains(question, selector) && fee >= 0 {
			return fmt.Sprintf("0x%064x", fee), true
		}
	}
	return nil, false
}

// The price of a transaction by each network's rules: the deployment of the
// factory with 1,000,000 gas and a margin of a fifth.
func TestDeployer_PlanPrice(t *testing.T) {
	t.Parallel()
	const gas, asked = 1_000_000, 1_200_000
	wei := func(perGas int64) *big.Int { return new(big.Int).Mul(big.NewInt(perGas), big.NewInt(asked)) }
	for name, c := range map[string]struct {
		network chain.Network
		market  market
		want    *big.Int
	}{
		"BSC without base fee":   {chain.BEP20, market{tip: gwei / 10, gas: gas}, wei(gwei / 10)},
		"BSC skewed to zero":     {chain.BEP20, market{gas: gas}, wei(gwei / 20)},
		"BSC absurd":             {chain.BEP20, market{tip: 500 * gwei, gas: gas}, wei(gwei)},
		"BSC without suggestion": {chain.BEP20, market{noTip: true, gas: gas}, wei(gwei / 20)},
		"Polygon": {
			chain.Polygon, market{baseFee: 250 * gwei, tip: 30 * gwei, gas: gas}, wei(530 * gwei),
		},
		"Polygon library default": {
			chain.Polygon,
			market{baseFee: 100 * gwei, tip: gwei * 3 / 2, gas: gas},
			wei(225 * gwei),
		},
		"Base with Ethereum's part": {chain.Base, market{
			baseFee: gwei / 200, tip: gwei / 1000, gas: gas, l1: 777,
			operator: 55,
		}, new(big.Int).Add(wei(gwei/100+gwei/1000), big.NewInt(777+55))},
		"Base without operator fee": {chain.Base, market{
			baseFee: gwei / 200, tip: gwei / 1000, gas: gas, l1: 777,
			operator: -1,
		}, new(big.Int).Add(wei(gwei/100+gwei/1000), big.NewInt(777))},
		"Polygon has no oracle": {
			chain.Polygon,
			market{baseFee: gwei, tip: 25 * gwei, gas: gas, l1: 777},
			wei(27 * gwei),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1, func(p *chain.Profile) { *p, _ = profileOf(c.network) })
			s.bare(true)
			c.market.answers(s)
			plan, err := sender.NewDeployer(s.reader).Plan(t.Context(), common.Address{1})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Steps) != 1 || plan.Steps[0].Gas != asked || plan.Cost().Big().Cmp(c.want) != 0 {
				t.Errorf("the plan is %+v, want %s", plan, c.want)
			}
		})
	}
}

// bare removes the factory from the chain and puts the deployment proxy on it.
func (s *script) bare(proxy bool) {
	s.chain.SetCode(factoryAddress, "0x")
	if proxy {
		s.chain.SetCode(contracts.DeployerAddress.Hex(), deployerCode)
	}
}

// deployerCode is the runtime code of the deterministic deployment proxy.
const deployerCode = "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"

func TestDeployer_PlanRefuses(t *testing.T) {
	t.Parallel()
	ordinary := market{baseFee: gwei, tip: 30 * gwei, gas: 1_000_000}
	for name, c := range map[string]struct {
		proxy  bool
		market market
		code   string // at the factory's address
	}{
		"TooMuchGas":       {proxy: true, market: market{baseFee: gwei, tip: 30 * gwei, gas: 1 << 24}},
		"AbsurdEstimate":   {proxy: true, market: market{baseFee: gwei, tip: 30 * gwei, gas: 1<<64 - 1}},
		"OtherFactory":     {proxy: true, market: ordinary, code: "0x6001"},
		"PresignedTooPoor": {market: market{baseFee: 120 * gwei, tip: 30 * gwei, gas: 1_000_000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t, 1)
			s.bare(c.proxy)
			if c.code != "" {
				s.chain.SetCode(factoryAddress, c.code)
			}
			c.market.answers(s)
			if plan, err := sender.NewDeployer(s.reader).Plan(t.Context(), common.Address{1}); !fault.Is(err,
				fault.Unprocessable) {
				t.Errorf("the plan is %+v, error %v, want Unprocessable", plan, err)
			}
			if e := s.reader.Endpoints()[0]; !e.Healthy {
				t.Errorf("the endpoint suffers for it: %+v", e)
			}
		})
	}
	t.Run("OtherProxy", func(t *testing.T) {
		t.Parallel()
		s := newScript(t, 1)
		s.bare(false)
		s.chain.SetCode(contracts.DeployerAddress.Hex(), "0x6001")
		ordinary.answers(s)
		if plan, err := sender.NewDeployer(s.reader).Plan(t.Context(), common.Address{1}); !fault.Is(err,
			fault.Unprocessable) {
			t.Errorf("the plan is %+v, error %v, want Unprocessable", plan, err)
		}
	})
}
