package store_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// Nothing in the database names a customer who was erased, other customers stay, and the ledger is whole.
func TestStore_EraseCustomer(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, ctx := w.NewKey(500, 5), t.Context()
		w.NewCustodian(k, "https://shop.example/hook")
		paid := func(email, secret string) payment.Payment {
			t.Helper()
			p, err := w.CreatePayment(ctx, payment.New(payment.Request{
				ID: storetest.NewID(), KeyID: k.ID, Kind: payment.KindMerchant, Amount: 12_500_000, ValidFor: time.Hour,
				Details: payment.Details{
					Reference: "order 1", Description: "Tea for " + email, CustomerEmail: email,
					SuccessURL: "https://shop.example/?to=" + url.QueryEscape(email),
					Metadata:   map[string]string{"who": secret},
					DonorName:  secret, DonorMessage: "from " + secret,
				},
			}, storetest.Start))
			w.Must(err)
			w.MustDo(w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.Cancel(storetest.Start)
			}))
			return p
		}
		var erased []payment.Payment
		for range 101 { // more than one transaction erases
			erased = append(erased, paid("Ada@Example.com", "lovelace"))
		}
		w.repeated(ctx, k, erased[0])
		kept := paid("adam@example.com", "smith")
		entry := audit.Entry{At: storetest.Start, Actor: "command line", Action: audit.ActionErase}
		n, err := w.EraseCustomer(ctx, "aDA@example.com", entry)
		w.Must(err)
		storetest.Same(t, "payments", n.Payments, len(erased))

		dump := w.dump(ctx)
		for _, word := range []string{"ada@", "ada%40", "lovelace"} {
			if strings.Contains(strings.ToLower(dump), word) {
				t.Errorf("%q is still there", word)
			}
		}
		w.untouched(kept.ID)
		if got := w.Stored(erased[1].ID); got.Reference != "order 1" || got.Description != "Tea for (erased)" ||
			got.Amount != 12_500_000 {
			t.Errorf("the payment is %+v", got)
		}
		for _, e := range w.events(erased[0].ID) {
			if !strings.Contains(string(e.Data), `"metadata":{}`) && strings.Contains(string(e.Data), "metadata") {
				t.Errorf("the event is %s", e.Data)
			}
		}
		_, differences, err := w.VerifyLedger(ctx)
		w.Must(err)
		storetest.Same(t, "differences", len(differences), 0)
		storetest.Same(t, "audit entries", w.Count("SELECT count(*) FROM audit_log WHERE detail LIKE '%payments%101%'"),
			int64(1))
		n, err = w.EraseCustomer(ctx, "ada@example.com", entry)
		w.Must(err)
		storetest.Same(t, "payments and entries erased again", n, store.Erased{})
		if _, err := w.SQL().Exec("UPDATE events SET data = '{}'"); err == nil {
			t.Error("events can be changed outside of an erasure")
		}
	})
}

// untouched fails unless the other customer is as before.
func (w *world) untouched(id payment.ID) {
	w.T.Helper()
	if got := w.Stored(id); got.CustomerEmail != "adam@example.com" || got.Metadata["who"] != "smith" {
		w.T.Errorf("another customer is %+v", got.Details)
	}
}

// repeated has the customer named where others wrote: by an owner, by the receiver of a webhook, and in the audit log.
func (w *world) repeated(ctx context.Context, k merchant.Key, p payment.Payment) {
	w.T.Helper()
	w.MustDo(w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.MarkCompleted(
			payment.Actor{Name: "owner@shop.example", Reason: "mail from Ada@EXAMPLE.com"}, storetest.Start,
		)
	}))
	for _, d := range w.claim("here", storetest.Start.Add(time.Hour), 200, 200) {
		w.Must(w.Settle(ctx, "here", webhook.Outcome{
			DeliveryID: d.ID, State: webhook.Delivered, Attempt: webhook.Attempt{
				At: storetest.Start, URL: d.URL, Status: 200, Response: `{"thanks":"Lovelace, ada@example.com"}`,
			},
		}))
	}
	for subject, action := range map[string]audit.Action{
		"payments found by “ada@Example.com”": audit.ActionExport, "payments found by “ADA@ex”": audit.ActionExport,
		mail.T("found by {{.Text}}", "Text", "“Ada@exam”").Kept(): audit.ActionExport,
		"order of ada@example.com":                                audit.ActionResolve,
	} {
		w.Must(w.DB().Write(ctx, func(ctx context.Context, t db.Tx) error {
			return t.Run(ctx, table.InsertEntry(audit.Entry{
				UserID: k.UserID, At: storetest.Start, Action: action, Actor: "owner@shop.example", Subject: subject,
			}))
		}))
	}
}

// dump returns what payments, events and attempts hold.
func (w *world) dump(ctx context.Context) string {
	w.T.Helper()
	var all strings.Builder
	for _, text := range []string{
		`SELECT customer_email || ' ' || donor_name || ' ' || donor_message || ' ' || metadata || ' ' || reference || ' ' || description || ' ' ||
			success_url || ' ' || cancel_url FROM payments`,
		"SELECT data FROM events", "SELECT response || ' ' || error || ' ' || request FROM delivery_attempts", "SELECT actor || subject || detail FROM audit_log",
	} {
		rows, err := w.SQL().QueryContext(ctx, text)
		w.Must(err)
		for rows.Next() {
			var line string
			w.Must(rows.Scan(&line))
			all.WriteString(line + "\n")
		}
		w.Must(rows.Err())
		w.Must(rows.Close()) //nolint:sqlclosecheck // before the next query, not at the end of the function
	}
	return all.String()
}

func (w *world) events(id payment.ID) []payment.Event {
	w.T.Helper()
	list, err := w.Events(w.T.Context(), id)
	w.Must(err)
	return list
}
