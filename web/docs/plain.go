package docs

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/docs"
)

// llmsPath lists the pages for language models (llmstxt.org).
const llmsPath = "/llms.txt"

// anyone is the frame of a page as a stranger sees it.
func (s *Surface) anyone(path string) docs.Frame {
	return docs.Frame{
		Page: views.Page{Lang: "en"}, Path: path, BaseURL: s.Shell.BaseURL, CheckoutURL: s.Shell.CheckoutURL,
		Sandbox: s.Sandbox, SignIn: s.SignIn, Console: s.GraphQL.Introspection, Version: s.Version,
	}
}

// html returns a page as a stranger sees it.
func (s *Surface) html(ctx context.Context, path string) (string, error) {
	view, err := s.pages()[path](s.anyone(path))
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := view.Render(ctx, &b); err != nil {
		return "", err
	}
	return b.String(), nil
}

// getMarkdown serves a page as Markdown.
func (s *Surface) getMarkdown(path string) echo.HandlerFunc {
	return func(c echo.Context) error {
		page, err := s.html(c.Request().Context(), path)
		if err != nil {
			return err
		}
		text, err := markdown(page, s.Shell.BaseURL)
		if err != nil {
			return err
		}
		return plain(c, "text/markdown; charset=utf-8", text)
	}
}

// getLLMs lists the pages with what they are about.
func (s *Surface) getLLMs(c echo.Context) error {
	var b strings.Builder
	b.WriteString("# Florin\n\n> A payment server: merchants take USDT and USDC on BNB Smart Chain, Polygon, Base and Solana, " +
		"over REST or GraphQL, and the money goes to their own wallets. This installation is at " + s.Shell.BaseURL + ".\n\n" +
		"Amounts are US dollars as decimals. Deliver an order when a signed webhook or a read says that its payment is " +
		"COMPLETED, never because a browser came back.\n")
	for _, d := range docs.Doors() {
		b.WriteString("\n## " + d.Title + "\n\n" + d.For + "\n\n")
		for _, p := range d.Pages {
			b.WriteString("- [" + p.Title + "](" + s.Shell.BaseURL + p.Path + docs.MarkdownEnding + "): " + p.About + "\n")
		}
	}
	b.WriteString("\n## Optional\n\n- [OpenAPI 3.1](" + s.Shell.BaseURL + openAPIPath + "): The REST interface, for generators.\n")
	return plain(c, "text/plain; charset=utf-8", b.String())
}

func plain(c echo.Context, contentType, text string) error {
	c.Response().Header().Set("Cache-Control", "no-cache")
	return c.Blob(http.StatusOK, contentType, []byte(text))
}

// indexed returns the sections of every page.
func (s *Surface) indexed() ([]section, error) {
	var all []section
	for _, p := range docs.Pages() {
		page, err := s.html(context.Background(), p.Path)
		if err != nil {
			return nil, err
		}
		found, err := sectionsOf(p, page)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
