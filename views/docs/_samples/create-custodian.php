<?php
// SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go,
// CALLBACK_SECRET a secret of yours that travels in them. The last two may be left out.
function send(string $operation, string $input): array
{
    $wallet = getenv("SETTLEMENT_WALLET");
    $request = curl_init("http://localhost:8080/graphql");
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => ["Content-Type: application/json"],
        CURLOPT_POSTFIELDS => json_encode([
            "query" => "mutation (\$input: $input!) {
                result: $operation(input: \$input) { code message reason custodian { id signingSecret } }
            }",
            "variables" => ["input" => [
                "apiKey" => getenv("FLORIN_API_KEY"),
                "name" => "Corner Coffee",
                "wallets" => ["bep20" => $wallet, "polygon" => $wallet, "base" => $wallet],
                "callbackUrl" => getenv("CALLBACK_URL") ?: null,
                "secret" => getenv("CALLBACK_SECRET") ?: null,
            ]],
        ]),
    ]);
    return json_decode(curl_exec($request), true)["data"]["result"] ?? [];
}

$answer = send("createCustodianAccount", "CustodianCreateInput");
// A key has one custodian. If it has one already, as that of a sandbox does, change it.
if (($answer["reason"] ?? "") === "custodian_exists") {
    $answer = send("updateCustodianDetails", "CustodianUpdateInput");
}
if (($answer["code"] ?? 0) !== 200) {
    throw new RuntimeException($answer["message"] ?? "no answer");
}
// The signing secret is shown once: keep it where your webhook receiver reads it.
echo $answer["custodian"]["id"], " ", $answer["custodian"]["signingSecret"] ?? "(the signing secret stays)", "\n";
