#!/usr/bin/env bash
# Brings a model to a Pi on which the service runs: copied, verified there, switched at once, reloaded. If the service does
# not read on with it, what was installed before is put back.
#
#   firmware_scripts/deploy_model.sh [OPTION...] MODEL.safetensors [USER@]HOST
#
#   --ssh OPTION   for ssh, repeatable: --ssh -p2222 --ssh -i~/.ssh/pi
#   --wait N       seconds that the service has to read on with the new model (30)
#   --dry-run      verify the model here if edge-lpdpl is installed, and say what would be done
#   --help
#
# Needs ssh, and on the Pi either root or sudo without a password. Status 1: that was done.
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
    local digest
    digest=$(sha256sum <"$model" | cut -d' ' -f1)
    step "Copy to $host"
    local there
    there=$(remote 'umask 077; mktemp -d') || die "$host: cannot be reached by ssh"
    # shellcheck disable=SC2064 # the folder of now
    trap "remote 'rm -rf $there' || true" EXIT
    remote "cat >$there/new.safetensors" <"$model" || die "$host: the model could not be copied"
    remote "$(root_there) bash -s $there/new.safetensors $digest $patience" <"$here/switch_model.sh"
}

# shellcheck disable=SC2029 # what is put in on this side is meant to be
remote() { ssh "${ssh_options[@]}" "$host" "$@"; }

# Nothing where we are root there, else sudo.
# shellcheck disable=SC2016 # which is asked on that side
root_there() { remote '[ "$(id -u)" = 0 ] || echo sudo -n'; }

main "$@"
