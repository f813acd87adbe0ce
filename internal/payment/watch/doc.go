// Package watch brings in what the chains hold: a Watcher for each network records the deposits to payment addresses,
// and the Expirer ends the payments whose time has run out and whose addresses hold no money that was missed. What
// follows from a deposit is decided by package payment.
//
// Its invariant: one payment, address or transaction never holds up a network. What
// cannot be read for one payment is set aside, and is tried again until it can.
//
// The pacer says when a round is due, by what is at risk and by the budget of calls. A round is a sequence of passes:
// a reader takes ranges of blocks, judges what it has found, has payments observe it, sets aside what is open, and
// moves a cursor. What was read through one voice the second pass reads through another.
package watch
