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

// ScreenshotsVariable names the environment variable that holds the directory for screenshots. Without it they
// go to a directory beside other temporary files, and the test's log tells which.
const ScreenshotsVariable = "FLORIN_SCREENSHOTS"

// unfit are the characters that have no place in a file name.
var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// Screenshot writes the whole page, also what is below the window's edge, as a PNG named after the test and name,
// and returns its path.
func Screenshot(ctx context.Context, t testing.TB, name string) string {
	t.Helper()
	var png []byte
	if err := chromedp.Run(ctx, wholePage(&png)); err != nil {
		t.Errorf("browsertest: screenshot %s: %v", name, err)
		return ""
	}
	directory := os.Getenv(ScreenshotsVariable)
	if directory == "" {
		directory = filepath.Join(os.TempDir(), "florin-screenshots")
	}
	path := filepath.Join(directory, unfit.ReplaceAllString(t.Name()+"-"+name, "-")+".png")
	if err := os.MkdirAll(directory, 0o750); err != nil {
		t.Errorf("browsertest: %v", err)
		return ""
	}
	if err := os.WriteFile(path, png, 0o600); err != nil {
		t.Errorf("browsertest: %v", err)
		return ""
	}
	t.Logf("screenshot: %s", path)
	return path
}

// wholePage takes a picture of the page. Only where the page is larger than the window is the browser asked to look
// beyond it: asked without need, it draws a right-to-left page moved to the side.
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
