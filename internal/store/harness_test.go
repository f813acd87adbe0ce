package store_test

import (
	"testing"

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

// onEach runs the test on each kind of database.
var onEach = storetest.OnEachOf[world]

// errorOf is the error of a call whose result is of no matter.
func errorOf(_ any, err error) error { return err }
