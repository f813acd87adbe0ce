package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// oneLog is a database whose audit log refuses separate entries: only those
// written in the transaction of an act are kept.
type oneLog struct{ merchant.Store }

func (o oneLog) UpdateAccount(
	ctx context.Context, id, keyID int64, decide func(merchant.Account) (merchant.Change, error),
) (merchant.Done, error) {
	return o.Store.UpdateAccount(ctx, id, keyID, func(a merchant.Account) (merchant.Change, error) {
		c, err := decide(a)
		if err == nil && keyID == 0 && len(c.Record.Entries) > 0 && fmt.Sprint(c.Account) == fmt.Sprint(a) {
			err = errors.New("the connection broke after the act")
		}
		return c, err
	})
}

// Every act over the API writes its audit entry in its own transaction.
func TestActsWriteAuditEntries(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	must(t, err)
	d := b.server.d
	d.Sealer = sealer
	d.Merchants = newServices(b.store.Identity(), oneLog{
		b.store.Merchant(),
	}, d.Now, identity.Options{}, merchant.Options{
		CheckCallback: func(u string) error { return webhook.CheckURL(u, true) },
	}).merchants
	b.server = New(d, b.server.o)

	token := b.signUp(t, "ada@shop.example")
	as := func(query string) reply { return b.graphQL(query, "", "Authorization", "Bearer "+token) }
	ok := func(r reply, operation string) reply {
		t.Helper()
		if code := r.text(t, "data."+operation+".code"); code != "200" {
			t.Errorf("%s: %s", operation, r.body)
		}
		return r
	}
	made := ok(as(`mutation { UserCreateApiKey(label: "shop", wallet: "`+devWallet+`") { code apiKey { id key } } }`), "UserCreateApiKey")
	id, key := made.text(t, "data.UserCreateApiKey.apiKey.id"), made.text(t, "data.UserCreateApiKey.apiKey.key")
	ok(as(`mutation { UserCreateApiKey { code } }`), "UserCreateApiKey")
	ok(b.graphQL(`mutation { createCustodianAccount(input: {apiKey: "`+key+`", name: "Shop", wallets: {base: "`+merchantWallet+`"}, callbackUrl: "https://shop.example/hook"}) { code } }`, ""), "createCustodianAccount")
	ok(b.graphQL(`mutation { updateCustodianDetails(input: {apiKey: "`+key+`", branding: {tagline: "Hello"}}) { code } }`, ""), "updateCustodianDetails")
	txnid := b.graphQL(`mutation { payment(apiKey: "`+key+`", amount: 5) { transaction { txnid } } }`, "").text(t, "data.payment.transaction.txnid")
	ok(b.graphQL(`mutation { manualMarkAsCompleted(apiKey: "`+key+`", txnid: "`+txnid+`") { code } }`, ""), "manualMarkAsCompleted")
	ok(as(`mutation { UserCreateCreditTopup(apiKeyId: "`+id+`", credits: 20) { code } }`), "UserCreateCreditTopup")
	ok(b.graphQL(`mutation { revokeApiKey(apiKey: "`+key+`", privateKey: "`+devKey+`") { code } }`, ""), "revokeApiKey")
	ok(b.graphQL(`mutation { UserLogin(email: " Ada@Shop.example", password: "correct horse battery staple") { code } }`, ""), "UserLogin")
	ok(as(`mutation { UserLogout { code } }`), "UserLogout")

	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), "ada@shop.example")
	must(t, err)
	entries, err := b.store.Merchant().AuditLog(t.Context(), user.ID, user.ID, 0, 50)
	must(t, err)
	var actions []string
	for _, l := range entries {
		if l.Subject == "" && !slices.Contains(audit.Personal(), l.Action) {
			t.Errorf("it is not said what %q was done to", l.Action)
		}
		whole := map[bool]string{true: ": " + inEnglish(l.Subject+"|"+l.Detail)}
		shown := l.Action == audit.ActionMarkCompleted || l.Action == audit.ActionTopUp
		actions = append(actions, l.Actor+" "+string(l.Action)+whole[shown])
	}
	slices.Reverse(actions)
	mine, api := "ada@shop.example ", "API key "
	want := []string{
		mine + "signed up", mine + "signed in", mine + "created an API key", mine + "created an API key",
		api + "changed settlement wallets", api + "changed the callback address", api + "changed the custodian",
		api + "changed the branding",
		api + "marked a payment as completed: " + txnid + "|shop", mine + "bought credits: shop|20 credits for $1.00",
		api + "rotated an API key",
		mine + "signed in", mine + "signed out",
	}
	if !slices.Equal(actions, want) {
		t.Errorf("the log says\n%s\nwant\n%s", strings.Join(actions, "\n"), strings.Join(want, "\n"))
	}
}

