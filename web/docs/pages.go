package docs

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/shell"
)

// page makes the view of a page.
type page func(docs.Frame) (templ.Component, error)

// pages are the pages of the documentation by their paths.
func (s *Surface) pages() map[string]page {
	pages := map[string]page{
		docs.StartPath: s.startDoc, docs.ExamplesPath: s.examplesDoc, docs.WebhooksPath: s.webhooksDoc,
		docs.RequestsPath: s.requestsDoc, docs.ErrorsPath: s.errorsDoc, docs.TestingPath: s.testingDoc,
		docs.PricesPath: s.pricesDoc, docs.GoLivePath: s.goLiveDoc,
		docs.AddressesPath: s.addressesDoc, docs.RESTPath: s.restDoc,
		docs.GraphQLPath: s.graphQLDoc,
	}
	for _, p := range docs.Pages() {
		if _, written := pages[p.Path]; !written {
			pages[p.Path] = s.guideDoc
		}
	}
	if s.GraphQL.Introspection {
		pages[docs.ConsolePath] = s.console
	}
	return pages
}

// Routes adds the pages, each also as Markdown, the search, and the OpenAPI document.
func (s *Surface) Routes(r shell.Router) {
	public := r.AnyOrigin() // tools in a browser may read them from anywhere: they hold nothing secret
	public.Read(openAPIPath, s.getOpenAPI(func(d *Document) []byte { return d.text }))
	public.Read(openAPI30Path, s.getOpenAPI(func(d *Document) []byte { return d.older }))
	public.Read(llmsPath, s.getLLMs)
	for _, p := range docs.Pages() {
		public.Read(p.Path+docs.MarkdownEnding, s.getMarkdown(p.Path))
	}
	r.Read(docs.SearchPath, s.getSearch)
	for path, page := range s.pages() {
		r.Read(path, func(c echo.Context) error {
			f := s.frame(c, path)
			view, err := page(f)
			if err != nil {
				return err
			}
			return shell.Render(c, http.StatusOK, f.Page, view)
		})
	}
}

// frame is what the page shows to its reader.
func (s *Surface) frame(c echo.Context, path string) docs.Frame {
	f := s.anyone(path)
	f.Page = shell.NewPage(c)
	f.Lang = "en" // it is written in English
	if s.Account != nil {
		f.Account = s.Account(c)
	}
	return f
}

func (s *Surface) startDoc(f docs.Frame) (templ.Component, error) {
	return docs.Start(docs.StartProps{
		Frame: f, Tasks: docs.Tasks(f.BaseURL), FreeCredits: strconv.FormatInt(s.FreeCredits, 10),
		SignUp: docs.Samples(docs.SignUp, f.BaseURL)[0].Code,
	}), nil
}

func (s *Surface) examplesDoc(f docs.Frame) (templ.Component, error) {
	return docs.Examples(docs.ExamplesProps{Frame: f, Tasks: docs.Tasks(f.BaseURL)}), nil
}

func (s *Surface) webhooksDoc(f docs.Frame) (templ.Component, error) {
	document, err := s.openAPI()
	if err != nil {
		return nil, err
	}
	p := docs.WebhooksProps{
		Frame: f, Verify: docs.Samples(docs.VerifyWebhook, f.BaseURL),
		Follow: docs.Samples(docs.FollowEvents, f.BaseURL), Body: document.shape("WebhookBody").Fields,
		Headers: document.Webhooks["payment"]["post"].fields(document),
	}
	var total time.Duration
	for i, d := range webhook.Schedule() {
		total += d
		if i == 0 {
			p.Delays = append(p.Delays, "at once")
			continue
		}
		p.Delays = append(p.Delays, "after "+inWords(d))
	}
	p.Total = inWords(total.Truncate(time.Hour))
	return docs.Webhooks(p), nil
}

// inWords writes a duration in its largest whole unit.
func inWords(d time.Duration) string {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if d >= u.unit && d%u.unit == 0 {
			if n := int64(d / u.unit); n > 1 {
				return strconv.FormatInt(n, 10) + " " + u.name + "s"
			}
			return "1 " + u.name
		}
	}
	return d.String()
}

