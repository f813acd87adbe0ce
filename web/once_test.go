package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

// Every form that makes something carries a number of its own.
func TestForms_Numbered(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	_, link := b.fundraiser(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.invite("joiner@shop.example", "viewer")
	invitation := regexp.MustCompile(`/dashboard/team/invitations/\w+/resend`).FindString(s.get(teamPath).body)
	for page, actions := range map[string][]string{
		keysPath:              {keysPath, keysPath + "/" + m.key.PublicID + "/rotate"},
		createPath:            {createPath},
		linksPath:             {linksPath},
		campaignsPath:         {campaignsPath},
		teamPath:              {teamPath + "/invite", invitation},
		callbackPage:          {"/dashboard/settings/webhooks/rotate"},
		"/dashboard/credits":  {"/dashboard/credits"},
		"/dashboard/webhooks": {"/dashboard/webhooks/ping", "/dashboard/webhooks/resend"},
		"/link/" + link.Slug:  {"/link/" + link.Slug},
		securityPath:          {emailPath},
	} {
		for _, action := range actions {
			first, second := s.asShown(page, action).Get("once"), s.asShown(page, action).Get("once")
			if first == "" || first == second {
				t.Errorf("%s of %s has the numbers %q and %q", action, page, first, second)
			}
		}
	}
}

// Two clicks make one, also at once and after the first answer was lost; what is shown once is shown again for a
// minute. Who goes back and changes the form, or comes back later, makes another.
func TestForms_TwoClicks(t *testing.T) {
	t.Parallel()
	b, s, _ := newShop(t)
	form := s.asShown(createPath, createPath)
	form.Set("amount", "5")
	answers := make([]reply, 4)
	var clicks sync.WaitGroup
	for i := range answers {
		clicks.Go(func() { answers[i] = s.stolen().do("POST", createPath, form) })
	}
	clicks.Wait()
	for _, r := range answers {
		r.wants(t, http.StatusSeeOther)
		if r.header.Get("Location") != answers[0].header.Get("Location") {
			t.Errorf("two clicks lead to %s and %s", answers[0].header.Get("Location"), r.header.Get("Location"))
		}
	}
	to := answers[0].header.Get("Location")
	if again := s.do("POST", createPath, with(form, "amount", "6")); again.header.Get("Location") == to {
		t.Error("another amount led to the payment of before")
	}
	b.clock.advance(2 * time.Minute)
	if later := s.do("POST", createPath, form); later.header.Get("Location") == to {
		t.Error("two minutes later the form led to the payment of before")
	}

	key := s.asShown(keysPath, keysPath)
	key.Set("label", "Twice")
	key.Set("password", testPassword)
	shown := regexp.MustCompile(`data-testid="fresh-key">([^<]+)<`)
	first := shown.FindStringSubmatch(s.stolen().do("POST", keysPath, key).body) // its answer is lost
	second := shown.FindStringSubmatch(s.do("POST", keysPath, key).body)
	if first == nil || second == nil || first[1] != second[1] {
		t.Errorf("two clicks show %q and %q", first, second)
	}
	if n := strings.Count(s.get(keysPath).body, "<h2 id=\"key-"); n != 2 {
		t.Errorf("there are %d keys, want that of the shop and the new one", n)
	}
	if strings.Contains(s.get(keysPath).body, second[1]) {
		t.Error("the list shows the text of a key")
	}

	refused := s.asShown(createPath, createPath)
	s.do("POST", createPath, with(refused, "amount", "nothing")).wants(t, 400)
	s.do("POST", createPath, with(refused, "amount", "7")).wants(t, 303)
}

// Who presses "Create account" twice has one account, and is signed in; with another password it is another form.
func TestSignUp_TwoClicks(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	s := b.surfer()
	form := s.asShown("/signup", "/signup")
	form.Set("email", ownerEmail)
	form.Set("password", testPassword)
	b.surfer().do("POST", "/signup", form).leads(t, "/dashboard")
	again := b.surfer()
	again.do("POST", "/signup", form).leads(t, "/dashboard")
	again.get("/dashboard").wants(t, 200, ownerEmail)
	b.surfer().do("POST", "/signup", with(form, "password", testPassword+" 2")).wants(t, 409, "already a user")
}

// Who presses again while the first click takes longer than anybody waits is shown that, and nothing is done twice; the
// answer is there when the first is done.
func TestForms_SlowFirstClick(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	must(t, err)
	sh := shell.New(shell.Options{
		BaseURL: testBaseURL, CheckoutURL: testBaseURL, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Forms: shell.Forms{Store: b.store, Sealer: sealer},
	})
	var done atomic.Int32
	release, began := make(chan struct{}), make(chan struct{}, 2)
	press := func() (int, error) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/make", strings.NewReader("once=7&amount=5"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		c := echo.New().NewContext(r, w)
		err := sh.Once(c, "user:1", 1<<10, func() error {
			done.Add(1)
			began <- struct{}{}
			<-release
			return c.Redirect(http.StatusSeeOther, "/made")
		})
		return w.Code, err
	}
	var first sync.WaitGroup
	first.Go(func() {
		if code, err := press(); code != http.StatusSeeOther || err != nil {
			t.Errorf("the first click is answered %d, %v", code, err)
		}
	})
	<-began
	at := time.Now()
	if _, err := press(); fault.KindOf(err) != fault.Conflict || time.Since(at) < 9*time.Second {
		t.Errorf("a second click is answered %v after %s", err, time.Since(at))
	}
	close(release)
	first.Wait()
	if code, err := press(); code != http.StatusSeeOther || err != nil || done.Load() != 1 {
		t.Errorf("a later click is answered %d, %v; done %d times", code, err, done.Load())
	}
}

// A customer who presses twice on the page of a link has one payment; another customer has another.
func TestLink_TwoClicks(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	_, link := b.fundraiser(b.shop(b.member(ownerEmail)))
	s, path := b.surfer(), "/link/"+link.Slug
	press := func(form url.Values) string {
		r := s.do("POST", path, form)
		r.wants(t, http.StatusSeeOther)
		return r.header.Get("Location")
	}
	form, other := s.asShown(path, path), s.asShown(path, path)
	first := press(form)
	if second := press(form); second != first {
		t.Errorf("two clicks lead to %s and %s", first, second)
	}
	if press(other) == first {
		t.Error("another customer was led to the payment of the first")
	}
}
