<?php
// TXNID is the txnid of the payment. No key is needed.
$request = curl_init("http://localhost:8080/orders/" . getenv("TXNID"));
curl_setopt($request, CURLOPT_RETURNTRANSFER, true);
$answer = json_decode(curl_exec($request), true);
if (($answer["code"] ?? 0) !== 200) {
    throw new RuntimeException($answer["message"] ?? "no answer");
}
$payment = $answer["transaction"];
echo $payment["txnid"], " ", $payment["status"], " ", $payment["receivedAmount"], " of ", $payment["amount"], "\n";
