// Package doctor checks an installation against the real things: its database, its public address, every endpoint of
// every network, its gas wallets and its mail server.
//
// Its one invariant: a check changes nothing that it was not asked to mend. Each is a value with a name, a verdict and
// one line, which says that it is fine or what to do; a check that cannot be made is not fine.
package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/florinpay/florin/internal/fault"
)

// Verdict is the result of a check.
type Verdict string

// The verdicts.
const (
	Fine    Verdict = "fine"
	Warning Verdict = "warning" // payments can be taken, but something is missing or will break
	Wrong   Verdict = "wrong"   // something does not work
)

// Check is the result of one check. Text is one line without secrets.
type Check struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
}

// Report is the results of all checks, in order.
type Report []Check

// addf appends a result.
func (r *Report) addf(name string, v Verdict, format string, args ...any) {
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	*r = append(*r, Check{name, v, text})
}

// resultf appends fine with the text, or what is wrong.
func (r *Report) resultf(name string, err error, format string, args ...any) {
	if err != nil {
		r.addf(name, Wrong, "%s", explain(err))
		return
	}
	r.addf(name, Fine, format, args...)
}

// explain returns what the operator should read of an error.
func explain(err error) string {
	if known := fault.Of(err); known != nil && known.Kind == fault.Unprocessable {
		return known.Message
	}
	return err.Error()
}

// Verdict is the worst verdict of all checks.
func (r Report) Verdict() Verdict {
	worst := Fine
	for _, c := range r {
		if c.Verdict == Wrong || c.Verdict == Warning && worst == Fine {
			worst = c.Verdict
		}
	}
	return worst
}

// Print writes one line a check.
func (r Report) Print(w io.Writer) error {
	width := 0
	for _, c := range r {
		width = max(width, len(c.Name))
	}
	for _, c := range r {
		if _, err := fmt.Fprintf(w, "%-7s  %-*s  %s\n", c.Verdict, width, c.Name, c.Text); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// JSON writes the verdict and all checks as one JSON object.
func (r Report) JSON(w io.Writer) error {
	err := json.NewEncoder(w).Encode(struct {
		Verdict Verdict `json:"verdict"`
		Checks  Report  `json:"checks"`
	}{r.Verdict(), r})
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
