<?php
// $body is the request's body as it arrived, before any parsing.
function verify(string $body): bool
{
    $id = $_SERVER["HTTP_WEBHOOK_ID"] ?? "";
    $at = $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? "";
    if ($id === "" || !ctype_digit($at) || abs(time() - (int) $at) > 300) {
        return false; // missing, or too old
    }
    $key = base64_decode(preg_replace('/^whsec_/', "", getenv("SIGNING_SECRET")));
    $want = "v1," . base64_encode(hash_hmac("sha256", "$id.$at.$body", $key, true));
    foreach (explode(" ", $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? "") as $each) {
        if (hash_equals($want, $each)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents("php://input");
$event = verify($body) ? json_decode($body, true) : null;
// The second proof, if you set a secret: it travels in the body.
$secret = getenv("CALLBACK_SECRET") ?: "";
if ($event === null || ($secret !== "" && !hash_equals($secret, $event["secret"] ?? ""))) {
    http_response_code(400);
    exit;
}
// An event may come twice; $event["eventId"] stays the same.
error_log($event["txnid"] . " " . $event["status"]);
http_response_code(204);
