import json, os, urllib.request

request = urllib.request.Request(
    "http://localhost:8080/create-payment",
    data=json.dumps({"amount": 49.90, "reference": "order-1046", "description": "Two bags of coffee"}).encode(),
    headers={
        "Content-Type": "application/json",
        "Authorization": "Bearer " + os.environ["FLORIN_API_KEY"],
        "Idempotency-Key": "order-1046",
    },
)
# urlopen raises HTTPError for every status but 2xx; its body says what was wrong.
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
# Send the customer to the link; keep the txnid with your order.
print(answer["paymentLink"], answer["transaction"]["txnid"])
