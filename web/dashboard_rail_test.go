package web

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

var (
	navigation = regexp.MustCompile(`(?s)<nav[^>]*>.*?</nav>`)
	linkTo     = regexp.MustCompile(`<a[^>]* href="(/[^"?]*)`)
)

// ways follows the links of the navigation from page to page and returns the pages
// they lead to. On each page it counts the words of the rail.
func (s *surfer) ways(words int) []string {
	s.b.t.Helper()
	seen, todo := []string{}, []string{shell.HomePath}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if slices.Contains(seen, path) {
			continue
		}
		seen = append(seen, path)
		r := s.get(path)
		r.wants(s.b.t, 200)
		navs := navigation.FindAllString(r.body, -1)
		if n := len(linkTo.FindAllString(navs[0], -1)); n != words {
			s.b.t.Errorf("%s: the rail has %d words, want %d", path, n, words)
		}
		here := strings.Join(navs, "")
		if strings.Count(navs[0], "aria-current") != 1 || strings.Count(here, `aria-current="page"`) < 1 {
			s.b.t.Errorf("%s: the navigation does not say where one is: %s", path, here)
		}
		for _, found := range linkTo.FindAllStringSubmatch(here, -1) {
			todo = append(todo, found[1])
		}
	}
	slices.Sort(seen)
	return seen
}

// The rail has nine words, and with the tabs of their pages they lead to every
// page that stands by itself, in every role, and to none that is refused.
func TestDashboard_Rail(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	b.shop(owner)
	all := b.accountRoutes("GET")
	all = slices.DeleteFunc(all, func(route string) bool {
		return strings.Contains(route, ":") || strings.HasSuffix(route, ".csv") || isLive(route) ||
			!shell.InDashboard(route) ||
			slices.Contains([]string{
				quickPath, brandingPath + "/preview", brandingPath + "/contrast", securityPath + "/factor",
				"/dashboard/settings", "/dashboard/join", "/dashboard/start", "/dashboard/start/ready",
				"/dashboard/payments/exports", // the list of payments leads to it
			}, route)
	})
	slices.Sort(all)
	merchants := slices.DeleteFunc(slices.Clone(all),
		func(route string) bool { return strings.HasPrefix(route, operatorPath) })
	for _, x := range []struct {
		role  merchant.Role
		words int
		pages []string
	}{
		{merchant.RoleOwner, 9, merchants},
		{
			merchant.RoleViewer, 9,
			slices.DeleteFunc(slices.Clone(merchants), func(route string) bool { return route == createPath }),
		},
	} {
		s, _ := b.colleague(owner, string(x.role)+"@shop.example", x.role)
		if got := s.ways(x.words); !slices.Equal(got, x.pages) {
			t.Errorf("as %s the rail leads to %q, want %q", x.role, got, x.pages)
		}
	}
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	root := b.surfer()
	root.signIn(rootEmail)
	if got := root.ways(10); !slices.Equal(got, all) {
		t.Errorf("as operator the rail leads to %q, want %q", got, all)
	}
}

// isLive reports whether a route is no page but keeps one up to date.
func isLive(route string) bool {
	return strings.HasSuffix(route, "/live") || strings.HasSuffix(route, "/now")
}
