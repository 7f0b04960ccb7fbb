# syntax=docker/dockerfile:1
# One static binary on an empty root. It listens on 7860, where a Space of Hugging Face expects it, and on 8000, where OpenEnv's
# containers are asked; the variable PORT names another port in place of 7860.
#
# What it runs needs no file but its own: a read-only root is enough, /tmp included.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH VERSION=dev COMMIT=
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X github.com/triagebench/triage/pkg/cli.version=$VERSION -X github.com/triagebench/triage/pkg/cli.commit=$COMMIT" -o /out/triage ./cmd/triage \
 && mkdir -p /out/root/etc/ssl/certs /out/root/work /out/root/usr/share/doc/triage \
 && go run ./docs/gen --licenses /out/root/usr/share/doc/triage \
 && cp LICENSE /out/root/usr/share/doc/triage/ \
 && cp /etc/ssl/certs/ca-certificates.crt /out/root/etc/ssl/certs/ \
 && printf 'triage:x:65532:65532::/work:/sbin/nologin\n' >/out/root/etc/passwd \
 && printf 'triage:x:65532:\n' >/out/root/etc/group

FROM scratch
LABEL org.opencontainers.image.title="triage" \
      org.opencontainers.image.description="Benchmark and environments for agents that triage customer-support tickets" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /out/root/ /
COPY --from=build /out/triage /usr/local/bin/triage
ENV PATH=/usr/local/bin HOME=/work
WORKDIR /work
USER 65532:65532
EXPOSE 7860 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=4s --start-period=5s --retries=3 CMD ["/usr/local/bin/triage", "health"]
ENTRYPOINT ["/usr/local/bin/triage"]
CMD ["serve", "--host", "0.0.0.0", "--also-port", "8000"]
