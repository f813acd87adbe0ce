package input

import (
	"strings"
	"testing"
)

func TestMailbox(t *testing.T) {
	t.Parallel()
	for _, kept := range []string{
		"ann@shop.example", "Ann.Lee+order7@Shop.Example", "a@b.co", "a..b@docomo.ne.jp", "name.@docomo.ne.jp",
		".name@ezweb.ne.jp", "a...b..@docomo.ne.jp", "x-_y@shop.example", "!#$%&'*+-/=?^_`{|}~@shop.example",
		`"ann lee"@shop.example`, `"a@b"@shop.example`, `"a\"b"@shop.example`, `"a\\b"@shop.example`, `"..ann"@shop.example`,
		"ann@münchen.example", "ann@xn--mnchen-3ya.example", "用户@例え.テスト", "ådne@shop.example", "ann@[192.0.2.1]",
		"ann@[IPv6:2001:db8::1]", "ann@localhost", "ann@a_b.example", "1234567890@shop.example", "ann@123.example",
		"O'Brien@shop.example", strings.Repeat("a", 64) + "@shop.example", strings.Repeat("a", 241) + "@shop.example",
		"ann@sub.sub.shop.example", "_@shop.example",
	} {
		if got := Mailbox(kept); got != kept {
			t.Errorf("%+q is stored as %+q", kept, got)
		}
	}
	for sent, want := range map[string]string{
		" ann@shop.example ": "ann@shop.example", "ann@shop.example\r\n": "ann@shop.example",
		"\tann@shop.example": "ann@shop.example", "\u00a0ann@shop.example\u00a0": "ann@shop.example",
		"\u3000ann@shop.example": "ann@shop.example", "\ufeffann@shop.example": "ann@shop.example",
		"ann@\u200bshop.example": "ann@shop.example", "\u200eann@shop.example\u200f": "ann@shop.example",
		"\u2028ann@shop.example": "ann@shop.example", "an\u00adn@shop.example": "ann@shop.example",
	} {
		if got := Mailbox(sent); got != want {
			t.Errorf("%+q is stored as %+q, want %+q", sent, got, want)
		}
	}
	for _, left := range []string{
		"", " ", "ann", "ann@", "@shop.example", "@", "ann at shop.example", "ann@shop example", "ann lee@shop.example",
		"ann@lee@shop.example", "Ann Lee <ann@shop.example>", "<ann@shop.example>", "ann@shop.example (Ann)",
		"ann@shop.example, bob@shop.example", "ann@shop.example;bob@shop.example", "ann@shop.example.",
		"ann@.shop.example", "ann@shop..example", "ann@-shop.example", "ann@shop-.example", "ann,lee@shop.example",
		"ann@shop.example\nBcc: x",
		"ann@192.0.2.1", "ann@[192.0.2]", "ann@[shop.example]", "ann@[192.0.2.1", `"ann@shop.example`, `""@shop.example`,
		`"a"b"@shop.example`, `ann\@shop.example`, "mailto:ann@shop.example", "ann＠shop.example", "..@shop.example", "ann@shop!.example",
		"ann\u00a0lee@shop.example", "ann@shop\u00a0.example", "ann@*.example", "ann\x00@shop.example",
		"ann\u202e@shop.example",
		"ann@shop.example\u2066", "\xffann@shop.example", strings.Repeat("a", 250) + "@shop.example",
		"null", "[]", "false", "undefined",
		"ann@" + strings.Repeat("b", 64) + ".example", "ann\ufdd0@shop.example", "ann@example.com?subject=x",
	} {
		if got := Mailbox(left); got != "" {
			t.Errorf("%+q is stored as %+q", left, got)
		}
	}
}
