// Package metrics tells Prometheus how an installation does.
//
// Its one invariant: it only looks. It stands between services and their
// ports, passes everything on unchanged and counts what succeeded; and no
// label holds anything that the outside can choose: networks, states, outcomes
// and routes are closed sets.
//
// Counters count what this instance did since it started; gauges that tell of
// the database are the same on every instance.
package metrics
