package session

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/florinpay/florin/views/panel"
)

// keptNotice stands above a form that is filled in again.
const keptNotice = "You had to sign in again. The form is as you typed it, and nothing of it is done yet; " +
	"passwords and codes are typed again."

// refill fills in the form of a page as it was typed. A page without that form, or that cannot be read, stays as it is.
func refill(page []byte, k keptForm) []byte {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return page
	}
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Form || !k.isOf(n) {
			continue
		}
		notice := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p", Attr: []html.Attribute{
			{Key: "class", Val: "notice is-plain"}, {Key: "role", Val: "status"}, {Key: "data-testid", Val: "kept"},
		}}
		notice.AppendChild(&html.Node{Type: html.TextNode, Data: keptNotice})
		for x := range n.Descendants() {
			k.fill(x)
		}
		n.InsertBefore(notice, n.FirstChild)
		for up := n.Parent; up != nil; up = up.Parent {
			if up.DataAtom == atom.Details {
				set(up, "open", "")
			}
		}
		var out bytes.Buffer
		if html.Render(&out, doc) == nil {
			return out.Bytes()
		}
		break
	}
	return page
}

// isOf reports whether the form was typed into this one: it goes to the same address, and is about the same thing.
func (k keptForm) isOf(form *html.Node) bool {
	to, err := url.Parse(value(form, "action"))
	if err != nil || to.Path != k.Action {
		return false
	}
	for x := range form.Descendants() {
		name := value(x, "name")
		if x.DataAtom != atom.Input || value(x, "type") != "hidden" || slices.Contains(neverKept, name) ||
			strings.HasPrefix(name, panel.WasName("")) {
			continue
		}
		if k.Values.Get(name) != value(x, "value") {
			return false
		}
	}
	return true
}

// fill gives an input what was typed into it. What the page showed then stays with it, so that an old form undoes
// nothing (shell.Form.Since).
func (k keptForm) fill(x *html.Node) {
	name := value(x, "name")
	if slices.Contains(neverKept, name) {
		return
	}
	typed := k.Values[name]
	switch kind := value(x, "type"); {
	case x.DataAtom == atom.Option:
		for up := x.Parent; up != nil; up = up.Parent {
			if up.DataAtom == atom.Select {
				mark(x, "selected", slices.Contains(k.Values[value(up, "name")], value(x, "value")))
				return
			}
		}
	case name == "":
	case x.DataAtom == atom.Textarea && len(typed) > 0:
		for x.FirstChild != nil {
			x.RemoveChild(x.FirstChild)
		}
		x.AppendChild(&html.Node{Type: html.TextNode, Data: typed[0]})
	case x.DataAtom != atom.Input || kind == "password" || kind == "file" || kind == "submit":
	case kind == "checkbox" || kind == "radio":
		mark(x, "checked", slices.Contains(typed, value(x, "value")))
	case len(typed) > 0:
		set(x, "value", typed[0])
	}
}

func value(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func set(n *html.Node, name, text string) {
	mark(n, name, false)
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: text})
}

func mark(n *html.Node, name string, on bool) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	if on {
		n.Attr = append(n.Attr, html.Attribute{Key: name})
	}
}
