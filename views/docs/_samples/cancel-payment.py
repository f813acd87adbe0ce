import json, os, urllib.request

# TXNID is the txnid of the payment. No key is needed.
request = urllib.request.Request(
    "http://localhost:8080/cancel-payment",
    data=json.dumps({"txnid": os.environ["TXNID"]}).encode(),
    headers={"Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    payment = json.load(response)["transaction"]
print(payment["txnid"], payment["status"])
