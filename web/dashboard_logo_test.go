package web

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"regexp"
	"strings"
	"testing"
)

// pictureOf is a PNG of one colour.
func pictureOf(t *testing.T, side int, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		m.Set(i%side, i/side, c)
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, m))
	return b.Bytes()
}

// upload sends a file with the content type, as a browser does.
func (s *surfer) upload(path, key, contentType string, file []byte) reply {
	s.b.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(s.b.t, form.WriteField("key", key))
	must(s.b.t, form.WriteField("password", s.reauth))
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="logo"; filename="../../logo.png"`}, "Content-Type": {contentType},
	})
	must(s.b.t, err)
	_, err = part.Write(file)
	must(s.b.t, err)
	must(s.b.t, form.Close())
	r := httptest.NewRequestWithContext(s.b.t.Context(), http.MethodPost, path, &body)
	r.RemoteAddr, r.Host = "127.0.0.1:40000", "pay.example"
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, k := range s.cookies {
		r.AddCookie(k)
	}
	w := httptest.NewRecorder()
	s.b.server.Handler().ServeHTTP(w, r)
	return s.keep(w)
}

const logoUpload = "/dashboard/settings/checkout/logo"

var logoSrc = regexp.MustCompile(`src="(/logo/[0-9a-f]{64}\.png)"`)

// An uploaded logo is shown on the payment page, may be cached for ever, and is
// deleted when another replaces it.
func TestDashboard_Logo(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.newPayment(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.reauth = testPassword
	page := "/dashboard/settings/checkout?key=" + m.key.PublicID
	s.upload(logoUpload, m.key.PublicID, "text/html", pictureOf(t, 600, color.NRGBA{200, 30, 30, 255})).leads(t, page)
	shown := logoSrc.FindStringSubmatch(s.get(page).body)
	if shown == nil {
		t.Fatal("the page does not show the logo")
	}
	b.ask("GET", "/pay?txnid="+string(p.ID), "").wants(t, 200, `src="`+shown[1]+`"`)
	s.get("/dashboard/settings/checkout/preview?key="+m.key.PublicID).wants(t, 200, `src="`+shown[1]+`"`)
	got := b.ask("GET", shown[1], "")
	c, err := png.DecodeConfig(strings.NewReader(got.body))
	if err != nil || c.Width != 256 || c.Height != 256 {
		t.Fatalf("%dx%d, %v", c.Width, c.Height, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
		"Cache-Control":           "public, max-age=31536000, immutable",
		"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.header.Get(name), want)
		}
	}
	if len(got.header["Set-Cookie"]) > 0 {
		t.Error("a picture sets a cookie")
	}
	b.ask("HEAD", shown[1], "").wants(t, 200)
	for _, bad := range []string{
		strings.Replace(shown[1], ".png", ".jpg", 1),
		strings.Replace(shown[1], ".png", ".html", 1), "/logo/x", "/logo/" + strings.Repeat("0", 64) + ".png",
		"/logo/%00.png",
	} {
		b.ask("GET", bad, "").wants(t, 404)
	}
	// Saving the other branding keeps it; another picture replaces it.
	s.post(
		"/dashboard/settings/checkout", "key", m.key.PublicID, "name", "Nordlicht", "theme", "AUTO", "logoUrl", "",
	).leads(t,
		page)
	s.get(page).wants(t, 200, shown[1])
	s.upload(logoUpload, m.key.PublicID, "image/png", pictureOf(t, 64, color.NRGBA{1, 2, 3, 255})).leads(t, page)
	b.ask("GET", shown[1], "").wants(t, 404)
	s.post("/dashboard/settings/checkout/logo/remove", "key", m.key.PublicID).leads(t, page)
	if r := s.get(page); logoSrc.MatchString(r.body) {
		t.Error("the logo is still shown")
	}
	s.get("/dashboard/security").wants(t, 200, "uploaded a logo", "removed the logo")
}

// A file that is not a plain picture is refused beside the input, and nothing is
// stored.
func TestDashboard_LogoAttacks(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	victim := b.shop(b.member("victim@shop.example"))
	s := b.surfer()
	s.signIn(ownerEmail)
	s.reauth = testPassword
	good := pictureOf(t, 64, color.NRGBA{1, 2, 3, 255})
	svg := []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)
	bomb := bytes.Clone(good)
	copy(bomb[16:], []byte{0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60}) // 60,000 × 60,000; the checksum no longer fits
	for name, file := range map[string][]byte{
		"svg": svg, "svg called png": svg, "page": []byte("<html><script>alert(1)</script>"), "empty": nil,
		"polyglot":      append(bytes.Clone(good), "<script>alert(1)</script>"...),
		"ten megabytes": append(bytes.Clone(good), make([]byte, 10<<20)...),
		"bomb":          bomb, "cut": good[:len(good)/2],
	} {
		contentType := "image/png"
		if name == "svg" {
			contentType = "image/svg+xml"
		}
		if r := s.upload(logoUpload, m.key.PublicID, contentType, file); r.status != 400 || !strings.Contains(r.body, `data-testid="problem-logo"`) {
			t.Errorf("%s: %d %s", name, r.status, plainText(r.body))
		}
	}
	s.upload(logoUpload, victim.key.PublicID, "image/png", good).wants(t, 404)
	s.post(logoUpload, "key", m.key.PublicID).wants(t, 400)
	if r := s.get("/dashboard/settings/checkout"); logoSrc.MatchString(r.body) {
		t.Error("something was stored")
	}
	if got := b.surfer().upload(logoUpload, m.key.PublicID, "image/png", good); got.status != http.StatusSeeOther || got.header.Get("Location") != "/signin" {
		t.Errorf("signed out: %d", got.status)
	}
}
