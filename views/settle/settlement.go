package settle

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// Props is what waits to be settled, when that is, and what waiting saves.
type Props struct {
	panel.Frame

	Key     panel.KeyChoice
	HasKey  bool
	Problem string
	Rows    []WaitingRow
	Fields  []panel.Field
	// AtOnce and Wait are the limits that hold, such as "$1,000" and "24 hours".
	AtOnce, Wait string
	Prices       []PriceRow
	Asked        bool // something waits, and it was asked for
}

// WaitingRow is the money that waits on one network.
type WaitingRow struct {
	Network, Amount string
	Payments, Dust  int
	By              time.Time
}

// PriceRow is what a payment's share of a transaction costs on a network today, in USD.
type PriceRow struct{ Network, Single, Shared string }

// waits reports whether money can be asked for.
func (p Props) waits() bool {
	for _, r := range p.Rows {
		if r.Payments > 0 {
			return true
		}
	}
	return false
}
