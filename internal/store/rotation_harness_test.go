package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// keyBytes are the bytes of the key that storetest.Sealer has for the seed.
func keyBytes(seed byte) []byte {
	key := make([]byte, secret.KeyLen)
	key[0] = seed
	return key
}

// world is a database with a value in every sealed column.
type rotationWorld struct {
	*storetest.World

	key       merchant.Key
	custodian merchant.Custodian
	passkey   identity.Passkey
	due       time.Time
}

func onEachSealed(t *testing.T, test func(t *testing.T, w *rotationWorld)) {
	t.Helper()
	storetest.OnEach(t, func(t *testing.T, sw *storetest.World) {
		t.Helper()
		w := &rotationWorld{World: sw, due: storetest.Start.Add(merchant.LockDelay)}
		w.fill(1)
		test(t, w)
	})
}

// fill stores n more values in every sealed column.
func (w *rotationWorld) fill(n int) {
	w.T.Helper()
	ctx := w.T.Context()
	for range n {
		w.key = w.NewKey(1, 1)
		w.custodian = w.NewCustodian(w.key, "https://shop.example/hook")
		w.passkey = storetest.NewPasskey(w.key.UserID, string(storetest.NewID()))
		w.Must(w.AddPasskey(ctx, w.passkey, identity.Hash{}, audit.Record{}))
		w.Must(w.PutSecondFactor(ctx, identity.SecondFactor{
			UserID: w.key.UserID, Secret: secret.New("authenticator"), CreatedAt: storetest.Start,
		}))
		w.Must(w.AddWaiting(ctx, merchant.Waiting{
			ID: string(storetest.NewID()), MerchantID: w.key.UserID, KeyID: w.key.ID, Kind: merchant.WaitingCustodian,
			By: w.key.Email, CreatedAt: storetest.Start, DueAt: w.due, Body: secret.New("input"),
		}, storetest.HashOf(w.passkey.ID), audit.Record{}))
		w.Must(w.Mails().Add(ctx, mail.Mail{
			ID: w.passkey.ID, Kind: mail.Plain, To: w.key.Email, Text: secret.New("link"), At: storetest.Start,
		}))
		w.MustDo(w.Merchant().UpdateAccount(ctx, w.key.UserID, 0, func(a merchant.Account) (merchant.Change, error) {
			a.Chat = merchant.Chat{URL: secret.New("https://chat.example"), News: merchant.NewsOf(nil)}
			return merchant.Change{Account: a}, nil
		}))
		w.answer("answered", "kept answer")
		_, _, err := w.IdempotencyBegin(ctx, idempotency.Try{ // its answer is NULL
			Claim: idempotency.Claim{KeyID: w.key.ID, Key: "unanswered"},
			Now:   storetest.Start, LockedUntil: storetest.Start.Add(time.Hour),
		})
		w.Must(err)
	}
}

// answer keeps an answer as the operations seal it.
func (w *rotationWorld) answer(key, text string) {
	w.T.Helper()
	claim := idempotency.Claim{KeyID: w.key.ID, Key: key, Holder: "try"}
	_, _, err := w.IdempotencyBegin(w.T.Context(), idempotency.Try{
		Claim: claim, Now: storetest.Start, LockedUntil: storetest.Start.Add(time.Minute),
	})
	w.Must(err)
	sealed := storetest.Sealer(1).Seal(idempotency.AnswerPlace(w.key.ID, key), secret.New(text))
	w.Must(w.IdempotencyFinish(w.T.Context(), idempotency.Kept{
		Claim: claim, Answer: idempotency.Answer{Status: 200, Body: []byte(sealed)}, At: storetest.Start,
	}))
}

// with opens the database with other keys, as a program does.
func (w *rotationWorld) with(s *secret.Sealer) (*store.Store, error) {
	w.T.Helper()
	other, err := store.Open(w.T.Context(), w.URL, s, store.Options{MaxConns: 2})
	w.Must(err)
	w.T.Cleanup(func() { _ = other.Close() })
	return other, other.Migrate(w.T.Context())
}

// sealer returns a sealer that has the keys of these seeds, the first one as FLORIN_SECRET_KEY.
func sealer(t testing.TB, seeds ...byte) *secret.Sealer {
	t.Helper()
	s := storetest.Sealer(seeds[0])
	for _, seed := range seeds[1:] {
		testkit.Must(t, s.Add(keyBytes(seed)))
	}
	return s
}

// rotate runs the command with the new key and the old one.
func (w *rotationWorld) rotate(newKey, oldKey byte) store.Rotation {
	w.T.Helper()
	s := sealer(w.T, newKey, oldKey)
	id := s.KeyID()
	st, err := w.with(s)
	w.Must(err)
	report, err := st.ChangeSecretKey(w.T.Context(), id, storetest.Start)
	w.Must(err)
	return report
}

