package app

import (
	"encoding/base64"
	"testing"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/web/shell"
)

// The default limits are those of the surfaces' own packages.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	load := func(settings ...string) config.Config {
		key := base64.StdEncoding.EncodeToString(make([]byte, 32))
		c, err := config.Load(append(settings, "FLORIN_SECRET_KEY="+key), "")
		testkit.Must(t, err)
		return c
	}
	c := load()
	want := shell.DefaultRates()
	want.AllStreams = streamsWithin(MaxFiles(), want.AllStreams)
	if got := rates(c); got != want {
		t.Errorf("rates %+v, want %+v", got, want)
	}
	r := rates(load("FLORIN_RATE_COSTLY=3", "FLORIN_RATE_KEY_BURST=9"))
	if r.Costly.PerSecond != 3 || r.Key.Burst != 9 {
		t.Errorf("the configured rates are ignored: %+v", r)
	}
}

// Event streams never use up the open files.
func TestStreamsWithin(t *testing.T) {
	t.Parallel()
	for files, want := range map[uint64]int{
		0: 30_000, 1 << 63: 30_000, 31_024: 30_000, 31_023: 29_999, 20_000: 18_976, 2_048: 1_024, 1_024: 512, 256: 128,
	} {
		if got := streamsWithin(files, 30_000); got != want {
			t.Errorf("%d files leave room for %d streams, want %d", files, got, want)
		}
	}
}
