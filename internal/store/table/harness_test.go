package table_test

import (
	"testing"

	"github.com/florinpay/florin/internal/store/storetest"
)

// world is a store for one test of this package.
type world struct{ *storetest.World }

// onEach runs the test on each kind of database.
func onEach(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, w *storetest.World) {
		t.Helper()
		test(t, &world{w})
	})
}
