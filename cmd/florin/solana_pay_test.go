package main_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/testkit"
)

// request is a Solana Pay transfer request as a wallet reads it.
type request struct {
	recipient, mint solanago.PublicKey
	amount          string // in user units
}

// userUnits is the grammar of an amount: digits, no exponent, a leading zero below one.
var userUnits = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// parseSolanaPay reads a link strictly by the specification (solana-pay, SPEC.md).
func parseSolanaPay(link string) (r request, err error) {
	rest, ok := strings.CutPrefix(link, "solana:")
	if !ok {
		return r, errors.New("another scheme")
	}
	recipient, query, _ := strings.Cut(rest, "?")
	if r.recipient, err = solanago.PublicKeyFromBase58(recipient); err != nil || !r.recipient.IsOnCurve() {
		return r, fmt.Errorf("recipient %q: %w", recipient, err)
	}
	fields, err := url.ParseQuery(query)
	if err != nil {
		return r, err
	}
	for name, values := range fields {
		switch {
		case len(values) != 1 && name != "reference":
			return r, fmt.Errorf("%d times %s", len(values), name)
		case name == "amount" && userUnits.MatchString(values[0]):
			r.amount = values[0]
		case name == "spl-token":
			if r.mint, err = solanago.PublicKeyFromBase58(values[0]); err != nil {
				return r, err
			}
		case name != "label" && name != "message" && name != "memo" && name != "reference":
			return r, fmt.Errorf("%s is %q", name, values)
		}
	}
	return r, nil
}

// units returns the amount in the mint's smallest unit, which must be exact.
func (r request) units(decimals byte) (uint64, error) {
	amount, ok := new(big.Rat).SetString(r.amount)
	if !ok {
		return 0, fmt.Errorf("amount %q", r.amount)
	}
	amount.Mul(amount, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
	if !amount.IsInt() || !amount.Num().IsUint64() {
		return 0, fmt.Errorf("amount %q is finer than %d places", r.amount, decimals)
	}
	return amount.Num().Uint64(), nil
}

// element finds the element of a page that has the test id.
func element(t *testing.T, root *html.Node, testID string) *html.Node {
	t.Helper()
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && attribute(n, "data-testid") == testID {
			return n
		}
	}
	t.Fatalf("the page has no %s", testID)
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if strings.EqualFold(a.Key, name) {
			return a.Val
		}
	}
	return ""
}

// readCode reads a QR code that an SVG draws in strokes of width 1 along rows.
func readCode(t *testing.T, svg *html.Node) string {
	t.Helper()
	var left, top, size, side int
	if _, err := fmt.Sscan(attribute(svg, "viewBox"), &left, &top, &size, &side); err != nil || size != side {
		t.Fatalf("the box of the code is %q, %v", attribute(svg, "viewBox"), err)
	}
	path := ""
	for n := range svg.Descendants() {
		if attribute(n, "stroke") != "" {
			path = attribute(n, "d")
		}
	}
	const pixels = 4
	picture := image.NewGray(image.Rect(0, 0, size*pixels, size*pixels))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	x, y := 0.0, 0.0
	for _, step := range regexp.MustCompile(`([Mmh])(-?[0-9.]+)(?:[ ,]?(-?[0-9.]+))?`).FindAllStringSubmatch(path, -1) {
		var dx, dy float64
		_, _ = fmt.Sscan(step[2], &dx)
		_, _ = fmt.Sscan(step[3], &dy)
		switch step[1] {
		case "M":
			x, y = dx, dy
		case "m":
			x, y = x+dx, y+dy
		case "h":
			for row := int((y - 0.5) * pixels); row < int((y+0.5)*pixels); row++ {
				for column := int(x * pixels); column < int((x+dx)*pixels); column++ {
					picture.SetGray(column-left*pixels, row-top*pixels, color.Gray{})
				}
			}
			x += dx
		}
	}
	bitmap, err := gozxing.NewBinaryBitmapFromImage(picture)
	testkit.Must(t, err)
	// The picture is the code alone, upright. Without this hint the library guesses the size of a module and sometimes
	// cannot read a flawless code.
	text, err := qrcode.NewQRCodeReader().
		Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
	if err != nil {
		t.Fatalf("the code cannot be read: %v", err)
	}
	return text.GetText()
}

// checkout reads the page of a payment.
func (s *solanaShop) checkout(t *testing.T, txnid string) *html.Node {
	t.Helper()
	res, err := http.Get(s.server.url + "/pay?txnid=" + txnid)
	testkit.Must(t, err)
	defer res.Body.Close()
	page, err := html.Parse(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("the page: %s, %v", res.Status, err)
	}
	return page
}

