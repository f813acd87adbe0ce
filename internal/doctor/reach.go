package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/florinpay/florin/internal/chain"
)

// refusal is an answer with an HTTP status that is no JSON-RPC.
type refusal struct {
	status int
	text   string // redacted
}

func (r refusal) Error() string {
	if strings.HasPrefix(r.text, "<") {
		return fmt.Sprintf("HTTP status %d with a web page", r.status)
	}
	return fmt.Sprintf("HTTP status %d: %s", r.status, r.text)
}

// reach makes one call. It returns what is wrong with an endpoint that answers none, and what to do; empty if it
// answers, be it with an error of JSON-RPC.
func (c caller) reach(ctx context.Context, n Network) string {
	method := "getVersion"
	if n.Profile.Network.EVM() {
		method = "eth_chainId"
	}
	var raw []byte
	err := patiently(ctx, func() (err error) {
		raw, err = c.post(ctx, newCall(0, method, nil))
		return err
	})
	setting := fmt.Sprintf("FLORIN_%s_RPC", n.Profile.Network)
	refused, isRefusal := errors.AsType[refusal](err)
	_, tooMany := errors.AsType[limited](err)
	switch {
	case err == nil && json.Valid(raw):
		return ""
	case err == nil && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("<")):
		return "it answers with a web page instead of JSON-RPC; correct its address in " + setting
	case err == nil:
		return "it answers with something that is no JSON-RPC; correct its address in " + setting
	case tooMany:
		return "it refuses even one call because there were too many (HTTP status 429): its plan is used up, or others use " +
			"its key; wait, take a larger plan, or name another endpoint in " + setting
	case !isRefusal:
		return fmt.Sprintf("it does not answer (%s); see whether its address is right and its node runs, or take it out of %s",
			err, setting)
	}
	switch refused.status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return fmt.Sprintf("it refuses the key in its address (%s); correct the key in %s, or see whether the plan has ended",
			refused, setting)
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return fmt.Sprintf("there is no JSON-RPC at its address (%s); correct the path in %s", refused, setting)
	}
	return fmt.Sprintf("it does not work at present (%s); ask its provider, or take it out of %s", refused, setting)
}

// own explains an error of a reader with one endpoint: what is wrong with that one.
func own(e Reader, err error) string {
	if h := e.Endpoints()[0]; errors.Is(err, chain.ErrNoEndpoint) && h.Reason != "" {
		return h.Reason
	}
	if _, why, some := strings.Cut(err.Error(), chain.ErrNoEndpoint.Error()+": "); some { // it is not all of them
		return why
	}
	return explain(err)
}
