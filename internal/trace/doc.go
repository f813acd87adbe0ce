// Package trace exports what happens to a payment as one trace of OpenTelemetry, to a collector that takes OTLP over
// HTTP.
//
//	POST /create-payment ──┬── payment.created            a request that writes, and what it changed
//	                       ├── POST /pay/:txnid ── payment.started
//	                       ├── deposit.seen               from the time of its block to when it was stored
//	                       ├── payment.completed
//	                       └── webhook                    each attempt
//
// The trace id of a payment is its txnid: a ULID has the 128 bits of a trace id. So every instance, before and after a
// restart or a restore, writes to the same trace, nothing is stored, and a txnid finds its trace.
//
// Its one invariant: it only observes, and an attribute is one of a closed list that has no secret, no text of a client
// and no address of a receiver. It is off, and costs nothing, unless OTEL_EXPORTER_OTLP_ENDPOINT names a collector.
package trace
