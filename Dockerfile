# Florin in one image with nothing else in it: no shell, no package manager, no root.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t florin .
#   docker run -p 8080:8080 -v florin:/data -e FLORIN_SECRET_KEY=… florin
#
# For Solana mount the sealed seed (`florin keygen --sol-seed --sealed`): -v ./sol-seed:/run/sol-seed:ro
# -e FLORIN_SOL_SEED_FILE=/run/sol-seed

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unreleased
RUN make build VERSION=$VERSION
RUN mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /src/bin/florin /florin
# The volume takes over this directory's owner, so that the program may write to it.
COPY --from=build --chown=nonroot:nonroot /data /data
VOLUME /data
ENV FLORIN_LISTEN=0.0.0.0:8080 \
    FLORIN_DATABASE_URL=sqlite:///data/florin.db
EXPOSE 8080
ENTRYPOINT ["/florin"]
CMD ["serve"]
