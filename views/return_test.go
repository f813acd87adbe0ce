package views_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// ways are addresses of shops, and where they lead with the two parameters behind their query.
var ways = map[string]string{
	"https://shop.example":                                                "https://shop.example?" + added,
	"https://shop.example/":                                               "https://shop.example/?" + added,
	"https://shop.example/thanks":                                         "https://shop.example/thanks?" + added,
	"https://shop.example/thanks?":                                        "https://shop.example/thanks?" + added,
	"https://shop.example/?cart=7":                                        "https://shop.example/?cart=7&" + added,
	"https://shop.example/?cart=7&":                                       "https://shop.example/?cart=7&" + added,
	"https://shop.example/?order=7;key=wc_abc":                            "https://shop.example/?order=7;key=wc_abc&" + added,
	"https://shop.example/?discount=50%":                                  "https://shop.example/?discount=50%&" + added,
	"https://shop.example/50%off?x=1":                                     "https://shop.example/50%off?x=1&" + added,
	"https://shop.example/%zz":                                            "https://shop.example/%zz?" + added,
	"https://shop.example/?name=A%20B":                                    "https://shop.example/?name=A%20B&" + added,
	"https://shop.example/?name=A+B":                                      "https://shop.example/?name=A+B&" + added,
	"https://shop.example/?name=A B":                                      "https://shop.example/?name=A B&" + added,
	"https://shop.example/?ids[]=1&ids[]=2":                               "https://shop.example/?ids[]=1&ids[]=2&" + added,
	"https://shop.example/?ids%5B%5D=1":                                   "https://shop.example/?ids%5B%5D=1&" + added,
	"https://shop.example/?z=1&a=2&z=3":                                   "https://shop.example/?z=1&a=2&z=3&" + added,
	"https://shop.example/?a=&b&=c":                                       "https://shop.example/?a=&b&=c&" + added,
	"https://shop.example/?status=new&txnid=own":                          "https://shop.example/?status=new&txnid=own&" + added,
	"https://shop.example/?naïve=支付":                                      "https://shop.example/?naïve=支付&" + added,
	"https://shop.example/?q=%E6%94%AF":                                   "https://shop.example/?q=%E6%94%AF&" + added,
	"https://shop.example/?q=%e6%94%af":                                   "https://shop.example/?q=%e6%94%af&" + added,
	"https://shop.example/支付":                                             "https://shop.example/支付?" + added,
	"https://shop.example/#done":                                          "https://shop.example/?" + added + "#done",
	"https://shop.example/?a=1#/route?b=2":                                "https://shop.example/?a=1&" + added + "#/route?b=2",
	"https://shop.example/#a#b":                                           "https://shop.example/?" + added + "#a#b",
	"https://shop.example#top":                                            "https://shop.example?" + added + "#top",
	"HTTPS://Shop.Example/Thanks":                                         "HTTPS://Shop.Example/Thanks?" + added,
	"https://shop.example:8443/a/../b/./c":                                "https://shop.example:8443/a/../b/./c?" + added,
	"https://shop.example//double//slash":                                 "https://shop.example//double//slash?" + added,
	"https://shop.example/?return=https://b.example/?x":                   "https://shop.example/?return=https://b.example/?x&" + added,
	"https://shop.example/?q={\"a\":[1]}|^`":                              "https://shop.example/?q={\"a\":[1]}|^`&" + added,
	"https://shop.example/?q='<b>&amp;c":                                  "https://shop.example/?q='<b>&amp;c&" + added,
	"https://münchen.example/?x=1":                                        "https://münchen.example/?x=1&" + added,
	"http://[2001:db8::1]:8080/?x=1":                                      "http://[2001:db8::1]:8080/?x=1&" + added,
	"https://shop.example/?sig=a/b+c==":                                   "https://shop.example/?sig=a/b+c==&" + added,
	"https://shop.example/;jsessionid=1?x":                                "https://shop.example/;jsessionid=1?x&" + added,
	"https://shop.example/?a=1&&b=2":                                      "https://shop.example/?a=1&&b=2&" + added,
	"https://shop.example/?utm_source=a&utm_medium=b%26":                  "https://shop.example/?utm_source=a&utm_medium=b%26&" + added,
	"https://shop.example/?x=%00":                                         "https://shop.example/?x=%00&" + added,
	"https://shop.example\\path?x=1":                                      "https://shop.example\\path?x=1&" + added,
	"https://shop.example/?a?b?c":                                         "https://shop.example/?a?b?c&" + added,
	"https://shop.example/~me/(x)!*,$@:":                                  "https://shop.example/~me/(x)!*,$@:?" + added,
	"https://shop.example/checkout/order-received/1042/?key=wc_order_abc": "https://shop.example/checkout/order-received/1042/?key=wc_order_abc&" + added,
	"https://shop.example/index.php?route=checkout/success&lang=en-gb":    "https://shop.example/index.php?route=checkout/success&lang=en-gb&" + added,
	"https://shop.example/?wc-api=Florin&order=7":                         "https://shop.example/?wc-api=Florin&order=7&" + added,
	"https://shop.example/?q=1;q=2;q=3":                                   "https://shop.example/?q=1;q=2;q=3&" + added,
	"https://shop.example/?100%25=1":                                      "https://shop.example/?100%25=1&" + added,
	"https://shop.example/?%":                                             "https://shop.example/?%&" + added,
	"https://shop.example/?a=%u00e9":                                      "https://shop.example/?a=%u00e9&" + added,
	"https://shop.example/?next=%2Faccount%2F":                            "https://shop.example/?next=%2Faccount%2F&" + added,
	"https://shop.example/?next=/account/?tab=1":                          "https://shop.example/?next=/account/?tab=1&" + added,
	"https://shop.example/?a[0][b]=1&a[0][c]=2":                           "https://shop.example/?a[0][b]=1&a[0][c]=2&" + added,
	"https://shop.example/?a=1&A=1":                                       "https://shop.example/?a=1&A=1&" + added,
	"https://shop.example/?emoji=🧾":                                       "https://shop.example/?emoji=🧾&" + added,
	"https://shop.example/?jwt=eyJhbGciOi.J9.c2ln-_":                      "https://shop.example/?jwt=eyJhbGciOi.J9.c2ln-_&" + added,
	"https://shop.example/?time=12:30:00+02:00":                           "https://shop.example/?time=12:30:00+02:00&" + added,
	"https://shop.example/?empty":                                         "https://shop.example/?empty&" + added,
	"https://shop.example/?=":                                             "https://shop.example/?=&" + added,
	"https://shop.example/?a=b=c":                                         "https://shop.example/?a=b=c&" + added,
	"https://shop.example/?x=<script>":                                    "https://shop.example/?x=<script>&" + added,
	"https://shop.example/%2e%2e/a":                                       "https://shop.example/%2e%2e/a?" + added,
	"https://shop.example/a%2Fb?c":                                        "https://shop.example/a%2Fb?c&" + added,
	"https://xn--mnchen-3ya.example/?x":                                   "https://xn--mnchen-3ya.example/?x&" + added,
	"https://shop.example/?a=1&amp;b=2":                                   "https://shop.example/?a=1&amp;b=2&" + added,
	"https://shop.example/cart/?utm_campaign=Spring%20Sale&gclid=Cj0":     "https://shop.example/cart/?utm_campaign=Spring%20Sale&gclid=Cj0&" + added,
}

