// Package metrics exports figures of an installation to Prometheus.
//
// Its one invariant: it only observes. It wraps the ports of services, passes
// every call on unchanged and counts what succeeded. No label holds a value that
// a client can choose: networks, states, outcomes and routes are closed sets.
//
// Counters count what this instance did since it started; gauges that describe
// the database are the same on every instance.
package metrics
