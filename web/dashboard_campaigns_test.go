package web

import (
	"html"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

// fundraiser gives a merchant a campaign and a payment link.
func (b dashboardBundle) fundraiser(m seller) (campaign.Campaign, campaign.Link) {
	b.t.Helper()
	l, err := b.campaigns.CreateLink(b.t.Context(), m.key.ID,
		campaign.LinkDraft{Slug: "one-bag", Description: "One bag", Amount: "12.50"}, audit.Act{})
	must(b.t, err)
	return b.newCampaign(m), l
}

// audited fails unless the owner's audit log has an entry of every act.
func (b dashboardBundle) audited(owner identity.User, acts ...audit.Action) {
	b.t.Helper()
	list, err := b.accounts.AuditLog(b.t.Context(),
		merchant.Membership{User: owner, Merchant: owner, Role: merchant.RoleOwner}, 0, 100)
	must(b.t, err)
	seen := make(map[audit.Action]bool)
	for _, a := range list {
		seen[a.Action] = true
	}
	for _, a := range acts {
		if !seen[a] {
			b.t.Errorf("the audit log has no entry of %s", a)
		}
	}
}

// A campaign is made, changed, paused and ended with forms, and the API shows
// every step.
func TestDashboard_Campaign(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/campaigns").wants(t, 200, "No campaign yet")

	form := func(pairs ...string) []string {
		form := []string{"key", m.key.PublicID, "password", testPassword, "description", "For Rex.\n\nAnd Bella."}
		return append(form, pairs...)
	}
	t.Run("Problems", func(t *testing.T) {
		for problem, pairs := range map[string][]string{
			"problem-title": {"title", " "}, "problem-goal": {"title", "Typed title", "goal", "much"},
			"problem-ends":      {"title", "Typed title", "ends", "tomorrow"},
			"problem-suggested": {"title", "Typed title", "suggested", "1 2 3 4 5 6 7"},
			"problem-slug":      {"title", "Typed title", "slug", "a_b"},
		} {
			r := s.post("/dashboard/campaigns", form(pairs...)...)
			r.wants(t, 400, problem, "And Bella.")
			if len(pairs) > 2 {
				r.wants(t, 400, "Typed title")
			}
		}
	})
	s.post("/dashboard/campaigns", form("title", "Old, in the past", "ends", "2020-01-01")...).wants(t, 400,
		"problem-ends")

	day := b.clock.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	s.post("/dashboard/campaigns",
		form("title", "Rex & Bella", "goal", "100", "suggested", "25, 5 10", "ends", day)...).leads(t,
		"/dashboard/campaigns/rex-bella")
	const path = "/dashboard/campaigns/rex-bella"
	s.get(path).wants(t, 200, "Rex &amp; Bella", "No donation yet", "&lt;iframe src=",
		testBaseURL+"/donate/rex-bella", "$0.00", "$100.00")
	s.post("/dashboard/campaigns", form("title", "Rex & Bella")...).wants(t, 409, "problem-slug")
	made, _, err := b.campaigns.Get(t.Context(), "rex-bella")
	must(t, err)
	if made.EndsAt.Add(-time.Second).Format(time.DateOnly) != day || len(made.Suggested) != 3 || made.ShowAtOnce {
		t.Errorf("made as %+v", made)
	}
	query := `{ getDonate(campaignId: "rex-bella") { code campaign { title status raisedAmount donorsCount } } }`
	if r := b.graphQL(query, ""); r.text(t, "data.getDonate.campaign.status") != "ACTIVE" ||
		r.text(t, "data.getDonate.campaign.title") != "Rex & Bella" {
		t.Errorf("getDonate says %s", r.body)
	}

	s.get(path+"/edit").wants(t, 200, `value="5 10 25"`, `value="`+day+`"`, "And Bella.")
	s.post(path+"/edit", form("title", "")...).wants(t, 400, "problem-title")
	s.post(path+"/edit", form("title", "Rex", "goal", "50", "ends", day)...).leads(t, path)
	s.get(path).wants(t, 200, "$50.00")
	if changed, _, err := b.campaigns.Get(t.Context(), "rex-bella"); err != nil || !changed.EndsAt.Equal(made.EndsAt) || changed.Title != "Rex" {
		t.Errorf("changed to %+v, %v", changed, err)
	}

	s.post(path+"/pause").leads(t, path)
	if r := b.ask("POST", "/donate/rex-bella/pay", giftOfFive); r.status != 409 {
		t.Errorf("a paused campaign answers %d", r.status)
	}
	s.post(path+"/pause").wants(t, 409)
	s.post(path+"/resume").leads(t, path)
	b.gift(campaign.Campaign{Slug: "rex-bella"}, giftOfFive)
	s.get(path).wants(t, 200, "never takes donations again")
	s.post(path+"/end").leads(t, path)
	s.post(path+"/resume").wants(t, 409)
	if r := s.get(path); strings.Contains(r.body, path+"/resume") || strings.Contains(r.body, path+"/end") {
		t.Error("an ended campaign offers to be changed")
	}
	b.audited(owner, audit.ActionCampaignNew, audit.ActionCampaign, audit.ActionCampaignPause,
		audit.ActionCampaignResume, audit.ActionCampaignEnd)
}

// The texts of donors are shown once support approves them, several at once.
func TestDashboard_Campaign_Review(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	c := b.newCampaign(m)
	for _, name := range []string{"Ada", "Grace", "Linus"} {
		p := b.gift(c, strings.Replace(giftOfFive, "Ada", name, 1))
		b.deposit(p, p.Amount, true)
	}
	quiet := b.gift(c, `{"amount":7,"network":"POLYGON","token":"USDC"}`)
	b.deposit(quiet, quiet.Amount, true)
	support, _ := b.colleague(owner, "help@shop.example", merchant.RoleSupport)
	viewer, _ := b.colleague(owner, "look@shop.example", merchant.RoleViewer)
	path := "/dashboard/campaigns/" + c.Slug
	numbers := make(map[string]string)
	list, _, err := b.campaigns.Donations(t.Context(), campaign.DonationQuery{Campaign: c.Number})
	must(t, err)
	for _, g := range list {
		numbers[g.Name] = strconv.FormatInt(g.Number, 10)
	}
	if r := viewer.get(path); !strings.Contains(r.body, "Grace") || strings.Contains(r.body, path+"/end") || strings.Contains(r.body, `value="APPROVED"`) {
		t.Error("a viewer is offered what they may not do, or cannot read")
	}
	page := support.get(path)
	page.wants(t, 200, "$22.00", "4 donations", "Waiting for you", "Without a name")
	if n := strings.Count(page.body, `name="donation"`); n != 3 {
		t.Errorf("%d donations can be reviewed, not 3", n)
	}
	public := func() string { return html.UnescapeString(b.ask("GET", "/donate/"+c.Slug, "").body) }
	if strings.Contains(public(), "Ada") {
		t.Error("a name is shown before it was approved")
	}
	support.post(path+"/review", "review", "APPROVED").leads(t, path)
	support.get(path).wants(t, 200, "Nothing was selected")
	support.post(path+"/review", "review", "APPROVED", "donation", numbers["Ada"], "donation", numbers["Grace"],
		"show", "waiting").leads(t, path+"?show=waiting")
	if r := support.get(path + "?show=waiting"); strings.Contains(r.body, "Grace") ||
		!strings.Contains(r.body, "Linus") {
		t.Error("the list of what waits shows what was reviewed, or not what waits")
	}
	support.post(path+"/review", "review", "HIDDEN", "donation", numbers["Grace"], "donation",
		numbers["Linus"]).leads(t, path)
	if now := public(); !strings.Contains(now, "Ada") || strings.Contains(now, "Grace") ||
		strings.Contains(now, "Linus") {
		t.Errorf("everybody sees %s", now)
	}
	support.post(path+"/review", "review", "WAITING", "donation", numbers["Ada"]).wants(t, 400)
	support.post(path+"/review", "review", "HIDDEN", "donation", "999999").wants(t, 404)
	support.post(path+"/review", "review", "HIDDEN", "donation", "x").wants(t, 404)
	b.audited(owner, audit.ActionModerate)
}

// A payment link is created, paid and paused.
func TestDashboard_Links(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/links").wants(t, 200, "No link yet")
	link := func(pairs ...string) reply {
		form := []string{"key", m.key.PublicID, "password", testPassword}
		return s.post("/dashboard/links", append(form, pairs...)...)
	}
	link("slug", "a_b", "description", "Typed before").wants(t, 400,
		"problem-slug", "Typed before")
	link("slug", "tip-jar", "amount", "-1").wants(t, 400, "problem-amount")
	link("slug", "tip-jar", "min", "9", "max", "2").wants(t, 400,
		"problem-max")
	link("slug", "tip-jar", "description", "Tips", "min", "2",
		"reference", "TIP-7").leads(t, "/dashboard/links/tip-jar")
	link("slug", "tip-jar").wants(t, 409, "problem-slug")
	s.get("/dashboard/links").wants(t, 200, "tip-jar", "TIP-7", "open, from $2.00")
	s.get("/dashboard/links/tip-jar").wants(t, 200, "&lt;a href=", testBaseURL+"/link/tip-jar", "In use")
	if r := b.postForm("/link/tip-jar", map[string][]string{"amount": {"3"}}); r.status != 303 {
		t.Errorf("using the link: %d %s", r.status, r.start())
	}
	s.get("/dashboard/payments?q=TIP-7").wants(t, 200, "$3.00")
	s.post("/dashboard/links/tip-jar/pause").leads(t, "/dashboard/links/tip-jar")
	if r := b.postForm("/link/tip-jar", map[string][]string{"amount": {"3"}}); r.status != 409 {
		t.Errorf("a paused link answers %d", r.status)
	}
	s.get("/dashboard/links/tip-jar").wants(t, 200, "Paused")
	s.post("/dashboard/links/tip-jar/resume").leads(t, "/dashboard/links/tip-jar")
	s.post("/dashboard/links/nothing/pause").wants(t, 404)
	b.audited(owner, audit.ActionLinkNew, audit.ActionLinkPause, audit.ActionLinkResume)
}