func (s *Surface) requestsDoc(f docs.Frame) (templ.Component, error) {
	r, g := s.Shell.Limits.Rates, s.GraphQL.Limits
	return docs.Requests(docs.RequestsProps{
		Frame: f, Client: rateText(r.Client), Key: rateText(r.Key), Costly: rateText(r.Costly), Open: rateText(r.Open),
		MaxBody: strconv.Itoa(jsonbody.Max), MaxPage: strconv.Itoa(payment.MaxPage),
		MaxGraphQLBody: strconv.Itoa(g.Body), MaxDepth: strconv.Itoa(g.Depth), MaxFields: strconv.Itoa(g.Fields),
		MaxAliases:    strconv.Itoa(g.Aliases),
		MaxRootFields: strconv.Itoa(g.RootFields), MaxTokens: strconv.Itoa(g.Tokens),
	}), nil
}

// rateText writes a rate in words.
func rateText(r shell.Rate) string {
	often := fmt.Sprintf("%g requests a second", r.PerSecond)
	if r.PerSecond < 1 {
		often = fmt.Sprintf("one request in %g seconds", 1/r.PerSecond)
	}
	return often + ", " + strconv.Itoa(r.Burst) + " at once"
}

func (s *Surface) errorsDoc(f docs.Frame) (templ.Component, error) {
	p := docs.ErrorsProps{Frame: f}
	for _, x := range problems {
		p.Problems = append(p.Problems, docs.Problem{Code: strconv.Itoa(x.code), When: x.when, Do: x.do})
	}
	p.Conflicts, p.Unprocessables = reasonFields(fault.Conflict), reasonFields(fault.Unprocessable)
	p.Unavailables = reasonFields(fault.Unavailable)
	return docs.Errors(p), nil
}

// reasonFields are the reasons of a kind as a page lists them.
func reasonFields(k fault.Kind) []docs.Field {
	var out []docs.Field
	for _, r := range fault.Reasons(k) {
		out = append(out, docs.Field{Name: string(r.Reason), Description: r.Meaning})
	}
	return out
}

func (s *Surface) testingDoc(f docs.Frame) (templ.Component, error) {
	return docs.Testing(docs.TestingProps{Frame: f, Script: docs.Samples(docs.PayInSandbox, f.BaseURL)[0].Code}), nil
}

func (s *Surface) pricesDoc(f docs.Frame) (templ.Component, error) {
	document, err := s.openAPI()
	if err != nil {
		return nil, err
	}
	p := docs.PricesProps{Frame: f, Fields: document.shape("Price").Fields, Reasons: reasonFields(fault.Unavailable)}
	for _, c := range s.Currencies {
		p.Currencies = append(p.Currencies, string(c))
	}
	return docs.Prices(p), nil
}

func (s *Surface) goLiveDoc(f docs.Frame) (templ.Component, error) {
	return docs.GoLive(docs.GoLiveProps{Frame: f}), nil
}

func (s *Surface) addressesDoc(f docs.Frame) (templ.Component, error) {
	p := docs.AddressesProps{Frame: f}
	p.EVM, p.Solana = docs.AddressExample()
	return docs.Addresses(p), nil
}

func (s *Surface) restDoc(f docs.Frame) (templ.Component, error) {
	document, err := s.openAPI()
	if err != nil {
		return nil, err
	}
	return docs.REST(document.reference(f)), nil
}

func (s *Surface) graphQLDoc(f docs.Frame) (templ.Component, error) {
	return docs.GraphQL(schemaReference(f)), nil
}

// console sends GraphQL from a page.
func (s *Surface) console(f docs.Frame) (templ.Component, error) {
	r := schemaReference(f)
	return docs.Console(docs.ConsoleProps{Frame: f, Queries: r.Queries, Mutations: r.Mutations}), nil
}

// getOpenAPI is the REST interface as an OpenAPI 3.1 document.
func (s *Surface) getOpenAPI(text func(*Document) []byte) echo.HandlerFunc {
	return func(c echo.Context) error {
		document, err := s.openAPI()
		if err != nil {
			return err
		}
		c.Response().Header().Set("Cache-Control", "no-cache")
		return c.JSONBlob(http.StatusOK, text(document))
	}
}
