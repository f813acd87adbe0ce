package endpoint

import (
	"context"
	"errors"
)

// Item is a failure about one transaction, account or block. Anybody can make one that a node cannot return, so it says
// nothing about the endpoint: another one is asked, and the health of this one stays as it was.
type Item struct{ Err error }

// Error returns the text of the failure.
func (i Item) Error() string { return i.Err.Error() }

// Unwrap returns the failure.
func (i Item) Unwrap() error { return i.Err }

// OfItem returns the failure of a call for one item as an Item, if the endpoint answered, or took too long for it. What
// else fails, fails for every item.
func OfItem(err error, answered bool) error {
	if err == nil || !answered && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return Item{err}
}

// IsItem reports whether the failure is about one item.
func IsItem(err error) bool {
	_, ok := errors.AsType[Item](err)
	return ok
}
