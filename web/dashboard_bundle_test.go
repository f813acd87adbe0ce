package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/passkey"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

const (
	ownerEmail   = "ada@shop.example"
	testPassword = "correct horse battery"
)

// Addresses of pages.
const (
	brandingPath  = "/dashboard/settings/checkout"
	campaignsPath = "/dashboard/campaigns"
	confirmPath   = "/dashboard/confirm"
	createPath    = "/dashboard/create"
	keysPath      = "/dashboard/keys"
	linksPath     = "/dashboard/links"
	livePath      = "/dashboard/live"
	logoPath      = "/logo/"
	operatorPath  = "/operator"
	passkeyPath   = "/signin/passkey"
	passkeysPath  = "/dashboard/security/passkeys"
	quickPath     = "/dashboard/find"
	securityPath  = "/dashboard/security"
	teamPath      = "/dashboard/team"
	usersPath     = "/operator/users"
)

// dashboardBundle is a server with its dashboard, on a database of its own.
type dashboardBundle struct {
	*bundle

	mail *mailbox
}

func newDashboard(t *testing.T, with ...func(*Deps, *Options)) dashboardBundle {
	t.Helper()
	return newDashboardAt(t, testBaseURL, with...)
}

// newDashboardAt is newDashboard at another public address, which passkeys depend on.
func newDashboardAt(t *testing.T, baseURL string, with ...func(*Deps, *Options)) dashboardBundle {
	t.Helper()
	options := identity.Options{Mail: newWriter(baseURL)}
	if party, ok := passkey.New(baseURL); ok {
		options.RelyingParty = party
	}
	b := dashboardBundle{bundle: openBundle(t, storetest.SQLite(t), options, merchant.Options{
		CheckCallback: func(u string) error { return webhook.CheckURL(u, true) },
		Mail:          newWriter(baseURL),
	})}
	b.mail = b.newMailbox()
	b.sells(baseURL, func(*payment.Options) {})
	d, st := b.deps(), b.store
	d.Dashboard = &Dashboard{
		Settle: settlement.Schedules{
			Policy:   func(chain.Network) settlement.Policy { return settlement.DefaultPolicy() },
			Balances: st.Settlement().DepositBalances,
			Stored:   st.Settlement().Schedule, Update: st.Settlement().UpdateSchedule,
		},
		Reports: st.Reports(), LastCheck: st.LedgerCheck,
		Resends:  webhook.Resends{One: st.Resend, Failed: st.ResendFailed, Parked: st.StopParked},
		Webhooks: webhook.NewSender(webhook.Options{AllowPrivate: true, Now: b.clock.Now}), Mails: true,
	}
	o := usual(baseURL)
	for _, change := range with {
		change(&d, &o)
	}
	d.Dashboard.Alerts = alert.Sources{
		Network: b.networks.Network, Health: b.networks.Health, Endpoints: d.Dashboard.Endpoints,
		Reading: d.Dashboard.Reading, Sweeping: d.Dashboard.Sweeping,
		Stored: func(ctx context.Context, now time.Time) (alert.Stored, error) {
			stored, err := st.Reports().Alerts(ctx, now, d.Dashboard.Dust)
			stored.OwnBackups = false
			return stored, err
		},
	}.Observe
	b.serves(d, o)
	return b
}

// newOwner is a dashboard with a user who is signed in.
func newOwner(t *testing.T) (dashboardBundle, *surfer) {
	t.Helper()
	b := newDashboard(t)
	b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	return b, s
}

// newShop is a dashboard with a shop, whose owner is signed in.
func newShop(t *testing.T) (dashboardBundle, *surfer, seller) {
	t.Helper()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	return b, s, m
}

// member makes a user who can sign in.
func (b dashboardBundle) member(email string) identity.User {
	b.t.Helper()
	u, err := b.accounts.CreateUser(b.t.Context(),
		identity.NewUser{Email: email, Password: secret.New(testPassword), FirstName: "Ada"}, audit.Act{})
	must(b.t, err)
	return u
}

