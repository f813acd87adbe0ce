<?php
// The file holds the position: events are never skipped, and never lost while this does not run.
$file = getenv("POSITION_FILE") ?: "florin.position";
$pause = (int) (getenv("PAUSE") ?: 10);
$after = is_file($file) ? file_get_contents($file) : "";
while (true) {
    $request = curl_init("http://localhost:8080/events?limit=100&after=" . $after);
    curl_setopt_array($request, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => ["Authorization: Bearer " . getenv("FLORIN_API_KEY")],
    ]);
    $page = json_decode((string) curl_exec($request), true);
    if (($page["code"] ?? 0) !== 200) {
        error_log($page["message"] ?? "no answer");
        sleep($pause);
        continue;
    }
    foreach ($page["events"] as $event) {
        // The position is kept afterwards, so an event may come twice: eventId is its key.
        echo $event["eventId"], " ", $event["type"], " ", $event["data"]["txnid"], " ", $event["data"]["status"], "\n";
    }
    if ($page["events"] === []) {
        sleep($pause);
    } else {
        file_put_contents($file, $after = $page["nextAfter"]);
    }
}
