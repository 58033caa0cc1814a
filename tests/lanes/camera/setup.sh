#!/usr/bin/env bash
# setup.sh PYTHON VENV: an environment with the project and the real picamera2, without what only screens, video files
# and other programs need of it (--no-deps). PiDNG is built, so a compiler is installed if there is none.
set -euo pipefail
cd "$(dirname "$0")/../../.."
python=$1 venv=$2
if ! command -v cc >/dev/null; then
    [ "$(id -u)" -eq 0 ] || { echo "the camera lane needs a C compiler: sudo apt install gcc libc6-dev python3-dev"; exit 2; }
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends gcc libc6-dev python3-dev >/dev/null
fi
"$python" -m venv "$venv"
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" --editable '.[test]'
"${pip[@]}" --no-deps 'picamera2>=0.3.31' PiDNG piexif simplejpeg videodev2 tqdm libarchive-c av
touch "$venv/.ready"
