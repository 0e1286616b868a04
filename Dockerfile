# The official image of PostgreSQL with lshsim in it:
#
#	docker build --build-arg PG_MAJOR=17 -t lshsim .
#	docker run -e POSTGRES_PASSWORD=secret lshsim
#
# then CREATE EXTENSION lshsim, in each database.

ARG PG_MAJOR=17
ARG DEBIAN_CODENAME=bookworm
FROM postgres:$PG_MAJOR-$DEBIAN_CODENAME
ARG PG_MAJOR

COPY . /usr/src/lshsim

# Packages that only the build needs are removed again; the library that the
# extension is linked with stays.  The headers are those of the server's release: if
# the repository has them no more, pull a newer image.
RUN set -eux; \
	savedAptMark="$(apt-mark showmanual)"; \
	apt-get update; \
	apt-get install -y --no-install-recommends \
		gcc \
		libc6-dev \
		libutf8proc-dev \
		libxxhash-dev \
		make \
		"postgresql-server-dev-$PG_MAJOR=$(dpkg-query --show --showformat '${Version}' "postgresql-$PG_MAJOR")" \
	; \
	config="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config"; \
	make -C /usr/src/lshsim -j "$(nproc)" PG_CONFIG="$config" with_llvm=no; \
	make -C /usr/src/lshsim PG_CONFIG="$config" with_llvm=no install; \
	rm -r /usr/src/lshsim; \
	apt-mark auto '.*' > /dev/null; \
	apt-mark manual $savedAptMark > /dev/null; \
	ldd "/usr/lib/postgresql/$PG_MAJOR/lib/lshsim.so" \
		| awk '/=> \// { sub("^/(usr/)?", "", $3); print "*/" $3 }' \
		| xargs dpkg-query --search \
		| cut -d: -f1 \
		| sort -u \
		| xargs apt-mark manual; \
	apt-get purge -y --auto-remove -o APT::AutoRemove::RecommendsImportant=false; \
	rm -rf /var/lib/apt/lists/*
