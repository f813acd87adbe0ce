package identity_test

import (
	"github.com/florinpay/florin/internal/store/storetest"
)

// world is a store for one test of this package.
type world struct{ *storetest.World }

// onEach runs the test on each kind of database.
var onEach = storetest.OnEachOf[world]
