package rpc

import (
	"errors"
	"slices"
)

// Others lists the ready endpoints of other voices than these.
func (p *Pool) Others(not ...string) []*Endpoint {
	return slices.DeleteFunc(p.Ready(), func(e *Endpoint) bool { return slices.Contains(not, e.Voice()) })
}

// Limited reports whether the endpoint refused a call because of its rate.
func Limited(err error) bool {
	_, limited := errors.AsType[rateLimited](err)
	return limited
}
