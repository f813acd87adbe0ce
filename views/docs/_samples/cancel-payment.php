<?php
// TXNID is the txnid of the payment. No key is needed.
$request = curl_init("http://localhost:8080/cancel-payment");
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => ["Content-Type: application/json"],
    CURLOPT_POSTFIELDS => json_encode(["txnid" => getenv("TXNID")]),
]);
$answer = json_decode(curl_exec($request), true);
if (($answer["code"] ?? 0) !== 200) {
    throw new RuntimeException($answer["message"] ?? "no answer");
}
echo $answer["transaction"]["txnid"], " ", $answer["transaction"]["status"], "\n";
