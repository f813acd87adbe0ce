package chain

import (
	"cmp"
	"fmt"

	"github.com/florinpay/florin/internal/fault"
)

// ErrReorged: the chain has replaced a block that the call was built on; read
// the heads again and repeat.
var ErrReorged = fault.New(fault.Unavailable, "the chain replaced a block; reading again")

// ErrNoEndpoint: no endpoint of the network answers.
var ErrNoEndpoint = fault.New(fault.Unavailable, "no endpoint of this network answers")

// ErrPayerGas: a payer's wallet cannot pay for its own transfer.
var ErrPayerGas = fault.New(fault.Unprocessable, "this wallet does not hold enough of the native coin for the network's fees")

// ErrDisagree: the endpoints of the network answer differently, so nothing is concluded.
var ErrDisagree = fault.New(fault.Unavailable, "the endpoints of this network disagree; compare them with a block explorer")

// UnreadError is returned by Scan together with the transfers to all other
// addresses: those to these addresses cannot be read yet. The same range must be
// scanned again for them; one address must not hold up a network. Balances and
// MostHeld return it likewise.
type UnreadError struct {
	Addresses []Address // at least one
	Reason    string    // for the operator
	// Heard are those of them that MostHeld has read through too few endpoints.
	Heard []Address
	// From is the first block that must be scanned again, if it is before the range: what was read of it was wrong.
	From uint64
}

// Error names the first address and the reason.
func (e *UnreadError) Error() string {
	return fmt.Sprintf(
		"what came to %d addresses, first %s, cannot be read: %s", len(e.Addresses), e.Addresses[0], e.Reason,
	)
}

// With adds the addresses of another one; both may be nil.
func (e *UnreadError) With(o *UnreadError) *UnreadError {
	if e == nil || o == nil {
		return cmp.Or(e, o)
	}
	return &UnreadError{
		append(e.Addresses, o.Addresses...), e.Reason, append(e.Heard, o.Heard...), cmp.Or(e.From, o.From),
	}
}

// Unwrap makes it a fault of kind Unavailable: reading again may succeed.
func (*UnreadError) Unwrap() error { return errUnread }

var errUnread = fault.New(fault.Unavailable, "some addresses of this network cannot be read")
