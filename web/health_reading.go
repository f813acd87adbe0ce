package web

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/meter"
)

// readingHealth is what reading a network costs.
type readingHealth struct {
	// Level is how closely the network is read: idle, ended, open or attended.
	Level      string           `json:"level"`
	CallsToday int64            `json:"callsToday"` // since midnight UTC, by all instances
	Methods    map[string]int64 `json:"methods"`
	// Budget is of the endpoint that has spent most of its own; omitted where there is none.
	Budget       int64 `json:"budget,omitempty"`
	SpentPercent int64 `json:"spentPercent"`
	MonthlyCalls int64 `json:"monthlyCalls"`
	// Subscription says what the subscription does; omitted where no endpoint pushes.
	Subscription string `json:"subscription,omitempty"`
}

// ReportReading adds what reading the networks costs to GET /health. Call it before Serve.
func (s *Server) ReportReading(report func(chain.Network) (meter.Report, bool)) {
	s.health.reading = report
}

// readingHealth returns nil where nothing is counted.
func (s *Server) readingHealth(n chain.Network) *readingHealth {
	if s.health.reading == nil {
		return nil
	}
	r, ok := s.health.reading(n)
	if !ok {
		return nil
	}
	return &readingHealth{
		Level: r.Level, CallsToday: meter.Total(r.Today), Methods: meter.ByMethod(r.Today), Budget: r.Budget,
		SpentPercent: r.Spent, MonthlyCalls: r.Month, Subscription: r.Subscription,
	}
}
