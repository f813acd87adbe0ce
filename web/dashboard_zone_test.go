package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/web/session"
)

// A shop reads its days and times in its own zone: in lists, on the page of a payment, in filters and in sums.
func TestDashboard_Zone(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	change := func(zone string) reply {
		return s.post("/dashboard/keys/"+m.key.PublicID+"/label", "label", m.key.Label, "currency", "", "zone", zone)
	}
	change("Berlin").wants(t, 400, "time zone such as Europe/Berlin", `value="Berlin"`)
	change("Local").wants(t, 400, "time zone such as Europe/Berlin")
	p := b.deposit(b.start(b.newPaymentOf(m, "50"), chain.Polygon), 50*money.USD, true)
	page := "/dashboard/payments/" + string(p.ID)
	s.get(page).wants(t, 200, p.CreatedAt.UTC().Format("2 Jan 2006, 15:04:05")+" UTC")
	change("Pacific/Kiritimati").leads(t, "/dashboard/keys")
	b.audited(owner, audit.ActionKeyZone)
	zone, err := time.LoadLocation("Pacific/Kiritimati") // 14 hours ahead of UTC: often another day
	must(t, err)
	here := p.CreatedAt.In(zone)
	s.get(page).wants(t, 200, here.Format("2 Jan 2006, 15:04:05")+" +14")
	row := `href="` + page + `"`
	for filter, found := range map[string]bool{
		"from=" + here.Format("2006-01-02"):                                         true,
		"from=" + here.AddDate(0, 0, 1).Format("2006-01-02"):                        false,
		"until=" + here.AddDate(0, 0, -1).Format("2006-01-02"):                      false,
		"from=" + here.Format("2006-01-02") + "&fromTime=" + here.Format("15:04"):   true,
		"until=" + here.Format("2006-01-02") + "&untilTime=" + here.Format("15:04"): true,
		"from=" + here.Add(time.Minute).Format("2006-01-02&fromTime=15:04"):         false,
		"until=" + here.Add(-time.Minute).Format("2006-01-02&untilTime=15:04"):      false,
	} {
		r := s.get("/dashboard/payments?" + filter)
		if r.status != 200 || strings.Contains(r.body, row) != found {
			t.Errorf("%s: %d, found %t", filter, r.status, !found)
		}
	}
	s.get("/dashboard").wants(t, 200, "Paid today")
	if today := regexp.MustCompile(`data-testid="today">([^<]*)`).FindStringSubmatch(s.get("/dashboard").body); len(today) < 2 ||
		(today[1] == "$50.00") != (p.EndedAt.In(zone).YearDay() == b.clock.Now().In(zone).YearDay()) {
		t.Errorf("paid today: %q", today)
	}
	b.clock.advance(48 * time.Hour)
	s.signIn(ownerEmail)
	s.get("/dashboard/payments").wants(t, 200, here.Format("2 Jan"))
}

// The parts of a filter stand as chips, each of which takes itself away, and the list says what it shows.
func TestDashboard_Chips(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.deposit(b.start(b.newPaymentOf(m, "50"), chain.Polygon), 50*money.USD, true)
	b.deposit(b.start(b.newPaymentOf(m, "7.25"), chain.Polygon), 725*money.USD/100, true)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/payments?status=COMPLETED&network=POLYGON&min=5").wants(t, 200,
		"2 payments, $57.25 together.", "<bdi>At least 5 USD</bdi>",
		`href="/dashboard/payments?min=5&amp;network=POLYGON"><bdi>Paid</bdi>`,
		`href="/dashboard/payments?min=5&amp;status=COMPLETED"><bdi>Polygon</bdi>`, `data-testid="clear"`)
	if r := s.get("/dashboard/payments"); strings.Contains(r.body, `data-testid="clear"`) {
		t.Error("a list without a filter can be cleared")
	}
}

// Who has seen enough of the first steps hides them, in one browser.
func TestDashboard_HideSteps(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.shop(b.member(ownerEmail))
	s, other := b.surfer(), b.surfer()
	s.signIn(ownerEmail)
	other.signIn(ownerEmail)
	s.get("/dashboard").wants(t, 200, "First steps")
	s.post("/dashboard/steps").leads(t, "/dashboard")
	if strings.Contains(s.get("/dashboard").body, "First steps") {
		t.Error("hidden steps are shown")
	}
	other.get("/dashboard").wants(t, 200, "First steps")
}

// TestDashboard_ZoneOfCampaign: the last day of a campaign ends when the shop's day does, and its form shows that day.
func TestDashboard_ZoneOfCampaign(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	zone, err := time.LoadLocation("Pacific/Kiritimati")
	must(t, err)
	s.post("/dashboard/keys/"+m.key.PublicID+"/label", "label", m.key.Label, "currency", "", "zone", zone.String()).
		leads(t, "/dashboard/keys")
	last := session.Day(b.clock.Now().In(zone)).AddDate(0, 0, 30)
	day := last.Format(time.DateOnly)
	s.post("/dashboard/campaigns", "key", m.key.PublicID, "password", testPassword, "title", "Rex", "ends", day).
		leads(t, "/dashboard/campaigns/rex")
	made, _, err := b.campaigns.Get(t.Context(), "rex")
	must(t, err)
	if want := last.AddDate(0, 0, 1); !made.EndsAt.Equal(want) {
		t.Errorf("it ends at %v, want %v", made.EndsAt, want)
	}
	s.get("/dashboard/campaigns/rex/edit").wants(t, 200, `value="`+day+`"`)
}
