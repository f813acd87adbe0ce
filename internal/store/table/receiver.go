package table

import (
	"strconv"

	"github.com/florinpay/florin/internal/webhook"
)

// NoReceiver is the receiver of a custodian without a callback URL, who had none either or stopped what waited for one.
// Where one was removed, its receiver stays: events wait for the next.
var NoReceiver = strconv.FormatInt(int64(webhook.ReceiverOf("")), 10)
