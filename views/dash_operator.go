package views

import "time"

// OperatorNetworksProps is the first page of the operator area.
//
//	GET /operator                OperatorNetworks
type OperatorNetworksProps struct {
	Dash
	Networks []NetworkState
	Version  string
	Database string
	Alerts   []Alert
}

// NetworkState is how a network does.
type NetworkState struct {
	// Network is the enum value. Status is ok, behind, down or off; Reason says why.
	Network, Status, Reason string
	// Head, Final and Scanned are block numbers or slots.
	Head, Final, Scanned uint64
	Lag                  time.Duration
	// FinalIn is how long money takes to be credited, as measured.
	FinalIn time.Duration
	// Watched is how many addresses are looked out for.
	Watched   int
	Endpoints []EndpointState
	Gas       *GasState
}

// EndpointState is one RPC endpoint; Name has no secret in it.
type EndpointState struct {
	Name   string
	OK     bool
	Detail string
	// Latency is of the last answer, Errors how many of the last hundred calls failed.
	Latency time.Duration
	Errors  int
}

// GasState is the wallet that pays for sweeps of a network.
type GasState struct {
	Address, ExplorerURL string
	// Balance, PerDay and PerPayment are plain decimals in Coin.
	Balance, PerDay, PerPayment, Coin string
	// Days is the runway, -1 when nothing was spent yet. Level is ok, warn or alarm.
	Days  int
	Level string
}

// OperatorSweepsProps is the list of sweeps.
//
//	GET  /operator/sweeps?network=&state=&before=   OperatorSweeps
//	POST /operator/sweeps/{id}/retry                no fields → 303
type OperatorSweepsProps struct {
	Dash
	Network, State string
	Rows           []SweepRow
	Next           string
	First          bool
}

// SweepRow is one sweep.
type SweepRow struct {
	ID, Network string
	// State is PLANNED, SIGNED, SENT, CONFIRMED, FAILED or REPLACED.
	State              string
	Payments, Attempts int
	// Moved is in words, such as "1,204.30 USDC"; Fee in the native coin.
	Moved, Fee         string
	Hash, ExplorerURL  string
	CreatedAt, EndedAt time.Time
	Reason             string
}

// OperatorStuckProps is work that has waited longer than it should.
//
//	GET /operator/stuck          OperatorStuck
type OperatorStuckProps struct {
	Dash
	Deliveries int64
	OldestDue  time.Time
	Sweeps     int64
	Unswept    int64
	// Rows name what is stuck, with where to look.
	Rows []StuckRow
}

// StuckRow is one piece of work.
type StuckRow struct {
	What, Subject, Reason string
	Since                 time.Time
	Href                  string
}

// OperatorUsersProps is the list of users.
//
//	GET  /operator/users?q=&before=      OperatorUsers
//	GET  /operator/users/{id}/role       Confirm; POST the same with field operator: 1 or 0 → 303
type OperatorUsersProps struct {
	Dash
	Q     string
	Rows  []UserRow
	Next  string
	First bool
}

// UserRow is a user as the operator sees them.
type UserRow struct {
	ID, Email, Name string
	Operator        bool
	Keys            int64
	// Paid: has taken at least one payment.
	Paid      bool
	CreatedAt time.Time
}

// OperatorKeysProps is the list of all API keys, and the way to grant credits.
//
//	GET  /operator/keys?q=&before=       OperatorKeys
//	POST /operator/keys/{key}/grant      fields unit (credit, query), count, reason → 303
//	GET  /operator/keys/{key}/revoke     Confirm; POST the same → 303
type OperatorKeysProps struct {
	Dash
	Q     string
	Rows  []OperatorKeyRow
	Next  string
	First bool
	Form  Form
	// Failed is the public id of the key whose grant Form is about.
	Failed string
}

// OperatorKeyRow is a key with its owner.
type OperatorKeyRow struct {
	KeyRow

	Email string
}

// OperatorLedgerProps is the state of the books.
//
//	GET  /operator/ledger        OperatorLedger
//	POST /operator/ledger        no fields: verifies now → 303
type OperatorLedgerProps struct {
	Dash
	// CheckedAt is zero before the first check. Entries is how many lines were added up; Differences is what does not
	// agree, empty when all does.
	CheckedAt   time.Time
	Entries     int64
	Differences []string
	// Issued, Spent and Left are by unit.
	Credits, Queries LedgerSum
	// TopUps are the newest payments for credits; Treasury are the wallets they settle to.
	TopUps   []PaymentRow
	Treasury []Fact
}

// LedgerSum is one unit of the ledger added up: Issued = Spent + Left.
type LedgerSum struct{ Issued, Spent, Left int64 }
