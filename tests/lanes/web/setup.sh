#!/usr/bin/env bash
# Chromium and its driver for the web lane, from Debian's packages where there are none.
set -euo pipefail
command -v chromium >/dev/null && command -v chromedriver >/dev/null && exit 0
[ "$(id -u)" -eq 0 ] || { echo "the web lane needs a browser: sudo apt install chromium chromium-driver"; exit 2; }
apt-get update -qq
apt-get install -qq -y --no-install-recommends chromium chromium-driver fonts-noto-cjk >/dev/null
