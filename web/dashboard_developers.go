package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views/dashboard"
)

const developersPath = "/dashboard/developers"

func (d *desk) getDevelopers(c echo.Context, v visitor) error {
	p := dashboard.DevelopersProps{Frame: d.frame(c, v, "Developers", developersPath), BaseURL: d.o.BaseURL}
	if key, ok, _ := v.chosen(""); ok {
		p.KeyName = labelOf(key)
		custodian, _, err := d.custodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		p.CallbackURL = custodian.CallbackURL
	}
	for _, s := range samples {
		s.Code = strings.ReplaceAll(s.Code, "{base}", d.o.BaseURL)
		p.Samples = append(p.Samples, s)
	}
	p.Verify = verifySample
	return d.show(c, http.StatusOK, p.Frame, dashboard.Developers(p))
}

// samples create a payment. Each is complete: it runs as it stands.
var samples = []dashboard.Sample{
	{Language: "curl", ID: "curl", Code: `curl -s {base}/create-payment \
  -H "Authorization: Bearer $FLORIN_API_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: order-1042' \
  -d '{"amount": 49.90, "reference": "order-1042"}'`},
	{Language: "JavaScript", ID: "js", Code: `const response = await fetch("{base}/create-payment", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "Authorization": "Bearer " + process.env.FLORIN_API_KEY,
    "Idempotency-Key": "order-1042",
  },
  body: JSON.stringify({ amount: 49.90, reference: "order-1042" }),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.message);
console.log(answer.paymentLink, answer.transaction.txnid);`},
	{Language: "PHP", ID: "php", Code: `<?php
$request = curl_init("{base}/create-payment");
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        "Content-Type: application/json",
        "Authorization: Bearer " . getenv("FLORIN_API_KEY"),
        "Idempotency-Key: order-1042",
    ],
    CURLOPT_POSTFIELDS => json_encode(["amount" => "49.90", "reference" => "order-1042"]),
]);
$answer = json_decode(curl_exec($request), true);
if (($answer["code"] ?? 0) !== 200) {
    throw new RuntimeException($answer["message"] ?? "no answer");
}
header("Location: " . $answer["paymentLink"]);`},
	{Language: "Go", ID: "go", Code: `body := strings.NewReader(` + "`" + `{"amount": 49.90, "reference": "order-1042"}` + "`" + `)
request, err := http.NewRequest("POST", "{base}/create-payment", body)
if err != nil {
	log.Fatal(err)
}
request.Header.Set("Content-Type", "application/json")
request.Header.Set("Authorization", "Bearer "+os.Getenv("FLORIN_API_KEY"))
request.Header.Set("Idempotency-Key", "order-1042")
response, err := http.DefaultClient.Do(request)
if err != nil {
	log.Fatal(err)
}
defer response.Body.Close()
var answer struct {
	Code        int
	Message     string
	PaymentLink string
	Transaction struct{ Txnid string }
}
if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
	log.Fatal(err)
}
fmt.Println(answer.PaymentLink, answer.Transaction.Txnid)`},
	{Language: "Python", ID: "python", Code: `import json, os, urllib.request

request = urllib.request.Request(
    "{base}/create-payment",
    data=json.dumps({"amount": "49.90", "reference": "order-1042"}).encode(),
    headers={
        "Content-Type": "application/json",
        "Authorization": "Bearer " + os.environ["FLORIN_API_KEY"],
        "Idempotency-Key": "order-1042",
    },
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(answer["paymentLink"], answer["transaction"]["txnid"])`},
}

// verifySample checks a webhook without any library.
var verifySample = dashboard.Sample{Language: "JavaScript", ID: "verify", Code: `const crypto = require("node:crypto");

// body is the request's body as it arrived, before any parsing.
function verify(headers, body, secret) {
  const id = headers["webhook-id"], at = headers["webhook-timestamp"];
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false; // too old
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const want = crypto.createHmac("sha256", key).update(id + "." + at + "." + body).digest();
  return headers["webhook-signature"].split(" ").some((each) => {
    const got = Buffer.from(each.replace(/^v1,/, ""), "base64");
    return got.length === want.length && crypto.timingSafeEqual(got, want);
  });
}`}
