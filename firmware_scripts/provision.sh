#!/usr/bin/env bash
# Makes a Raspberry Pi read numerals from its camera, now and after every start. Running it again upgrades.
#
#   sudo firmware_scripts/provision.sh [OPTION...]
#
#   --wheel FILE   install this wheel, not the checkout that the script is in
#   --network      may use the local network: MQTT, metrics, webhooks (systemd/network.conf)
#   --button       may use a button at a GPIO (systemd/button.conf)
#   --web          the page in the browser, for users of this machine (systemd/edge-lpdpl-web.socket)
#   --strict       no code is ever made: NumPy computes (systemd/strict.conf; always so on 32-bit systems)
#   --no-start     install and enable, but do not start
#   --remove       undo: service, program, user; configuration and models of yours are kept
#   --purge        with --remove: those too
#   --dry-run      say what would be done
#   --help
#
# Needs Debian 13 or Raspberry Pi OS of the same age (systemd 254 or newer), and PyPI for what locks/ names: numba,
# and the tools that build the wheel. A file with another digest than the lock's is refused. The program goes to
# /opt/edge-lpdpl, the command to /usr/local/bin. Packages that apt installed stay after --remove.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

prefix=/opt/edge-lpdpl # a link to the program in use, which lies beside it
command=/usr/local/bin/edge-lpdpl
unit=/etc/systemd/system/edge-lpdpl.service
drop_ins=$unit.d
cache=/var/cache/edge-lpdpl
state=/var/lib/edge-lpdpl
configuration=/etc/edge-lpdpl
documentation=/usr/share/doc/edge-lpdpl

wheel='' start=yes remove=no purge=no
declare -A wanted=([strict]=no [network]=no [button]=no [web]=no)

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --wheel) need_value "$@" && wheel=$2 && shift ;;
        --network | --button | --strict | --web) wanted[${1#--}]=yes ;;
        --no-start) start=no ;;
        --remove) remove=yes ;;
        --purge) purge=yes ;;
        --dry-run) dry_run=yes ;;
        --help | -h) usage && exit ;;
        *) die "unknown option $1; see --help" ;;
        esac
        shift
    done
    need_root
    umask 022 # the service reads what root installs
    if [ "$remove" = yes ]; then
        remove_everything
        exit
    fi
    [ "$purge" = no ] || die "--purge goes with --remove"
    check_system
    install_packages
    install_program
    install_service
    [ "${wanted[strict]}" = yes ] || warm_kernels
    examine
    start_service
    remove_old_programs
}

check_system() {
    step "This machine"
    command -v apt-get systemctl >/dev/null || die "needs apt and systemd: Debian 13 or Raspberry Pi OS"
    local version
    version=$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
    [ "$version" -ge 254 ] || die "systemd $version does not know Type=notify-reload: use Debian 13 or its Raspberry Pi OS"
    if [ "${wanted[button]}" = yes ] && ! getent group gpio >/dev/null; then
        die "no group gpio here: --button needs Raspberry Pi OS"
    fi
    if [ "$(getconf LONG_BIT)" = 32 ]; then
        say "32 bits: there is no numba, NumPy computes"
        wanted[strict]=yes
    fi
    if [ -z "$wheel" ]; then
        [ -f "$checkout/pyproject.toml" ] || die "$checkout is no checkout of edge-lpdpl: give --wheel FILE"
    else
        [ -f "$wheel" ] || die "$wheel: no such file"
    fi
    say "$(uname -m), systemd $version"
}

