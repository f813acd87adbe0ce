package identity

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// commonList holds the 10,000 most common passwords of at least MinPassword characters, in lower case, one a line. They
// come from “10 Million Passwords” by Mark Burnett and the 10,000 most common of OWASP SecLists
// (https://github.com/danielmiessler/SecLists), under CC BY-SA 3.0 and MIT.
//
//go:embed common_passwords.txt.gz
var commonList []byte

// commonPasswords returns the list. It is read when the first password is set.
var commonPasswords = sync.OnceValue(func() map[string]struct{} {
	z, err := gzip.NewReader(bytes.NewReader(commonList))
	if err != nil {
		panic("identity: the list of common passwords: " + err.Error())
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("identity: the list of common passwords: " + err.Error())
	}
	list := make(map[string]struct{}, bytes.Count(text, []byte("\n")))
	for line := range strings.Lines(string(text)) {
		list[strings.TrimSuffix(line, "\n")] = struct{}{}
	}
	return list
})

// minDistinct is how many different characters a password needs: "1212121212" is guessed as early as a common one.
const minDistinct = 4

// shortWords are common passwords that are too short for the list, and names and seasons of which people make one by
// adding a number.
const shortWords = `admin access amanda andrew angel april apple arsenal ashley august austin autumn azerty bailey banana bandit
batman bear berlin binance biteme bitcoin bonnie boomer booboo boston brandy buddy bulldog buster camaro
chance charlie cheese chelsea chester chicago chicken cocacola coffee compaq computer cookie cooper corvette
cowboy cowboys crypto crystal dakota dallas daniel debbie december diablo dolphin eagles enter ethereum
falcon family fatboy father february fender ferrari florin flower freedom friday friends gandalf garfield
gateway george ginger girls golfer google guest guitar gunner hammer hannah happy hardcore heather hello
hockey horny hotdog hunter iceman internet island jackson january jasper jordan joshua julia july junior
june justin killer king knight lakers lauren letmein liverpool login london love lovely lucky madrid maggie
march marine marlboro martin master matrix maverick maxwell melissa mercedes merlin michael mickey miller
mistress monday money monica monkey monster morgan mother mountain muffin murphy nascar nathan ncc1701
nicholas ninja nirvana november october oliver orange packers panties paris parker patrick peaches peanut
pepper phantom player please porsche prince purple qazwsx qwer qwert qwertz rabbit rachel raiders rainbow
ranger rangers redsox robert rocket root samsung saturday scooby secret september shadow shannon sierra
silver simple smokey snoopy soccer solana sparky spider spring stella steven steelers summer sunday super
superman sweet taylor teddy tennis test tester thunder thursday tiger tigers tigger trustno tuesday user
viking viper voodoo wallet wednesday welcome willow winner winter wizard yamaha yankees yellow zxcv`

// commonWords are those, and the words of the list that stand there with a number.
var commonWords = sync.OnceValue(func() map[string]struct{} {
	words := make(map[string]struct{})
	for w := range strings.FieldsSeq(shortWords) {
		words[w] = struct{}{}
	}
	for p := range commonPasswords() {
		if w := strings.TrimFunc(p, notLetter); len(w) < len(p) && len(w) >= shortestWord {
			words[w] = struct{}{}
		}
	}
	return words
})

const (
	shortestWord = 4
	// mostAdded is how many digits and signs around a common word make no other password of it.
	mostAdded = 6
)

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// unleet writes the digits and signs that stand for letters inside a word as those.
var unleet = strings.NewReplacer(
	"0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i",
)

// wordAndNumber reports whether a password is a common word, or that twice, with some digits or signs around it.
func wordAndNumber(text string) bool {
	core := strings.TrimFunc(text, notLetter)
	before, after, _ := strings.Cut(text, core)
	if core == "" || len(before)+len(after) > mostAdded && !inOrder(before+after) {
		return false
	}
	word := unleet.Replace(core)
	if half := len(word) / 2; word[:half] == word[half:] {
		word = word[:half]
	}
	_, common := commonWords()[word]
	return common
}

// counting is how people count on a keyboard.
const counting = "01234567890123456789"

// inOrder reports whether the digits count up, or are always the same.
func inOrder(digits string) bool {
	return strings.Contains(counting, digits) || strings.Trim(digits, digits[:1]) == ""
}

// isCommon reports whether a password is guessed by its first tries: it is on the list, whatever its case and form of
// characters, a common word with a number, or repeats very few characters (NIST SP 800-63B, section 3.1.1.2).
func isCommon(password string) bool {
	text := strings.ToLower(strings.TrimSpace(norm.NFKC.String(password)))
	distinct := make(map[rune]struct{})
	for _, r := range text {
		distinct[r] = struct{}{}
	}
	_, listed := commonPasswords()[text]
	return listed || len(distinct) < minDistinct || wordAndNumber(text)
}
