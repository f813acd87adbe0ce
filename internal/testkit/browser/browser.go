package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit"
)

// errNoBrowser names what to install.
var errNoBrowser = errors.New("no Chromium or Chrome in PATH: install the package chromium-headless-shell and " +
	"its fonts (run .ci/install-chromium)")

// programs are the names of the browser. First comes Chromium without a window of its own: the same engine, and a
// page opens in a fraction of the time.
var programs = []string{
	"chromium-headless-shell", "headless_shell", "chromium", "chromium-browser", "google-chrome",
	"google-chrome-stable",
}

// loopbackOnly makes every name and address except loopback unresolvable, so that a page with a request to a
// third party fails everywhere, with or without an internet connection.
const loopbackOnly = "MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE *.localhost , EXCLUDE 127.0.0.1 , EXCLUDE [::1]"

// startTimeout bounds each step of the browser's start: until it prints its address, and until it answers there. The
// first start of an installation fills font and shader caches, which took over 20 s on a machine whose two cores
// compiled the tests at the same time; an answer then took over 10 s more.
const startTimeout = 2 * time.Minute

// closeTimeout bounds the closing of a page.
const closeTimeout = 10 * time.Second

// killAndRemove kills the browser's process group and removes its profile. Ending processes may still write
// into the profile, so the removal is tried several times.
const killAndRemove = `
kill -s KILL -- "-$1" 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$2" 2>/dev/null && exit 0; sleep 0.2; done
exit 1
`

// runningBrowser is the browser of this test process.
type runningBrowser struct {
	ctx     context.Context // the parent of all pages; never cancelled
	profile string
	guard   *testkit.Guard
}

// browser starts the browser at its first call. The variable keeps it, and its guard, reachable until the
// process ends.
var browser = sync.OnceValues(startBrowser)

func startBrowser() (*runningBrowser, error) {
	program, err := findProgram(programs)
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "florin-browser-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the browser's profile: %w", err)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags(program, profile)...)
	ctx, _ := chromedp.NewContext(allocator, chromedp.WithErrorf(ignoreUnknownEvents),
		chromedp.WithBrowserOption(chromedp.WithDialTimeout(startTimeout)))
	if err := chromedp.Run(ctx); err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("starting %s: %w", program, err), os.RemoveAll(profile))
	}
	pid := chromedp.FromContext(ctx).Browser.Process().Pid
	guard, err := testkit.OnExit(nil, killAndRemove, strconv.Itoa(pid), profile)
	if err != nil {
		stop()
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	return &runningBrowser{ctx: ctx, profile: profile, guard: guard}, nil
}

// openTab makes a browser context with separate cookies and storage, and one blank tab in it. chromedp can do
// the same, but only in an existing window, and a new browser context has none.
func (b *runningBrowser) openTab() (tab context.Context, closeTab func() error, err error) {
	executor := cdp.WithExecutor(b.ctx, chromedp.FromContext(b.ctx).Browser)
	apart, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(executor)
	if err != nil {
		return nil, nil, fmt.Errorf("making a browser context: %w", err)
	}
	dispose := func() error {
		ctx, cancel := context.WithTimeout(executor, closeTimeout)
		defer cancel()
		err := target.DisposeBrowserContext(apart).Do(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // a page that was just loading keeps Chromium from answering; it ends with the browser
		}
		return err
	}
	blank, err := target.CreateTarget("about:blank").WithBrowserContextID(apart).WithNewWindow(true).Do(executor)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("making a tab: %w", err), dispose())
	}
	tab, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(blank))
	return tab, func() error { cancel(); return dispose() }, nil
}

func findProgram(names []string) (string, error) {
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errNoBrowser
}

// flags are the options for a browser that behaves alike on every machine and does not throttle background
// tabs.
func flags(program, profile string) []chromedp.ExecAllocatorOption {
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program),
		chromedp.UserDataDir(profile),
		chromedp.Headless, // also hides scroll bars and mutes audio
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.WSURLReadTimeout(startTimeout),
		chromedp.Flag("host-resolver-rules", loopbackOnly),
		chromedp.Flag("lang", "en-US"),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("font-render-hinting", "none"),
		// Pages of the address bar, which nobody sees, take a second of each window.
		chromedp.Flag("disable-features", "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"),
		chromedp.Flag("disable-dev-shm-usage", true), // containers give /dev/shm 64 MB, less than a few pages need
		chromedp.ModifyCmdFunc(func(command *exec.Cmd) {
			// An own process group for killAndRemove, which the terminal does not interrupt.
			command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}),
	}
	for _, name := range []string{
		"disable-background-networking", "disable-breakpad", "disable-component-update", "disable-default-apps",
		"disable-extensions", "disable-quic", "disable-sync", "metrics-recording-only",
		"disable-background-timer-throttling",
		"disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
		"allow-pre-commit-input", // a click that comes before the first picture is not thrown away
	} {
		options = append(options, chromedp.Flag(name, true))
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with its sandbox
	}
	return options
}

// ignoreUnknownEvents drops chromedp's messages about events that its protocol definitions do not know.
// Errors of actions do not come this way; they are returned.
func ignoreUnknownEvents(string, ...any) {}
