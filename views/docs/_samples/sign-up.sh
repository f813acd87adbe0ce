# EMAIL and PASSWORD (10 characters or more) are those of your new account.
graphql() {
  curl -s http://localhost:8080/graphql -H 'Content-Type: application/json' -H "Authorization: Bearer $TOKEN" -d @-
}
# A session token. Where addresses are verified, a mail comes instead: finish there, then use UserLogin here.
answer=$(graphql <<END
{"query": "mutation (\$e: String!, \$p: String!) { UserSignUp(email: \$e, password: \$p) { code message token } }",
 "variables": {"e": "$EMAIL", "p": "$PASSWORD"}}
END
)
TOKEN=$(printf %s "$answer" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
if [ -z "$TOKEN" ]; then
  echo "$answer" >&2
  false
else
  # The key is shown once, here.
  graphql <<END
{"query": "mutation { UserCreateApiKey(label: \"Shop\") { code message apiKey { id key } } }"}
END
fi
