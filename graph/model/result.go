package model

// Outcome gives access to the fields that every result carries. The reason is nil but for codes 409 and 422.
type Outcome interface {
	Envelope() (code *int, message *string, reason **string)
}

// Envelope returns where code, message and reason stand.
func (r *PaymentResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *TransactionResult) Envelope() (*int, *string, **string) {
	return &r.Code, &r.Message, &r.Reason
}

// Envelope returns where code, message and reason stand.
func (r *CreditsResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *QueriesResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *CustodianResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *TransactionsResult) Envelope() (*int, *string, **string) {
	return &r.Code, &r.Message, &r.Reason
}

// Envelope returns where code, message and reason stand.
func (r *UntransferredResult) Envelope() (*int, *string, **string) {
	return &r.Code, &r.Message, &r.Reason
}

// Envelope returns where code, message and reason stand.
func (r *CompletionResult) Envelope() (*int, *string, **string) {
	return &r.Code, &r.Message, &r.Reason
}

// Envelope returns where code, message and reason stand.
func (r *SessionResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *UserResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *APIKeyResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *APIKeysResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *TopupResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *RechargeResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *RevokeResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *ChallengeResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *CampaignResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }

// Envelope returns where code, message and reason stand.
func (r *DonationResult) Envelope() (*int, *string, **string) { return &r.Code, &r.Message, &r.Reason }
