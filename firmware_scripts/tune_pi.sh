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
#   --root FOLDER         an SD card that is mounted there, instead of this machine; its links lead to places on it
#   --dry-run             show the changes, make none
#   --help
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

root='' undo=no overlay=''
kernel_word=cgroup_enable=memory
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
    [ -z "$root" ] || [ -d "$(inside etc)" ] || die "$root is no root file system"
    local boot=boot/firmware
    [ -d "$(inside $boot)" ] || boot=boot
    config=$(inside $boot/config.txt)
    kernel=$(inside $boot/cmdline.txt)
    notes=$(inside var/lib/edge-lpdpl-tuning)
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

# inside PATH: where PATH of the card, or of this machine, is found here. The card's links lead where they would if it had
# started: to places on it, and never to this machine's own.
inside() {
    local rest=$1 at='' part target links=0
    while [ -n "$rest" ]; do
        part=${rest%%/*}
        rest=${rest#"$part"} rest=${rest#/}
        case $part in
        '' | .) ;;
        ..) at=${at%/*} ;;
        *)
            if [ -L "$root$at/$part" ]; then
                [ $((links += 1)) -le 40 ] || die "$root/$1: its links lead nowhere; look at the card"
                target=$(readlink "$root$at/$part")
                rest=$target/$rest
                [[ $target != /* ]] || at=''
            else
                at+=/$part
            fi
            ;;
        esac
    done
    printf '%s\n' "$root$at"
}

show() {
    local file folder
    step "Clock"
    folder=$(inside sys/devices/system/cpu/cpufreq)
    for file in "$folder"/policy*; do
        file=$(inside "${file#"$root"}/scaling_governor")
        [ ! -f "$file" ] || cat "$file"
    done | sort -u | grep . || say "not controlled"
    step "Firmware"
    { [ -f "$config" ] && grep -nE '^(camera_auto_detect|dtoverlay|dtparam=audio)' "$config"; } || say "no config.txt: no Pi"
    step "Kernel"
    { [ -f "$kernel" ] && grep -oE 'cgroup_[a-z]+=[a-z]+' "$kernel"; } || say "no cgroup setting"
    step "Desktop"
    readlink "$(default_target)" || say "the default"
    step "Set here"
    for file in "$(drop_in tmpfiles.d)" "$(drop_in systemd/journald.conf.d)" "$(drop_in systemd/system.conf.d)" "$notes"/*; do
        [ ! -e "$file" ] || say "$file"
    done
}

# A link itself, on which more depends than where it leads.
default_target() { inside etc/systemd/system | sed 's|$|/default.target|'; }

drop_in() { inside "etc/$1/edge-lpdpl-tuning.conf"; }

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
    local link old target=/usr/lib/systemd/system/multi-user.target
    link=$(default_target)
    old=$(readlink "$link" || true)
    if [ "$old" != $target ]; then
        changed=yes
        say "start to: $(basename -- "${old:-default}") -> multi-user.target"
        if [ "$dry_run" = no ]; then
            note default-target "$old"
            mkdir -p "$(dirname "$link")"
            ln -sfnT $target "$link"
        fi
    fi
}

set_memory_limits() {
    [ -f "$kernel" ] || die "$kernel: no such file: no Raspberry Pi"
    if ! grep -qw $kernel_word "$kernel"; then
        [ "$dry_run" = yes ] || note kernel-word $kernel_word
        sed "1s/\$/ $kernel_word/" "$kernel" | replace "$kernel"
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
    local name link target
    target=$(noted default-target)
    [[ $target =~ ^([[:alnum:]/][[:alnum:]/._@-]{0,200})?$ ]] || die "$notes/default-target: names no target; remove it"
    for name in tmpfiles.d systemd/journald.conf.d systemd/system.conf.d; do
        drop "$(drop_in $name)"
    done
    if [ -f "$config" ]; then
        without_blocks "$config" | replace "$config"
    fi
    # Compared only: a word of the card may be a program.
    if [ "$(noted kernel-word)" = $kernel_word ] && [ -f "$kernel" ]; then
        sed "1s/ $kernel_word//" "$kernel" | replace "$kernel"
    fi
    if [ -f "$(inside "${notes#"$root"}/default-target")" ]; then
        say "start to: $(basename -- "${target:-default}")"
        if [ "$dry_run" = no ]; then
            link=$(default_target)
            rm -f "$link"
            [ -z "$target" ] || ln -sT "$target" "$link"
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
    local file=$config block="/^# edge-lpdpl $1 begin\$/,/^# edge-lpdpl $1 end\$/" lines
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
    if [ -n "$(noted last-line-without-end)" ] && tail -n 1 "$1" | grep -q '^# edge-lpdpl [a-z]* end$'; then
        sed "$blocks" "$1" | head -c -1
    else
        sed "$blocks" "$1"
    fi
}

# write_file FOLDER TEXT: a drop-in of our own below /etc.
write_file() {
    local file
    file=$(drop_in "$1")
    printf '# Made by tune_pi.sh; tune_pi.sh --undo removes it.\n%s\n' "$2" | replace "$file"
}

# replace FILE: show how it becomes what comes in, and do it, whole or not at all.
replace() {
    local file=$1 new part
    [ ! -e "$file" ] || [ -f "$file" ] || die "$file: is no ordinary file"
    new=$(mktemp)
    cat >"$new"
    if ! cmp -s "$new" "$file"; then
        changed=yes
        diff -u --label "$file" --label "$file" "$([ -f "$file" ] && echo "$file" || echo /dev/null)" "$new" || true
        if [ "$dry_run" = no ]; then
            mkdir -p "$(dirname "$file")"
            part=$(mktemp "$file.XXXXXX") # a new file: no link that lies there is followed
            cat "$new" >"$part"
            chmod 644 "$part"
            [ ! -e "$file" ] || chmod --reference="$file" "$part"
            sync "$part"
            mv -fT "$part" "$file"
        fi
    fi
    rm -f "$new"
}

# note NAME TEXT: what has to be known to take it back; the first one counts.
note() {
    local file
    file=$(inside "${notes#"$root"}/$1")
    mkdir -p "$notes"
    [ -e "$file" ] || printf '%s\n' "$2" | sed '/^$/d' >"$file"
}

# noted NAME: what `note` kept, of an ordinary file only.
noted() {
    local file
    file=$(inside "${notes#"$root"}/$1")
    [ ! -f "$file" ] || head -c 1000 "$file" | tr -d '\0'
}

# Names and texts of a card cannot write to the terminal what moves or hides things.
main "$@" | cat -v
