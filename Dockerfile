# Florin in one image with nothing else in it: no shell, no package manager, no root.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t florin .
#   docker run -p 8080:8080 -v florin:/data -e FLORIN_SECRET_KEY=… florin
#
# For Solana mount the sealed seed (`florin keygen --sol-seed --sealed`): -v ./sol-seed:/run/sol-seed:ro
# -e FLORIN_SOL_SEED_FILE=/run/sol-seed

# Bases by digest, so that a build is what was looked at; `docker buildx imagetools inspect NAME` prints a newer one.
FROM golang:1.26-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unreleased
RUN make build VERSION=$VERSION
RUN mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab
COPY --from=build /src/bin/florin /florin
# The volume takes over this directory's owner, so that the program may write to it.
COPY --from=build --chown=nonroot:nonroot /data /data
VOLUME /data
ENV FLORIN_LISTEN=0.0.0.0:8080 \
    FLORIN_DATABASE_URL=sqlite:///data/florin.db
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=2m CMD ["/florin", "health"]
ENTRYPOINT ["/florin"]
CMD ["serve"]
