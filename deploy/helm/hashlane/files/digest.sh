#!/bin/sh
# Digests known blobs on a server, and has them verified, one wrongly: what `helm test` runs.
#
#   digest.sh URL [OPTION OF CURL...]
#
# TRUST is a folder with ca.crt, or else tls.crt, that the server's certificate leads to. TOKEN is a client's.
set -eu
url=$1/v1/digest
shift
if [ -n "${TRUST:-}" ]; then
    ca=$TRUST/ca.crt
    [ -s "$ca" ] || ca=$TRUST/tls.crt
    set -- "$@" --cacert "$ca"
fi
if [ -n "${TOKEN:-}" ]; then set -- "$@" --header "Authorization: Bearer $TOKEN"; fi
# Pods may still start: connections are tried again, but not what the server answers.
set -- --silent --show-error --max-time 20 --retry 10 --retry-delay 2 --retry-all-errors \
    --request PUT --data-binary @- --header 'Content-Type: application/octet-stream' "$@"

# expect WHAT ANSWER TEXT: the answer must have the text.
expect() {
    case $2 in
        *"$3"*) echo "right: $1" ;;
        *)
            echo "wrong: $1: no $3 in: $2" >&2
            exit 1
            ;;
    esac
}
zeros() { head -c 1048576 /dev/zero; }

answer=$(printf abc | curl "$@" "$url?algorithm=sha256,md5")
expect 'SHA-256 of abc' "$answer" '"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"'
expect 'MD5 of abc' "$answer" '"md5":"900150983cd24fb0d6963f7d28e17f72"'
answer=$(zeros | curl "$@" "$url")
expect 'SHA-256 of 1 MiB of zeros' "$answer" '"sha256":"30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58"'

set -- "$@" --header 'Repr-Digest: sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:'
answer=$(printf abc | curl "$@" "$url")
expect 'the server finds that abc matches' "$answer" '"verdict":"match"'
answer=$(zeros | curl "$@" --write-out ' status %{http_code}' "$url")
expect 'the server finds that zeros do not match' "$answer" DIGEST_MISMATCH
expect 'its status is 400' "$answer" 'status 400'
