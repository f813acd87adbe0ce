package model

// Outcome gives access to the two fields that every result carries.
type Outcome interface {
	Envelope() (code *int, message *string)
}

// Envelope returns where code and message stand.
func (r *PaymentResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *TransactionResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *CreditsResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *QueriesResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *CustodianResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *TransactionsResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *UntransferredResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *CompletionResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *SessionResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *UserResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *APIKeyResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *APIKeysResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *TopupResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *RechargeResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *RevokeResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *ChallengeResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *CampaignResult) Envelope() (*int, *string) { return &r.Code, &r.Message }

// Envelope returns where code and message stand.
func (r *DonationResult) Envelope() (*int, *string) { return &r.Code, &r.Message }
