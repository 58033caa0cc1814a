#!/usr/bin/env bash
# A mosquitto and openssl for the MQTT lane, from Debian's packages where there is none.
set -euo pipefail
PATH=$PATH:/usr/sbin
command -v mosquitto >/dev/null && command -v mosquitto_passwd >/dev/null && command -v openssl >/dev/null && exit 0
[ "$(id -u)" -eq 0 ] || { echo "the MQTT lane needs a broker: sudo apt install mosquitto openssl"; exit 2; }
apt-get update -qq
apt-get install -qq -y --no-install-recommends mosquitto openssl >/dev/null