// A repeated key rotation gets the same answer, although the old key no longer
// works; the old key alone is not enough.
func TestRevokeKeyAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newKey(3, 0)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), m.key.Email)
	must(t, err)
	key, text, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{Wallet: devWallet, Credits: 3},
		audit.Act{})
	must(t, err)
	old := text.Reveal()
	revoke := func(apiKey, privateKey string, header ...string) reply {
		return b.graphQL(`mutation { revokeApiKey(apiKey: "`+apiKey+`", privateKey: "`+privateKey+`") { code message newApiKey apiKey { key wallet creditsLeft } } }`, "", header...)
	}
	code := func(what string, r reply, want string) {
		t.Helper()
		if r.text(t, "data.revokeApiKey.code") != want || r.field(t, "data.revokeApiKey.newApiKey") != nil {
			t.Errorf("%s: %s", what, r.body)
		}
	}
	first := revoke(old, devKey, "Idempotency-Key", "rotate-1")
	fresh := first.text(t, "data.revokeApiKey.newApiKey")
	again := revoke(old, devKey, "Idempotency-Key", "rotate-1")
	if first.text(t, "data.revokeApiKey.code") != "200" || again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %s\nagain %s", first.body, again.body)
	}
	if balance, err := b.accounts.Balance(t.Context(), key.ID); err != nil || balance.Credits != 2 {
		t.Errorf("%+v are left, %v: it must cost once", balance, err)
	}

	other := strings.Replace(devKey, "ac09", "ac08", 1)
	code("without the header", revoke(old, devKey), "401")
	code("under another header", revoke(old, devKey, "Idempotency-Key", "rotate-2"), "401")
	code("with another private key", revoke(old, other, "Idempotency-Key", "rotate-1"), "401")
	code("without a private key", revoke(old, "", "Idempotency-Key", "rotate-1"), "401")
	code("with a key that never was", revoke("flk_x", devKey, "Idempotency-Key", "rotate-1"), "401")
	if r := b.graphQL(`mutation { payment(apiKey: "`+old+`", amount: 5) { code } }`, "", "Idempotency-Key", "rotate-1"); r.text(t, "data.payment.code") != "401" {
		t.Errorf("another operation: %s", r.body)
	}
	code("the new key under the same header", revoke(fresh, devKey, "Idempotency-Key", "rotate-1"), "422")

	// The old answer names a key that was replaced since, and still says so.
	newest := revoke(fresh, devKey, "Idempotency-Key", "rotate-3").text(t, "data.revokeApiKey.newApiKey")
	if r := revoke(old, devKey, "Idempotency-Key", "rotate-1"); r.body != first.body || newest == fresh {
		t.Errorf("after another replacement: %s", r.body)
	}
	_, err = b.shops().DisableKey(t.Context(), key.ID, b.clock.Now(), audit.Record{})
	must(t, err)
	code("a key that was disabled since", revoke(fresh, devKey, "Idempotency-Key", "rotate-3"), "401")
	if log := b.log.String(); strings.Contains(log, devKey[2:]) || strings.Contains(log, old) ||
		strings.Contains(log, fresh) || strings.Contains(log, newest) {
		t.Error("a secret is in the log")
	}
}

// With a signature it is the same.
func TestRotateWithSignatureAgain(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newKey(1, 0)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), m.key.Email)
	must(t, err)
	_, text, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{Wallet: devWallet, Credits: 1}, audit.Act{})
	must(t, err)
	ask := b.graphQL(`{ rotateApiKeyChallenge(apiKey: "`+text.Reveal()+`") { challenge } }`, "").text(t, "data.rotateApiKeyChallenge.challenge")
	arguments, err := json.Marshal(map[string]string{"k": text.Reveal(), "c": ask, "s": signed(t, devKey, ask)})
	must(t, err)
	rotate := func() reply {
		return b.graphQL(`mutation($k: String!, $c: String!, $s: String!) { rotateApiKeyWithSignature(apiKey: $k, challenge: $c, signature: $s) { code newApiKey } }`,
			string(arguments), "Idempotency-Key", "again")
	}
	if first, again := rotate(), rotate(); first.text(t, "data.rotateApiKeyWithSignature.code") != "200" ||
		again.body != first.body {
		t.Errorf("first %s\nagain %s", first.body, again.body)
	}
}
