package report

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/store/db"
)

// BackedUpAt returns the moment of the newest backup that florin backup has written since the database was last
// restored; zero: none is known. Copies made by other means are not.
func (r *Reader) BackedUpAt(ctx context.Context) (time.Time, error) {
	var row struct{ BackedUpAt db.Instant }
	if err := r.db.Reader().NewRaw("SELECT backed_up_at FROM instance").Scan(ctx, &row); err != nil {
		return time.Time{}, fmt.Errorf("read when the database was backed up: %w", err)
	}
	return row.BackedUpAt.Time, nil
}
