package panel

import (
	"context"
	"strings"

	"github.com/florinpay/florin/views"
)

// browsers are recognized by a mark in the User-Agent. The most specific come
// first, because nearly all browsers also name Chrome and Safari.
var browsers = []struct{ mark, name string }{
	{"EdgA/", "Edge"},
	{"EdgiOS/", "Edge"},
	{"Edg/", "Edge"},
	{"OPR/", "Opera"},
	{"OPT/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"YaBrowser/", "Yandex Browser"},
	{"Vivaldi/", "Vivaldi"},
	{"FxiOS/", "Firefox"},
	{"Firefox/", "Firefox"},
	{"CriOS/", "Chrome"},
	{"HeadlessChrome/", "Chrome"},
	{"Chrome/", "Chrome"},
	{"Safari/", "Safari"},
}

// systems come in the same order: Android also names Linux.
var systems = []struct{ mark, name string }{
	{"iPhone", "iPhone"},
	{"iPad", "iPad"},
	{"Android", "Android"},
	{"CrOS", "ChromeOS"},
	{"Windows", "Windows"},
	{"Macintosh", "Mac"},
	{"Linux", "Linux"},
}

// DeviceName names the browser and system of a User-Agent, such as "Chrome on
// Android". It helps users recognize a device. A client can send any User-Agent,
// so it proves nothing.
func DeviceName(ctx context.Context, agent string) string {
	browser, system := "", ""
	for _, b := range browsers {
		if strings.Contains(agent, b.mark) {
			browser = b.name
			break
		}
	}
	for _, s := range systems {
		if strings.Contains(agent, s.mark) {
			system = s.name
			break
		}
	}
	switch {
	case browser != "" && system != "":
		return views.T(ctx, "{{.Browser}} on {{.System}}", "Browser", browser, "System", system)
	case browser != "":
		return browser
	case strings.HasPrefix(agent, "Mozilla/") && system != "":
		return views.T(ctx, "A browser on {{.System}}", "System", system)
	}
	// A program names itself first: curl/8.5.0, Go-http-client/2.0.
	if name, _, _ := strings.Cut(strings.TrimSpace(agent), "/"); name != "" {
		return name
	}
	return views.T(ctx, "An unknown program")
}
