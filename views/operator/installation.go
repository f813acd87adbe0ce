package operator

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// InstallationProps is how the installation stands.
type InstallationProps struct {
	panel.Frame

	Version  string
	Networks []NetworkRow
	Gas      []GasRow
	Stuck    []panel.Notice
	Check    CheckRow
	MayCheck bool
	Problem  string
}

// NetworkRow is how one network does.
type NetworkRow struct {
	Name                   string
	OK                     bool
	Reason                 string
	Latest, Final, Scanned string
	Lag                    string
	Endpoints              []EndpointRow
	Sweeping               string
	Treasury               string
}

// GasRow is how long the gas wallet of a network lasts. Amounts are in whole
// coins, with their name.
type GasRow struct {
	Name, Wallet                string
	Balance, PerDay, PerPayment string // the latter two empty until measured
	Lasts                       string
	Advice                      string // why settlement waits, or what to do; may be empty
	Level                       string // ok, warn or alarm
}

// gasMeaning is how a level is coloured.
func gasMeaning(level string) string {
	switch level {
	case "warn":
		return "is-seen"
	case "alarm":
		return "is-bad"
	}
	return "is-good"
}

// CheckRow is the last check of the book of credits.
type CheckRow struct {
	Running          bool
	AskedAt, EndedAt time.Time
	AskedBy, Problem string
	Entries, Found   int64
	Differences      []string
}

// EndpointRow is how one node of a network does.
type EndpointRow struct {
	Name, Reason, Head, Latency string
	OK                          bool
	Errors, Requests            int64     // since start
	Rests                       time.Time // left alone until then; zero when it is in use
}
