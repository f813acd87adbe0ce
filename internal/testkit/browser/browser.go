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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/watchdog"
)

// errNoBrowser names what is missing and how to get it, for a person who has just run the tests.
var errNoBrowser = errors.New("no Chromium or Chrome in PATH: install the package chromium and " +
	"its fonts (run .ci/install-chromium)")

// programs are the names of the browser, the one of Debian's package first.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"}

// loopbackOnly makes every name and address but the machine's own unresolvable: a page that asks a third party for
// something fails on every machine alike, with or without an internet connection.
const loopbackOnly = "MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE *.localhost , EXCLUDE 127.0.0.1 , EXCLUDE [::1]"

// killAndRemove ends the browser's process group and removes its profile. Processes that are just ending may
// still write into the profile, so a removal that finds it in use is tried again.
const killAndRemove = `
kill -s KILL -- "-$1" 2>/dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$2" 2>/dev/null && exit 0; sleep 0.2; done
exit 1
`

// runningBrowser is the browser of this process.
type runningBrowser struct {
	ctx     context.Context // the browser's own; pages are its children, and it is never cancelled
	profile string
	guard   *watchdog.Guard
}

// browser starts the browser at its first call. It stays reachable, and so does its guard, until the process ends.
var browser = sync.OnceValues(startBrowser)

func startBrowser() (*runningBrowser, error) {
	program, err := findProgram(programs)
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "florin-browsertest-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the browser's profile: %w", err)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags(program, profile)...)
	ctx, _ := chromedp.NewContext(allocator, chromedp.WithErrorf(ignoreUnknownEvents))
	if err := chromedp.Run(ctx); err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("starting %s: %w", program, err), os.RemoveAll(profile))
	}
	pid := chromedp.FromContext(ctx).Browser.Process().Pid
	guard, err := watchdog.OnExit(nil, killAndRemove, strconv.Itoa(pid), profile)
	if err != nil {
		stop()
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	return &runningBrowser{ctx: ctx, profile: profile, guard: guard}, nil
}

// openTab makes a context of its own in the browser, with cookies and storage apart, and one blank tab in it.
// chromedp can do the same, but asks for a tab in a window, and a fresh context has no window yet.
func (b *runningBrowser) openTab() (tab context.Context, closeTab func() error, err error) {
	executor := cdp.WithExecutor(b.ctx, chromedp.FromContext(b.ctx).Browser)
	apart, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(executor)
	if err != nil {
		return nil, nil, fmt.Errorf("making a browser context: %w", err)
	}
	dispose := func() error { return target.DisposeBrowserContext(apart).Do(executor) }
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

// flags makes the browser quiet, alike on every machine, and unthrottled in the many tabs nobody looks at.
func flags(program, profile string) []chromedp.ExecAllocatorOption {
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program),
		chromedp.UserDataDir(profile),
		chromedp.Headless, // also hides scroll bars and mutes audio
		chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("host-resolver-rules", loopbackOnly),
		chromedp.Flag("lang", "en-US"),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-dev-shm-usage", true), // containers give /dev/shm 64 MB, less than a few pages need
		chromedp.ModifyCmdFunc(func(command *exec.Cmd) {
			// A group of its own, for killAndRemove; and away from the terminal's interrupts.
			command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}),
	}
	for _, name := range []string{
		"disable-background-networking", "disable-breakpad", "disable-component-update", "disable-default-apps",
		"disable-extensions", "disable-quic", "disable-sync", "metrics-recording-only",
		"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
	} {
		options = append(options, chromedp.Flag(name, true))
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with its sandbox
	}
	return options
}

// ignoreUnknownEvents drops chromedp's complaints about events of browsers newer than its protocol definitions.
// Errors of actions do not come this way: they are returned.
func ignoreUnknownEvents(string, ...any) {}