install_packages() {
    step "Packages"
    local packages=(python3-venv python3-numpy python3-pil openssh-client) missing=() package
    # An installation that was cut off.
    [ -z "$(dpkg --audit)" ] || DEBIAN_FRONTEND=noninteractive run dpkg --configure --pending || true
    run apt-get -qq -o DPkg::Lock::Timeout=300 update
    if apt-cache show python3-picamera2 2>/dev/null | grep -q .; then
        packages+=(python3-picamera2)
    else
        say "no python3-picamera2 in this archive (Raspberry Pi OS has it): pictures can be read, a camera cannot"
    fi
    [ "${wanted[button]}" = no ] || packages+=(python3-gpiozero)
    [ "${wanted[network]}" = no ] || packages+=(python3-paho-mqtt python3-prometheus-client)
    [ "${wanted[web]}" = no ] || packages+=(python3-aiohttp)
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    if [ ${#missing[@]} = 0 ]; then
        say "all there"
        return
    fi
    DEBIAN_FRONTEND=noninteractive run apt-get -qq -y -o DPkg::Lock::Timeout=300 install --fix-broken --no-install-recommends "${missing[@]}"
}

# An environment that sees apt's packages, so that picamera2 is there and its NumPy is not replaced by another. It is built
# beside the one in use and named after what is in it; a link that is replaced in one step says which one that is. So a
# run that is cut off anywhere leaves the old program, and the next run begins anew.
install_program() {
    step "Program"
    local program
    if [ "$dry_run" = yes ]; then
        say "would install ${wheel:-$checkout} into $prefix"
        return
    fi
    program=$prefix-$(digest_of_program)
    if [ "$(readlink $prefix)" = "${program##*/}" ] && $prefix/bin/edge-lpdpl --version >/dev/null 2>&1; then
        say "$($prefix/bin/edge-lpdpl --version) is there already"
    else
        changed=yes
        rm -rf "$program"
        python3 -m venv --system-site-packages "$program"
        [ "$(getconf LONG_BIT)" = 32 ] || install_locked "$program/bin/python" pi
        [ -n "$wheel" ] || build_wheel "$program/bin/python" "$program/build"
        "$program/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-index "$wheel"
        rm -rf "$program/build"
        "$program/bin/edge-lpdpl" --version | sed 's/^/   /'
        sync --file-system "$program"
        link "${program##*/}" $prefix
    fi
    if [ "$(readlink $command)" != $prefix/bin/edge-lpdpl ]; then
        link $prefix/bin/edge-lpdpl $command
    fi
}

# Sixteen digits that change with the program and with the Python that runs it.
digest_of_program() {
    {
        python3 --version
        if [ -n "$wheel" ]; then
            cat "$wheel" "$checkout/locks/pi.txt"
        else
            tar -C "$checkout" --sort=name --mtime=@0 --owner=0 --group=0 --exclude=__pycache__ --create --file=- \
                pyproject.toml README.md LICENSE edge_lpdpl locks train_host
        fi
    } | sha256sum | cut -c 1-16
}

# link TARGET LINK: in one step, so that the command is there at every moment. In older versions $prefix was the
# environment itself: then the two change places.
link() {
    local exchange=--force
    [ -L "$2" ] || [ ! -d "$2" ] || exchange=--exchange
    rm -rf -- "$2.new"
    ln -sT "$1" "$2.new"
    mv $exchange -T "$2.new" "$2"
    rm -rf -- "$2.new"
}

install_service() {
    step "Service, user, devices"
    put "$checkout/systemd/edge-lpdpl.sysusers" /usr/lib/sysusers.d/edge-lpdpl.conf
    put "$checkout/systemd/edge-lpdpl.tmpfiles" /usr/lib/tmpfiles.d/edge-lpdpl.conf
    put "$checkout/systemd/edge-lpdpl.rules" /usr/lib/udev/rules.d/60-edge-lpdpl.rules
    put "$checkout/systemd/edge-lpdpl.service" $unit
    put "$checkout/docs/install.md" $documentation/install.md
    local name
    for name in strict network button; do
        if [ "${wanted[$name]}" = yes ]; then
            put "$checkout/systemd/$name.conf" $drop_ins/$name.conf
        elif [ -e $drop_ins/$name.conf ]; then
            changed=yes
            drop $drop_ins/$name.conf
        fi
    done
    run systemd-sysusers /usr/lib/sysusers.d/edge-lpdpl.conf
    if [ "${wanted[web]}" = yes ]; then
        put "$checkout/systemd/edge-lpdpl-web.sysusers" /usr/lib/sysusers.d/edge-lpdpl-web.conf
        put "$checkout/systemd/edge-lpdpl-web.service" ${unit%.service}-web.service
        put "$checkout/systemd/edge-lpdpl-web.socket" ${unit%.service}-web.socket
        run systemd-sysusers /usr/lib/sysusers.d/edge-lpdpl-web.conf
    else
        remove_web
    fi
    if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
        run usermod -aG edge-lpdpl -- "$SUDO_USER" # may use the socket
    fi
    if systemd_runs; then
        run systemctl daemon-reload
    fi
    run bash "$here/own_folders.sh"
    if systemd_runs; then
        run udevadm control --reload 2>/dev/null || say "no udev here"
        run udevadm trigger --subsystem-match=dma_heap 2>/dev/null || true
    fi
}

# What --web installed; a token that was made goes, too.
remove_web() {
    [ -e ${unit%.service}-web.socket ] || return 0
    if systemd_runs; then
        run systemctl --quiet disable --now edge-lpdpl-web.socket
        run systemctl --quiet stop edge-lpdpl-web.service
    fi
    drop /etc/systemd/system/sockets.target.wants/edge-lpdpl-web.socket ${unit%.service}-web.socket ${unit%.service}-web.service
    drop /usr/lib/sysusers.d/edge-lpdpl-web.conf $state-web
    if getent passwd edge-lpdpl-web >/dev/null; then
        run userdel edge-lpdpl-web
    fi
    if getent group edge-lpdpl-web >/dev/null; then
        run groupdel edge-lpdpl-web
    fi
}

in_sandbox() { run bash "$here/in_sandbox.sh" "$@"; }

warm_kernels() {
    step "Kernels (some minutes on a Pi Zero 2 W, the first time)"
    in_sandbox --to-cache $command warm
}

examine() {
    step "Doctor"
    local backend=auto
    [ "${wanted[strict]}" = no ] || backend=numpy
    in_sandbox $command doctor || die "mend what the doctor found, then run this again"
    step "Bench"
    in_sandbox $command bench --backend $backend
}

start_service() {
    step "Start"
    run systemctl --quiet enable edge-lpdpl
    if [ "${wanted[web]}" = yes ]; then
        run systemctl --quiet enable edge-lpdpl-web.socket
        if [ "$start" = yes ] && systemd_runs; then
            run systemctl --quiet stop edge-lpdpl-web.service # it may be an older one
            run systemctl restart edge-lpdpl-web.socket
            say "the page is at http://127.0.0.1:8017/"
        fi
    fi
    if [ "$start" = no ] || ! systemd_runs; then
        say "enabled; it starts with the machine"
        return
    fi
    if [ "$changed" = no ] && systemctl --quiet is-active edge-lpdpl; then
        say "it runs already, unchanged"
        return
    fi
    if run systemctl restart edge-lpdpl; then
        say "it runs: journalctl -fu edge-lpdpl shows what it reads"
        return
    fi
    local then="it goes on trying"
    [ "$(systemctl show -P ActiveState edge-lpdpl)" != failed ] || then="mend what it says and run this again"
    printf '\n%s: installed, but the service does not run yet; %s:\n' "${0##*/}" "$then" >&2
    journalctl --no-pager -o cat -n 5 _SYSTEMD_UNIT=edge-lpdpl.service >&2 || true
    exit 1
}

# Only now: until it was started anew, the service used the old one.
remove_old_programs() {
    local program
    for program in "$prefix"-????????????????; do
        [ ! -e "$program" ] || [ "${program##*/}" = "$(readlink $prefix)" ] || run rm -rf "$program"
    done
}

remove_everything() {
    step "Remove"
    remove_web
    if systemd_runs && [ -e $unit ]; then
        run systemctl --quiet disable --now edge-lpdpl
    fi
    drop /etc/systemd/system/multi-user.target.wants/edge-lpdpl.service $unit
    drop $drop_ins/{strict,network,button}.conf
    [ ! -d $drop_ins ] || run rmdir --ignore-fail-on-non-empty $drop_ins
    drop /usr/lib/sysusers.d/edge-lpdpl.conf /usr/lib/tmpfiles.d/edge-lpdpl.conf /usr/lib/udev/rules.d/60-edge-lpdpl.rules
    drop $command $command.new $prefix $prefix.new $prefix-???????????????? $cache $documentation /run/edge-lpdpl
    if [ "$purge" = yes ]; then
        drop $configuration $state $state-hands $state-log $state-collected
    else
        local folder
        for folder in $configuration/config.d $configuration $state; do
            [ ! -d "$folder" ] || run rmdir --ignore-fail-on-non-empty "$folder"
        done
    fi
    if systemd_runs; then
        run systemctl daemon-reload
    fi
    [ "$found" = yes ] || say "nothing of it is here"
    if [ "$dry_run" = no ] && [ -e $configuration ]; then
        say "kept: $configuration (--purge removes it)"
    fi
    if [ "$dry_run" = no ] && [ -e $state ]; then
        say "kept: $state with its owner (--purge removes it)"
        return
    fi
    if getent passwd edge-lpdpl >/dev/null; then
        say "remove the user edge-lpdpl"
        run userdel edge-lpdpl
    fi
    local group
    for group in edge-lpdpl edge-lpdpl-listen; do
        if getent group $group >/dev/null; then
            run groupdel $group
        fi
    done
}

main "$@"
