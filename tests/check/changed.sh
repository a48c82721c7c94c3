#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Prints which files clang-tidy and cppcheck look at: "analysis FILE" for each C file of src, hw and tables whose code changed
# lately, "tidy FILE" for each one that includes a header whose code did. Lately means: not committed, or changed by a commit
# of the two hours up to the last commit (the checks take much less than that). A file that only moved, or in which only
# comments, layout or the folders of headers changed, needs no analysis again. All C files are analysed when git cannot tell
# what changed, or when .clang-tidy changed.
#
#   tests/check/changed.sh [ROOT]
#
#   CUPEL_CHANGED_SINCE  a commit: what changed since then (default: the last commit that is 2 hours older than the newest)
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

# Asks git about the tree's own repository, never about one that contains the tree.
ask_git() {
    GIT_CEILING_DIRECTORIES=$(dirname "$PWD") git --no-optional-locks -c "safe.directory=$PWD" "$@" 2>/dev/null
}

all_files() {
    find src hw tables -name '*.c' 2>/dev/null | sort
}

# as WORD: writes the word before each line.
as() {
    sed "s/^/$1 /"
}

# Prints the commit from which changes count, or nothing where there is none.
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
# code_of: prints a file without comments, layout, #include lines and the guard of a header.
code_of() {
    gcc -fpreprocessed -dD -E -P -x c - 2>/dev/null |
        sed -E '/^ *# *include /d; /^ *# *(ifndef|define) CUPEL_[A-Z0-9_]*_H$/d' | tr -d '[:space:]'
}

# has_new_code OLD NEW: true when the code of file NEW differs from that of file OLD in the old commit.
has_new_code() {
    case $2 in
    *.[ch]) ;;
    *) return 0 ;;
    esac
    [ -e "$2" ] && command -v gcc >/dev/null || return 0
    ! cmp -s <(ask_git show "$since:./$1" | code_of) <(code_of <"$2")
}

changed=$(
    # Each line has, between tabs: the kind of change, the old path if the file moved, the path.
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
