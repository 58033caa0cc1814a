#!/usr/bin/env bash
# Puts what a bug report needs into one archive, and nothing private: no picture, no decision, no name of a machine, a user,
# a network or a broker, no address, no serial number. Look into it before you send it.
#
#   firmware_scripts/collect_report.sh [OPTION...]
#
#   --output FILE.tar.gz   (edge-lpdpl-report-DATE.tar.gz)
#   --dry-run              say what would be collected
#   --help
#
# As root, or as a member of the groups edge-lpdpl and systemd-journal; what may not be read is left out and said.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

output=edge-lpdpl-report-$(date +%Y%m%d-%H%M%S).tar.gz
# As the service, where that is allowed: with the kernels that are compiled already, and what it can do.
as_service=''
if [ "$(id -u)" = 0 ] && getent passwd edge-lpdpl >/dev/null; then
    # shellcheck disable=SC2016 # $0 is the folder of the scripts, in the shell that runs the part
    as_service='bash "$0/in_sandbox.sh"'
fi
# shellcheck disable=SC2016
declare -A parts=(
    [system]="uname -srm; grep -E '^(NAME|VERSION)=' /etc/os-release; tr -d '\0' </proc/device-tree/model; free -m; df -h / /boot/firmware; uptime -p"
    [python]="edge-lpdpl --version; /opt/edge-lpdpl/bin/python -m pip list --disable-pip-version-check || dpkg-query -W python3 'python3-n*' python3-pil"
    [doctor]="$as_service edge-lpdpl doctor"
    [bench]="$as_service edge-lpdpl bench --json"
    [configuration]="edge-lpdpl config check; edge-lpdpl config show"
    [model]="edge-lpdpl model show /var/lib/edge-lpdpl/slots/current/model.safetensors --json; ls -lR /var/lib/edge-lpdpl"
    [unit]="systemctl cat edge-lpdpl; systemctl show edge-lpdpl -p ActiveState,SubState,Result,NRestarts,ExecMainStatus,MemoryCurrent,MemoryPeak,CPUUsageNSec,StatusText; systemd-analyze security --no-pager edge-lpdpl | tail -n 1"
    [status]="edge-lpdpl ask status"
    [journal]="journalctl -u edge-lpdpl -n 2000 --no-pager -o short-monotonic"
    [camera]="ls -l /dev/video* /dev/media* /dev/dma_heap; rpicam-hello --list-cameras; vcgencmd get_throttled; dpkg-query -W 'libcamera*' 'python3-picamera2'"
    [tuning]='"$0/tune_pi.sh"'
)

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --output) need_value "$@" && output=$2 && shift ;;
        --dry-run) dry_run=yes ;;
        --help | -h) usage && exit ;;
        *) die "unknown option $1; see --help" ;;
        esac
        shift
    done
    local part name
    if [ "$dry_run" = yes ]; then
        for part in "${!parts[@]}"; do say "$part: ${parts[$part]}"; done | sort
        exit
    fi
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    name=edge-lpdpl-report
    mapfile -t blots < <(private_words | sed -E 's/[][\\.*^$+?(){}|/]/\\&/g; s/.*/s\/&\/...\/g/')
    blots=("${blots[@]/#/--expression=}")
    mkdir "$folder/$name"
    for part in "${!parts[@]}"; do
        (timeout 60 bash -c "${parts[$part]}" "$here" 2>&1 || true) | without_private >"$folder/$name/$part.txt"
    done
    tar -C "$folder" --owner=0 --group=0 --numeric-owner -czf "$folder/done" "$name"
    # A new file: no link that lies there is followed.
    mv -fT "$folder/done" "$output" || die "$output: cannot be written"
    say "$output: $(find "$folder/$name" -type f | wc -l) parts, $(stat -c %s "$output") bytes; nothing was sent anywhere"
}

# Lines that say what was read go, and names and numbers that say whose machine it is are blotted out.
without_private() {
    local hex='[0-9a-fA-F]{1,4}'
    sed -E '/\{"time":/d; /^ *last( |:)/d; /^Status(Text)?=/s/last .*/last .../' |
        sed -E "${blots[@]}" \
            -e 's#/home/[^/ ]+#/home/NAME#g' \
            -e 's/([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}/MAC/g' \
            -e 's/\b([0-9]{1,3}\.){3}[0-9]{1,3}\b/ADDRESS/g' \
            -e "s/\b$hex(:$hex)*::$hex(:$hex)*\b/ADDRESS/g" \
            -e "s/\b$hex(:$hex)*::([^[:alnum:]:]|$)/ADDRESS\2/g" \
            -e "s/(^|[^[:alnum:]_:])::$hex(:$hex)*\b/\1ADDRESS/g" \
            -e "s/\b$hex(:$hex){3,7}\b/ADDRESS/g" \
            -e 's/[[:alnum:]._%+-]+@[[:alnum:]-]+\.[[:alnum:].-]+/MAIL/g' \
            -e 's/(Serial[^:]*: *|serial=)[0-9a-fA-F]+/\1.../g'
}

# Names of the machine and of people, and every text of the configuration that is not in the packaged one, wherever they
# turn up, with and without backslashes; long ones first, so that none is taken apart by a shorter one.
private_words() {
    {
        hostname
        awk -F: '$3 >= 1000 && $3 < 65000 {print $1}' /etc/passwd
        configured | sed -E 'p; s/\\(["\\])/\1/g' | sed -E 'p; s/["\\]/\\&/g' | sed 'p; s#.*/##' | grep -vxFf <(public_words) || true
    } | awk 'length >= 2 {print length, $0}' | sort -u | sort -rn | cut -d ' ' -f 2-
}

# Texts of the configuration in force. Where it cannot be read, a report is wanted all the more: so what stands in quotes in
# the files, too.
configured() {
    { edge-lpdpl config show 2>/dev/null || true; } | sed -nE 's/^[a-z_]+ = "(.*)"$/\1/p'
    { cat /etc/edge-lpdpl/config.toml /etc/edge-lpdpl/config.d/*.toml 2>/dev/null || true; } |
        grep -oE "\"[^\"]*\"|'[^']*'" | sed -E 's/^.(.*).$/\1/' || true
}

# Words that say nothing of anybody: those of the packaged configuration, and shipped models.
public_words() {
    { edge-lpdpl config show --default 2>/dev/null || true; } | grep -oE '[[:alnum:]./_-]+' || true
    printf '%s\n' arabic10 cheque15 chinese15 latin10
}

main "$@"
