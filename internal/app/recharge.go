package app

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
)

// recharges returns the service that sells query units for USDT on BNB Smart Chain. Without that network it sells
// nothing; without a treasury it only completes earlier sales.
func (a *App) recharges() *recharge.Service {
	n, on := a.Config.Network(chain.BEP20)
	l := a.networks[chain.BEP20]
	if !on || l == nil {
		return recharge.New(a.Store.Settlement(), nil, a.clock.Now, a.log)
	}
	asset, offered := n.Profile.Asset(money.USDT)
	if !offered {
		return recharge.New(a.Store.Settlement(), nil, a.clock.Now, a.log)
	}
	return recharge.New(a.Store.Settlement(), &recharge.Network{
		Chain: sender.NewTransfers(l.evm, n.MaxGasPrice), Asset: asset, Treasury: n.Treasury,
		Ready: func() error {
			if h := a.networks.Health(chain.BEP20); !h.OK {
				return fault.Retry(fault.Unavailable, rechargeAgain, "BEP20 cannot be used at the moment: %s", h.Reason)
			}
			return nil
		},
	}, a.clock.Now, a.log)
}

// rechargeAgain is the delay of a retry while the network is unreadable or behind.
const rechargeAgain = 10 * time.Second