// each reads the rows of a query.
func (w *rotationWorld) each(db *sql.DB, query string, read func(scan func(...any) error) error) {
	w.T.Helper()
	rows, err := db.QueryContext(w.T.Context(), query)
	w.Must(err)
	defer rows.Close()
	for rows.Next() {
		w.Must(read(rows.Scan))
	}
	w.Must(rows.Err())
}

// stored returns every value of every column of the database whose text contains the part.
func (w *rotationWorld) stored(part string) (found []string) {
	w.T.Helper()
	db := w.SQL()
	query := `SELECT m.name, p.name FROM pragma_table_list AS m JOIN pragma_table_info(m.name) AS p
		WHERE m.schema = 'main' AND m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`
	if w.ManyWriters() {
		query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
	}
	var columns [][2]string
	w.each(db, query, func(scan func(...any) error) error {
		var c [2]string
		err := scan(&c[0], &c[1])
		columns = append(columns, c)
		return err
	})
	if len(columns) < 100 {
		w.T.Fatalf("the database has %d columns", len(columns))
	}
	for _, c := range columns {
		// A bytea prints as hex.
		text := `CAST("` + c[1] + `" AS text)`
		if w.ManyWriters() {
			text = `"` + c[1] + `"::text`
		}
		query := `SELECT ` + text + ` FROM "` + c[0] + `" WHERE "` + c[1] + `" IS NOT NULL`
		w.each(db, query, func(scan func(...any) error) error {
			var value string
			err := scan(&value)
			if strings.Contains(value, part) || strings.Contains(value, fmt.Sprintf("%x", part)) {
				found = append(found, c[0]+"."+c[1])
			}
			return err
		})
	}
	return found
}

// opens fails unless every sealed value is read with this sealer.
func (w *rotationWorld) opens(what string, s *secret.Sealer) {
	w.T.Helper()
	ctx := w.T.Context()
	st, err := w.with(s)
	if err != nil {
		w.T.Fatalf("%s: %v", what, err)
	}
	c, err := st.Merchant().Custodian(ctx, w.key.ID)
	w.Must(err)
	storetest.Same(w.T, what+": custodian", c, w.custodian)
	f, _, err := st.Identity().SecondFactor(ctx, w.key.UserID)
	w.Must(err)
	storetest.Same(w.T, what+": authenticator", f.Secret.Reveal(), "authenticator")
	p, err := (storetest.People{Store: st.Identity()}).PasskeysOf(ctx, w.key.UserID)
	w.Must(err)
	storetest.Same(w.T, what+": passkeys", p, []identity.Passkey{w.passkey})
	due, err := st.Merchant().DueWaiting(ctx, w.due, 1000)
	w.Must(err)
	storetest.Same(w.T, what+": changes that wait", due[len(due)-1].Body.Reveal(), "input")
	a, err := st.Merchant().Account(ctx, merchant.By{ID: w.key.UserID})
	w.Must(err)
	storetest.Same(w.T, what+": chat", a.Chat.URL.Reveal(), "https://chat.example")
	m, err := st.Mails().Mail(ctx, w.Count("SELECT max(id) FROM mails WHERE kind = 'PLAIN'"))
	w.Must(err)
	storetest.Same(w.T, what+": mail", m.Text.Reveal(), "link")
	_, kept, err := st.IdempotencyBegin(ctx, idempotency.Try{
		Claim: idempotency.Claim{KeyID: w.key.ID, Key: "answered"},
		Now:   storetest.Start, LockedUntil: storetest.Start.Add(time.Minute),
	})
	w.Must(err)
	text, err := s.Open(idempotency.AnswerPlace(w.key.ID, "answered"), string(kept.Body))
	w.Must(err)
	storetest.Same(w.T, what+": answer", text.Reveal(), "kept answer")
}

// done fails unless the database has the new key, and nothing of the old one.
func (w *rotationWorld) done(from, to byte) {
	w.T.Helper()
	if left := w.stored("sealed1." + storetest.Sealer(from).KeyID()); len(left) > 0 {
		w.T.Errorf("sealed with the old key: %v", left)
	}
	w.opens("the new key alone", storetest.Sealer(to))
	if _, err := w.with(storetest.Sealer(from)); !errors.Is(err, secret.ErrSealed) {
		w.T.Errorf("the old key alone: %v", err)
	}
	for _, column := range w.stored(string(keyBytes(to))) {
		w.T.Errorf("the new key is stored in %s", column)
	}
}
