#!/usr/bin/env bash
# Brings a model to a Pi on which the service runs: copied, verified there in the free slot, switched at once, reloaded. If
# the service does not read on with it, the slot from before is used again.
#
#   firmware_scripts/deploy_model.sh [OPTION...] MODEL.safetensors [USER@]HOST
#
#   --ssh OPTION   for ssh, repeatable: --ssh -p2222 --ssh -i~/.ssh/pi
#   --wait N       seconds that the service has to read on with the new model (30)
#   --dry-run      verify the model here if edge-lpdpl is installed, and say what would be done
#   --help
#
# The signature goes with it, where MODEL.safetensors.sig is there (edge-lpdpl model sign); the Pi decides whether it needs
# one. Needs ssh, and on the Pi either root or sudo without a password. Status 1: that was done.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

ssh_options=(-o BatchMode=yes -o ConnectTimeout=15) patience=30 words=()

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --ssh) need_value "$@" && ssh_options+=("$2") && shift ;;
        --wait) need_value "$@" && patience=$2 && shift ;;
        --dry-run) dry_run=yes ;;
        --help | -h) usage && exit ;;
        -*) die "unknown option $1; see --help" ;;
        *) words+=("$1") ;;
        esac
        shift
    done
    [ ${#words[@]} = 2 ] || die "one model and one Pi; see --help"
    model=${words[0]} host=${words[1]}
    [ -f "$model" ] || die "$model: no such file"
    [[ $patience =~ ^[0-9]{1,4}$ ]] || die "--wait is a number of seconds, not $patience"
    if command -v edge-lpdpl >/dev/null; then
        edge-lpdpl model verify "$model" --backend numpy || exit 2
    else
        say "edge-lpdpl is not installed here: $model is verified only there"
    fi
    if [ "$dry_run" = yes ]; then
        say "would copy $model to $host, verify and install it there, and reload the service"
        exit
    fi
    local digest size signature=/dev/null status=0
    [ ! -e "$model.sig" ] || signature=$model.sig
    digest=$(cat "$model" "$signature" | sha256sum | cut -d' ' -f1)
    size=$(wc -c <"$model")
    step "Copy to $host"
    remote true </dev/null || die "$host: cannot be reached by ssh"
    # Who is root there is asked there: nothing that the Pi answers becomes a part of a command.
    local run="bash -s $digest $size $patience"
    remote "if [ \"\$(id -u)\" = 0 ]; then exec $run; else sudo -n true && exec sudo -n $run; exit 2; fi" \
        < <(cat "$here/switch_model.sh" "$model" "$signature") || status=$?
    case $status in
    0) ;;
    1) exit 1 ;;
    255) die "$host: the connection broke; run this again, which also says what is installed there" ;;
    *) exit 2 ;;
    esac
}

# Run a command on the Pi. What it prints is shown as plain text: it cannot write to the terminal what moves or hides things.
remote() {
    # shellcheck disable=SC2029 # what is put in on this side is meant to be
    { ssh "${ssh_options[@]}" -- "$host" "$1" 2>&1 >&3 | plain >&2; } 3>&1 | plain
}

plain() { LC_ALL=C tr -cd '\n\40-\176'; }

main "$@"
