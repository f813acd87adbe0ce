package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/web/shell"
)

// healthReport is the body of GET /health.
type healthReport struct {
	Status   string `json:"status"`
	Version  string `json:"version"`
	Database string `json:"database"`
	// Reason says why the database cannot be used, or what to do when nothing can be sold; omitted otherwise.
	Reason   string                          `json:"reason,omitempty"`
	Networks map[chain.Network]networkHealth `json:"networks"`
	// Warnings say what to mend in front of this server; omitted when there is
	// nothing.
	Warnings []string `json:"warnings,omitempty"`
	// Alerts are those of the networks that the operator was notified of; omitted when there is none.
	Alerts []alertHealth `json:"alerts,omitempty"`
	// Loops are those that have not turned for longer than they may; omitted when there is none.
	Loops []loopHealth `json:"loops,omitempty"`
	// Recharge says whether query units can be bought now.
	Recharge operationHealth `json:"rechargeApiKey"`
}

// operationHealth is the state of an operation that needs more than the database.
type operationHealth struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// networkHealth is the state of a network.
type networkHealth struct {
	Status     string `json:"status"`
	Head       uint64 `json:"head"`
	Scanned    uint64 `json:"scanned"`
	Final      uint64 `json:"final"`
	LagSeconds int64  `json:"lagSeconds"`
	// FinalAgeSeconds is how much older the final block is than the newest one;
	// omitted while no final block is known.
	FinalAgeSeconds *int64 `json:"finalAgeSeconds,omitempty"`
	Reason          string `json:"reason"`
	// Detail says more, in the words of the log and of `florin doctor`; omitted while the network is well.
	Detail string `json:"detail,omitempty"`
	// SetAside is how many payments cannot be read there and are tried again;
	// omitted when none is.
	SetAside int `json:"setAside,omitempty"`
	// Note says what an operator should know of a network that works; omitted
	// when there is nothing.
	Note string `json:"note,omitempty"`
	// Endpoints are those of which something was learnt; omitted where there are none.
	Endpoints []endpointHealth `json:"endpoints,omitempty"`
}

// alertHealth is something that an operator should see to, in the words of the notice about it.
type alertHealth struct {
	Kind    alert.Kind `json:"kind"`
	Subject string     `json:"subject"`
	Title   string     `json:"title"`
	Detail  string     `json:"detail"`
	Advice  string     `json:"advice"`
	Since   time.Time  `json:"since"`
}

// endpointHealth says what an endpoint was found to limit, to refuse or not to know. Name holds no credentials.
type endpointHealth struct {
	Name   string   `json:"name"`
	Learnt []string `json:"learnt"`
}

// loopHealth is a loop of the program that does not turn.
type loopHealth struct {
	Name         string `json:"name"`
	AgeSeconds   int64  `json:"ageSeconds"`
	BoundSeconds int64  `json:"boundSeconds"`
}

// Loop is work that the program repeats: for how long it has not, and how long that may be.
type Loop struct {
	Name       string
	Age, Bound time.Duration
}

// States in the report.
const (
	healthOK       = "ok"
	healthDegraded = "degraded"
	healthDown     = "down"
	healthOff      = "off" // it is not configured
)

const (
	// pingKept is how long the result of a ping is reused, so that health checks
	// cannot load the database.
	pingKept    = 500 * time.Millisecond
	pingTimeout = 2 * time.Second
)

type healthCache struct {
	ping cachedCheck
	// alerts returns those that the operator was notified of; nil: none are known.
	alerts func() []alert.Alert
	// loops returns the loops of the program; nil: none are known.
	loops func() []Loop
	// endpoints returns the state of a network's endpoints; nil without a dashboard.
	endpoints func(chain.Network) []chain.EndpointHealth
}

