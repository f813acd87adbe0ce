package settlement

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// step is what a sweep in flight needs next.
type step int

const (
	stepWait      step = iota
	stepSign           // sign an attempt: there is none yet, or all have expired
	stepSend           // broadcast the last attempt again
	stepBump           // sign an attempt that pays more
	stepConfirm        // end as Confirmed
	stepFail           // end as Failed
	stepSupersede      // end as Superseded: no attempt can be included any more
)

const (
	// resendAfter is after how long the same bytes are broadcast again.
	resendAfter = 15 * time.Second
	// resendExpiring is the same for an attempt that is valid for a minute or
	// less: nodes drop what they cannot forward.
	resendExpiring = 3 * time.Second
	// bumpAfter is after how long an attempt that is not included is replaced
	// by one that pays more.
	bumpAfter = 60 * time.Second
	// maxAttempts bounds the bumps; the price ceiling usually ends them sooner.
	maxAttempts = 20
)

// next decides the next step by what the network knows of the attempts.
func (w Sweep) next(status chain.TxStatus, now time.Time) step {
	last, signed := w.Last()
	if !signed {
		return stepSign
	}
	switch status {
	case chain.TxFinal:
		return stepConfirm
	case chain.TxReverted:
		return stepFail
	case chain.TxDropped:
		// An attempt that does not expire is dropped only when another
		// transaction used its nonce; a new attempt could not change that.
		if last.Expires() && len(w.Attempts) < maxAttempts {
			return stepSign
		}
		return stepSupersede
	case chain.TxUnknown, chain.TxPending:
		if !last.Expires() && now.Sub(last.MadeAt) >= bumpAfter && len(w.Attempts) < maxAttempts {
			return stepBump
		}
		if resendDue(last, now) {
			return stepSend
		}
	case chain.TxIncluded:
	}
	return stepWait
}

// resendDue reports whether the attempt is to be broadcast again. One that was
// never broadcast always is.
func resendDue(a chain.Attempt, now time.Time) bool {
	wait := resendAfter
	if a.Expires() {
		wait = resendExpiring
	}
	return a.SentAt.IsZero() || now.Sub(a.SentAt) >= wait
}
