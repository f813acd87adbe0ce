# Asks for what is new and prints it, until it is stopped. The file holds the position: no
# event is skipped, or lost while this does not run. Act on the events before the position is
# kept: if it breaks off, they come again.
file=${POSITION_FILE:-florin.position}
while true; do
  page=$(curl -s "http://localhost:8080/events?limit=100&after=$(cat "$file" 2>/dev/null)" \
    -H "Authorization: Bearer $FLORIN_API_KEY")
  case "$page" in
    *'"events":[]'*) sleep "${PAUSE:-10}" ;;
    *'"code":200'*)
      echo "$page"
      printf %s "$page" | sed 's/.*"nextAfter":"\([0-9]*\)".*/\1/' > "$file"
      ;;
    *) echo "$page" >&2; sleep "${PAUSE:-10}" ;;
  esac
done
