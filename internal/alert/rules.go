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
	calm time.Duration
	// stored rules judge the database, which may not be readable; others judge the networks, and most are public.
	stored bool
	find   func(Facts) []Condition
	known  func(Facts) bool // whether it can be judged; nil: always
}

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
	{DiskLow, 0, calm, false, diskLow, diskKnown},
	{NothingSold, soon, calm, false, nothingSold, tried},
	{NetworkUnreadable, soon, calm, false, unreadable, tried},
	{NetworkStalled, promptly, calm, false, stalled, nil},
	{LedgerDifference, 0, calm, true, ledgerDifference, ledgerSettled},
	{LedgerUnchecked, 0, calm, true, ledgerUnchecked, ledgerSettled},
	{Reorg, 0, calm, true, reorged, nil},
	{BalanceDifference, 0, calm, true, differing, nil},
	{EndpointsDisagree, soon, calm, true, disagreeing, nil},
	{GasOut, soon, calm, false, gasOut, nil},
	{GasLow, soon, longCalm, false, gasLow, nil},
	{SweepStuck, soon, calm, true, sweepStuck, nil},
	{MoneyUnswept, soon, calm, true, unswept, nil},
	{BudgetSpent, 0, longCalm, false, budgetSpent, nil},
	{BudgetNear, 0, longCalm, false, budgetNear, nil},
	{TokenDepegged, 0, longCalm, false, depegged, ratesRead},
	{RatesDisagree, shortly, longCalm, false, ratesApart, ratesRead},
	{EndpointDown, shortly, calm, false, endpointDown, nil},
	{WebhooksDead, 0, calm, true, webhooksDead, nil},
	{WebhooksOverdue, soon, calm, true, webhooksOverdue, nil},
	{CertificateExpiring, 0, longCalm, true, expiring, nil},
	{RechargeStuck, soon, calm, true, rechargeStuck, nil},
	{ChangeStuck, soon, calm, true, changeStuck, nil},
	{BackupMissing, BackupAge, calm, true, backupMissing, nil},
	{BackupOld, 0, calm, true, backupOld, nil},
	{BackupStopped, shortly, calm, true, backupStopped, nil},
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

// private are conditions of wallets and budgets, which are the operator's own matter though no merchant is named.
var private = map[Kind]bool{GasLow: true, GasOut: true, BudgetNear: true, BudgetSpent: true}

// Judge returns the conditions that hold, by weight.
func Judge(f Facts) Observation {
	o := Observation{unknown: make(map[Kind]bool)}
	for _, r := range rules {
		if r.stored && f.Stored == nil || r.known != nil && !r.known(f) {
			o.unknown[r.kind] = true
			continue
		}
		for _, c := range r.find(f) {
			c.Kind, c.Public = r.kind, !r.stored && !private[r.kind]
			o.Conditions = append(o.Conditions, c)
		}
	}
	return o
}

// ticket are the kinds that may wait for a working day; of the others payments or money are at risk now.
var ticket = map[Kind]bool{
	GasLow: true, SweepStuck: true, MoneyUnswept: true, BudgetNear: true, RatesDisagree: true, EndpointDown: true,
	WebhooksDead: true, CertificateExpiring: true, RechargeStuck: true, ChangeStuck: true, BackupMissing: true,
	BackupOld: true, BackupStopped: true, LedgerUnchecked: true, TokenDepegged: true,
}

// Severity is what Prometheus is to do at it: page somebody, or leave a ticket.
func (k Kind) Severity() string {
	if ticket[k] {
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
