package settlement

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

func TestSweep_Next(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	signed := func(age, sent time.Duration, attempts int) []chain.Attempt {
		list := make([]chain.Attempt, attempts)
		list[attempts-1] = chain.Attempt{N: attempts, MadeAt: noon.Add(-age), SentAt: noon.Add(-sent)}
		return list
	}
	unsent := []chain.Attempt{{N: 1, MadeAt: noon}}
	expiring := func(sent time.Duration, attempts int) []chain.Attempt {
		list := signed(sent, sent, attempts)
		list[attempts-1].Until = 1
		return list
	}
	for name, row := range map[string]struct {
		attempts []chain.Attempt
		status   chain.TxStatus
		want     step
	}{
		"Unsigned":            {nil, chain.TxUnknown, stepSign},
		"Final":               {signed(0, 0, 1), chain.TxFinal, stepConfirm},
		"Reverted":            {signed(0, 0, 1), chain.TxReverted, stepFail},
		"Included":            {signed(time.Hour, time.Hour, 1), chain.TxIncluded, stepWait},
		"NeverSent":           {unsent, chain.TxUnknown, stepSend},
		"JustSent":            {signed(0, 0, 1), chain.TxPending, stepWait},
		"SentAgain":           {signed(resendAfter, resendAfter, 1), chain.TxPending, stepSend},
		"PaysMore":            {signed(bumpAfter, 0, 1), chain.TxPending, stepBump},
		"NoMoreBumps":         {signed(bumpAfter, resendAfter, maxAttempts), chain.TxUnknown, stepSend},
		"NonceUsed":           {signed(0, 0, 1), chain.TxDropped, stepSupersede},
		"ExpiringIsNotBumped": {expiring(bumpAfter, 1), chain.TxUnknown, stepSend},
		"ExpiringWaits":       {expiring(resendExpiring-1, 1), chain.TxUnknown, stepWait},
		"Expired":             {expiring(0, 1), chain.TxDropped, stepSign},
		"ExpiredTooManyTimes": {expiring(0, maxAttempts), chain.TxDropped, stepSupersede},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (Sweep{Attempts: row.attempts}).next(row.status, noon); got != row.want {
				t.Errorf("step %d, want %d", got, row.want)
			}
		})
	}
}
