import json, os, urllib.request

# SETTLEMENT_WALLET is the address your money goes to, CALLBACK_URL where webhooks go,
# CALLBACK_SECRET a secret of yours that travels in them. The last two may be left out.
wallet = os.environ["SETTLEMENT_WALLET"]


def send(operation, input):
    query = """mutation ($input: %s!) {
        result: %s(input: $input) { code message reason custodian { id signingSecret } }
    }"""
    variables = {
        "input": {
            "apiKey": os.environ["FLORIN_API_KEY"],
            "name": "Corner Coffee",
            "wallets": {"bep20": wallet, "polygon": wallet, "base": wallet},
            "callbackUrl": os.environ.get("CALLBACK_URL"),
            "secret": os.environ.get("CALLBACK_SECRET"),
        }
    }
    request = urllib.request.Request(
        "http://localhost:8080/graphql",
        data=json.dumps({"query": query % (input, operation), "variables": variables}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)["data"]["result"]


answer = send("createCustodianAccount", "CustodianCreateInput")
# A key has one custodian. If it has one already, as that of a sandbox does, change it.
if answer["reason"] == "custodian_exists":
    answer = send("updateCustodianDetails", "CustodianUpdateInput")
if answer["code"] != 200:
    raise RuntimeError(answer["message"])
# The signing secret is shown once: keep it where your webhook receiver reads it.
print(answer["custodian"]["id"], answer["custodian"]["signingSecret"] or "(the signing secret stays)")
