# The site as an image, for linux/amd64 and linux/arm64:
#   docker build --build-arg COMMIT=$(git rev-parse --short=10 HEAD) --tag devquad .
#   docker buildx build --platform linux/amd64,linux/arm64 …
# compose.yaml runs it with a PostgreSQL. Everything that it stores is in /data.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund --loglevel=error
COPY . .
ARG COMMIT=
RUN COMMIT=$COMMIT node scripts/start.mjs --prepare
# What only builds is not needed at runtime, nor what npm keeps in spite of --omit=dev, as a dependency may use it (the last four; npm would
# keep @types/react for @types/react-dom). The project brings its own Node.
RUN npm uninstall --no-save --omit=dev --no-audit --no-fund --loglevel=error @react-router/dev @tailwindcss/vite tailwindcss vite @types/react @types/react-dom typescript vitest

FROM debian:bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json /app/package-lock.json /app/vite.config.ts /app/react-router.config.ts ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/public ./public
COPY --from=build /app/app ./app
COPY --from=build /app/server ./server
COPY --from=build /app/scripts ./scripts
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/demo ./demo
RUN groupadd --gid 1000 devquad && useradd --uid 1000 --gid devquad --home-dir /data --no-create-home devquad && install --directory --owner=devquad --group=devquad --mode=700 /data
ENV PATH=/app/node_modules/node/bin:$PATH HOST=0.0.0.0 PORT=3000 DATA_DIR=/data/site SEED=none
USER devquad
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "scripts/start.mjs"]
