package chain

import "github.com/florinpay/florin/internal/fault"

// ErrReorged: the chain has replaced a block that the call was built on; read
// the heads again and repeat.
var ErrReorged = fault.New(fault.Unavailable, "the chain replaced a block; reading again")

// ErrNoEndpoint: no endpoint of the network answers.
var ErrNoEndpoint = fault.New(fault.Unavailable, "no endpoint of this network answers")
