package dashboard

import "time"

// operatorWord leads to the operator's area.
var operatorWord = word{Text: "Operator", Path: "/operator", Icon: "gauge", parts: []part{
	{"Installation", "/operator"},
	{"Stuck work", "/operator/trouble"},
	{"Users and keys", "/operator/users"},
	{"Settlement", "/operator/sweeps"},
	{"Top-ups", "/operator/topups"},
}}

// OperatorProps is how the installation stands.
type OperatorProps struct {
	Frame

	Version  string
	Networks []NetworkRow
	Gas      []GasRow
	Stuck    []Notice
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

// PeopleProps lists users.
type PeopleProps struct {
	Frame

	Text      string // that was searched for
	People    []PersonRow
	NextURL   string
	Invite    Field
	MayInvite bool
	Problem   string
	Link      string // of an invitation that was just made
}

// PersonRow is a user.
type PersonRow struct {
	ID, Email, Name       string
	Keys                  int64
	Operator              bool
	Takes                 bool
	CreatedAt, DisabledAt time.Time
}

// PersonProps is one user with their keys.
type PersonProps struct {
	Frame

	Person  PersonRow
	You     bool
	Keys    []PersonKeyRow
	Audit   []AuditRow
	NextURL string
	Proof   Proof
	Problem string
}

// PersonKeyRow is a key of a user.
type PersonKeyRow struct {
	ID, Label             string
	Credits, Queries      int64
	CreatedAt, LastUsedAt time.Time
	RevokedAt, DisabledAt time.Time
}

// TopUpsProps lists purchases of credits.
type TopUpsProps struct {
	Frame

	Rows    []TopUpRow
	NextURL string
}

// TopUpRow is a purchase of credits.
type TopUpRow struct {
	TxnID, Email, Label, Amount, Status, Network, Hash, HashURL string
	Credits                                                     int64
	CreatedAt                                                   time.Time
}

// SweepsProps lists the transactions of settlement.
type SweepsProps struct {
	Frame

	Waiting []Notice // networks whose settlement waits, and why
	Rows    []SweepRow
	NextURL string
}

// SweepRow is one transaction of settlement.
type SweepRow struct {
	ID, Network, State, Meaning, Cost, Hash, HashURL, Note string
	Pots, Moved, Attempts                                  int64
	CreatedAt, EndedAt                                     time.Time
}

// TroubleProps lists what waits for a person, or for too long.
type TroubleProps struct {
	Frame

	Notices    []Notice
	Deliveries []LateRow
	Sweeps     []SweepRow
	Deposits   []LeftRow
	Reorged    []ReorgRow
	Most       int // of each list
}

// LateRow is a webhook that is overdue.
type LateRow struct {
	TxnID, Email, Event string
	Made                int64
	DueAt               time.Time
}

// LeftRow is money that is not on its way to the merchant.
type LeftRow struct {
	TxnID, Email, Network, Amount, Why string
	// Command is what brings it home, cut where a line may end.
	Command []string
	FinalAt time.Time
}

// ReorgRow is a payment whose money vanished after it was completed.
type ReorgRow struct {
	TxnID, Email, Network, Amount, Hash, HashURL string
	EndedAt                                      time.Time
}
