import json, os, urllib.request

# SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go.
wallet = os.environ["SETTLEMENT_WALLET"]
query = """mutation ($input: CustodianCreateInput!) {
    createCustodianAccount(input: $input) { code message custodian { id signingSecret } }
}"""
variables = {
    "input": {
        "apiKey": os.environ["FLORIN_API_KEY"],
        "name": "Corner Coffee",
        "wallets": {"bep20": wallet, "polygon": wallet, "base": wallet},
        "callbackUrl": os.environ["CALLBACK_URL"],
        "secret": os.environ["CALLBACK_SECRET"],
    }
}
request = urllib.request.Request(
    "http://localhost:8080/graphql",
    data=json.dumps({"query": query, "variables": variables}).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)["data"]["createCustodianAccount"]
if answer["code"] != 200:
    raise RuntimeError(answer["message"])
# The signing secret is shown once: keep it where your webhook receiver reads it.
print(answer["custodian"]["id"], answer["custodian"]["signingSecret"])
