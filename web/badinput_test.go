package web

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
)

// badRow is one kind of bad input, over REST and over GraphQL.
type badRow struct {
	name string
	// prepare returns the values of $A and $B.
	prepare func(b *bundle) (a, second string)
	// method, path and body are the REST request; query and field the
	// GraphQL one.
	method, path, body string
	query, field       string
	code               int
	says               []string // the message must contain each
}

const unknownTxn = "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA"

func withMerchant(b *bundle) (string, string) { return b.newMerchant(5).text, "" }

func TestBadInput(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	rows := slices.Concat(badPayments, badStarts, badDetails, badAmounts(), badDonations())
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			a, second := row.prepare(b)
			fill := strings.NewReplacer("$A", a, "$B", second).Replace
			rest := b.ask(row.method, fill(row.path), fill(row.body))
			if rest.status != row.code || rest.text(t, "code") != strconv.Itoa(row.code) {
				t.Errorf("REST: %d %s, want %d", rest.status, rest.body, row.code)
			}
			if rest.field(t, "transaction") != nil {
				t.Errorf("REST: a refusal gave a transaction: %s", rest.body)
			}
			a, second = row.prepare(b)
			graphQL := b.graphQL(strings.NewReplacer("$A", a, "$B", second).Replace(row.query), "")
			if graphQL.status != 200 || graphQL.text(t, "data."+row.field+".code") != strconv.Itoa(row.code) {
				t.Errorf("GraphQL: %d %s, want %d in the envelope", graphQL.status, graphQL.body, row.code)
			}
			if strings.Contains(graphQL.body, `"errors"`) || !strings.Contains(graphQL.body, `"transaction":null`) {
				t.Errorf("GraphQL: %s", graphQL.body)
			}
			for _, say := range row.says {
				if !strings.Contains(rest.text(t, "message"), say) {
					t.Errorf("REST: message %q does not say %q", rest.text(t, "message"), say)
				}
				if message := graphQL.text(t, "data."+row.field+".message"); !strings.Contains(message, say) {
					t.Errorf("GraphQL: message %q does not say %q", message, say)
				}
			}
		})
	}
}

func (b *bundle) makeCustodian(m seller, wallets map[chain.Network]string) error {
	_, _, err := b.accounts.CreateCustodian(b.t.Context(), m.key, custodianOf(wallets), audit.Act{})
	return err
}
