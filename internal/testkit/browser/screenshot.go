package browser

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// ScreenshotsVariable names the environment variable with the directory for screenshots. Without it only failed
// tests take them, into a temporary directory that the test's log names.
const ScreenshotsVariable = "FLORIN_SCREENSHOTS"

// unfit are the characters that have no place in a file name.
var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Screenshot saves the whole page, also the part below the window's edge, as a PNG named after the test and
// name, and returns its path. It does nothing unless the variable is set or the test has failed: pictures of long pages
// are slow.
func Screenshot(ctx context.Context, t testing.TB, name string) string {
	t.Helper()
	directory := os.Getenv(ScreenshotsVariable)
	if directory == "" {
		if !t.Failed() {
			return ""
		}
		directory = filepath.Join(os.TempDir(), "florin-screenshots")
	}
	var png []byte
	if err := chromedp.Run(ctx, wholePage(&png)); err != nil {
		t.Errorf("browser: screenshot %s: %v", name, err)
		return ""
	}
	path := filepath.Join(directory, unfit.ReplaceAllString(t.Name()+"-"+name, "-")+".png")
	if err := os.MkdirAll(directory, 0o750); err != nil {
		t.Errorf("browser: %v", err)
		return ""
	}
	if err := os.WriteFile(path, png, 0o600); err != nil {
		t.Errorf("browser: %v", err)
		return ""
	}
	t.Logf("screenshot: %s", path)
	return path
}

// wholePage takes a picture of the page. Only a page larger than the window is captured beyond the viewport:
// otherwise Chromium would draw a right-to-left page shifted sideways.
func wholePage(png *[]byte) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, _, _, window, content, err := page.GetLayoutMetrics().Do(ctx)
		if err != nil {
			return err
		}
		larger := content.Height > window.ClientHeight || content.Width > window.ClientWidth
		*png, err = page.CaptureScreenshot().WithCaptureBeyondViewport(larger).Do(ctx)
		return err
	})
}
