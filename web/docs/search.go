package docs

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/shell"
)

// section is the part of a page below a heading.
type section struct {
	path, page, title string
	text              string // as it is shown
	code              string
	lower             string // all of it, to be searched
}

// sectionsOf cuts a page at its headings.
func sectionsOf(e docs.Entry, page string) ([]section, error) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return nil, err
	}
	main := find(root, isMain)
	if main == nil {
		return nil, nil
	}
	found := []section{{path: e.Path, page: e.Title, title: e.Title, text: e.About}}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := range n.ChildNodes() {
			last := &found[len(found)-1]
			switch {
			case c.Type == html.TextNode:
				last.text += c.Data
			case c.Type != html.ElementNode || isSkipped(c):
			case c.DataAtom == atom.Pre:
				last.code += " " + textOf(c)
			case c.DataAtom == atom.Label: // the name of a language
			case c.DataAtom == atom.H1: // the title of the page
			case isHeading(c) && attribute(c, "id") != "":
				found = append(
					found, section{path: e.Path + "#" + attribute(c, "id"), page: e.Title, title: oneLine(textOf(c))},
				)
			case slices.Contains(inline, c.DataAtom):
				walk(c)
			default:
				last.text += " "
				walk(c)
				found[len(found)-1].text += " "
			}
		}
	}
	walk(main)
	for i := range found {
		found[i].text = oneLine(found[i].text)
		whole := found[i].title + " " + found[i].text + " " + found[i].code
		names := strings.Join(joined.FindAllString(whole, -1), " ")
		found[i].lower = strings.ToLower(whole + " " + inside.ReplaceAllString(names, " $0"))
	}
	return found, nil
}

// inline are the elements within words and sentences.
var inline = []atom.Atom{atom.A, atom.Code, atom.Strong, atom.Em}

// joined are names of several words, such as getTransactions, which are found by each; inside is where those begin.
var joined, inside = regexp.MustCompile(`\b[a-z]+[A-Z]\w*`), regexp.MustCompile(`[A-Z][a-z]+`)

func isHeading(n *html.Node) bool {
	return n.DataAtom == atom.H2 || n.DataAtom == atom.H3
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Limits of a search: a query is a few words, and a reader looks at a screen of hits.
const (
	maxQuery = 100
	maxHits  = 20
)

// search returns the sections that hold every word of the query, the best first: those whose heading has it.
func search(all []section, query string) []docs.Hit {
	words := strings.Fields(strings.ToLower(query))
	for i, w := range words { // what is asked for in the plural is there in the singular, too
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	type scored struct {
		section
		score int
	}
	var found []scored
	for _, s := range all {
		if n := score(s, words); n > 0 {
			found = append(found, scored{s, n})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var hits []docs.Hit
	for _, s := range found[:min(len(found), maxHits)] {
		hits = append(hits, docs.Hit{Path: s.path, Page: s.page, Title: s.title, Snippet: snippet(s.text, words[0])})
	}
	return hits
}

// score says how well a section fits the words; 0 where one of them is missing. What explains goes before what lists
// names, and a whole page about a word before a part of one.
func score(s section, words []string) (sum int) {
	title := strings.ToLower(s.title)
	path, fragment, _ := strings.Cut(s.path, "#")
	written := path != docs.RESTPath && path != docs.GraphQLPath
	for _, w := range words {
		begun, whole := occurrences(s.lower, w)
		if begun == 0 {
			return 0
		}
		sum += min(begun, 5) + 2*min(whole, 5)
		if begun, whole = occurrences(title, w); begun > 0 {
			sum += 10 + 10*min(whole, 1)
			if written && fragment == "" {
				sum += 10
			}
		}
		if strings.TrimSuffix(title, "s") == w {
			sum += 20
		}
	}
	if written && strings.Contains(s.lower, strings.Join(words, " ")) {
		sum += 10
	}
	return sum
}

// occurrences counts how often a word of the text begins with w, and how often it is w, or its plural.
func occurrences(text, w string) (begun, whole int) {
	for at := 0; ; at += len(w) {
		next := strings.Index(text[at:], w)
		if next < 0 {
			return begun, whole
		}
		at += next
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); inWord(before) && inWord([]rune(w)[0]) {
			continue
		}
		begun++
		if after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(text[at+len(w):], "s")); !inWord(after) {
			whole++
		}
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Sizes of a snippet, in bytes.
const (
	snippetBefore = 60
	snippetLength = 220
)

// snippet returns the part of the text around a word.
func snippet(text, word string) string {
	at := max(strings.Index(strings.ToLower(text), word)-snippetBefore, 0)
	if at > len(text) { // another length in lower case
		at = 0
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	end := min(at+snippetLength, len(text))
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	out := text[at:end]
	if at > 0 {
		_, out, _ = strings.Cut(out, " ")
		out = "… " + out
	}
	if end < len(text) {
		out += " …"
	}
	return out
}

func (s *Surface) getSearch(c echo.Context) error {
	query := strings.ToValidUTF8(strings.TrimSpace(c.QueryParam("q")), "")
	for len(query) > maxQuery || !utf8.ValidString(query) {
		query = query[:len(query)-1]
	}
	f := s.frame(c, docs.SearchPath)
	f.Query = query
	p := docs.SearchProps{Frame: f}
	if query != "" {
		all, err := s.sections()
		if err != nil {
			return err
		}
		p.Hits = search(all, query)
	}
	return shell.Render(c, http.StatusOK, f.Page, docs.Search(p))
}
