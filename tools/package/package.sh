# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes packages of the built program. Nothing in them depends on the time, the place or the user of the build. build.sh
# sources this file, which uses build.sh's functions. No package has a script: installing it starts nothing and changes no
# setting.

summary='measure storage with statistics that can be trusted'
description='cupel measures disks, files and machines until the number can be trusted: it finds and leaves out the warm-up,
accounts for autocorrelation, and stops when the confidence interval is as narrow as asked. It probes links and limits, replays
and records traces, and judges whether a machine is what was paid for. One static binary.'

# make_packages: makes build/package anew, or leaves it as it was when a step fails.
make_packages() {
    local number architecture files
    number=$(built_version)
    number=${number//-/+}
    case $machine in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
    *) architecture=$machine ;;
    esac
    begin_scratch
    umask 022
    mkdir "$scratch/package"
    install_program "$scratch/tree" zsh/site-functions
    package_archive
    package_image
    package_deb
    package_rpm
    write "$scratch/package/cupel-$number-linux-$machine.spdx.json" cat "$scratch/tree/share/doc/cupel/cupel.spdx.json"
    # Packages for other machines are kept.
    mkdir -p build/package
    rm -f build/package/*"$machine"* build/package/*"$architecture"*
    mv "$scratch"/package/* build/package/
    end_scratch
    (cd build/package && files=(cupel*) && sha256sum "${files[@]}" >SHA256SUMS)
    (cd build/package && ls -l --time-style=+ cupel*) | awk '{ print "build/package/" $6 " (" int($5 / 1024) " KiB)" }' >&2
}

# deterministic_tar TAR FOLDER NAME...: makes a tar file in a fixed order, readable by everybody and owned by root.
deterministic_tar() {
    tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        -C "$2" -cf "$1" "${@:3}"
}

# Makes the archive: one folder, to be unpacked anywhere or over a prefix.
package_archive() {
    local folder=cupel-$number-linux-$machine
    mkdir -p "$scratch/archive"
    cp -R "$scratch/tree" "$scratch/archive/$folder"
    cp README.md LICENSE "$scratch/archive/$folder/"
    deterministic_tar "$scratch/archive.tar" "$scratch/archive" "$folder"
    gzip -9n <"$scratch/archive.tar" >"$scratch/package/$folder.tar.gz"
}

# ---- the container image: one layer with one file, its configuration and manifests, both in the format of `docker save` and
# in the OCI layout.

# blob FILE: renames the file to its SHA-256 and prints that.
blob() {
    local sum
    sum=$(sha256sum <"$1" | cut -d ' ' -f 1)
    mv "$1" "$scratch/image/blobs/sha256/$sum"
    echo "$sum"
}

package_image() {
    local layer layer_size config config_size manifest blobs=$scratch/image/blobs/sha256 reference=cupel:${number//+/-}
    mkdir -p "$scratch/layer/usr/bin" "$blobs"
    install -m 755 "$out/cupel" "$scratch/layer/usr/bin/cupel"
    deterministic_tar "$scratch/layer.tar" "$scratch/layer" usr
    layer_size=$(stat -c %s "$scratch/layer.tar")
    layer=$(blob "$scratch/layer.tar")
    cat >"$scratch/json" <<EOF
{"architecture":"$architecture","os":"linux","created":"$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)",
"config":{"Entrypoint":["/usr/bin/cupel"],"Cmd":["help"],"Env":["PATH=/usr/bin"],"WorkingDir":"/",
"Labels":{"org.opencontainers.image.title":"cupel","org.opencontainers.image.version":"$(built_version)",
"org.opencontainers.image.licenses":"GPL-3.0-or-later","org.opencontainers.image.description":"$summary"}},
"rootfs":{"type":"layers","diff_ids":["sha256:$layer"]}}
EOF
    config_size=$(stat -c %s "$scratch/json")
    config=$(blob "$scratch/json")
    cat >"$scratch/json" <<EOF
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config","size":$config_size},
"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":"sha256:$layer","size":$layer_size}]}
EOF
    config_size=$(stat -c %s "$scratch/json")
    manifest=$(blob "$scratch/json")
    cat >"$scratch/image/index.json" <<EOF
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json",
"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:$manifest","size":$config_size,
"platform":{"architecture":"$architecture","os":"linux"},
"annotations":{"io.containerd.image.name":"docker.io/library/$reference","org.opencontainers.image.ref.name":"${reference#*:}"}}]}
EOF
    echo '{"imageLayoutVersion":"1.0.0"}' >"$scratch/image/oci-layout"
    echo "[{\"Config\":\"blobs/sha256/$config\",\"RepoTags\":[\"$reference\"],\"Layers\":[\"blobs/sha256/$layer\"]}]" \
        >"$scratch/image/manifest.json"
    deterministic_tar "$scratch/package/cupel-$number-container-$machine.tar" "$scratch/image" blobs index.json manifest.json oci-layout
}

# ---- packages of distributions

# distribution_tree FOLDER ZSH: the files as a distribution has them below /usr: manual pages compressed, all with one time.
distribution_tree() {
    local tree=$1/usr
    mkdir -p "$1"
    cp -R "$scratch/tree" "$tree"
    if [ "$2" != zsh/site-functions ]; then
        mkdir -p "$tree/share/$2"
        mv "$tree/share/zsh/site-functions/_cupel" "$tree/share/$2/"
        rmdir "$tree/share/zsh/site-functions"
    fi
    gzip -9n "$tree"/share/man/man1/*.1
}

set_times() {
    find "$1" -print0 | xargs -0 touch -h -d "@$SOURCE_DATE_EPOCH"
}

package_deb() {
    local tree=$scratch/deb documents
    have dpkg-deb || return 0
    distribution_tree "$tree" zsh/vendor-completions
    documents=$tree/usr/share/doc/cupel
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/lintian/overrides"
    {
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: cupel\n\n'
        printf 'Files: *\nCopyright: 2026 the cupel developers, and those of the parts that cupel.spdx.json lists\nLicense: GPL-3+\n'
        printf ' On Debian systems the text of the GNU General Public License version 3 is in\n /usr/share/common-licenses/GPL-3.\n'
    } >"$documents/copyright"
    rm "$documents/LICENSE" # Debian's base system contains it
    {
        printf 'cupel (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$number"
        printf ' -- The cupel developers <cupel@localhost>  %s\n' "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
    } | gzip -9n >"$documents/changelog.gz"
    # Silences lintian on what is intended: one static file that needs nothing else, and no mail address in locally built
    # packages.
    printf 'cupel: %s\n' 'statically-linked-binary [usr/bin/cupel]' 'embedded-library *' 'bogus-mail-host *' \
        'bogus-mail-host-in-debian-changelog *' >"$tree/usr/share/lintian/overrides/cupel"
    find "$tree" -type d -exec chmod 755 {} +
    find "$tree" -type f -exec chmod 644 {} +
    chmod 755 "$tree/usr/bin/cupel"
    (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
    cat >"$tree/DEBIAN/control" <<EOF
Package: cupel
Version: $number
Architecture: $architecture
Maintainer: The cupel developers <cupel@localhost>
Installed-Size: $(installed_size "$tree/usr")
Section: utils
Priority: optional
Description: $summary
$(fold -s -w 76 <<<"${description//$'\n'/ }" | sed 's/^/ /; s/ *$//')
EOF
    set_times "$tree"
    dpkg-deb --root-owner-group -Zxz --build "$tree" "$scratch/package/cupel_${number}_$architecture.deb" >/dev/null
}

# installed_size FOLDER: prints KiB, from file sizes plus one KiB per folder, independent of this filesystem's block size.
installed_size() {
    find "$1" -printf '%y %s\n' | awk '{ kib += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print kib }'
}

package_rpm() {
    local tree=$scratch/rpm
    have rpmbuild || return 0
    distribution_tree "$tree" zsh/site-functions
    set_times "$tree"
    cat >"$scratch/cupel.spec" <<EOF
Name: cupel
Version: $number
Release: 1
Summary: $summary
License: GPL-3.0-or-later
AutoReqProv: no
%description
$description
%install
cp -a $tree/. %{buildroot}/
%files
$(cd "$tree" && find usr -type f -printf '/%p\n' | grep -v '/doc/' | sort)
%doc /usr/share/doc/cupel
EOF
    logged 'the .rpm' build/log/rpm.log rpmbuild -bb --nodeps --target "$machine-linux" --buildroot "$scratch/rpm-root" \
        --define "_topdir $scratch/rpmbuild" --define '_buildhost localhost' --define '_build_id_links none' \
        --define 'debug_package %{nil}' --define '__os_install_post %{nil}' --define 'source_date_epoch_from_changelog 0' \
        --define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
        --define '_binary_payload w9.xzdio' --define '_docdir /usr/share/doc' "$scratch/cupel.spec"
    mv "$scratch"/rpmbuild/RPMS/*/*.rpm "$scratch/package/"
}

# Makes all packages in build/package, for this machine or another. Those for which a tool is missing are left out and named.
cmd_package() {
    local variant=musl
    set_target "$@"
    (need "${tools_packages[@]}") || say "what they make is left out"
    [ $variant = musl ] || need "${tools_emulator[@]}" # for aarch64 the program prints its own pages in an emulator
    build_targets $variant binary
    set_source_date
    make_packages
}
