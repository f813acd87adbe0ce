package panel

import "strings"

// browsers are told by what stands in the User-Agent, the most particular
// first: nearly all of them also call themselves Chrome and Safari.
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

// systems likewise: Android calls itself Linux, and an iPad may call itself a Mac.
var systems = []struct{ mark, name string }{
	{"iPhone", "iPhone"},
	{"iPad", "iPad"},
	{"Android", "Android"},
	{"CrOS", "ChromeOS"},
	{"Windows", "Windows"},
	{"Macintosh", "Mac"},
	{"Linux", "Linux"},
}

// DeviceName says in words people know what a User-Agent says, such as "Chrome
// on Android". It is a help to remember by and proves nothing: whoever asks may
// call itself anything.
func DeviceName(agent string) string {
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
		return browser + " on " + system
	case browser != "":
		return browser
	case strings.HasPrefix(agent, "Mozilla/") && system != "":
		return "A browser on " + system
	}
	// A program names itself first: curl/8.5.0, Go-http-client/2.0.
	if name, _, _ := strings.Cut(strings.TrimSpace(agent), "/"); name != "" {
		return name
	}
	return "A program that gave no name"
}