// TestSolana_Pay reads the codes and the link of the checkout page as phones do, and pays by them from its own wallet:
// transferChecked to the recipient's associated account, which the payer creates.
func TestSolana_Pay(t *testing.T) {
	t.Parallel()
	s := openSolanaShop(t)
	for i, cents := range []int64{1234, 1} {
		txnid, address := s.start(t, "SOL", s.assets[i].Symbol, cents)
		page := s.checkout(t, txnid)
		if plain := readCode(t, element(t, page, "qr-plain")); plain != address {
			t.Errorf("the plain code holds %q, want %s alone", plain, address)
		}
		link := readCode(t, element(t, page, "qr-wallet"))
		if href := attribute(element(t, page, "open-wallet"), "href"); href != link {
			t.Errorf("the link is %q and the code holds %q", href, link)
		}
		r, err := parseSolanaPay(link)
		if err != nil {
			t.Fatalf("%q: %v", link, err)
		}
		if r.recipient.String() != address || r.mint.String() != string(s.assets[i].Contract) {
			t.Errorf("%q asks for a payment to %s in %s", link, r.recipient, r.mint)
		}
		tx := s.payAsAsked(t, r)
		if p := s.await(t, txnid, "COMPLETED"); p["hash"] != tx || p["receivedAmount"] != float64(cents)/100 {
			t.Errorf("paid by %s, got %v", tx, p)
		}
		if a := s.awaitWebhook(t, txnid, "completed"); a.body["network"] != "sol" || a.body["hash"] != tx {
			t.Errorf("webhook: %v", a.body)
		}
	}
}

// payAsAsked pays a request from a customer's wallet.
func (s *solanaShop) payAsAsked(t *testing.T, r request) string {
	t.Helper()
	customer, err := solanago.NewRandomPrivateKey()
	testkit.Must(t, err)
	var mint struct {
		Value struct {
			Data []string `json:"data"`
		} `json:"value"`
	}
	s.ask(t, &mint, "getAccountInfo", r.mint, map[string]string{"encoding": "base64"})
	layout, err := base64.StdEncoding.DecodeString(mint.Value.Data[0])
	testkit.Must(t, err)
	decimals := layout[44]
	units, err := r.units(decimals)
	testkit.Must(t, err)
	if _, err := s.ledger.FundSOL(customer.PublicKey(), solanago.LAMPORTS_PER_SOL); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ledger.Mint(r.mint, customer.PublicKey(), units); err != nil {
		t.Fatal(err)
	}
	from, _, err := solanago.FindAssociatedTokenAddress(customer.PublicKey(), r.mint)
	testkit.Must(t, err)
	to, _, err := solanago.FindAssociatedTokenAddress(r.recipient, r.mint)
	testkit.Must(t, err)
	var recent struct {
		Value struct {
			Blockhash solanago.Hash `json:"blockhash"`
		} `json:"value"`
	}
	s.ask(t, &recent, "getLatestBlockhash", map[string]string{"commitment": "confirmed"})
	tx, err := solanago.NewTransaction([]solanago.Instruction{
		solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
			solanago.Meta(customer.PublicKey()).WRITE().SIGNER(),
			solanago.Meta(to).WRITE(), solanago.Meta(r.recipient), solanago.Meta(r.mint),
			solanago.Meta(solanago.SystemProgramID), solanago.Meta(solanago.TokenProgramID),
		}, []byte{1}),
		solanago.NewInstruction(solanago.TokenProgramID, solanago.AccountMetaSlice{
			solanago.Meta(from).WRITE(),
			solanago.Meta(r.mint), solanago.Meta(to).WRITE(), solanago.Meta(customer.PublicKey()).SIGNER(),
		}, append(binary.LittleEndian.AppendUint64([]byte{12}, units), decimals)),
	}, recent.Value.Blockhash, solanago.TransactionPayer(customer.PublicKey()))
	testkit.Must(t, err)
	if _, err := tx.Sign(func(solanago.PublicKey) *solanago.PrivateKey { return &customer }); err != nil {
		t.Fatal(err)
	}
	var signature string
	s.ask(
		t, &signature, "sendTransaction", tx.MustToBase64(),
		map[string]any{"encoding": "base64", "skipPreflight": true},
	)
	return signature
}

// ask makes a JSON-RPC call to the ledger, as a wallet does.
func (s *solanaShop) ask(t *testing.T, into any, method string, params ...any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	testkit.Must(t, err)
	res, err := http.Post(s.ledger.URL(), "application/json", bytes.NewReader(body))
	testkit.Must(t, err)
	defer res.Body.Close()
	answer := struct {
		Result any             `json:"result"`
		Error  json.RawMessage `json:"error"`
	}{Result: into}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || answer.Error != nil {
		t.Fatalf("%s: %s, %v", method, answer.Error, err)
	}
}
