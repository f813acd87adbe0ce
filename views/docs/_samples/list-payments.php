<?php
$query = 'query ($key: String!, $after: String) {
    getTransactions(apiKey: $key, timeRange: "1week", first: 100, after: $after) {
        code message
        transactions { txnid status amount reference hash createdAt }
        pageInfo { hasNextPage endCursor }
    }
}';
$after = null;
do {
    $request = curl_init("http://localhost:8080/graphql");
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => ["Content-Type: application/json"],
        CURLOPT_POSTFIELDS => json_encode([
            "query" => $query,
            "variables" => ["key" => getenv("FLORIN_API_KEY"), "after" => $after],
        ]),
    ]);
    $page = json_decode(curl_exec($request), true)["data"]["getTransactions"] ?? [];
    if (($page["code"] ?? 0) !== 200) {
        throw new RuntimeException($page["message"] ?? "no answer");
    }
    foreach ($page["transactions"] as $payment) {
        echo $payment["txnid"], " ", $payment["status"], " ", $payment["amount"], "\n";
    }
    $after = $page["pageInfo"]["hasNextPage"] ? $page["pageInfo"]["endCursor"] : null;
} while ($after !== null);