// shop gives a user a key that takes payments.
func (b dashboardBundle) shop(u identity.User) seller {
	b.t.Helper()
	key, text, err := b.accounts.CreateKey(b.t.Context(), u,
		merchant.NewKey{Label: "Shop of " + u.Email, Wallet: merchantWallet, Credits: 20, Queries: 5}, audit.Act{})
	must(b.t, err)
	name, callback := "Nordlicht", "https://shop.example/hook"
	_, _, err = b.accounts.ArrangeCustodian(b.t.Context(), key, merchant.CustodianInput{
		Name: &name, CallbackURL: &callback,
		Wallets: map[chain.Network]string{
			"BEP20": merchantWallet, "POLYGON": merchantWallet,
			"BASE": merchantWallet,
		},
	}, audit.Act{})
	must(b.t, err)
	return seller{key, text.Reveal()}
}

// surfer is a browser without scripts that keeps cookies and follows no redirects.
type surfer struct {
	b       dashboardBundle
	cookies map[string]*http.Cookie
	reauth  string // what an upload re-authenticates with
}

func (b dashboardBundle) surfer() *surfer { return &surfer{b: b, cookies: map[string]*http.Cookie{}} }

func (s *surfer) do(method, path string, form url.Values, header ...string) reply {
	s.b.t.Helper()
	r := httptest.NewRequestWithContext(s.b.t.Context(), method, path, strings.NewReader(form.Encode()))
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "pay.example"
	r.Header.Set("Accept", "text/html")
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Del(header[i])
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	for _, k := range s.cookies {
		r.AddCookie(k)
	}
	w := httptest.NewRecorder()
	s.b.server.Handler().ServeHTTP(w, r)
	return s.keep(w)
}

// keep takes the cookies of an answer.
func (s *surfer) keep(w *httptest.ResponseRecorder) reply {
	res := w.Result()
	for _, k := range res.Cookies() {
		if s.cookies[k.Name] = k; k.MaxAge < 0 {
			delete(s.cookies, k.Name)
		}
	}
	return reply{res.StatusCode, res.Header, w.Body.String()}
}

// A link of a mail is followed to the page without its token.
func (s *surfer) get(path string) reply {
	s.b.t.Helper()
	r := s.do("GET", path, nil)
	if strings.Contains(path, "token=") || strings.Contains(path, "invite=") {
		if to := r.header.Get("Location"); r.status == 303 && strings.HasPrefix(path, to) {
			return s.do("GET", to, nil)
		}
	}
	return r
}

// post sends a form of name, value pairs.
func (s *surfer) post(path string, pairs ...string) reply {
	s.b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return s.do("POST", path, form)
}

// signIn signs a user in who has no second factor.
func (s *surfer) signIn(email string) {
	s.b.t.Helper()
	if r := s.post("/signin", "email", email, "password", testPassword); r.status != http.StatusSeeOther {
		s.b.t.Fatalf("sign in: %d %s", r.status, r.start())
	}
}

// wants fails unless the answer has the status and holds the texts.
func (r reply) wants(t *testing.T, status int, texts ...string) {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.start())
	}
	for _, text := range texts {
		if !strings.Contains(r.body, text) {
			t.Errorf("the page lacks %q: %s", text, plainText(r.body))
		}
	}
}

// leads fails unless the answer sends the browser to the path.
func (r reply) leads(t *testing.T, path string) {
	t.Helper()
	if r.status != http.StatusSeeOther || r.header.Get("Location") != path {
		t.Fatalf("status %d to %q, want %q: %s", r.status, r.header.Get("Location"), path, plainText(r.body))
	}
}

var tags = regexp.MustCompile(`(?s)<(style|script|svg).*?</(style|script|svg)>|<[^>]*>|\s+`)

func plainText(page string) string {
	text := strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " ")
	return text[:min(len(text), 1500)]
}

// mailed waits until so many mails were sent.
func (b dashboardBundle) mailed(n int) []string {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if all := b.mail.all(); len(all) >= n {
			return all
		}
	}
	b.t.Fatalf("%d mails were sent, want %d", len(b.mail.all()), n)
	return nil
}

// failAll uses up the attempts of every webhook that waits, and counts them.
func (b dashboardBundle) failAll() string {
	b.t.Helper()
	ctx, later := b.t.Context(), b.clock.Now().Add(time.Hour)
	list, err := webhook.ClaimDue(ctx, b.store, "test", later, later.Add(time.Hour), 100, 100)
	must(b.t, err)
	for _, x := range list {
		must(b.t, b.store.Settle(ctx, "test", webhook.Outcome{
			DeliveryID: x.ID, State: webhook.Failed,
			Attempt: webhook.Attempt{At: b.clock.Now(), URL: x.URL, Status: 500},
		}))
	}
	return strconv.Itoa(len(list))
}
