package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var problemOf = regexp.MustCompile(`data-testid="problem-([\w.-]+)"`)

var long = strings.Repeat("x", 600)

// wrongForms are forms in which nearly everything is wrong, and the inputs that are.
var wrongForms = []struct {
	path   string
	form   []string
	inputs string // in the order of the page
}{
	{
		"/dashboard/settings/payouts",
		[]string{
			"name", long, "wallet.BEP20", "0x1", "wallet.BASE", "bob", "password", "wrong",
		},
		"name wallet.BEP20 wallet.BASE password",
	},
	{
		"/dashboard/settings/payouts",
		[]string{
			"name", long, "wallet.POLYGON", "0x1", "wallet.SOL", "bob", "password", testPassword,
		},
		"name wallet.POLYGON wallet.SOL",
	},
	{"/dashboard/settings/webhooks", []string{"callbackUrl", "ftp://x", "password", "wrong"}, "callbackUrl password"},
	{
		"/dashboard/settings/payouts/options",
		[]string{"short", "11", "late", "x", "BASE.finality", "soon", "BASE.min", "x", "password", "wrong"},
		"BASE.min BASE.finality short late options-password",
	},
	{
		"/dashboard/settings/checkout",
		[]string{
			"name", long, "tagline", long, "logoUrl", "x", "primaryColor", "red", "backgroundColor", "1",
			"website", "x",
			"supportEmail", "x",
		},
		"name tagline logoUrl primaryColor backgroundColor website supportEmail",
	},
	{
		keysPath,
		[]string{"label", long, "wallet", "0x1", "networks", "x", "chosen", "yes"},
		"label wallet networks permission",
	},
	{
		createPath,
		[]string{
			"amount", "x", "reference", long, "description", long, "successUrl", "x", "cancelUrl",
			"x", "customerEmail",
			"x", "expiresInMinutes", "x",
		},
		"amount reference description successUrl cancelUrl customerEmail expiresInMinutes",
	},
	{
		linksPath,
		[]string{"slug", "A b", "description", long, "amount", "x", "reference", long, "min", "x", "max", "y"},
		"slug description amount reference min max",
	},
	{teamPath + "/invite", []string{"email", "bob", "role", "viewer", "password", "wrong"}, "email password"},
	{
		"/signup",
		[]string{"email", "bob", "password", "short", "firstName", long, "lastName", long},
		"email password firstName lastName",
	},
}

// Forms of the dashboard say everything that is wrong at once, beside each input.
func TestDashboard_ErrorsAtOnce(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	for _, x := range wrongForms {
		r := s.post(x.path, append([]string{"key", m.key.PublicID}, x.form...)...)
		if r.status < 400 || r.status > 403 {
			t.Fatalf("%s is answered %d: %s", x.path, r.status, plainText(r.body))
		}
		var got []string
		for _, p := range problemOf.FindAllStringSubmatch(r.body, -1) {
			got = append(got, p[1])
		}
		want := strings.Fields(x.inputs)
		if strings.Contains(r.body, "etworks[") {
			t.Errorf("%s names an input as the API does: %s", x.path, plainText(r.body))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has problems of\n%v, want\n%v: %s", x.path, got, want, plainText(r.body))
		}
	}
}
