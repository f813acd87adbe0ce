package main_test

import (
	"net/url"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// TestDatabase_DroppedPackets: every packet to and from the first of two hosts is dropped by the network, so that the
// kernel itself waits.
func TestDatabase_DroppedPackets(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(postgres.URL(t))
	testkit.Must(t, err)
	wire := testkit.NewWire(t, u.Host)
	u.Host = wire.Address() + "," + u.Host
	u.RawQuery = "sslmode=disable"
	s := openOn(t, u.String())
	eventually(t, "all is well", s.healthy)
	measured(t, seen, s.paysAfter(t, wire.Cut), seenWithin)
	eventually(t, "all is well again", s.healthy)
}
