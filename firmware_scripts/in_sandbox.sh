# shellcheck shell=bash
# Runs a command in the sandbox of the service, drop-ins included, as the service's user:
#
#   in_sandbox.sh [--to-cache] COMMAND...
#
# With --to-cache it runs as root, without a capability: it may write compiled kernels to the cache, and nothing else.
# Where systemd does not run, as in an image that is being made, there is the user and no sandbox.
set -euo pipefail

cache=/var/cache/edge-lpdpl to_cache=no
if [ "$1" = --to-cache ]; then
    to_cache=yes
    shift
fi

if [ ! -d /run/systemd/system ]; then
    as=(runuser -u edge-lpdpl --)
    [ "$to_cache" = no ] || as=()
    umask 022
    exec "${as[@]}" env -i PATH="$PATH" CACHE_DIRECTORY=$cache "$@"
fi

# Lines of the unit that say how the service starts, ends and talks, and what it keeps. Its runtime directory would go
# with the command. A folder that NoExecPaths= names could be written to.
not_here='Type|NotifyAccess|Exec(Start|Stop|Reload|Condition)[A-Za-z]*|WatchdogSec|Timeout[A-Za-z]*|Restart[A-Za-z]*'
not_here+='|Standard[A-Za-z]*|(Runtime|State)Directory[A-Za-z]*|WorkingDirectory|ImportCredential'

unit=edge-lpdpl-helper-$$
drop_in=/run/systemd/system/$unit.service.d
trap 'rm -rf "$drop_in"; systemctl daemon-reload' EXIT
mkdir "$drop_in"
{
    echo '[Service]'
    systemctl cat edge-lpdpl.service | sed ':more; /\\$/{N; s/\\\n/ /; b more}' |
        awk '/^\[/ {inside = $0 == "[Service]"} inside && /^[A-Za-z]+=/' |
        grep -vE "^($not_here)=" | sed -E '/^NoExecPaths=/s#%t/edge-lpdpl|-%S/edge-lpdpl-(hands|log|collected)##g'
    [ "$to_cache" = no ] || printf '%s\n' User=root Group=root UMask=0022 ReadWritePaths=$cache NoExecPaths=$cache
} >"$drop_in/sandbox.conf"
systemctl daemon-reload
systemd-run --quiet --wait --pipe --collect --service-type=exec --unit="$unit" -- "$@"
