import json, os, pathlib, sys, time, urllib.request

# The file holds the position: events are never skipped, and never lost while this does not run.
file = pathlib.Path(os.environ.get("POSITION_FILE", "florin.position"))
pause = float(os.environ.get("PAUSE", 10))
after = file.read_text() if file.exists() else ""
while True:
    request = urllib.request.Request(
        f"http://localhost:8080/events?limit=100&after={after}",
        headers={"Authorization": "Bearer " + os.environ["FLORIN_API_KEY"]},
    )
    try:
        with urllib.request.urlopen(request) as response:
            page = json.load(response)
    except OSError as problem:
        print(problem, file=sys.stderr)
        time.sleep(pause)
        continue
    for event in page["events"]:
        # The position is kept afterwards, so an event may come twice: eventId is its key.
        print(event["eventId"], event["type"], event["data"]["txnid"], event["data"]["status"], flush=True)
    if page["events"]:
        after = page["nextAfter"]
        file.write_text(after)
    else:
        time.sleep(pause)
