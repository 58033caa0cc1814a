# shellcheck shell=bash disable=SC2034
# Sourced by the scripts beside it: messages, --help from a script's own head, --dry-run, and files that are put once.
set -euo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(dirname "$here")
dry_run=no
changed=no # something was not yet as it should be
found=no   # something was there to be removed

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 2
}

step() { printf '\n== %s\n' "$*"; }

say() { printf '   %s\n' "$*"; }

# The comment at the head of the script, without the marks.
usage() { sed -n '2,/^[^#]/{/^#/!q;s/^# \{0,1\}//;p}' "$0"; }

# Run a command that changes something, or say that it would be.
run() {
    if [ "$dry_run" = yes ]; then
        say "would run: $*"
    else
        "$@"
    fi
}

need_root() {
    [ "$dry_run" = yes ] || [ "$(id -u)" = 0 ] || die "needs root: sudo $0"
}

# need_value "$@": the option in $1 has its value in $2.
need_value() {
    [ -n "${2:-}" ] || die "$1 needs a value; see --help"
}

# put FROM TO [MODE]: install a file where it differs from what is there.
put() {
    local from=$1 to=$2 mode=${3:-0644}
    if cmp -s "$from" "$to" && [ "$(stat -c %a "$to")" = "${mode#0}" ]; then
        return
    fi
    changed=yes
    say "$to"
    [ "$dry_run" = yes ] || install -D -m "$mode" "$from" "$to"
}

# drop PATH...: remove what is there.
drop() {
    local path
    for path in "$@"; do
        if [ -e "$path" ] || [ -L "$path" ]; then
            found=yes
            say "remove $path"
            [ "$dry_run" = yes ] || rm -rf -- "$path"
        fi
    done
}

# install_locked PYTHON LOCK [OPTION...]: the packages of a lock, each only if its file has a digest that the lock names.
install_locked() {
    local python=$1 lock=$checkout/locks/$2.txt
    "$python" -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --no-deps --only-binary :all: --require-hashes \
        "${@:3}" --requirement "$lock" || die "nothing was changed: pip did not install what $lock names, see above"
}

# build_wheel PYTHON FOLDER: set `wheel`, the checkout built by the locked tools. They are kept in the folder too.
build_wheel() {
    install_locked "$1" build --target "$2/tools"
    PYTHONPATH=$2/tools "$1" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
        --wheel-dir "$2" "$checkout"
    wheel=$(echo "$2"/edge_lpdpl-*.whl)
}

systemd_runs() { [ -d /run/systemd/system ]; }
