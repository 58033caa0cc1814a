#!/usr/bin/env bash
# Settings of a Raspberry Pi that suit the service. Each shows its change before it is made; --undo takes back what was
# made here and nothing else. Without a setting it shows how things are.
#
#   sudo firmware_scripts/tune_pi.sh [OPTION...] [SETTING...]
#
#   --governor            the clock stays up between pictures: the first one after a pause is as fast as the others
#   --camera OVERLAY      a camera that is not found by itself: imx708, imx477, ov5647, ov9281, ... (auto: found by itself)
#   --headless            no desktop, no sound: more memory and a quicker start
#   --memory-limits       lets the kernel keep the service's MemoryMax= (cgroup_enable=memory)
#   --journal-in-memory   the journal is kept in memory: no writes to the SD card, and no past after a power cut
#   --hardware-watchdog   a Pi that hangs altogether starts anew after 15 s
#   --undo                take back all of them
#   --root FOLDER         an SD card that is mounted there, instead of this machine
#   --dry-run             show the changes, make none
#   --help
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

root='' undo=no overlay=''
settings=()

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --governor | --headless | --memory-limits | --journal-in-memory | --hardware-watchdog) settings+=("${1#--}") ;;
        --camera) need_value "$@" && overlay=$2 && settings+=(camera) && shift ;;
        --undo) undo=yes ;;
        --root) need_value "$@" && root=${2%/} && shift ;;
        --dry-run) dry_run=yes ;;
        --help | -h) usage && exit ;;
        *) die "unknown option $1; see --help" ;;
        esac
        shift
    done
    [[ $overlay =~ ^[a-z0-9,=_-]*$ ]] || die "--camera takes the name of an overlay, not $overlay"
    [ -z "$root" ] || [ -d "$root/etc" ] || die "$root is no root file system"
    boot=$root/boot/firmware
    [ -d "$boot" ] || boot=$root/boot
    notes=$root/var/lib/edge-lpdpl-tuning
    if [ "$undo" = yes ]; then
        need_root
        take_back
    elif [ ${#settings[@]} = 0 ]; then
        show
    else
        need_root
        local setting
        for setting in "${settings[@]}"; do
            step "${setting//-/ }"
            "set_${setting//-/_}"
        done
    fi
    if [ "$changed" = yes ] && [ "$dry_run" = no ]; then
        say "" && say "some of it needs a new start: sudo reboot"
    fi
}

show() {
    local file
    step "Clock"
    cat "$root"/sys/devices/system/cpu/cpufreq/policy*/scaling_governor 2>/dev/null | sort -u || say "not controlled"
    step "Firmware"
    grep -nE '^(camera_auto_detect|dtoverlay|dtparam=audio)' "$boot/config.txt" 2>/dev/null || say "no config.txt: no Pi"
    step "Kernel"
    grep -oE 'cgroup_[a-z]+=[a-z]+' "$boot/cmdline.txt" 2>/dev/null || say "no cgroup setting"
    step "Desktop"
    readlink "$root/etc/systemd/system/default.target" || say "the default"
    step "Set here"
    for file in "$root"/etc/{tmpfiles.d,systemd/journald.conf.d,systemd/system.conf.d}/edge-lpdpl-tuning.conf "$notes"/*; do
        [ ! -e "$file" ] || say "$file"
    done
}

set_governor() {
    write_file tmpfiles.d "w /sys/devices/system/cpu/cpufreq/policy*/scaling_governor - - - - performance"
    [ -n "$root" ] || run systemd-tmpfiles --create /etc/tmpfiles.d/edge-lpdpl-tuning.conf
}

set_camera() {
    local lines="camera_auto_detect=0
dtoverlay=$overlay"
    [ "$overlay" != auto ] || lines="camera_auto_detect=1"
    firmware camera "$lines"
}

set_headless() {
    firmware headless "dtparam=audio=off"
    local link=$root/etc/systemd/system/default.target target=/usr/lib/systemd/system/multi-user.target
    if [ "$(readlink "$link")" != $target ]; then
        changed=yes
        say "start to: $(basename "$(readlink "$link" || echo default)") -> multi-user.target"
        if [ "$dry_run" = no ]; then
            note default-target "$(readlink "$link" || true)"
            mkdir -p "$(dirname "$link")"
            ln -sfn $target "$link"
        fi
    fi
}

set_memory_limits() {
    [ -f "$boot/cmdline.txt" ] || die "$boot/cmdline.txt: no such file: no Raspberry Pi"
    if ! grep -qw cgroup_enable=memory "$boot/cmdline.txt"; then
        [ "$dry_run" = yes ] || note kernel-word cgroup_enable=memory
        sed '1s/$/ cgroup_enable=memory/' "$boot/cmdline.txt" | replace "$boot/cmdline.txt"
    fi
}

set_journal_in_memory() {
    write_file systemd/journald.conf.d "[Journal]
Storage=volatile
RuntimeMaxUse=16M"
    [ -n "$root" ] || run systemctl restart systemd-journald
}

set_hardware_watchdog() {
    write_file systemd/system.conf.d "[Manager]
RuntimeWatchdogSec=15s"
}

take_back() {
    local name word
    for name in tmpfiles.d systemd/journald.conf.d systemd/system.conf.d; do
        drop "$root/etc/$name/edge-lpdpl-tuning.conf"
    done
    if [ -f "$boot/config.txt" ]; then
        without_blocks "$boot/config.txt" | replace "$boot/config.txt"
    fi
    if [ -f "$notes/kernel-word" ]; then
        word=$(cat "$notes/kernel-word")
        sed "1s/ $word//" "$boot/cmdline.txt" | replace "$boot/cmdline.txt"
    fi
    if [ -f "$notes/default-target" ]; then
        say "start to: $(basename "$(cat "$notes/default-target")")"
        if [ "$dry_run" = no ]; then
            rm -f "$root/etc/systemd/system/default.target"
            [ ! -s "$notes/default-target" ] || ln -s "$(cat "$notes/default-target")" "$root/etc/systemd/system/default.target"
        fi
        changed=yes
    fi
    drop "$notes"
    if [ "$found" = no ] && [ "$changed" = no ]; then
        say "nothing was set here"
    elif [ "$dry_run" = no ]; then
        say "what had been set is as it was; the clock and the journal from the next start on"
    fi
}

# firmware NAME LINES: a marked block at the end of config.txt, for all models.
firmware() {
    local file=$boot/config.txt block="/^# edge-lpdpl $1 begin\$/,/^# edge-lpdpl $1 end\$/" lines
    [ -f "$file" ] || die "$file: no such file: no Raspberry Pi"
    lines=$(printf '# edge-lpdpl %s begin\n[all]\n%s\n# edge-lpdpl %s end' "$1" "$2" "$1")
    if [ "$(sed -n "${block}p" "$file")" != "$lines" ]; then
        if [ -n "$(tail -c 1 "$file")" ] && [ "$dry_run" = no ]; then
            note last-line-without-end config.txt
        fi
        # awk ends a last line that has no end, or the block would become a part of it.
        { sed "${block}d" "$file" | awk 1 && printf '%s\n' "$lines"; } | replace "$file"
    fi
}

# without_blocks FILE: what it holds but the blocks of `firmware`, to the byte.
without_blocks() {
    local blocks='/^# edge-lpdpl [a-z]* begin$/,/^# edge-lpdpl [a-z]* end$/d'
    if [ -f "$notes/last-line-without-end" ] && tail -n 1 "$1" | grep -q '^# edge-lpdpl [a-z]* end$'; then
        sed "$blocks" "$1" | head -c -1
    else
        sed "$blocks" "$1"
    fi
}

# write_file FOLDER TEXT: a drop-in of our own below /etc.
write_file() {
    local file=$root/etc/$1/edge-lpdpl-tuning.conf
    printf '# Made by tune_pi.sh; tune_pi.sh --undo removes it.\n%s\n' "$2" | replace "$file"
}

# replace FILE: show how it becomes what comes in, and do it, whole or not at all.
replace() {
    local file=$1 new
    new=$(mktemp)
    cat >"$new"
    if ! cmp -s "$new" "$file"; then
        changed=yes
        diff -u --label "$file" --label "$file" "$([ -f "$file" ] && echo "$file" || echo /dev/null)" "$new" || true
        if [ "$dry_run" = no ]; then
            mkdir -p "$(dirname "$file")"
            cp "$new" "$file.new"
            chmod 644 "$file.new"
            [ ! -e "$file" ] || chmod --reference="$file" "$file.new"
            sync "$file.new"
            mv "$file.new" "$file"
        fi
    fi
    rm -f "$new"
}

# note NAME TEXT: what has to be known to take it back; the first one counts.
note() {
    mkdir -p "$notes"
    [ -e "$notes/$1" ] || printf '%s\n' "$2" | sed '/^$/d' >"$notes/$1"
}

main "$@"
