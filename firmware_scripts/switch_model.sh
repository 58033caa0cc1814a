# shellcheck shell=bash
# Runs on the Pi as root, sent there by deploy_model.sh: bash -s SHA256 SECONDS, with this script and, right behind it, the
# model as standard input. Bash reads no further than the command that it runs, so the model is left for `cat`.
set -euo pipefail
umask 022 # the service reads what root installs
# A connection that breaks ends nothing half way.
trap '' HUP PIPE

[ $# = 2 ] || { echo "switch_model.sh is sent and run by deploy_model.sh, not by hand" >&2 && exit 2; }
digest=$1 patience=$2
state=/var/lib/edge-lpdpl
installed=$state/model.safetensors

main() {
    command -v edge-lpdpl >/dev/null || fail 2 "edge-lpdpl is not installed here: provision.sh does that"
    is_roots "$state" || fail 2 "$state is not root's alone: run provision.sh of this version there; nothing was changed"
    # In root's folder, and root's alone: nobody can put a link there.
    work=$(mktemp -d "$state/.switch.XXXXXX") || fail 2 "nothing was changed"
    trap 'rm -rf "$work"' EXIT
    cat >"$work/new.safetensors" || fail 2 "nothing was changed"
    [ "$(sha256sum <"$work/new.safetensors")" = "$digest  -" ] || fail 2 "the model was damaged on its way; try again"
    # To the byte: install keeps good models alone.
    [ ! -e "$installed" ] || cp -p "$installed" "$work/before" || fail 2 "nothing was changed"
    # With NumPy, because root has no compiled kernels; the service tests it again with its own.
    if ! edge-lpdpl model install "$work/new.safetensors" --backend numpy; then
        if as_before; then
            fail 2 "nothing was changed"
        fi
        go_back "it could not be installed"
    fi
    if take_over && reads_with "$(digest_of "$installed")"; then
        printf '\n== The service reads with it\n'
        exit
    fi
    edge-lpdpl ask status --json 2>/dev/null | python3 -c \
        'import json, sys; print("   it says:", json.load(sys.stdin).get("reload_error"))' 2>/dev/null || true
    go_back "the service did not read on with the new model within $patience s"
}

fail() {
    printf 'deploy_model.sh: %s\n' "$2" >&2
    exit "$1"
}

# Whether root alone can make or change something in a folder.
is_roots() {
    [ -d "$1" ] && [[ $(stat -L -c '%u %A' "$1") =~ ^'0 d'....[^w]..[^w].$ ]]
}

# Whether the installed model is the one from before, or none as before.
as_before() {
    if [ -e "$work/before" ]; then
        cmp -s "$work/before" "$installed"
    else
        [ ! -e "$installed" ]
    fi
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

# The service's own word, which is taken for a number if it is one.
frames_with() {
    edge-lpdpl ask status --json 2>/dev/null | python3 -c '
import json, sys
status = json.load(sys.stdin)
if status["model"]["digest"] == sys.argv[1]:
    print(int(status["frames"]))
' "$1" 2>/dev/null || true
}

# go_back WHY: put the model from before in its place again.
go_back() {
    local previous=${installed%.safetensors}.previous.safetensors digest
    if [ ! -e "$work/before" ]; then
        rm -f "$installed"
        take_over || true
        fail 1 "$1; it was removed, for none was installed before"
    fi
    mv -fT "$work/before" "$installed"
    sync "$installed" "$state"
    if cmp -s "$previous" "$installed"; then
        rm -f "$previous"
    fi
    take_over || true
    digest=$(digest_of "$installed")
    if [ -z "$digest" ] || ! reads_with "$digest"; then
        fail 1 "the model from before was put back, but the service does not read with it: journalctl -u edge-lpdpl"
    fi
    fail 1 "$1; the one from before was put back"
}

main
