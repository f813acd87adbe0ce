package input

import "testing"

// An address with a port that no server can have is refused.
func TestURL_Port(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://shop.example:99999/": false, "https://shop.example:65536/": false, "https://shop.example:0/": false,
		"https://shop.example:65535/": true, "https://shop.example:1/": true, "https://shop.example:/": true,
		"https://shop.example/": true, "https://[2001:db8::1]:99999/": false,
	} {
		if _, err := URL("website", text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
