package backup

import "slices"

// Order is a payment as the report of a restore names it.
type Order struct {
	Txnid       string
	Email       string // of the merchant account's first owner
	Reference   string // the merchant's own; may be empty
	Amount      string // US dollars
	Status      string
	Settlements []string // the wallets that its deposit addresses pay; none before it is started
}

// Started reports whether a payer was shown an address.
func (o Order) Started() bool { return len(o.Settlements) > 0 }

// LostOrders is what the time that a restore lost did to orders.
type LostOrders struct {
	// Unknown were created in the lost time. They are known from the database of before, if that can be read.
	Unknown []Order
	// Unstarted are open and not started in the restored database. They may have been started and paid since; where the
	// database of before can be read, these are those that were.
	Unstarted []Order
	// Compared: the database of before was read.
	Compared bool
	// More is how many orders are left out of the lists.
	More int
}

// maxOrders bounds each list of a report.
const maxOrders = 10_000

// Add adds an order to one of the lists, or counts it if the list is full.
func (l *LostOrders) Add(to *[]Order, o Order) {
	if len(*to) >= maxOrders {
		l.More++
		return
	}
	*to = append(*to, o)
}

// AddSettlement adds a wallet once.
func (o *Order) AddSettlement(wallet string) {
	if wallet != "" && !slices.Contains(o.Settlements, wallet) {
		o.Settlements = append(o.Settlements, wallet)
	}
}
