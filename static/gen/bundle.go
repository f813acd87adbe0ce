package main

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Bundle is one asset and the files it is made of, in order.
type Bundle struct {
	Name, ContentType string
	Inline            bool
	Sources           []string
}

const (
	css = "text/css; charset=utf-8"
	js  = "text/javascript; charset=utf-8"
	svg = "image/svg+xml"
)

// bundles are the assets of the program.
var bundles = []Bundle{
	// Inline: the first paint of these pages must not wait for a second request.
	{"checkout.css", css, true, []string{"src/tokens.css", "src/base.css", "src/foot.css", "src/checkout.css"}},
	{
		"donate.css", css, true,
		[]string{"src/tokens.css", "src/base.css", "src/foot.css", "src/checkout.css", "src/donate.css"},
	},
	{"receipt.css", css, true, []string{"src/tokens.css", "src/base.css", "src/foot.css", "src/receipt.css"}},
	{"app.css", css, false, []string{"src/tokens.css", "src/base.css", "src/foot.css", "src/app.css"}},
	{
		"dashboard.css", css, false,
		[]string{"src/tokens.css", "src/base.css", "src/foot.css", "src/app.css", "src/dashboard.css"},
	},
	{
		"docs.css", css, false,
		[]string{"src/tokens.css", "src/base.css", "src/app.css", "src/docs.css", "src/console.css"},
	},
	{"live.js", js, false, []string{"src/live.js"}},
	{"htmx.js", js, false, []string{"vendored/htmx.min.js"}},
	{"checkout.js", js, false, []string{"src/copy.js", "src/clock.js", "src/rest.js", "src/way.js", "src/wallet.js"}},
	{"page.js", js, false, []string{"src/copy.js", "src/clock.js", "src/rest.js", "src/way.js"}},
	{"refund.js", js, false, []string{"src/refund.js"}},
	{"send.js", js, false, []string{"src/send.js"}},
	{"dashboard.js", js, false, []string{
		"src/copy.js", "src/clock.js", "src/rest.js", "src/dashboard.js", "src/passkey.js",
	}},
	{"docs.js", js, false, []string{"src/copy.js", "src/clock.js", "src/docs.js"}},
	{"console.js", js, false, []string{"src/editor.js", "src/console.js"}},
	{"icon.svg", svg, false, []string{"src/icon.svg"}},
}

// Build joins the sources, without comments and indentation.
func (b Bundle) Build(dir fs.FS) ([]byte, error) {
	var out bytes.Buffer
	for _, source := range b.Sources {
		text, err := fs.ReadFile(dir, source)
		if err != nil {
			return nil, err
		}
		switch {
		case strings.HasPrefix(source, "vendored/"):
			out.Write(text)
			out.WriteString(";\n")
		case path.Ext(source) == ".css":
			out.WriteString(squeezeCSS(string(text)))
		case path.Ext(source) == ".js":
			out.WriteString(squeezeJS(string(text)))
		default:
			out.Write(bytes.TrimSpace(text))
		}
	}
	return out.Bytes(), nil
}

var (
	cssComment  = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssSpace    = regexp.MustCompile(`\s+`)
	cssAround   = regexp.MustCompile(`\s*([{};,>~])\s*`)
	cssColon    = regexp.MustCompile(`:\s+`)
	cssLastSemi = regexp.MustCompile(`;}`)
)

// squeezeCSS removes comments and the white space around punctuation. It leaves spaces around + and -
// alone, which calc() needs. Our style sheets have no strings in which this would matter.
func squeezeCSS(s string) string {
	s = cssComment.ReplaceAllString(s, "")
	s = cssSpace.ReplaceAllString(s, " ")
	s = cssAround.ReplaceAllString(s, "$1")
	s = cssColon.ReplaceAllString(s, ":")
	return strings.TrimSpace(cssLastSemi.ReplaceAllString(s, "}"))
}

// squeezeJS removes indentation, empty lines and lines that are only a comment. Our scripts have no
// template literals over several lines, where indentation would count.
func squeezeJS(s string) string {
	var out strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}
