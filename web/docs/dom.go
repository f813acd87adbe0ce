package docs

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// find returns the first node below n for which is holds, or nil.
func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	for c := range n.Descendants() {
		if is(c) {
			return c
		}
	}
	return nil
}

// all returns the nodes below n for which is holds.
func all(n *html.Node, is func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for c := range n.Descendants() {
		if is(c) {
			found = append(found, c)
		}
	}
	return found
}

// textOf returns the text below a node.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func setAttribute(n *html.Node, name, value string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func hidden(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attribute(n, "class")), class)
}
