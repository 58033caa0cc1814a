# shellcheck shell=bash
# The folders of models and of machine code become root's: what another user put there goes, and so does what a writer that
# was killed left over. Run by provision.sh and by the package, after `systemctl daemon-reload`: up to version 0.1 the unit
# gave both folders to the service.
set -euo pipefail

folders=(/var/lib/edge-lpdpl /var/cache/edge-lpdpl)

systemd-tmpfiles --create edge-lpdpl.conf
# Nobody can put anything there now. Below a folder of root's everything is root's.
find "${folders[@]}" -mindepth 1 -maxdepth 1 ! -uid 0 -exec rm -rf -- {} +
find "${folders[@]}" -xdev -type f \( -name '.????????????????.part' -o -name 'model.safetensors.??????' \) -delete
find "${folders[@]}" -mindepth 1 -maxdepth 1 -type d -name '.switch.??????' -exec rm -rf -- {} +
