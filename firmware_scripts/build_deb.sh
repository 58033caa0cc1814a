#!/usr/bin/env bash
# Builds the device part as a package for Debian 13 and its Raspberry Pi OS, any architecture: NumPy, numba and Pillow are
# Debian's own. It installs the service, starts it, and upgrades, removes and purges cleanly.
#
#   firmware_scripts/build_deb.sh [OPTION...]
#
#   --wheel FILE      take this wheel, not the checkout that the script is in
#   --output FOLDER   where edge-lpdpl_VERSION-REVISION_all.deb goes (dist)
#   --revision N      the package's own number, after that of the program (1)
#   --dry-run         say what would be done
#   --help
#
# Needs dpkg-deb and, without --wheel, Python's pip. On the Pi: sudo apt install ./edge-lpdpl_*_all.deb
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

wheel='' output=dist revision=1

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --wheel) need_value "$@" && wheel=$2 && shift ;;
        --output) need_value "$@" && output=$2 && shift ;;
        --revision) need_value "$@" && revision=$2 && shift ;;
        --dry-run) dry_run=yes ;;
        --help | -h) usage && exit ;;
        *) die "unknown option $1; see --help" ;;
        esac
        shift
    done
    [[ $revision =~ ^[0-9]{1,6}$ ]] || die "--revision is a number, not $revision"
    command -v dpkg-deb >/dev/null || die "needs dpkg-deb: sudo apt install dpkg"
    [ -z "$wheel" ] || [ -f "$wheel" ] || die "$wheel: no such file"
    if [ "$dry_run" = yes ]; then
        say "would build $output/edge-lpdpl_VERSION-${revision}_all.deb from ${wheel:-$checkout}"
        exit
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    tree=$work/tree
    if [ -z "$wheel" ]; then
        python3 -m pip --version >/dev/null 2>&1 || die "needs pip: sudo apt install python3-pip, or give --wheel FILE"
        build_wheel python3 "$work"
    fi
    place_program
    check_kernels
    place_service
    place_documentation
    control
    build
}

# The trainer stays on the workstation: what it needs is no dependency of the package.
place_program() {
    local packages=$tree/usr/lib/python3/dist-packages
    mkdir -p "$packages" "$tree/usr/bin"
    python3 -m zipfile --extract "$wheel" "$packages"
    rm -rf "$packages/train_host" "$packages"/edge_lpdpl-*.dist-info/RECORD
    sed -i '/^lpdpl-train/d' "$packages"/edge_lpdpl-*.dist-info/entry_points.txt
    version=$(sed -n 's/^Version: //p' "$packages"/edge_lpdpl-*.dist-info/METADATA | head -n 1)-$revision
    [[ $version =~ ^[0-9][0-9A-Za-z.+~]*-[0-9]+$ ]] || die "$wheel: its version is none of a package; build the wheel again"
    cat >"$tree/usr/bin/edge-lpdpl" <<'EOF'
#!/usr/bin/python3
import sys

from edge_lpdpl.commands.start import start

sys.exit(start())
EOF
    chmod 755 "$tree/usr/bin/edge-lpdpl"
}

