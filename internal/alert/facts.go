package alert

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// Facts is what the rules judge.
type Facts struct {
	Now      time.Time
	Networks []Network // the configured ones
	Rates    exchange.Report
	Disk     *Disk   // of the database; nil: it is another machine's
	Stored   *Stored // nil: the database could not be read, so nothing is known of it
}

// Disk is the room where the database is, in bytes.
type Disk struct {
	Path       string
	Free, Size int64
	// Day is how much less is free after a day, as the last hours went; 0: not known, or no less.
	Day int64
}

// Network is what is known of a configured network.
type Network struct {
	Profile   chain.Profile
	Health    payment.Health
	Endpoints []chain.EndpointHealth
	Reading   chain.CallReport
	Gas       *settlement.Status // nil: nothing is swept, or the gas wallet was not read yet
}

// Stored is what the database says of work that waits for an operator.
type Stored struct {
	Overdue    int64     // webhooks that should have been tried
	OldestDue  time.Time // since when; zero if there are none
	Sweeps     int64     // under way for long
	Unswept    int64     // deposits that are final for long and not swept, dust apart
	Recharges  int64     // paid, and on a network that is not configured
	Changes    int64     // of where money goes, due and not made
	SetAside   []SetAside
	Balances   []Balance
	Receivers  []Receiver
	Reorged    []Reorged
	Expiring   []Certificate
	Ledger     LedgerCheck
	BackedUpAt time.Time // by florin backup, or backup.sh of deploy; zero: never
	// OwnBackups: florin backup is how this database is backed up.
	OwnBackups bool
	Slots      []Slot
}

// Slot is what a PostgreSQL server keeps of its log for one who receives it: a backup, or a standby.
type Slot struct {
	Name   string
	Active bool  // somebody receives
	Lag    int64 // bytes that are kept
	Lost   bool  // what was not received was removed
	Capped bool  // max_slot_wal_keep_size bounds what is kept
}

// SetAside is how many payments cannot be read on a network.
type SetAside struct {
	Network  chain.Network
	Payments int64
	Since    time.Time // of the oldest
	Reason   string    // why the oldest cannot be read
}

// Balance is a balance that differs from the records, as the daily comparison found.
type Balance struct {
	Network    chain.Network
	Address    chain.Address
	Contract   chain.Address // of the token; empty: not of one alone
	ID         payment.ID
	Text       string // what differs
	Advice     string
	Unrecorded bool // money came that no deposit records
}

// Receiver is a callback whose last webhooks were given up.
type Receiver struct {
	Shop     string // its name, or else the label of its API key; empty if it has neither
	Key      string // public id of the API key
	Merchant string // e-mail address
	Host     string
	Failed   int64 // webhooks since the last one that arrived
}

// Reorged is a payment completed by money that a reorg took back.
type Reorged struct {
	ID       payment.ID
	Merchant string // e-mail address
	Network  chain.Network
	Amount   money.Micros
}

// Certificate is the TLS certificate of a callback.
type Certificate struct {
	Host      string
	ExpiresAt time.Time
}

// LedgerCheck is the last ledger check; the zero value: there is none.
type LedgerCheck struct {
	AskedAt time.Time
	EndedAt time.Time // zero: it is under way, or its program was stopped
	Found   int64     // differences
	First   string    // of them
	Problem string    // why the ledger could not be verified; empty otherwise
}

// Sources are where facts come from.
type Sources struct {
	Network   func(chain.Network) (payment.OfferedNetwork, bool)
	Health    func(chain.Network) payment.Health
	Endpoints func(chain.Network) []chain.EndpointHealth    // nil: not known
	Reading   func(chain.Network) (chain.CallReport, bool)  // nil: not counted
	Sweeping  func(chain.Network) (settlement.Status, bool) // nil: nothing is swept
	Rates     func() exchange.Report                        // nil: nothing is priced in other currencies
	Disk      func(now time.Time) *Disk                     // nil: not known
	Stored    func(ctx context.Context, now time.Time) (Stored, error)
}

// Observe gathers the facts and judges them. If the database cannot be read, it returns what is known of the networks
// with the error.
func (s Sources) Observe(ctx context.Context, now time.Time) (Observation, error) {
	f := Facts{Now: now}
	for _, n := range chain.Networks() {
		if offered, ok := s.Network(n); ok {
			f.Networks = append(f.Networks, s.network(offered.Profile))
		}
	}
	if s.Rates != nil {
		f.Rates = s.Rates()
	}
	if s.Disk != nil {
		f.Disk = s.Disk(now)
	}
	stored, err := s.Stored(ctx, now)
	if err == nil {
		f.Stored = &stored
	}
	return Judge(f), err
}

func (s Sources) network(p chain.Profile) Network {
	n := Network{Profile: p, Health: s.Health(p.Network)}
	if s.Endpoints != nil {
		n.Endpoints = s.Endpoints(p.Network)
	}
	if s.Reading != nil {
		n.Reading, _ = s.Reading(p.Network)
	}
	if s.Sweeping != nil {
		if st, ok := s.Sweeping(p.Network); ok && !st.At.IsZero() {
			n.Gas = &st
		}
	}
	return n
}
