#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion, in each shell as it completes by itself: commands, options, values, files; and every word that it offers is
# one that the command takes.
# Slow: a zsh on a terminal of its own for each line.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

LC_ALL=C.UTF-8
HOME=$FOLDER
export LC_ALL HOME
mkdir cwd cwd/folder
: >cwd/trace.csv
for shell in bash zsh fish; do
    status 0 help --completion $shell
    cp out script.$shell
done

# Prints the candidates for the command line WORD..., of which the last is not finished, one a line.
cat >ask.bash <<'END'
source ../script.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_cupel
printf '%s\n' "${COMPREPLY[@]}"
END
# The completion of an interactive shell on a terminal of its own: what it would add is kept in a file.
cat >setup.zsh <<'END'
PROMPT= RPROMPT= PS2=
stty -echo
fpath=($FOLDER/functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
    local -a hits
    case " ${@[1,(i)(-|--)]} " in
    *' -'[OAD]' '*) builtin compadd "$@"; return ;;
    esac
    builtin compadd -A hits "$@"
    print -rl -- $hits >>$FOLDER/found
    builtin compadd "$@"
}
complete-and-say() { zle complete-word; : >$FOLDER/completed }
zle -N complete-and-say
bindkey '^I' complete-and-say
print REA""DY
END
cat >ask.zsh <<'END'
zmodload zsh/zpty
export FOLDER
: >$FOLDER/found
rm -f $FOLDER/completed
zpty terminal zsh -f -i
zpty -w terminal "source $FOLDER/setup.zsh"
while zpty -r terminal line; do [[ $line == *READY* ]] && break; done
zpty -w -n terminal "$*"$'\t'
for ((i = 0; i < 200; i++)); do [[ -e $FOLDER/completed ]] && break; sleep .05; done
zpty -d terminal
cat $FOLDER/found
END
mkdir functions
cp script.zsh functions/_cupel
cat >ask.fish <<'END'
source ../script.fish
complete -C (string join ' ' -- $argv) | string replace -r '\t.*' ''
END

# The candidates of the shell $shell, sorted; of zsh and fish without what they add after a list or before it.
ask() {
    case $shell in
    bash) (cd cwd && bash --norc ../ask.bash "$@") ;;
    zsh) (cd cwd && FOLDER=$FOLDER timeout 30 zsh -f ../ask.zsh "$*") ;;
    fish) (cd cwd && timeout 30 fish --no-config ../ask.fish "$@") ;;
    esac | sed 's/.*,//; s,/$,,' | grep . | sort -u | tr '\n' ' '
}

# offers EXPECTED WORD...: exactly these, in the order of sort.
offers() {
    expected=$1
    shift
    got=$(ask "$@")
    [ "$got" = "$expected${expected:+ }" ] || fault "$shell completes '$*' with '$got', not '$expected'"
}

asked=
for shell in bash zsh fish; do
    command -v $shell >found.path || continue
    asked="$asked $shell"
    offers 'accept analyze' cupel a
    offers 'record replay report restore run' cupel r
    offers 'randread randrw randtrim randtrimwrite randwrite' cupel run --rw rand
    offers 'auto dircreate dirdelete dirstat falloc filecreate filedelete filestat ftruncate null nvme nvme-uring readwrite sg stdio sync tcp uring' cupel run --ioengine ''
    offers 'normal quick strict' cupel qualify --preset ''
    offers 'backup boot-storm file-server folder jesd219 spc-1 tpc-b trace.csv' cupel run --profile ''
    offers 'p90: p95: p99.9: p99:' cupel run --precise iops:5%,p9
    offers 'lat_p50 lat_p90 lat_p95 lat_p99 lat_p99.9 lat_p99.99' cupel compare --metric lat_p
    offers 'blkparse blktrace' cupel replay --trace-format blk
    offers 'bash fish zsh' cupel help --completion ''
    offers 'folder' cupel run -o ''
    offers 'folder trace.csv' cupel run --graph ''
    offers 'folder trace.csv' cupel replay ''
    offers '' cupel run --bs ''
    offers '--iodepth --iodepth_batch_complete_min' cupel run --iod
    offers 'probe profile' cupel help pro
    offers 'folder trace.csv' cupel exec -- cat ''
done
# With the sign: bash hands it over apart, fish puts the option before each.
for shell in $asked; do
    case $shell in
    bash) offers 'randread randrw randtrim randtrimwrite randwrite' cupel run --rw = rand ;;
    zsh) offers 'randread randrw randtrim randtrimwrite randwrite' cupel run --rw=rand ;;
    fish) offers '--rw=randread --rw=randrw --rw=randtrim --rw=randtrimwrite --rw=randwrite' cupel run --rw=rand ;;
    esac
done

# knows UNKNOWN ARGUMENT... OPTION: the command ARGUMENT refuses none of the words that are offered for OPTION as UNKNOWN,
# and does refuse another one.
knows() {
    unknown=$1
    shift
    for option in "$@"; do :; done
    words=$(grep -m 1 -- "^ *$1:$option) words='" script.bash | sed "s/.*words='//; s/'.*//")
    [ -n "$words" ] || fault "the script for bash has no words for $1 $option"
    program='' value=''
    [ "$1" != exec ] || program='-- true'
    [ "$1" != merge ] || value=x
    # shellcheck disable=SC2086 # words
    for word in $words; do
        limited "$@" "$word$value" $program >out 2>err
        ! grep -qE "$unknown" err || fault "cupel $* $word: $(cat err)"
    done
    # shellcheck disable=SC2086
    limited "$@" nothing-known=x $program >out 2>err
    grep -qE "$unknown" err || fault "cupel $* nothing-known=x: $(cat err)"
}
knows 'is not a kind of arrival' run /missing --rate_iops 5 --arrival
knows 'is not a kind of address' run /missing --random_distribution
knows 'column 1: .* is not a time:' run /missing --thinktime
knows 'is not a built-in profile' run /missing --profile
knows 'or a percentile comes here' run /missing --sla
knows 'or a percentile comes here' run /missing --precise
knows 'expected const, uniform' run --ioengine null --null-script
knows 'are known' exec --max-failures 1 --limit 5s --parse
knows 'is not known' merge /missing --write

if [ -z "$asked" ] && (finish); then
    echo "there is no bash, zsh or fish here: the scripts were not run"
    exit 77
fi
finish
