# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# How each library of tools/libraries is built.
#
# A recipe runs in the unpacked source. $CC is a wrapper that adds the flags; archives are written to $OUT/lib, headers to
# $OUT/include. Each recipe is part of the cache's key, so a change of it builds the library again.

recipe_liburing() {
    ./configure --cc="$CC"
    make -j "$jobs" -C src liburing.a
    cp src/liburing.a "$OUT/lib/"
    cp -R src/include/. "$OUT/include/"
}

# Compiles only linear algebra and the minimisers, from the lists in GSL's Makefile.am files and without libtool. That takes a
# small part of the time of a full build.
recipe_gsl() {
    local folder
    ./configure --disable-shared --disable-dependency-tracking --host="${TARGET:?}" CC="$CC"
    mkdir -p "$OUT/include/gsl"
    cp gsl_*.h ./*/gsl_*.h "$OUT/include/gsl/"
    for folder in err sys complex block vector matrix permutation blas cblas linalg min multimin poly; do
        mkdir -p "objects/$folder"
        sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' $folder/Makefile.am |
            sed -n 's/^libgsl[a-z]*_la_SOURCES *=//p' | tr -s '[:blank:]' '\n' | sed -n "s,.*\.c\$,$PWD/$folder/&,p" |
            (cd "objects/$folder" && xargs -n 8 -P "$jobs" "$CC" -w -DHAVE_CONFIG_H -I../.. -I"$OUT/include" -c)
    done
    ar qcs "$OUT/lib/libgsl.a" objects/*/*.o
}

# Only the access methods that read /sys and dump files: the others use I/O ports and the machine's memory.
recipe_pciutils() {
    local flags=(CC="$CC" HOST="${TARGET:?}" OPT=-O2 ZLIB=no DNS=no HWDB=no SHARED=no LIBKMOD=no)
    make "${flags[@]}" lib/config.h
    sed -i '/PCI_HAVE_PM_LINUX_SYSFS\|PCI_HAVE_PM_DUMP/!{/PCI_HAVE_PM_/d}' lib/config.h lib/config.mk
    make "${flags[@]}" lib/libpci.a
    mkdir "$OUT/include/pci"
    cp lib/libpci.a "$OUT/lib/"
    cp lib/pci.h lib/header.h lib/config.h lib/types.h "$OUT/include/pci/"
}

recipe_lm-sensors() {
    make CC="$CC" CFLAGS=-O2 BUILD_SHARED_LIB=0 lib/libsensors.a
    mkdir "$OUT/include/sensors"
    cp lib/libsensors.a "$OUT/lib/"
    cp lib/sensors.h lib/error.h "$OUT/include/sensors/"
}

# Only decompression and checksums.
recipe_zlib() {
    "$CC" -DHAVE_UNISTD_H -c adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c
    ar qcs "$OUT/lib/libz.a" ./*.o
    cp zlib.h zconf.h "$OUT/include/"
}

# Only the arithmetic of Ed25519 and the two hashes. The empty header says that no other library has Ed25519.
recipe_tinyssh() {
    : >haslib25519.h
    "$CC" -I. -Icryptoint -c fe25519.c fe.c ge25519.c sc25519.c cleanup.c crypto_verify_32.c crypto_hash_sha256.c \
        crypto_hash_sha512_tinyssh.c cryptoint/int16_optblocker.c
    ar qcs "$OUT/lib/libtinyssh.a" ./*.o
    mkdir "$OUT/include/tinyssh"
    cp haslib25519.h fe.h ge25519.h sc25519.h crypto_hash_sha256.h crypto_hash_sha512.h cryptoint/crypto_uint{32,64}.h \
        "$OUT/include/tinyssh/"
}

# Compiles nothing. The licence is put into every page together with the script.
recipe_node-uplot() {
    # shellcheck disable=SC2016 # awk's
    local files=usr/share/nodejs/uplot licence=(awk '/^Files:/ { ours = !/debian/ } ours && /^Copyright:/
        text { sub(/^ \.?/, ""); print } !before && /^License:/ { text = 1 } { before = $0 }' usr/share/doc/node-uplot/copyright)
    [ -d $files ] || files=. licence=(cat LICENSE) # npm's
    {
        echo '/*! uPlot'
        "${licence[@]}"
        echo '*/'
        cat $files/dist/uPlot.iife.min.js
    } >"$OUT/uplot.js"
    cp $files/dist/uPlot.min.css "$OUT/uplot.css"
}
