package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestStore_Inspect: an inspection neither writes nor locks. It goes on while another program holds the rows that a
// server locks at its start.
func TestStore_Inspect(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		other, err := w.SQL().BeginTx(t.Context(), nil)
		w.Must(err)
		defer func() { _ = other.Rollback() }()
		w.MustDo(other.ExecContext(t.Context(), "UPDATE instance SET key_check = key_check"))
		x, err := w.Inspect(t.Context())
		w.Must(errors.Join(err, x.Key))
		isolation := map[bool]string{true: "read committed", false: "serializable"}[w.ManyWriters()]
		if x.Server == "" || x.Version == "" || x.Isolation != isolation || x.Bytes < 1<<12 || len(x.Pending) > 0 {
			t.Errorf("found %+v", x)
		}
	})
}

// TestStore_Inspect_OtherKey: a key that does not open the secrets is reported.
func TestStore_Inspect_OtherKey(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		s, err := store.Open(context.WithoutCancel(t.Context()), w.URL, storetest.Sealer(2), store.Options{})
		w.Must(err)
		defer s.Close()
		x, err := s.Inspect(t.Context())
		w.Must(err)
		if !errors.Is(x.Key, secret.ErrSealed) {
			t.Errorf("the key of another database: %v", x.Key)
		}
	})
}
