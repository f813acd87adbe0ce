package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/store/storetest"
)

// PostgreSQL learns that its tables have grown without being asked by anybody.
func TestStore_Growth(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if !w.ManyWriters() {
			return // SQLite plans without statistics
		}
		const known = "SELECT count(*) FROM pg_stat_user_tables WHERE relname = 'payments' AND last_analyze IS NOT NULL"
		k := w.NewKey(5, 5)
		if n := w.Count(known); n != 0 {
			t.Fatal("the empty table was looked at")
		}
		var all sync.WaitGroup
		for range 520 {
			all.Go(func() { w.NewPaymentAt(k, storetest.Start) })
		}
		all.Wait()
		for deadline := time.Now().Add(time.Minute); w.Count(known) == 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("520 payments later it was not looked at")
			}
		}
	})
}
