package payment

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// What was well is not any more if nothing was heard of it since; what was not keeps its reason.
func TestHealth_AsOf(t *testing.T) {
	t.Parallel()
	read := time.Date(2026, 11, 25, 3, 0, 0, 0, time.UTC)
	well := Health{OK: true, At: read, Lag: 2 * time.Second, Latest: chain.Head{Number: 7}}
	if got := well.AsOf(read.Add(UnreadFor)); got != well {
		t.Errorf("in time: %+v", got)
	}
	got := well.AsOf(read.Add(90 * time.Second))
	if got.OK || got.Lag != 92*time.Second || !strings.Contains(got.Detail, "1m30s") || got.Latest.Number != 7 {
		t.Errorf("after 90 s of silence: %+v", got)
	}
	down := Health{Reason: "it is slow", At: read}
	if got := down.AsOf(read.Add(time.Hour)); got != down {
		t.Errorf("a network that was down: %+v", got)
	}
	never := Health{OK: true}
	if got := never.AsOf(read); got != never {
		t.Errorf("of which the time is not known: %+v", got)
	}
}
