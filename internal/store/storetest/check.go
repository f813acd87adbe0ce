package storetest

import (
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/florinpay/florin/internal/fault"
)

// Same fails unless both values are deeply equal.
func Same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// WantError fails unless err is the one expected.
func WantError(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// WantInvalid fails unless err is fault.Invalid.
func WantInvalid(t testing.TB, what string, err error) {
	t.Helper()
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("%s: got %v, want fault.Invalid", what, err)
	}
}

// AtOnce runs fn n times at once and returns the errors.
func AtOnce(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			errs[i] = fn(i)
		})
	}
	close(begin)
	all.Wait()
	return errs
}
