#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints what clang-tidy and cppcheck have to look at: "analysis FILE" for each C file of src, hw and tables whose code changed
# lately, "tidy FILE" for those that include a header whose code did. Lately is what is not committed, and what the commits of two hours up to the
# last one changed, several times as long as the checks take. A file that moved, or in which only comments, layout or the places of
# headers changed, has no path that was not looked at. All C files are analysed, where git cannot say, or .clang-tidy changed.
#
#   tests/check/changed.sh [ROOT]
#
# CUPEL_CHANGED_SINCE  a commit: what changed since then (default: the last one that is 2 hours older than the newest)
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

# The tree's own history, not that of one around it.
ask_git() {
    GIT_CEILING_DIRECTORIES=$(dirname "$PWD") git --no-optional-locks -c "safe.directory=$PWD" "$@" 2>/dev/null
}

all_files() {
    find src hw tables -name '*.c' 2>/dev/null | sort
}

# as WORD: before each line.
as() {
    sed "s/^/$1 /"
}

# The commit that changes are looked for since; nothing where there is none.
base() {
    local newest
    if [ -n "${CUPEL_CHANGED_SINCE:-}" ]; then
        ask_git rev-parse --verify --quiet "$CUPEL_CHANGED_SINCE^{commit}"
    else
        newest=$(ask_git log -1 --format=%ct) || return 0
        ask_git rev-list -1 --before=$((newest - 2 * 3600)) HEAD
    fi
}

since=$(base) || {
    echo "CUPEL_CHANGED_SINCE=$CUPEL_CHANGED_SINCE is no commit here" >&2
    exit 1
}
if [ -z "$since" ]; then
    all_files | as analysis
    exit
fi
# code_of: what is left of a file without comments, layout, #include lines and the guard of a header.
code_of() {
    gcc -fpreprocessed -dD -E -P -x c - 2>/dev/null |
        sed -E '/^ *# *include /d; /^ *# *(ifndef|define) CUPEL_[A-Z0-9_]*_H$/d' | tr -d '[:space:]'
}

# has_new_code OLD NEW: the code of NEW differs from that of OLD as it was.
has_new_code() {
    case $2 in
    *.[ch]) ;;
    *) return 0 ;;
    esac
    [ -e "$2" ] && command -v gcc >/dev/null || return 0
    ! cmp -s <(ask_git show "$since:./$1" | code_of) <(code_of <"$2")
}

changed=$(
    # A path; before it, tab by tab, what happened to it, and its old path if it moved.
    ask_git diff --name-status --find-renames=30% --relative "$since" -- | while IFS=$'\t' read -r status old new; do
        case $status in
        [MR]*) ! has_new_code "$old" "${new:-$old}" || echo "${new:-$old}" ;;
        *) echo "${new:-$old}" ;;
        esac
    done
    ask_git ls-files --others --exclude-standard
)
if grep -qx '\.clang-tidy' <<<"$changed"; then
    all_files | as analysis
    exit
fi
includes=$(sed -n -e 's,^src/\(.*\.h\)$,#include "\1",p' -e 's,^.*\.h$,#include "&",p' <<<"$changed")
{
    all_files | grep -Fx -f <(printf '%s\n' "$changed") | as analysis || true
    [ -z "$includes" ] || all_files | tr '\n' '\0' | xargs -0 -r grep -lF -f <(printf '%s\n' "$includes") | as tidy || true
} | sort | awk '!seen[$2]++'
