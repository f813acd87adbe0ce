<?php
$request = curl_init("http://localhost:8080/create-payment");
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        "Content-Type: application/json",
        "Authorization: Bearer " . getenv("FLORIN_API_KEY"),
        "Idempotency-Key: order-1044",
    ],
    CURLOPT_POSTFIELDS => json_encode(["amount" => 49.90, "reference" => "order-1044", "description" => "Two bags of coffee"]),
]);
$answer = json_decode(curl_exec($request), true);
if (($answer["code"] ?? 0) !== 200) {
    throw new RuntimeException($answer["message"] ?? "no answer");
}
// Send the customer to the link; keep the txnid with your order.
echo $answer["paymentLink"], " ", $answer["transaction"]["txnid"], "\n";
