import json, os, urllib.request

# TXNID is the txnid of the payment. No key is needed.
with urllib.request.urlopen("http://localhost:8080/orders/" + os.environ["TXNID"]) as response:
    payment = json.load(response)["transaction"]
print(payment["txnid"], payment["status"], payment["receivedAmount"], "of", payment["amount"])
