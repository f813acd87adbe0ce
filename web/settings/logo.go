package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const logoPath = "/logo/"

// getLogo serves an uploaded logo, to anyone. Its address is the hash of its
// content, so browsers may cache it for ever.
func (s *Surface) getLogo(c echo.Context) error {
	hash, _, _ := strings.Cut(c.Param("file"), ".")
	l, err := s.Merchants.Logo(c.Request().Context(), hash)
	if err != nil {
		return err
	}
	if c.Request().URL.Path != l.Path() {
		return shell.ErrNotFound
	}
	h := c.Response().Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	// Opened by itself it must stay a picture, even if a browser takes its bytes for a page.
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	h.Set("Content-Disposition", `inline; filename="logo`+path.Ext(l.Path())+`"`)
	return c.Blob(http.StatusOK, map[string]string{"png": "image/png", "jpg": "image/jpeg"}[l.Kind], l.Picture)
}

// maxLogoForm is the picture and the multipart form around it, in bytes.
const maxLogoForm = maxLogoBytes + 64<<10

// logoForm reads the form of an upload: the key, and the file's bytes. The
// file's name and type come from the browser and are ignored.
func logoForm(c echo.Context) (url.Values, []byte, error) {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, maxLogoForm)
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "the form cannot be read")
	}
	values, file := url.Values{}, []byte(nil)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return values, file, nil
		}
		if err == nil {
			file, err = readPart(part, values, file)
		}
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return values, nil, errLogoTooLarge
		}
		if err != nil {
			return values, nil, fault.New(fault.Invalid, "the form cannot be read")
		}
	}
}

// maxLogoField is longer than a key's id, a password, and the answer of a passkey.
const maxLogoField = 8 << 10

func readPart(part *multipart.Part, values url.Values, file []byte) ([]byte, error) {
	if part.FormName() == "logo" {
		return io.ReadAll(io.LimitReader(part, maxLogoBytes+1))
	}
	text, err := io.ReadAll(io.LimitReader(part, maxLogoField))
	switch name := part.FormName(); name {
	case "key", "password", "passkey":
		values.Set(name, string(text))
	}
	return file, err
}

// postLogo stores an uploaded picture. One at a time is decoded, so that many uploads
// at once cannot fill the memory.
func (s *Surface) postLogo(c echo.Context, who session.Principal) error {
	ctx := c.Request().Context()
	if err := s.Shell.Limits.Costly(ctx); err != nil {
		return err
	}
	values, file, failed := logoForm(c)
	key, err := who.Key(values.Get("key"))
	if err != nil && failed == nil {
		return err
	}
	f := shell.NewForm(values)
	if failed == nil {
		if err := s.GateShown(c, who, f); err != nil {
			return s.logoUngated(c, who, key, f, err)
		}
	}
	said := "The logo is saved."
	var logo merchant.Logo
	if failed == nil {
		logo, failed = s.drawLogo(ctx, file)
	}
	if failed == nil {
		said, failed = s.takeLogo(c, who, key, logo, said)
	}
	if failed == nil {
		return s.Cookies.Redirect(c, checkoutPath+"?key="+key.PublicID, said)
	}
	f = shell.EmptyForm(c)
	if !f.Refused(failed, shell.Subject{Service: "logo", Input: "logo", Label: "The logo"}) {
		return failed
	}
	return s.brandingPage(c, who, fault.KindOf(failed).Code(), key.PublicID, f)
}

// logoUngated shows the page again, which asks for the re-authentication that the form lacks.
func (s *Surface) logoUngated(c echo.Context, who session.Principal, key merchant.Key, f *shell.Form, err error) error {
	if !session.ReauthRefused(f, err) {
		return err
	}
	f.Values, f.Posted = url.Values{}, c.Request().URL.Path
	return s.brandingPage(c, who, session.ReauthStatus(err), key.PublicID, f)
}

// takeLogo changes the logo, or stores that until the 24 hours of a locked account are over, and returns the notice.
// Taking a logo away shows payers nothing new: it is made at once.
func (s *Surface) takeLogo(
	c echo.Context, who session.Principal, key merchant.Key, logo merchant.Logo, said string,
) (string, error) {
	ctx := c.Request().Context()
	locked, err := s.Locked(c, who)
	if err != nil {
		return "", err
	}
	before, has, err := s.CustodianOf(ctx, key)
	if err == nil && !has {
		err = merchant.ErrNoCustodian
	}
	if err != nil || !locked || len(logo.Picture) == 0 {
		if err == nil {
			err = s.Merchants.PutLogo(ctx, key, logo, s.Act(c, who))
		}
		return said, err
	}
	return session.WaitsNotice, s.Wait(c, who, merchant.Waiting{
		Kind: merchant.WaitingShown, KeyID: key.ID, Changes: logo.Of(before).Shown(before),
	}, merchant.NewSettings{Logo: &logo}, session.KeyLabel(key))
}

// drawLogo draws the uploaded picture again.
func (s *Surface) drawLogo(ctx context.Context, file []byte) (merchant.Logo, error) {
	if len(file) == 0 {
		return merchant.Logo{}, fault.About(fault.Invalid, "logo", "must be chosen first")
	}
	select {
	case s.decoding <- struct{}{}:
	case <-ctx.Done():
		return merchant.Logo{}, ctx.Err()
	}
	drawn, kind, err := redraw(file)
	<-s.decoding
	if err != nil {
		return merchant.Logo{}, err
	}
	sum := sha256.Sum256(drawn)
	return merchant.Logo{Hash: hex.EncodeToString(sum[:]), Kind: kind, Picture: drawn}, nil
}

func (s *Surface) postRemoveLogo(c echo.Context, who session.Principal) error {
	f, key, _, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	if err := s.GateShown(c, who, f); err != nil {
		return s.logoUngated(c, who, key, f, err)
	}
	said, err := s.takeLogo(c, who, key, merchant.Logo{}, "The logo is removed.")
	if err != nil {
		return err
	}
	return s.Cookies.Redirect(c, checkoutPath+"?key="+key.PublicID, said)
}