const added = "status=completed&txnid=01KJ4Z8Y3T6Q0M5V9B2N7R1XWA"

// The way back keeps the merchant's own address byte for byte; two parameters follow its query.
func TestReturnHref(t *testing.T) {
	t.Parallel()
	for link, want := range ways {
		if got, ok := views.ReturnHref(link, "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", "completed"); !ok || string(got) != want {
			t.Errorf("%s leads to %s, want %s", link, got, want)
		}
	}
}

// previewDir, when set in the environment as FLORIN_PREVIEW, receives every state as an HTML file for review.
const previewDir = "FLORIN_PREVIEW"

// render is a component as text.
func render(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPreview renders every page in every language, and writes the files if previewDir is set.
func TestPreview(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(previewDir)
	for _, l := range views.Languages() {
		for name, component := range samplePages(t, l.Tag) {
			page := render(t, component)
			if len(page) < 1000 {
				t.Errorf("%s in %s: only %d bytes", name, l.Tag, len(page))
			}
			if dir == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name+"."+l.Tag+".html"), []byte(page), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestExample: the picture of the checkout shows the time of a payment that was just started, and asks for no script,
// which its frame would refuse.
func TestExample(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"choose", "send", "done"} {
		p, err := checkout.Example(views.Page{Lang: "en"}, step, nil, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		page := render(t, checkout.Pay(p))
		if strings.Contains(page, "<script") {
			t.Errorf("%s: the picture has a script", step)
		}
		if step == "send" && !strings.Contains(page, ">30 minutes<") {
			t.Error("the picture does not have 30 minutes left")
		}
	}
}
