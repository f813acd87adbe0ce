import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["SIGNING_SECRET"].removeprefix("whsec_"))
SECRET = os.environ.get("CALLBACK_SECRET", "").encode()


def verify(headers, body):
    """body is the request's body as it arrived, before any parsing."""
    id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False  # missing, or too old
    digest = hmac.new(KEY, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    want = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(want, each) for each in signatures)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = json.loads(body) if verify(self.headers, body) else None
        # The second proof, if you set a secret: it travels in the body.
        if event is None or SECRET and not hmac.compare_digest(SECRET, event.get("secret", "").encode()):
            self.send_response(400)
            self.end_headers()
            return
        # An event may come twice; event["eventId"] stays the same.
        print(event["txnid"], event["status"], flush=True)
        self.send_response(204)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
