# shellcheck shell=bash
# Runs on the Pi as root, sent there by deploy_model.sh: bash -s SHA256 BYTES SECONDS, with this script and, right behind it,
# the model of so many bytes and its signature, if it has one, as standard input. Bash reads no further than the command
# that it runs, so the rest is left for `cat`.
set -euo pipefail
umask 022 # the service reads what root installs
# A connection that breaks ends nothing half way.
trap '' HUP PIPE

[ $# = 3 ] || { echo "switch_model.sh is sent and run by deploy_model.sh, not by hand" >&2 && exit 2; }
digest=$1 size=$2 patience=$3
state=/var/lib/edge-lpdpl

main() {
    local before
    command -v edge-lpdpl >/dev/null || fail 2 "edge-lpdpl is not installed here: provision.sh does that"
    is_roots "$state" || fail 2 "$state is not root's alone: run provision.sh of this version there; nothing was changed"
    # In root's folder, and root's alone: nobody can put a link there.
    work=$(mktemp -d "$state/.switch.XXXXXX") || fail 2 "nothing was changed"
    trap 'rm -rf "$work"' EXIT
    cat >"$work/all" || fail 2 "nothing was changed"
    [ "$(sha256sum <"$work/all")" = "$digest  -" ] || fail 2 "the model was damaged on its way; try again"
    head -c "$size" "$work/all" >"$work/new.safetensors" || fail 2 "nothing was changed"
    tail -c +$((size + 1)) "$work/all" >"$work/new.safetensors.sig" || fail 2 "nothing was changed"
    [ -s "$work/new.safetensors.sig" ] || rm "$work/new.safetensors.sig"
    before=$(current)
    # With NumPy, because root has no compiled kernels; the service tests it again with its own.
    if ! edge-lpdpl model install "$work/new.safetensors" --backend numpy; then
        [ "$(current)" != "$before" ] || fail 2 "nothing was changed"
        go_back "it could not be installed"
    fi
    if take_over && edge-lpdpl model confirm --wait "$patience"; then
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

# The slot in use, or nothing.
current() { readlink "$state/slots/current" || true; }

# A reload where it runs, which loses no frame; else a start.
take_over() {
    if systemctl --quiet is-active edge-lpdpl; then
        systemctl reload edge-lpdpl
    else
        systemctl reset-failed edge-lpdpl 2>/dev/null || true
        systemctl restart edge-lpdpl
    fi
}

# go_back WHY
go_back() {
    edge-lpdpl model rollback || fail 1 "$1; it is still installed: edge-lpdpl model rollback"
    take_over || true
    [ -n "$(current)" ] || fail 1 "$1; no model in a slot was confirmed before, so none is used now"
    edge-lpdpl model confirm --wait "$patience" ||
        fail 1 "the model from before was put back, but the service does not read with it: journalctl -u edge-lpdpl"
    fail 1 "$1; the one from before was put back"
}

main
