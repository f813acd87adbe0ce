package retention

import "github.com/florinpay/florin/internal/store/db"

// NewSmall has batches of so few rows that every test reads several.
func NewSmall(e db.Engine) *Store { return &Store{e, 3} }
