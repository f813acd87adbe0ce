package operator

import (
	"slices"
	"time"

	"github.com/florinpay/florin/views/panel"
)

// InstallationProps is the state of the installation.
type InstallationProps struct {
	panel.Frame

	Version  string
	Networks []NetworkRow
	Gas      []GasRow
	Alerts   []panel.Notice
	// Seed is what lies under the Solana deposit seed now; ShowSeed: Solana is on, or something is left there.
	Seed     []SeedRow
	ShowSeed bool
	Check    CheckRow
	MayCheck bool
	Rates    Rates
	BackedUp time.Time // by florin backup; zero: not known
	Problem  string
}

// Rates is what is known of the rates of currencies.
type Rates struct {
	Rows   []RateRow
	Fence  string // a sentence about the reference rates; may be empty
	Fresh  bool   // it is of now: somebody prices in another currency
	ReadAt time.Time
}

// RateRow is a token or a currency. Rate is empty where there is none, and Refusal says why.
type RateRow struct {
	Of, Rate, Refusal, Spread string
	Sources                   []string
	DisagreedAt               time.Time // zero: never since the start
}

// NetworkRow is the state of a network.
type NetworkRow struct {
	Name                   string
	OK                     bool
	Reason                 string
	Latest, Final, Scanned string
	Lag                    string
	Endpoints              []EndpointRow
	Sweeping               string
	Treasury               string
	Calls                  *Calls // nil where nothing is counted
}

// Calls is what reading a network costs.
type Calls struct {
	Level        string // how closely the network is read
	Pushes       string // what an endpoint sends by itself; may be empty
	OfBudget     string // the share of the day's budget, with the budget; empty without one
	Today, Month int64
	Methods      []Method // of today, the most called first
}

// Method is how often a method was called.
type Method struct {
	Name  string
	Count int64
}

func (p InstallationProps) hasEndpoints() bool {
	return slices.ContainsFunc(p.Networks, func(n NetworkRow) bool { return len(n.Endpoints) > 0 })
}

func (p InstallationProps) hasCalls() bool {
	return slices.ContainsFunc(p.Networks, func(n NetworkRow) bool { return n.Calls != nil })
}

// GasRow is the gas wallet of a network. Amounts are in whole coins, with their
// name.
type GasRow struct {
	Name, Wallet                string
	Balance, PerDay, PerPayment string // the latter two empty until measured
	Lasts                       string
	Advice                      string // why settlement waits, or what to do; may be empty
	Level                       string // ok, warn or alarm
}

// SeedRow is what lies on Solana deposit addresses in one token.
type SeedRow struct {
	Token, Amount string
	Payments      int64
}

// gasMeaning is the CSS class of the colour of a level.
func gasMeaning(level string) string {
	switch level {
	case "ok":
		return "is-good"
	case "warn":
		return "is-seen"
	case "alarm":
		return "is-bad"
	}
	return ""
}

// CheckRow is the last ledger check.
type CheckRow struct {
	Running          bool
	AskedAt, EndedAt time.Time
	AskedBy, Problem string
	Entries, Found   int64
	Differences      []string
}

// EndpointRow is the state of an endpoint.
type EndpointRow struct {
	Name, Reason, Head, Latency string
	OK                          bool
	Errors, Requests            int64     // since start
	Rests                       time.Time // not used before then; zero when in use
	Learnt                      string    // what it limits, refuses or does not know; may be empty
}
