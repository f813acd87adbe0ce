package views_test

import (
	"slices"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
)

// TestWayForward: a payer who can do nothing more on the page is led on: to the shop that may start again, to its
// mail, or at least to its website.
func TestWayForward(t *testing.T) {
	t.Parallel()
	const site = "https://nordlicht.example/"
	for _, c := range []struct {
		sample          string
		back, mail, web bool     // what the shop has
		want            []string // of return, contact and website
	}{
		{"expired", true, true, true, []string{"return"}},
		{"expired", false, true, true, []string{"contact", "website"}},
		{"expired", false, false, true, []string{"website"}},
		{"cancelled", false, false, false, nil},
		{"expired-part", true, true, true, []string{"return", "contact"}},
		{"late", true, true, false, []string{"return", "contact"}},
		{"late-cancelled", false, true, false, []string{"contact"}},
		{"over", true, true, false, []string{"return", "contact"}},
		{"paid", true, true, true, []string{"return"}},
		{"find-other-chain", false, true, false, []string{"contact"}},
		{"find-invalid", false, true, false, nil},
	} {
		p := sampleNamed(t, c.sample)
		if !c.back {
			p.CancelURL, p.ReturnURL = "", ""
		}
		if !c.mail {
			p.Merchant.SupportEmail = ""
		}
		if c.web {
			p.Merchant.Website = site
		}
		d := open(t, checkout.Pay(p))
		for _, id := range []string{"return", "contact", "website"} {
			if got := len(d.all(id)) == 1; got != slices.Contains(c.want, id) {
				t.Errorf("%+v: %s is there: %t", c, id, got)
			}
		}
	}
}

// TestWayForward_NoNetwork: a page without any way to pay can be opened again, and shows the ways as soon as there
// are some.
func TestWayForward_NoNetwork(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose")
	offered := p.Stage()
	for i := range p.Choices {
		p.Choices[i].Reason = checkout.ReasonBehind
	}
	d := open(t, checkout.Pay(p))
	if href := attribute(d.one("retry"), "href"); href != checkout.PayPath(sampleTxn, "en", checkout.ViewNow) {
		t.Errorf("it leads to %q", href)
	}
	d.hasAll("no-network", "reason-POLYGON-USDC")
	if p.Stage() == offered {
		t.Error("an open page does not show the ways to pay when there are some")
	}
	link := sampleLink("en")
	link.Choices = nil
	d = open(t, donate.PayLink(link))
	d.hasAll("no-network", "retry")
	d.hasNone("link-submit")
}

// TestStage_Deposits: a step that lists what arrived is sent again when more arrives.
func TestStage_Deposits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"seen", "confirming", "late", "expired-part"} {
		p := sampleNamed(t, name)
		before := p.Stage()
		p.Deposits = append(slices.Clone(p.Deposits), sampleDeposit(checkout.DepositFinal, "1"))
		if p.Stage() == before {
			t.Errorf("%s: the page does not show another deposit", name)
		}
	}
}

// TestDonateProblems: the problem of each field stands beside it, and the page opens at the first one. On a phone the
// story hides the whole form.
func TestDonateProblems(t *testing.T) {
	t.Parallel()
	p := sampleDonate("en")
	opensAt := func(p donate.Props) string {
		found := open(t, donate.Campaign(p)).elements(func(n *html.Node) bool { return hasAttribute(n, "autofocus") })
		if len(found) != 1 {
			t.Fatalf("the page opens at %d places", len(found))
		}
		return attribute(found[0], "data-testid")
	}
	p.Errors = map[string]donate.InputError{"way": donate.InputWay}
	d := open(t, donate.Campaign(p))
	if at := d.one("way-problem"); ancestor(at, "section") != nil || previous(at) != "h2" {
		t.Errorf("the problem of the ways to pay follows %q, want their heading", previous(at))
	}
	if got := opensAt(p); got != "way-problem" {
		t.Errorf("the page opens at %q", got)
	}
	p.Errors["message"] = donate.InputText
	if got := opensAt(p); got != "message-problem" {
		t.Errorf("the page opens at %q", got)
	}
	p.Errors, p.Problem = nil, checkout.ProblemUnavailable
	if at := open(t, donate.Campaign(p)).one("problem"); ancestorOf(at, "choose") == nil {
		t.Error("the refusal of a way to pay does not stand beside the ways to pay")
	}
	if got := opensAt(p); got != "problem" {
		t.Errorf("the page opens at %q", got)
	}
}

// previous is the name of the element before one.
func previous(n *html.Node) string {
	for n = n.PrevSibling; n != nil; n = n.PrevSibling {
		if n.Type == html.ElementNode {
			return n.Data
		}
	}
	return ""
}

// ancestorOf is the next element above one that has the data-testid; nil for none.
func ancestorOf(n *html.Node, id string) *html.Node {
	for n = n.Parent; n != nil; n = n.Parent {
		if attribute(n, "data-testid") == id {
			return n
		}
	}
	return nil
}
