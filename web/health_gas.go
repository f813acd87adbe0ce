package web

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
)

// gasHealth is the state of the gas wallet of a network. Amounts are in whole
// native coins.
type gasHealth struct {
	Wallet  chain.Address `json:"wallet"`
	Balance string        `json:"balance"`
	// CostPerPayment and RunwayDays are measured; null until there is
	// something to measure.
	CostPerPayment *string `json:"costPerPayment"`
	RunwayDays     *int    `json:"runwayDays"`
	Level          string  `json:"level"`
	Waiting        string  `json:"waiting"` // why sweeps wait; empty when they do not
}

// CountCheck counts a wallet that the endpoints are asked about, by whose request it is.
func (s *Server) CountCheck(ctx context.Context) error { return s.sh.Limits.Checks(ctx) }

// ReportGas adds the state of gas wallets to GET /health. Call it before Serve.
func (s *Server) ReportGas(status func(chain.Network) (settlement.Status, bool)) {
	s.health.gas = status
}

// gasHealth returns nil where nothing is swept, or before the first measurement.
func (s *Server) gasHealth(n chain.Network) *gasHealth {
	if s.health.gas == nil {
		return nil
	}
	st, ok := s.health.gas(n)
	if !ok || st.At.IsZero() {
		return nil
	}
	r := st.Runway
	h := &gasHealth{
		Wallet: r.Wallet.Address, Balance: r.Wallet.Balance.Format(
			n.CoinDecimals(),
		), Level: string(r.Level), Waiting: st.Waiting,
	}
	if !r.PerItem.IsZero() {
		cost := r.PerItem.Format(n.CoinDecimals())
		h.CostPerPayment = &cost
	}
	if r.Days >= 0 {
		h.RunwayDays = &r.Days
	}
	return h
}
