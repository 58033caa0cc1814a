#!/usr/bin/env bash
# setup.sh PYTHON VENV: an environment with the project and the real picamera2, without what only screens, video files
# and other programs need of it (--no-deps). PiDNG is built, so a compiler is installed if there is none; so is ffmpeg.
set -euo pipefail
cd "$(dirname "$0")/../../.."
python=$1 venv=$2
if ! command -v cc >/dev/null || ! command -v ffmpeg >/dev/null; then
    packages="gcc libc6-dev python3-dev ffmpeg"
    [ "$(id -u)" -eq 0 ] || { echo "the camera lane needs a C compiler and ffmpeg: sudo apt install $packages"; exit 2; }
    apt-get update -qq
    # shellcheck disable=SC2086
    apt-get install -qq -y --no-install-recommends $packages >/dev/null
fi
"$python" -m venv "$venv"
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile)
"${pip[@]}" --editable '.[test]'
"${pip[@]}" --no-deps 'picamera2>=0.3.31' PiDNG piexif simplejpeg videodev2 tqdm libarchive-c av
touch "$venv/.ready"
