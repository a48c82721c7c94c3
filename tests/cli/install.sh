#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./build.sh install into a prefix of the test's own: the installed program runs, bash completes its command line, man shows
# its pages. uninstall removes all of it and nothing else.
#
# Slow: the library is built for the host's C library.
set -euo pipefail

case $CUPEL in
*/asan/* | */emulated/*)
    echo 'what is installed is the product'
    exit 77
    ;;
esac
command -v gcc >/dev/null || {
    echo 'gcc is not here, and the library needs it'
    exit 77
}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# build ARGUMENT...: runs build.sh with umask 077, as some users have it.
build() {
    (umask 077 && DESTDIR=$tree/root ./build.sh "$@") >"$tree/log" 2>&1
}

to=$tree/root/opt/cupel
mkdir -p "$to/bin" "$to/share/doc" "$to/include"
echo other >"$to/bin/other"
build install /opt/cupel || fail "$(cat "$tree/log")"
cmp "$CUPEL" "$to/bin/cupel" || fail 'another program than the one that was built is installed'
[ "$(cd "$tree" && env -i "$to/bin/cupel" --version)" = "$("$CUPEL" --version)" ] || fail 'it does not run as installed'
for name in share/man/man1/cupel.1 share/man/man1/cupel-run.1 share/doc/cupel/{README.md,LICENSE,cupel.spdx.json,docs/statistics.md}; do
    [ -s "$to/$name" ] || fail "$name is missing or empty"
    [ "$(stat -c %a "$to/$name")" = 644 ] || fail "not everybody can read $name"
done
[ "$(stat -c %a "$to/bin/cupel" "$to/share/doc/cupel" | sort -u)" = 755 ] || fail 'not everybody can run it'
for command in $("$CUPEL" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ -s "$to/share/man/man1/cupel-$command.1" ] || fail "cupel $command has no page"
done
if command -v man >/dev/null; then
    man -l "$to/share/man/man1/cupel-run.1" | grep -q 'measure a file' || fail 'man does not read its page'
fi
# shellcheck disable=SC2016 # for the other bash
found=$(bash --norc -c 'source "$1/share/bash-completion/completions/cupel"; COMP_WORDS=(cupel an) COMP_CWORD=1; _cupel
    echo "${COMPREPLY[*]}"' - "$to")
[ "$found" = analyze ] || fail "bash completes cupel an as '$found'"
head -n 1 "$to/share/zsh/site-functions/_cupel" | grep -qx '#compdef cupel' || fail 'zsh does not take its completion'
grep -q '^complete -c cupel' "$to/share/fish/vendor_completions.d/cupel.fish" || fail 'fish has no completion'

# ---- a second install over the first, then uninstall

build install --prefix=/opt/cupel || fail "$(cat "$tree/log")"
build uninstall --prefix /opt/cupel || fail "$(cat "$tree/log")"
[ "$(find "$tree/root" -type f)" = "$to/bin/other" ] || fail "after uninstall: $(find "$tree/root" -type f)"
[ "$(cd "$to" && find . -type d | sort | tr '\n' ' ')" = '. ./bin ./include ./share ./share/doc ' ] ||
    fail "other folders than those that were there: $(find "$to" -type d)"
build install --prefix /opt/made || fail "$(cat "$tree/log")"
echo other >"$tree/root/opt/made/share/fish/mine"
build uninstall --prefix /opt/made || fail "$(cat "$tree/log")"
[ "$(cd "$tree/root/opt/made" && find . | sort | tr '\n' ' ')" = '. ./share ./share/fish ./share/fish/mine ' ] ||
    fail "of a prefix that install made is left: $(find "$tree/root/opt/made")"
rm -r "$tree/root/opt/made"
build install --prefix /opt/made || fail "$(cat "$tree/log")"
build uninstall --prefix /opt/made || fail "$(cat "$tree/log")"
[ ! -e "$tree/root/opt/made" ] || fail "an empty prefix that install made is left: $(find "$tree/root/opt/made")"
! build uninstall --prefix /opt/cupel || fail 'what is not there was uninstalled'
grep -q 'nothing that ./build.sh install put there' "$tree/log" || fail "$(cat "$tree/log")"
mkdir -p "$to/share/doc/cupel"
echo ../bin/other >"$to/share/doc/cupel/installed"
! build uninstall --prefix /opt/cupel || fail 'a list that leads out of the prefix was followed'
[ -e "$to/bin/other" ] || fail 'a file outside of the prefix was removed'
