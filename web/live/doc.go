// Package live keeps open pages up to date with server-sent events (HTML standard,
// section 9.2).
//
// A page is given a turn by the Hub when its topic has changed and when its own
// time has come. In its turn it reads what it shows from the database and sends
// what has changed. Events are hints only: several at once cause one turn, and a
// lost one delays the page until its next turn.
package live
