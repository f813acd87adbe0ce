package alert

import (
	"slices"
	"time"
)

// The kinds.
const (
	DatabaseDown        Kind = "database_down" // without a rule: see outage
	DiskLow             Kind = "disk_low"
	NothingSold         Kind = "nothing_sold"
	NetworkUnreadable   Kind = "network_unreadable"
	NetworkStalled      Kind = "network_stalled"
	EndpointDown        Kind = "endpoint_down"
	EndpointsDisagree   Kind = "endpoints_disagree"
	BudgetNear          Kind = "budget_near"
	BudgetSpent         Kind = "budget_spent"
	GasLow              Kind = "gas_low"
	GasOut              Kind = "gas_out"
	BalanceDifference   Kind = "balance_difference"
	SweepStuck          Kind = "sweep_stuck"
	MoneyUnswept        Kind = "money_unswept"
	Reorg               Kind = "reorg"
	LedgerDifference    Kind = "ledger_difference"
	LedgerUnchecked     Kind = "ledger_unchecked"
	BackupMissing       Kind = "backup_missing"
	BackupOld           Kind = "backup_old"
	BackupStopped       Kind = "backup_stopped"
	WebhooksDead        Kind = "webhooks_dead"
	WebhooksOverdue     Kind = "webhooks_overdue"
	CertificateExpiring Kind = "certificate_expiring"
	RechargeStuck       Kind = "recharge_stuck"
	ChangeStuck         Kind = "change_stuck"
	TokenDepegged       Kind = "token_depegged"
	RatesDisagree       Kind = "rates_disagree"
)

// rule says when a condition holds, and for how long it must before the operator is notified.
type rule struct {
	kind Kind
	// after is how long it must hold before the operator is notified: what passes by itself is no news.
	after time.Duration
	// calm is how long it must not hold before it is over, so that one that comes and goes is one alert.
	calm   time.Duration
	traits traits
	find   func(Facts) []Condition
	known  func(Facts) bool // whether it can be judged; nil: always
}

type traits uint8

const (
	// stored rules judge the database, which may not be readable; others judge the networks, and most are public.
	stored traits = 1 << iota
	// private conditions, of wallets and budgets, are the operator's own matter though no merchant is named.
	private
	// ticket conditions may wait for a working day; of the others payments or money are at risk now.
	ticket
)

func (r rule) is(t traits) bool { return r.traits&t != 0 }

// Durations of rules.
const (
	soon     = 2 * time.Minute  // longer than an endpoint takes to recover by itself
	promptly = time.Minute      // a network on which nothing is credited: the operator hears of it within two
	shortly  = 15 * time.Minute // for what does no harm yet
	calm     = 5 * time.Minute
	longCalm = time.Hour // for what nears its limit, and may pass it again and again
)

// rules is the table of all conditions, in the order of their weight.
var rules = []rule{
	{DiskLow, 0, calm, 0, diskLow, diskKnown},
	{NothingSold, soon, calm, 0, nothingSold, tried},
	{NetworkUnreadable, soon, calm, 0, unreadable, tried},
	{NetworkStalled, promptly, calm, 0, stalled, nil},
	{LedgerDifference, 0, calm, stored, ledgerDifference, ledgerSettled},
	{LedgerUnchecked, 0, calm, stored | ticket, ledgerUnchecked, ledgerSettled},
	{Reorg, 0, calm, stored, reorged, nil},
	{BalanceDifference, 0, calm, stored, differing, nil},
	{EndpointsDisagree, soon, calm, stored, disagreeing, nil},
	{GasOut, soon, calm, private, gasOut, nil},
	{GasLow, soon, longCalm, private | ticket, gasLow, nil},
	{SweepStuck, soon, calm, stored | ticket, sweepStuck, nil},
	{MoneyUnswept, soon, calm, stored | ticket, unswept, nil},
	{BudgetSpent, 0, longCalm, private, budgetSpent, nil},
	{BudgetNear, 0, longCalm, private | ticket, budgetNear, nil},
	{TokenDepegged, 0, longCalm, ticket, depegged, ratesRead},
	{RatesDisagree, shortly, longCalm, ticket, ratesApart, ratesRead},
	{EndpointDown, shortly, calm, ticket, endpointDown, nil},
	{WebhooksDead, 0, calm, stored | ticket, webhooksDead, nil},
	{WebhooksOverdue, soon, calm, stored, webhooksOverdue, nil},
	{CertificateExpiring, 0, longCalm, stored | ticket, expiring, nil},
	{RechargeStuck, soon, calm, stored | ticket, rechargeStuck, nil},
	{ChangeStuck, soon, calm, stored | ticket, changeStuck, nil},
	{BackupMissing, BackupAge, calm, stored | ticket, backupMissing, nil},
	{BackupOld, 0, calm, stored | ticket, backupOld, nil},
	{BackupStopped, shortly, calm, stored | ticket, backupStopped, nil},
}

// ruleOf returns the rule of the kind; a kind of another version has no delay.
func ruleOf(k Kind) rule {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.kind == k })
	if i < 0 {
		return rule{kind: k, calm: calm}
	}
	return rules[i]
}

// Observation is what holds at a moment.
type Observation struct {
	Conditions []Condition
	// unknown are kinds that could not be judged.
	unknown map[Kind]bool
}

// Judge returns the conditions that hold, by weight.
func Judge(f Facts) Observation {
	o := Observation{unknown: make(map[Kind]bool)}
	for _, r := range rules {
		if r.is(stored) && f.Stored == nil || r.known != nil && !r.known(f) {
			o.unknown[r.kind] = true
			continue
		}
		for _, c := range r.find(f) {
			c.Kind, c.Public = r.kind, !r.is(stored|private)
			o.Conditions = append(o.Conditions, c)
		}
	}
	return o
}

// Severity is what Prometheus is to do at it: page somebody, or leave a ticket.
func (k Kind) Severity() string {
	if ruleOf(k).is(ticket) {
		return "ticket"
	}
	return "page"
}

// Kinds lists the kinds of alerts, by weight.
func Kinds() []Kind {
	list := make([]Kind, len(rules))
	for i, r := range rules {
		list[i] = r.kind
	}
	return list
}
