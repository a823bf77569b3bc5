#!/bin/sh
# Writes the secrets that deploy/compose.yaml mounts to deploy/secrets or to a given folder. Existing secrets stay
# unchanged: with another master key the database could not be opened.
set -eu
umask 077
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 700 "$folder"

# The containers run as other users and must be able to read the files. The folder's mode keeps other users of this machine out.
keep() {
  if [ -e "$folder/$1" ]; then echo "$1: kept"; return; fi
  printf '%s\n' "$2" >"$folder/$1.new"
  chmod 644 "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
  echo "$1: written"
}

keep master_key "$(head -c 32 /dev/urandom | base64)"
keep postgres_password "$(od -An -v -N 24 -t x1 /dev/urandom | tr -d ' \n')"
keep database_url "postgres://scrip:$(cat "$folder/postgres_password")@postgres:5432/scrip"
