package browser

import (
	"regexp"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Option configures a page. Later options win over earlier ones.
type Option func(*settings)

type settings struct {
	viewport      chromedp.Action
	media         map[string]string // CSS media feature → value
	noScript      bool
	language      string
	allowedErrors []*regexp.Regexp
}

// Phone emulates a small phone of 360 × 780 CSS pixels with a touch screen, at 2 device pixels each.
func Phone(s *settings) {
	s.viewport = chromedp.EmulateViewport(360, 780, chromedp.EmulatePortrait, chromedp.EmulateMobile,
		chromedp.EmulateTouch, chromedp.EmulateScale(2))
}

// Tablet emulates an upright tablet of 768 × 1024 CSS pixels with a touch screen.
func Tablet(s *settings) {
	s.viewport = chromedp.EmulateViewport(768, 1024, chromedp.EmulatePortrait, chromedp.EmulateMobile,
		chromedp.EmulateTouch)
}

// Desktop is a window of 1280 × 800 CSS pixels with a mouse. It is the default.
func Desktop(s *settings) { s.viewport = chromedp.EmulateViewport(1280, 800) }

// Light prefers a light colour scheme. It is the default.
func Light(s *settings) { s.prefer("prefers-color-scheme", "light") }

// Dark prefers a dark colour scheme.
func Dark(s *settings) { s.prefer("prefers-color-scheme", "dark") }

// ReducedMotion prefers less motion.
func ReducedMotion(s *settings) { s.prefer("prefers-reduced-motion", "reduce") }

// NoScript turns the page's JavaScript off. Actions that look for elements still work.
func NoScript(s *settings) { s.noScript = true }

// Language sets the preferred language, in the form of the Accept-Language header of RFC 9110.
func Language(accept string) Option {
	return func(s *settings) { s.language = accept }
}

// AllowError allows browser errors that match the regular expression, in a test that provokes them: `status
// of 404` for a page that must not exist.
func AllowError(pattern string) Option {
	allowed := regexp.MustCompile(pattern)
	return func(s *settings) { s.allowedErrors = append(s.allowedErrors, allowed) }
}

func (s *settings) prefer(feature, value string) {
	if s.media == nil {
		s.media = make(map[string]string)
	}
	s.media[feature] = value
}

func (s *settings) actions() []chromedp.Action {
	var features []*emulation.MediaFeature
	for name, value := range s.media {
		features = append(features, &emulation.MediaFeature{Name: name, Value: value})
	}
	actions := []chromedp.Action{
		s.viewport,
		emulation.SetEmulatedMedia().WithFeatures(features),
		emulation.SetScriptExecutionDisabled(s.noScript),
	}
	if s.language != "" {
		actions = append(actions, network.SetExtraHTTPHeaders(network.Headers{"Accept-Language": s.language}))
	}
	return actions
}
