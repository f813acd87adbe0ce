import json, os, urllib.request

query = """query ($key: String!, $after: String) {
    getTransactions(apiKey: $key, timeRange: "1week", first: 100, after: $after) {
        code message
        transactions { txnid status amount reference hash createdAt }
        pageInfo { hasNextPage endCursor }
    }
}"""
after = None
while True:
    variables = {"key": os.environ["FLORIN_API_KEY"], "after": after}
    request = urllib.request.Request(
        "http://localhost:8080/graphql",
        data=json.dumps({"query": query, "variables": variables}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        page = json.load(response)["data"]["getTransactions"]
    if page["code"] != 200:
        raise RuntimeError(page["message"])
    for payment in page["transactions"]:
        print(payment["txnid"], payment["status"], payment["amount"])
    if not page["pageInfo"]["hasNextPage"]:
        break
    after = page["pageInfo"]["endCursor"]