# The Pi takes no machine code of other sources: it would compile for minutes, though the package seems to have all.
check_kernels() {
    local package=$tree/usr/lib/python3/dist-packages/edge_lpdpl digest file
    digest=$(python3 -I "$package/jit/store.py")
    for file in "$package"/jit/shipped_kernels/*.kernels; do
        [[ ! -e $file || $file == *-"$digest".kernels ]] ||
            die "${file##*/} was compiled from other sources: run \`make kernels\`, or remove edge_lpdpl/jit/shipped_kernels"
    done
}

place_service() {
    local from=$checkout/systemd shared=$tree/usr/share/edge-lpdpl
    install -D -m 644 "$from/edge-lpdpl.service" "$tree/usr/lib/systemd/system/edge-lpdpl.service"
    install -D -m 644 "$from/edge-lpdpl.sysusers" "$tree/usr/lib/sysusers.d/edge-lpdpl.conf"
    install -D -m 644 -t "$tree/usr/lib/systemd/system" "$from"/edge-lpdpl-web.{service,socket}
    install -D -m 644 "$from/edge-lpdpl-web.sysusers" "$tree/usr/lib/sysusers.d/edge-lpdpl-web.conf"
    install -D -m 644 "$from/edge-lpdpl.tmpfiles" "$tree/usr/lib/tmpfiles.d/edge-lpdpl.conf"
    install -D -m 644 "$from/edge-lpdpl.rules" "$tree/usr/lib/udev/rules.d/60-edge-lpdpl.rules"
    install -D -m 644 -t "$shared/systemd" "$from"/{strict,network,button}.conf
    install -D -m 755 -t "$shared/firmware_scripts" "$here"/{tune_pi,collect_report}.sh
    install -m 644 "$here"/{common,own_folders,in_sandbox}.sh "$shared/firmware_scripts"
}

place_documentation() {
    local folder=$tree/usr/share/doc/edge-lpdpl
    install -D -m 644 "$checkout/docs/install.md" "$folder/install.md"
    {
        echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
        echo "Upstream-Name: edge-lpdpl"
        printf '\nFiles: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' "$checkout/LICENSE")"
        sed -n '/^Permission/,$p' "$checkout/LICENSE" | sed 's/^$/./; s/^/ /'
    } >"$folder/copyright"
    printf 'edge-lpdpl (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- %s  %s\n' \
        "$version" "The edge-lpdpl authors <edge-lpdpl@localhost>" "$(date -R -u -d "@$(epoch)")" |
        gzip -9n >"$folder/changelog.Debian.gz"
}

control() {
    local scripts=$checkout/systemd/debian name
    mkdir -p "$tree/DEBIAN"
    cat >"$tree/DEBIAN/control" <<EOF
Package: edge-lpdpl
Version: $version
Architecture: all
Maintainer: The edge-lpdpl authors <edge-lpdpl@localhost>
Installed-Size: $(du -sk "$tree" | cut -f1)
Depends: python3 (>= 3.11), python3-numpy, python3-pil, python3-numba (>= 0.61), systemd (>= 254)
Recommends: python3-picamera2, openssh-client
Suggests: python3-paho-mqtt (>= 2), python3-prometheus-client, python3-gpiozero, python3-aiohttp
Section: science
Priority: optional
Description: handwritten numerals, read on a Raspberry Pi
 A service that looks through the camera, finds handwritten numerals (Chinese,
 Arabic-Indic or Latin) and says which they are: in the journal, on a Unix
 socket and over MQTT. The command edge-lpdpl reads pictures, too.
EOF
    for name in postinst prerm postrm; do
        install -m 755 "$scripts/$name" "$tree/DEBIAN/$name"
    done
}

# The date of the last change, so that the same source makes the same package.
epoch() { echo "${SOURCE_DATE_EPOCH:-$(git -C "$checkout" log -1 --format=%ct 2>/dev/null || date +%s)}"; }

build() {
    local package="$output/edge-lpdpl_${version}_all.deb"
    compgen -G "$tree/usr/lib/python3/dist-packages/edge_lpdpl/jit/shipped_kernels/*" >/dev/null ||
        say "no machine code in it: the Pi compiles for minutes when it is installed, unless \`make kernels\` ran before"
    find "$tree" -name __pycache__ -prune -exec rm -rf {} +
    find "$tree" -type d -exec chmod 755 {} +
    chmod -R go-w "$tree" # whatever umask it was built with
    mkdir -p "$output"
    SOURCE_DATE_EPOCH=$(epoch) dpkg-deb --root-owner-group --build "$tree" "$package" >/dev/null
    say "$package"
}

main "$@"
