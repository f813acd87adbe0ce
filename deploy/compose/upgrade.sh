#!/bin/sh
# Replaces one instance after the other with the image that was built last, after the database has the schema that the
# new version adds. The old instance serves all the time.
set -eu
cd "$(dirname "$0")"

docker compose run --rm --no-deps florin-1 migrate --plan
docker compose run --rm --no-deps florin-1 migrate
for instance in florin-1 florin-2; do
	docker compose up -d --no-deps "$instance"
	tries=0
	# Caddy reports an instance as healthy once /readyz answers 200.
	until docker compose exec caddy wget -q -O /dev/null "http://$instance:8080/readyz"; do
		tries=$((tries + 1))
		if [ "$tries" -ge 60 ]; then
			echo "$instance is not ready; the other instance still serves: docker compose logs $instance" >&2
			exit 1
		fi
		sleep 1
	done
done
