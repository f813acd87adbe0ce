package model

// FindingResult is the answer to POST /txn/:txnid/find. It is REST only.
type FindingResult struct {
	Code     int        `json:"code"`
	Message  string     `json:"message"`
	Reason   *string    `json:"reason,omitempty"`
	Warnings []*Warning `json:"warnings,omitempty"`
	Finding  *Finding   `json:"finding"`
}

// Finding is the result of a lookup of a transaction.
type Finding struct {
	Verdict string   `json:"verdict"`
	Network *Network `json:"network"`
	// Token is the symbol as payers know it, such as USDC or USDC.e.
	Token          *string  `json:"token"`
	Amount         *Decimal `json:"amount"`
	Missing        *Decimal `json:"missing"`
	SecondsToFinal *int     `json:"secondsToFinal"`
	Advice         string   `json:"advice"`
}

// Envelope returns where the fields of every result stand.
func (r *FindingResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}
