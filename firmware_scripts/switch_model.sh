# shellcheck shell=bash
# Runs on the Pi, sent there by deploy_model.sh: switch_model.sh FILE SHA256 SECONDS, as root.
set -euo pipefail
umask 022 # the service reads what root installs

[ $# = 3 ] || { echo "switch_model.sh is sent and run by deploy_model.sh, not by hand" >&2 && exit 2; }
file=$1 digest=$2 patience=$3
installed=/var/lib/edge-lpdpl/model.safetensors
before='' # a copy of what was installed, to the byte: install keeps good models alone

main() {
    command -v edge-lpdpl >/dev/null || fail 2 "edge-lpdpl is not installed here: provision.sh does that"
    [ "$(sha256sum <"$file" | cut -d' ' -f1)" = "$digest" ] || fail 2 "the model was damaged on its way; try again"
    if [ -e "$installed" ]; then
        before=$(mktemp "$installed.XXXXXX") || fail 2 "nothing was changed"
        trap 'rm -f "$before"' EXIT
        cp -p "$installed" "$before" || fail 2 "nothing was changed"
    fi
    # With NumPy, because root has no compiled kernels; the service tests it again with its own.
    edge-lpdpl model install "$file" --backend numpy || fail 2 "nothing was changed"
    if take_over && reads_with "$(digest_of "$installed")"; then
        printf '\n== The service reads with it\n'
        exit
    fi
    edge-lpdpl ask status --json 2>/dev/null | python3 -c \
        'import json, sys; print("   it says:", json.load(sys.stdin).get("reload_error"))' 2>/dev/null || true
    go_back
}

fail() {
    printf 'deploy_model.sh: %s\n' "$2" >&2
    exit "$1"
}

# A reload where it runs, which loses no frame; else a start.
take_over() {
    if systemctl --quiet is-active edge-lpdpl; then
        systemctl reload edge-lpdpl
    else
        systemctl reset-failed edge-lpdpl 2>/dev/null || true
        systemctl restart edge-lpdpl
    fi
}

# Empty for a file that is no model, which is said.
digest_of() {
    edge-lpdpl model show --json "$1" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["digest"])' 2>/dev/null || true
}

# Whether the service reads fresh frames with the model of this digest, before patience ends.
reads_with() {
    local end=$((SECONDS + patience)) before now
    while [ $SECONDS -lt $end ]; do
        before=$(frames_with "$1")
        sleep 1
        now=$(frames_with "$1")
        if [ -n "$before" ] && [ -n "$now" ] && [ "$now" -gt "$before" ]; then
            return 0
        fi
    done
    return 1
}

frames_with() {
    edge-lpdpl ask status --json 2>/dev/null | python3 -c '
import json, sys
status = json.load(sys.stdin)
if status["model"]["digest"] == sys.argv[1]:
    print(status["frames"])
' "$1" 2>/dev/null || true
}

go_back() {
    local previous=${installed%.safetensors}.previous.safetensors digest
    local failed="the service did not read on with the new model within $patience s"
    if [ -z "$before" ]; then
        rm -f "$installed"
        take_over || true
        fail 1 "$failed; it was removed, for none was installed before"
    fi
    mv -f "$before" "$installed"
    if cmp -s "$previous" "$installed"; then
        rm -f "$previous"
    fi
    take_over || true
    digest=$(digest_of "$installed")
    if [ -z "$digest" ] || ! reads_with "$digest"; then
        fail 1 "the model from before was put back, but the service does not read with it: journalctl -u edge-lpdpl"
    fi
    fail 1 "$failed; the one from before was put back"
}

main
