# Checks one webhook by hand: the values of its three headers, and its body in body.json.
key=$(printf %s "${SIGNING_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
want=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
case " $WEBHOOK_SIGNATURE " in
  *" v1,$want "*) echo "the signature is right" ;;
  *) echo "the signature is wrong" >&2; false ;;
esac
