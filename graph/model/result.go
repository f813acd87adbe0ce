package model

// Envelope says where the fields of every result stand. The reason is nil but for codes 409 and 422, and there are no
// warnings where there is nothing to warn of.
type Envelope struct {
	Code     *int
	Message  *string
	Reason   **string
	Warnings *[]*Warning
}

// Envelope returns where the fields of every result stand.
func (r *PaymentResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *TransactionResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *CreditsResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *QueriesResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *CustodianResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *TransactionsResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *UntransferredResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *CompletionResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *SessionResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *UserResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *APIKeyResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *APIKeysResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *TopupResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *RechargeResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *RevokeResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *ChallengeResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *CampaignResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *DonationResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *RefundResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}

// Envelope returns where the fields of every result stand.
func (r *RefundsResult) Envelope() Envelope {
	return Envelope{&r.Code, &r.Message, &r.Reason, &r.Warnings}
}
