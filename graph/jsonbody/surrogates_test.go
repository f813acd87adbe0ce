package jsonbody

import "testing"

func TestJoinSurrogates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{}`: `{}`, `"a\\b\n"`: `"a\\b\n"`, `"\u00e9"`: `"\u00e9"`, `"\ud83d\ude00"`: `"😀"`, `"\uD83D\uDE00!"`: `"😀!"`,
		`"\ud800"`: `"\ufdd0"`, `"\udc00x"`: `"\ufdd0x"`, `"\ud83d\u0041"`: `"\ufdd0\u0041"`, `"\ud83d😀"`: `"\ufdd0😀"`,
		`"\ude00\ud83d"`: `"\ufdd0\ufdd0"`, `"\ud83d\ud83d\ude00"`: `"\ufdd0😀"`, `"\\ud800"`: `"\\ud800"`, `"\\\ud800"`: `"\\\ufdd0"`,
		`"\ufffd"`: `"\ufffd"`, `"\uzzzz\ud8"`: `"\uzzzz\ud8"`, `\u`: `\u`, `\`: `\`,
	} {
		if got := string(JoinSurrogates([]byte(text))); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
