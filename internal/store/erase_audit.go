package store

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
)

// names finds the customer's address in texts.
type names struct {
	email string // in lower case
	whole *regexp.Regexp
}

const (
	// replacement is not empty, so that a text that was required stays one.
	erasedText = "(erased)"
	// leastPart is how much of the address, from its beginning, names the customer when somebody searched for it.
	leastErased = 3
)

// searched is what an audit entry quotes of a search.
var searched = regexp.MustCompile("“[^”]*”")

// newNames finds the address in any case, also as part of a URL.
func newNames(email string) names {
	return names{
		email: strings.ToLower(email),
		whole: regexp.MustCompile("(?i)" + regexp.QuoteMeta(email) + "|" + regexp.QuoteMeta(url.QueryEscape(email))),
	}
}

// replace replaces the address in the text.
func (n names) replace(text string) string { return n.whole.ReplaceAllLiteralString(text, erasedText) }

// replaceSearch also replaces the beginning of the address where the text quotes it as searched for.
func (n names) replaceSearch(text string) string {
	return searched.ReplaceAllStringFunc(n.replace(text), func(quoted string) string {
		part := strings.Trim(quoted, "“”")
		if len(part) >= leastErased && strings.HasPrefix(n.email, strings.ToLower(part)) {
			return "“" + erasedText + "”"
		}
		return quoted
	})
}

// aboutPayments are the acts whose entries may quote a customer. Those about users are left alone, also where a user
// has the same address.
func aboutPayments() []audit.Action {
	return []audit.Action{
		audit.ActionExport, audit.ActionCreatePayment, audit.ActionCancelPayment, audit.ActionMarkCompleted,
		audit.ActionAccept, audit.ActionResolve, audit.ActionModerate, audit.ActionResendWebhooks,
	}
}

// auditAtOnce is how many audit entries one transaction reads.
const auditAtOnce = 500

// eraseAudit replaces the address in audit entries about payments.
func eraseAudit(ctx context.Context, e db.Engine, n names) (erased int, err error) {
	for after, more := int64(0), true; more; {
		some := 0
		err := e.Write(ctx, func(ctx context.Context, t db.Tx) error {
			var rows []auditRow
			err := t.NewRaw("SELECT id, subject, detail FROM audit_log WHERE id > ? AND action IN (?) ORDER BY id LIMIT ?",
				after, bun.List(aboutPayments()), auditAtOnce).Scan(ctx, &rows)
			if more = len(rows) == auditAtOnce; err != nil || len(rows) == 0 {
				return err
			}
			some, err = replaceEntries(ctx, t, rows, n)
			after = rows[len(rows)-1].ID
			return err
		})
		if err != nil {
			return erased, err
		}
		erased += some
	}
	return erased, nil
}

type auditRow struct {
	ID              int64
	Subject, Detail string
}

func replaceEntries(ctx context.Context, t db.Tx, rows []auditRow, n names) (replaced int, err error) {
	const act = "erase audit_log"
	_, err = t.NewRaw("INSERT INTO permits (act, older_than) VALUES (?, ?)", act, time.Unix(0, 0)).Exec(ctx)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		next := auditRow{r.ID, n.replaceSearch(r.Subject), n.replaceSearch(r.Detail)}
		if next == r {
			continue
		}
		_, err := t.NewRaw("UPDATE audit_log SET subject = ?, detail = ? WHERE id = ?", next.Subject, next.Detail, r.ID).Exec(ctx)
		if err != nil {
			return 0, err
		}
		replaced++
	}
	_, err = t.NewRaw("DELETE FROM permits WHERE act = ?", act).Exec(ctx)
	return replaced, err
}