// getHealth answers 200 while requests can be served, 503 when the database is
// gone.
func (s *Server) getHealth(c echo.Context) error {
	report := healthReport{
		Status: healthOK, Version: s.o.Version, Database: healthOK, Networks: make(map[chain.Network]networkHealth),
	}
	configured, offered := 0, 0
	for _, n := range chain.Networks() {
		h := s.networkHealth(n)
		if h.Status == healthDegraded {
			report.Status = healthDegraded
		}
		if _, on := s.d.Payments.Network(n); on {
			configured++
		}
		if s.d.Payments.Health(n).OK {
			offered++
		}
		report.Networks[n] = h
	}
	if offered == 0 {
		report.Status, report.Reason = healthDegraded, payment.NothingSold(configured)
	}
	report.Recharge = s.rechargeHealth()
	report.Warnings, report.Alerts = s.sh.Warnings(), s.publicAlerts()
	if report.Loops = s.lateLoops(); len(report.Loops) > 0 {
		report.Status = healthDegraded
	}
	code := http.StatusOK
	if err := s.health.ping.check(c.Request().Context(), s.d.Ping); err != nil {
		report.Status, report.Database, code = healthDown, healthDown, http.StatusServiceUnavailable
		report.Reason = withoutDatabase(err)
	}
	return shell.WriteJSON(c, code, report)
}

// ReportAlerts adds the alerts that anybody may read to GET /health. Call it before Serve.
func (s *Server) ReportAlerts(current func() []alert.Alert) { s.health.alerts = current }

// ReportLoops adds the loops that do not turn to GET /health. Call it before Serve.
func (s *Server) ReportLoops(loops func() []Loop) { s.health.loops = loops }

func (s *Server) lateLoops() (late []loopHealth) {
	if s.health.loops == nil {
		return nil
	}
	for _, l := range s.health.loops() {
		if l.Age > l.Bound {
			late = append(late, loopHealth{l.Name, int64(l.Age / time.Second), int64(l.Bound / time.Second)})
		}
	}
	return late
}

func (s *Server) publicAlerts() (list []alertHealth) {
	if s.health.alerts == nil {
		return nil
	}
	for _, a := range s.health.alerts() {
		if a.Public {
			list = append(list, alertHealth{a.Kind, a.Subject, a.Title, a.Text, a.Advice, a.Since})
		}
	}
	return list
}

func (s *Server) networkHealth(n chain.Network) networkHealth {
	if _, ok := s.d.Payments.Network(n); !ok {
		return networkHealth{Status: healthOff, Reason: "this network is not configured"}
	}
	h := s.d.Payments.Health(n)
	out := networkHealth{
		Status: healthOK, Head: h.Latest.Number, Scanned: h.Scanned.Number, Final: h.Final.Number,
		LagSeconds: int64(h.Lag / time.Second), Reason: h.Reason,
	}
	if h.FinalKnown() {
		age := int64(h.FinalAge / time.Second)
		out.FinalAgeSeconds = &age
	}
	if !h.OK {
		out.Detail = h.Detail
	}
	out.SetAside = h.SetAside
	if s.health.endpoints != nil {
		endpoints := s.health.endpoints(n)
		out.Endpoints, out.Note = learnt(endpoints), chain.OneVoice(endpoints)
	}
	if h.Endpoints == 1 {
		out.Note = strings.TrimSuffix("one endpoint: no second one confirms what it reports and calls final; "+out.Note, "; ")
	}
	if !h.OK || h.SetAside > 0 || h.Unread != "" {
		out.Status = healthDegraded
	}
	if h.OK && h.Unread != "" {
		out.Reason, out.Detail = "not all of this network can be read; some of its money is shown late", h.Unread
	}
	if h.OK && h.SetAside > 0 {
		out.Reason = fmt.Sprintf("%d payments cannot be read and are tried again", h.SetAside)
	}
	return out
}

// learnt lists the endpoints of which something was learnt.
func learnt(endpoints []chain.EndpointHealth) (list []endpointHealth) {
	for _, e := range endpoints {
		if len(e.Learnt) > 0 {
			list = append(list, endpointHealth{Name: e.Name, Learnt: e.Learnt})
		}
	}
	return list
}

// rechargeHealth is off where no recharge is sold, and degraded while its network
// cannot be used, which the network's own state reports too.
func (s *Server) rechargeHealth() operationHealth {
	err := error(recharge.ErrNotOffered)
	if s.d.Recharges != nil {
		err = s.d.Recharges.Offered()
	}
	if err == nil {
		return operationHealth{Status: healthOK}
	}
	out := operationHealth{Status: healthDegraded, Reason: "it cannot be used at the moment"}
	if errors.Is(err, recharge.ErrNotOffered) {
		out.Status = healthOff
	}
	if known := fault.Of(err); known != nil {
		out.Reason = known.Message
	}
	return out
}
