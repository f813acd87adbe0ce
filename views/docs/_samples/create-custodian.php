<?php
// SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go.
$wallet = getenv("SETTLEMENT_WALLET");
$request = curl_init("http://localhost:8080/graphql");
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ["Content-Type: application/json"],
    CURLOPT_POSTFIELDS => json_encode([
        "query" => 'mutation ($input: CustodianCreateInput!) {
            createCustodianAccount(input: $input) { code message custodian { id signingSecret } }
        }',
        "variables" => ["input" => [
            "apiKey" => getenv("FLORIN_API_KEY"),
            "name" => "Corner Coffee",
            "wallets" => ["bep20" => $wallet, "polygon" => $wallet, "base" => $wallet],
            "callbackUrl" => getenv("CALLBACK_URL"),
            "secret" => getenv("CALLBACK_SECRET"),
        ]],
    ]),
]);
$answer = json_decode(curl_exec($request), true)["data"]["createCustodianAccount"] ?? [];
if (($answer["code"] ?? 0) !== 200) {
    throw new RuntimeException($answer["message"] ?? "no answer");
}
// The signing secret is shown once: keep it where your webhook receiver reads it.
echo $answer["custodian"]["id"], " ", $answer["custodian"]["signingSecret"], "\n";
