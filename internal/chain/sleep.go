package chain

import (
	"context"
	"time"
)

// Sleep returns after d, or sooner with the error of ctx once that has ended.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
