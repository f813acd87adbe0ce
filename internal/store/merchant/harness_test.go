package merchant_test

import (
	"testing"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// world is a store for one test of this package.
type world struct{ *storetest.World }

// newWorld returns the world of an open store.
func newWorld(t *testing.T, s *store.Store, url string) *world {
	t.Helper()
	return &world{storetest.New(t, s, url)}
}

// NoKey fails if there is a key in use with the hash.
func (w *world) NoKey(what string, hash identity.Hash) {
	w.T.Helper()
	k, err := w.KeyByHash(w.T.Context(), hash)
	w.Must(err)
	storetest.Same(w.T, what, k, merchant.Key{})
}

// onEach runs the test on each kind of database.
var onEach = storetest.OnEachOf[world]
