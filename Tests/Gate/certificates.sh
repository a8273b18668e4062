#!/bin/bash
# Makes an authority and certificates of all kinds below the folder $1; each file has its key in it.
# The good ones are for $2, such as IP:127.0.0.1, which is the default.
set -euo pipefail
cd "$1"
names=${2:-IP:127.0.0.1}

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

authority() {
  key "$1.key"
  openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 1 -out "$1.pem" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
}

# NAME AUTHORITY ALTERNATIVE_NAME DAYS
certificate() {
  key "$1.key"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -days "$4" -set_serial "$RANDOM" \
    -extfile <(echo "subjectAltName=$3") -out "$1.crt" 2>/dev/null
  cat "$1.key" "$1.crt" >"$1.pem"
}

authority ca
authority stranger
certificate good ca "$names" 1
certificate renewed ca "$names" 1
certificate expired ca IP:127.0.0.1 -1
certificate wronghost ca DNS:elsewhere.example,IP:127.0.0.9 1
certificate untrusted stranger IP:127.0.0.1 1
key selfsigned.key
openssl req -x509 -new -key selfsigned.key -subj /CN=selfsigned -days 1 -out selfsigned.crt \
  -addext subjectAltName=IP:127.0.0.1
cat selfsigned.key selfsigned.crt >selfsigned.pem

# What curl --pinnedpubkey takes.
openssl pkey -in good.key -pubout -outform der | openssl dgst -sha256 -binary | openssl base64 |
  sed 's,^,sha256//,' >good.pin
