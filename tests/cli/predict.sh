#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel predict: small tables with known results, raw runs and summaries, queries, validation, and every kind of bad input.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# row N COLUMN: prints a cell of the CSV in out; N counts from 1 without the header, COLUMN is the header's name.
row() {
    awk -F, -v n="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == n + 1 { print $c }' out
}

# near GOT EXPECTED SHARE: the two are equal within this share.
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(a != "" && d <= t * b) }' ||
        fault "$1 is not near $2"
}

# No format ever has a NaN.
no_nan() {
    ! grep -iqw -e nan -e -nan out || fault "a NaN in the output"
}

# A plane: y = 3 + 2 a - b on the raw scale, exactly.
awk 'BEGIN { print "a,b,y"; for (a = 1; a <= 4; a++) for (b = 1; b <= 3; b++) print a "," b "," 3 + 2 * a - b + (a == 2 && b == 2) * 0 }' >plane.csv
printf 'name,a,b\n"x, ""y""",2.5,1.5\nz,9,1\n' >query.csv
status 0 predict --data plane.csv --factors a,b --response y --query query.csv --method lr --scale raw --format csv
[ "$(head -n 1 out)" = name,a,b,predicted,ci_low,ci_high,method,extrapolated ] || fault "the header is $(head -n 1 out)"
[ "$(sed -n 2p out | cut -d, -f 1,2)" = '"x, ""y"""' ] || fault "the query's cells are not repeated: $(sed -n 2p out)"
near "$(sed -n 2p out | cut -d, -f 5)" 6.5 1e-9
near "$(row 2 predicted)" 20 1e-9
[ "$(row 2 method),$(row 2 extrapolated)" = lr,1 ] || fault "row 2 is $(sed -n 3p out)"
no_nan
status 0 predict --data plane.csv --factors a,b --response y --query query.csv --method lr --scale raw
holds out 'PREDICTED: y of 2 configurations'
holds out extrapolated
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'text wider than 80 columns'
status 0 predict --data plane.csv --factors a,b --response y --query query.csv --method lr --scale raw --format json
holds out '"schema": 1'
holds out '"extrapolated": true'
no_nan

# --test with another table: the error of each of its configurations, or of their statistics if it has single runs.
# Configurations that the map was also fitted to are counted.
printf 'b,a,y\n1,9,25\n2,9,19\n1,2,6\n3,10,0\n' >test.csv
status 0 predict --data plane.csv --factors a,b --response y --test test.csv --method lr --scale raw --format csv
[ "$(head -n 1 out)" = a,b,predicted,ci_low,ci_high,method,extrapolated,measured,relative_error ] || fault "the header is $(head -n 1 out)"
near "$(awk -F, '$1 == 9 && $2 == 1 { print $9 }' out)" -0.2 1e-9
near "$(awk -F, '$1 == 2 { print $9 + 1 }' out)" 1 1e-9
[ -z "$(awk -F, '$1 == 10 { print $9 }' out)" ] || fault 'a relative error of 0'
status 0 predict --data plane.csv --factors a,b --response y --test test.csv --method lr --scale raw --format json
holds out '"mean_error": 0.066666'
holds out '"fitted_too": 1'
no_nan
status 0 predict --data plane.csv --factors a,b --response y --test test.csv --method lr --scale raw
holds out 'TESTED: 4 configurations of test.csv: mean relative error 6.7 %, median'
holds out 'the map was fitted to 1 of these configurations as well'
no_nan
printf 'a,b,y\n9,1,10\n9,1,30\n9,2,\n' >test.csv
status 0 predict --data plane.csv --factors a,b --response mean --value y --test test.csv --method lr --scale raw
holds out 'TESTED: 1 configuration of test.csv: mean relative error'
grep -q '^9  1  .* 20.00 ' out || fault "the mean of its runs: $(cat out)"
holds out 'test.csv: 1 rows have no y'
printf 'a,b,y\n9,x,10\n' >test.csv
refused 2 'is not a number, as its levels are' predict --data plane.csv --factors a,b --response y --test test.csv
refused 2 '--query' predict --data plane.csv --factors a,b --response y --test test.csv --query query.csv

# --method auto. Six points on a plane of logarithms with noise: the plane predicts best. Methods are compared by their errors at
# points that are left out in turn and to which no method extrapolates; no parameter is fitted to the point left out. For a curved
# surface another method is better than the plane.
# chosen: prints the method.
chosen() {
    sed -n 's/^ *"method": "\(.*\)",$/\1/p' out | head -n 1
}
for seed in 1 2 3; do
    for noise in .1 .3; do
        awk -v s=$seed -v noise=$noise 'BEGIN {
            print "m,f,r,y"
            split("64 256 256 1024 1024 1024", f)
            split("32 32 128 32 128 512", r)
            for (m = 1; m <= 40; m++) for (i = 1; i <= 6; i++) {
                n = -6
                for (k = 0; k < 12; k++) { s = s * 16807 % 2147483647; n += s / 2147483647 }
                print m "," f[i] "," r[i] "," exp(log(100 + m) + .5 * log(f[i]) - .3 * log(r[i]) + noise * n)
            }
        }' >six.csv
        status 0 predict --data six.csv --factors f,r --maps-by m --response y --format json
        [ "$(chosen)" = lr ] || fault "seed $seed, noise $noise: auto is $(chosen)"
    done
done
awk 'BEGIN { print "a,b,y"; for (a = 1; a <= 8; a++) for (b = 1; b <= 8; b++) print a "," b "," 100 + a * a * b + 5 * (a - 4) ^ 2 * (b - 5) ^ 2 }' >bent.csv
printf 'a,b\n2.5,3.5\n' >within.csv
status 0 predict --data bent.csv --factors a,b --response y --query within.csv --format json
[ "$(chosen)" = gp ] || fault "a bent surface: auto is $(chosen)"

# For every method, levels that are almost equal count as one, with a note. Levels as far apart as the others are kept apart.
awk 'BEGIN { print "f,t,y"; for (f = 1; f <= 4; f++) for (t = 1; t <= 8; t *= 2) {
    print f "," t "," 100 * f * sqrt(t); if (f == 3) print "3.001," t "," 330 * sqrt(t) } }' >nearly.csv
sed 's/^3.001,\(.*\),.*/3,\1/' nearly.csv | awk -F, 'NR == 1 || NF == 3 { print; next } { print $0 "," 330 * sqrt($2) }' >joined.csv
printf 'f,t\n2.7,2\n3.3,4\n3.0005,3\n' >beside.csv
printf 'f\n9100\n' >f.csv
for method in lr lsp mars delaunay gp auto; do
    status 0 predict --data joined.csv --factors f,t --response y --query beside.csv --method $method --format csv
    cp out expected
    status 0 predict --data nearly.csv --factors f,t --response y --query beside.csv --method $method --format csv
    cmp -s out expected || fault "$method: $(cat out), not $(cat expected)"
done
status 0 predict --data nearly.csv --factors f,t --response y --query beside.csv --method lr
tr -s '\n ' '  ' <out >flat
holds flat 'f: 2 levels from 3 to 3.001 are nearly the same, and are taken as one, 3.'
awk 'BEGIN { print "f,y"; for (f = 9000; f < 9040; f++) print f "," f }' >apart.csv
printf '1,1\n' >>apart.csv
status 0 predict --data apart.csv --factors f --response y --query f.csv --method lr
! grep -q 'nearly the same' out || fault 'levels that are as far apart as the others are one'

# The runs that a configuration without measurements needs: a map of the values of --convergence. The spread is proportional
# to t.
awk 'BEGIN { print "f,t,run,y"; for (f = 1; f <= 4; f++) for (t = 2; t <= 16; t *= 2) if (f != 3 || t != 4)
    for (r = 1; r <= 16; r++) print f "," t "," r "," f * (1000 + t * (r % 2 ? 10 : -10) * (1 + r % 5 / 10)) }' >spread.csv
status 0 predict --data spread.csv --factors f,t --value y --response mean --convergence --ci 5% --format csv
cp out needed.csv
status 0 predict --data needed.csv --factors f,t --response runs_needed --format csv
[ "$(cut -d, -f 1,2 out | tail -n 1)" = 3,4 ] || fault "unmeasured are: $(cat out)"
low=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "runs_needed") c = i } $1 == 3 && $2 == 2 { print $c }' needed.csv)
high=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "runs_needed") c = i } $1 == 3 && $2 == 16 { print $c }' needed.csv)
awk -v p="$(row 1 predicted)" -v a="$low" -v b="$high" 'BEGIN { exit !(a > 0 && p >= a && p <= b) }' ||
    fault "runs of the unmeasured one: $(row 1 predicted), its neighbours need $low and $high"

# The text shows every factor, on separate lines when they do not fit beside the prediction.
awk 'BEGIN { print "scheduler,vm_scheduler,mode,file_kb,rec_kb,threads,y"; for (a = 1; a <= 4; a++) for (b = 1; b <= 4; b++)
    print "deadline_" a % 2 ",noop,randomread," 64 * a "," 4 * b ",128," a + b / 7 }' >wide.csv
status 0 predict --data wide.csv --factors scheduler,file_kb,rec_kb,threads --maps-by vm_scheduler,mode --response y --method lr
tr -s '\n ' '  ' <out >flat
holds flat 'vm_scheduler noop, mode randomread, scheduler deadline_1, file_kb 128, rec_kb 4, threads 128'
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'text wider than 80 columns'

# Without a query, exactly the combinations without measurements are predicted.
grep -v -e '^2,2,' -e '^4,1,' plane.csv >holes.csv
status 0 predict --data holes.csv --factors a,b --response y --method lr --scale raw --format csv
[ "$(cut -d, -f 1,2 out | tr '\n' ' ')" = 'a,b 2,2 4,1 ' ] || fault "unmeasured are: $(cat out)"
near "$(row 2 predicted)" 10 1e-9
status 0 predict --data plane.csv --factors a,b --response y --method lr --scale raw --format csv
[ "$(wc -l <out)" -eq 1 ] || fault 'nothing is unmeasured'
status 0 predict --data plane.csv --factors a,b --response y --method lr --scale raw

# Several runs per configuration: their statistic is the response. y = 10 * 2^a, with runs at 90, 100 and 110 %: sd 0.1 y.
awk 'BEGIN { print "a;run;speed"; for (a = 1; a <= 5; a++) for (r = -1; r <= 1; r++) print a ";" r + 2 ";" 10 * 2 ^ a * (1 + r / 10) }' >runs.csv
printf 'a\n6\n' >six.csv
for pair in sd:64 mean:640 median:640 min:576 max:704 p50:640 cv:0.1 variance:4096; do
    status 0 predict --data runs.csv --factors a --response "${pair%:*}" --query six.csv --method lr --format csv
    got=$(row 1 predicted)
    awk -v g="$got" 'BEGIN { exit !(g > 0) }' || fault "${pair%:*}: $got"
done
# On logarithmic axes a straight line in log a fits a power law (and not 2^a): here y = 10 a^2.
awk 'BEGIN { print "a;run;speed"; for (a = 1; a <= 32; a *= 2) for (r = -1; r <= 1; r++) print a ";" r + 2 ";" 10 * a * a * (1 + r / 10) }' >runs.csv
printf 'a\n3\n' >three.csv
for pair in sd:9 mean:90 median:90 min:81 max:99 p75:94.5 variance:81; do
    status 0 predict --data runs.csv --factors a --response "${pair%:*}" --query three.csv --method lr --format csv
    near "$(row 1 predicted)" "${pair#*:}" 1e-9
done
status 0 predict --data runs.csv --factors a --response sd --value speed --query three.csv --method lr --format csv
near "$(row 1 predicted)" 9 1e-9
refused 2 'choose one with --value' predict --data plane.csv --factors a --response sd
refused 2 'no statistic' predict --data plane.csv --factors a --response nonsense
refused 2 'is known of none of its 12 configurations' predict --data plane.csv --factors a,b --response sd
refused 2 'needs a statistic' predict --data plane.csv --factors a --response y --value b

# Rows that differ in a column which no option names are runs of one configuration, with a note. A measured column is not a
# factor.
awk 'BEGIN { print "a,bs,mode,n,y,busy"; for (a = 1; a <= 4; a++) for (bs = 4; bs <= 16; bs *= 2) for (n = 1; n <= 2; n++)
    print a "," bs "k," (n == 1 ? "r" : "w") "," n "," a * bs + n "," a * 7.1 + bs + n / 3 }' >left.csv
status 0 predict --data left.csv --factors a --response mean --value y --query three.csv --method lr
tr -s '\n ' '  ' <out >flat
holds flat 'bs has 3 levels and is not among the factors: rows that differ in nothing else are runs of one configuration here'
holds flat 'mode has 2 levels and is not among the factors'
! grep -q 'busy has' flat || fault 'a measured quantity is called a factor'
status 0 predict --data left.csv --factors a,bs --maps-by mode --response y --method lr
! grep -q 'not among the factors' out || fault 'all factors are named'

# Control runs of a sweep are left out, repeated headers of shards are skipped, and rows without a value count as not
# measured.
printf 'a,y,control\n1,10,0\n2,20,0\n3,30,0\n1,99,1\na,y,control\n4,,0\n5,NA,0\n' >sweep.csv
status 0 predict --data sweep.csv --factors a --response y --query three.csv --method lr --scale raw --format csv
near "$(row 1 predicted)" 30 1e-9
status 0 predict --data sweep.csv --factors a --response y --query three.csv --method lr --scale raw
holds out '1 control runs are left out'
holds out '2 rows have no y'

# Sizes are numbers; text columns become indicator variables, and the report says so.
printf 'bs,mode,y\n4k,read,4\n8k,read,8\n16k,read,16\n4k,write,40\n8k,write,80\n16k,write,160\n' >text.csv
printf 'mode,bs\nwrite,12k\nread,12288\n' >text_query.csv
status 0 predict --data text.csv --factors bs,mode --response y --query text_query.csv --method lr --format csv
near "$(row 1 predicted)" 120 1e-9
near "$(row 2 predicted)" 12 1e-9
status 0 predict --data text.csv --factors bs,mode --response y --query text_query.csv --method lr
holds out 'mode is text: each of its 2 levels has an indicator'
printf 'mode,bs\nappend,4k\n' >unknown.csv
refused 2 'unknown.csv, line 2, column mode: "append" was never measured' predict --data text.csv --factors bs,mode \
    --response y --query unknown.csv --method lr
refused 2 'has no column "bs"' predict --data text.csv --factors bs,mode --response y --query three.csv --method lr

# A map for each level of a column.
status 0 predict --data text.csv --factors bs --maps-by mode --response y --query text_query.csv --method lr --format csv
near "$(row 1 predicted)" 120 1e-9
near "$(row 2 predicted)" 12 1e-9
refused 2 'was never measured' predict --data text.csv --factors bs --maps-by mode --response y --query unknown.csv --method lr

# Validation: its columns; a power law is predicted exactly, a constant is not.
awk 'BEGIN { print "a,b,n,sd"; for (a = 1; a <= 256; a *= 2) for (b = 1; b <= 16; b *= 2) print a "," b ",40," a * sqrt(b) }' >law.csv
status 0 predict --data law.csv --factors a,b --response sd --validate --shares .9,.5 --splits 20 --method lr --format csv
[ "$(head -n 1 out)" = method,scale,scheme,share,are_percent,splits ] || fault "the header is $(head -n 1 out)"
awk -F, '$1 == "lr" && ($5 > 1e-3 || $3 == "random" && $6 != 20) { exit 1 } $1 == "constant" && $5 < 50 { exit 1 }
    $1 == "noise_floor" && ($5 < 9 || $5 > 9.1) { exit 1 }
    { seen[$1 $3]++ } END { exit !(seen["lrrandom"] == 2 && seen["lrleave-level-out"] == 1 && seen["constantrandom"] == 2) }' out ||
    fault "validation: $(cat out)"
cp out first
status 0 predict --data law.csv --factors a,b --response sd --validate --shares .9,.5 --splits 20 --method lr --format csv
cmp -s out first || fault 'the same seed gives another result'
status 0 predict --data law.csv --factors a,b --response sd --validate --shares .9,.5 --splits 20
holds out 'VALIDATED: '
holds out 'auto is'
no_nan
refused 2 '--shares 2: shares between 0 and 1' predict --data law.csv --factors a,b --validate --shares 2

# Analysis of variance: the numbers of R's anova() and drop1(), of both types, with and without interactions.
printf 'a,b,y\n1,x,3.1\n1,y,4.7\n1,y,4.2\n2,x,6.3\n2,x,5.9\n3,x,8.8\n3,y,2.1\n3,y,2.6\n3,x,9.4\n1,x,3.5\n2,y,5\n' >anova.csv
term() { # TYPE TERM COLUMN
    awk -F, -v type="$1" -v term="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        $1 == type && $2 == term { print $c }' out
}
status 0 predict --data anova.csv --factors a,b --response y --anova --format csv
near "$(term I a ss)" 8.74560606060606 1e-9
near "$(term II a ss)" 7.461333333333333 1e-9
near "$(term I a:b F)" 138.3474576271186 1e-9
near "$(term '' Residuals ss)" 0.59 1e-9
[ "$(term '' Residuals df)" = 5 ] || fault "degrees of freedom: $(term '' Residuals df)"
no_nan
status 0 predict --data anova.csv --factors a,b --response y --anova --main-effects --format csv
near "$(term II b F)" 3.167619334 1e-7
status 0 predict --data anova.csv --factors a,b --response y --anova
holds out 'a:b explains most'
status 0 predict --data anova.csv --factors a,b --response y --anova --format json
holds out '"partial_eta2"'
no_nan
if [ -n "${CUPEL_CASES:-}" ] && [ -f "$CUPEL_CASES/models/anova_unbal.csv" ]; then
    status 0 predict --data "$CUPEL_CASES/models/anova_unbal.csv" --factors a,b --response y --anova --format csv
    near "$(term I a:b ss)" 26.3551950264 1e-9
    near "$(term I a:b p)" 5.32606599797e-05 1e-9
else
    echo 'skipped a part: CUPEL_CASES has no models'
fi

# Plots and rankings in every format, with both kinds of shading. An existing file is never replaced.
awk 'BEGIN { print "freq,threads,mode,v"; for (f = 1; f <= 3; f++) for (t = 1; t <= 16; t *= 2) for (m = 1; m <= 2; m++)
    for (r = 0; r < 3; r++) print f "," t "," (m == 1 ? "read" : "wr<i>te") "," f * t * m * (10 + r) }' >map.csv
for format in text csv json; do
    status 0 predict --data map.csv --factors freq,threads,mode --response variance --heatmap threads,freq --at mode=read --format $format
    no_nan
    status 0 predict --data map.csv --factors freq,threads,mode --response mean --rank mode --format $format
    no_nan
    status 0 predict --data map.csv --factors threads,mode --response mean --drift freq --format $format
    no_nan
    status 0 predict --data map.csv --factors freq,threads,mode --response mean --plot --method lr --format $format
    no_nan
done
status 0 predict --data map.csv --factors freq,threads,mode --response variance --heatmap threads,freq --at mode=read --format csv
[ "$(head -n 2 out | tail -n 1)" = 1,1,1 ] || fault "the first cell is $(head -n 2 out | tail -n 1)"
[ "$(wc -l <out)" -eq 16 ] || fault 'not 15 cells'
status 0 predict --data map.csv --factors freq,threads,mode --response mean --rank mode --format csv
near "$(awk -F, 'NR == 2 { a = $2 } NR == 3 { print $2 / a }' out)" 2 1e-9
status 0 predict --data map.csv --factors freq,threads,mode --response mean --rank mode
holds out 'RANKED: mean is least at mode = read and most at wr<i>te: 2 times as much'
# Levels whose intervals overlap are not ranked; levels that do not differ from the lowest one are named with it.
awk 'BEGIN { print "m,t,v"; for (t = 1; t <= 8; t++) for (m = 1; m <= 3; m++) print m "," t "," 10 + (m * t * 7) % 5 + (m == 3) * 40 }' >like.csv
status 0 predict --data like.csv --factors m,t --response v --rank m
holds out '(or 2: their intervals overlap) and most at 3'
grep -v ^3 like.csv >alike.csv
status 0 predict --data alike.csv --factors m,t --response v --rank m
holds out 'NOT RANKED: the levels of m cannot be told apart by v'
# A level with one configuration has no interval, and no format prints it as infinite. Tables fit into 80 columns.
printf 'm,t,v\n1,1,5\n1,2,7\n2,1,6\n' >single.csv
status 0 predict --data single.csv --factors m,t --response v --rank m --format csv
holds out '2,6,,,1'
status 0 predict --data single.csv --factors m,t --response v --rank m
holds out 'unknown'
no_nan
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'a ranking wider than 80 columns'
awk 'BEGIN { print "m,t,v"; for (i = 0; i < 16; i++) print int(i / 4) "," i % 4 "," i + 1 }' >few.csv
status 0 predict --data few.csv --factors m,t --response v --validate --splits 2 --shares .2
holds out 'measure more configurations'
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'a validation wider than 80 columns'
awk 'BEGIN { print "m,t,v"; for (i = 0; i < 16; i++) print int(i / 4) "," i % 4 ",0" }' >zero.csv
refused 2 'no response but 0' predict --data zero.csv --factors m,t --response v
status 0 predict --data map.csv --factors threads,mode --response mean --drift freq --format csv
near "$(row 2 ratio)" 3 1e-9
LC_ALL=C.UTF-8 status 0 predict --data map.csv --factors freq,threads,mode --response mean --heatmap threads,freq
holds out '█'
LC_ALL=C status 0 predict --data map.csv --factors freq,threads,mode --response mean --heatmap threads,freq --change 'mode=read,wr<i>te' \
    --svg map.svg
! grep -q '[^ -~]' out || fault 'characters above ASCII without UTF-8'
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'a heat map wider than 80 columns'
holds map.svg 'wr&lt;i&gt;te'
holds map.svg '</svg>'

# Lines: a response over a factor, of each level of another, as it is or for each thread; the picture and its numbers.
for format in text csv json; do
    status 0 predict --data map.csv --factors freq,threads,mode --response mean --lines threads,freq --at mode=read --format $format --per threads
    no_nan
done
holds out '"kind": "predict_lines"'
holds out '"per": "threads"'
status 0 predict --data map.csv --factors freq,threads,mode --response mean --lines threads,freq --at mode=read --per threads --format csv
[ "$(head -n 1 out)" = threads,freq,value ] || fault "the header is $(head -n 1 out)"
awk -F, 'NR > 1 { d = $3 - 11 * $2; if (d * d > 1e-18) exit 1 }' out || fault "for each thread: $(cat out)"
status 0 predict --data map.csv --factors freq,threads,mode --response mean --lines threads --at mode=read,freq=1 --format csv
[ "$(head -n 1 out)" = threads,value ] || fault "the header is $(head -n 1 out)"
awk -F, 'NR > 1 { d = $2 - 11 * $1; if (d * d > 1e-18) exit 1 }' out || fault "one line: $(cat out)"
LC_ALL=C status 0 predict --data map.csv --factors freq,threads,mode --response mean --lines threads,freq --at mode=read --svg lines.svg
holds out 'LINES: mean by threads and freq, mode = read'
holds out 'the letters are levels of freq'
[ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'lines wider than 80 columns'
[ "$(grep -c '<path fill' lines.svg)" -eq "$(awk -F, 'NR > 1 { print $1 }' map.csv | sort -u | wc -l)" ] || fault 'not a line for each level'
holds lines.svg '</svg>'
refused 2 'a factor of numbers above 0' predict --data map.csv --factors freq,threads,mode --response mean --lines threads --per mode
refused 2 'one or two factors' predict --data map.csv --factors freq,threads,mode --response mean --lines threads,freq,mode
refused 2 '--per needs --heatmap or --lines' predict --data map.csv --factors freq --per freq

refused 2 'map.svg: File exists' predict --data map.csv --factors freq,threads,mode --response mean --plot --method lr --svg map.svg
status 0 predict --data map.csv --factors freq,threads,mode --response mean --plot --method lr --svg plot.svg
holds plot.svg '<circle'
refused 2 'exclude each other' predict --data map.csv --factors freq --rank freq --anova
refused 2 '--svg needs --heatmap, --lines or --plot' predict --data map.csv --factors freq --svg x.svg
refused 2 'is no factor' predict --data map.csv --factors freq --value v --response mean --rank mode
refused 2 'there is one campaign' predict --data law.csv --factors a,b --response sd --drift n

# The runs that are still needed: with mean 100 f and sd 10 f, t s / sqrt(n) <= 5 % of the mean needs 18 runs; 3 are done.
awk 'BEGIN { print "f,g,run,v,seconds"; for (f = 1; f <= 8; f++) for (g = 1; g <= 4; g++) if (f != 3 || g != 2)
    for (r = -1; r <= 1; r++) print f "," g "," r + 2 "," 100 * f + 10 * f * r ",2" }' >plan.csv
printf 'f,g\n3,2\n5,1\n' >plan_query.csv
status 0 predict --data plan.csv --factors f,g --value v --plan --ci 10% --method lr --format csv
[ "$(head -n 1 out)" = f,g,mean,sd,runs_done,runs_needed,seconds,sd_uncertainty,next ] || fault "the header is $(head -n 1 out)"
near "$(row 1 mean)" 300 1e-6
near "$(row 1 sd)" 30 1e-6
[ "$(row 1 runs_needed),$(row 1 runs_done)" = 18,0 ] || fault "runs needed: $(cat out)"
near "$(row 1 seconds)" 36 1e-6
no_nan
status 0 predict --data plan.csv --factors f,g --value v --plan --ci 10% --method lr --query plan_query.csv --budget 31s --format csv
[ "$(row 2 runs_needed),$(row 2 runs_done)" = 18,3 ] || fault "runs needed: $(cat out)"
[ "$(row 1 next),$(row 2 next)" = 0,1 ] || fault "next within 31 s: $(cat out)"
for format in text json; do
    status 0 predict --data plan.csv --factors f,g --value v --plan --method lr --query plan_query.csv --run-time 5s --format $format
    no_nan
done
refused 2 'must be a file' predict --data - --factors f,g --value v --plan

# The convergence of intervals: 40 runs at 90 and 110 give a mean within +- 3.1 %; +- 2 % needs 1 / (.02 / .031)^2 times as
# many.
awk 'BEGIN { print "f,mode,v,y"; for (f = 1; f <= 3; f++) for (r = 0; r < (f < 3 ? 40 : 3); r++)
    print f ",<a>," f * (r % 2 ? 90 : 110) "," r }' >converging.csv
status 0 predict --data converging.csv --factors f,mode --value v --convergence --response mean --ci 4% --format csv
[ "$(head -n 1 out)" = f,mode,runs,value,precision,runs_needed,runs_by_law,beyond,confirm_median,runs_75,runs_90,law_75,law_90 ] ||
    fault "the header is $(head -n 1 out)"
[ "$(row 2 f),$(row 2 mode),$(row 2 runs),$(row 2 beyond)" = '2,<a>,40,1' ] || fault "row 2 is $(sed -n 3p out)"
near "$(row 2 value)" 200 1e-12
near "$(row 2 precision)" 0.031 0.1
near "$(row 2 runs_needed)" 96 0.2
near "$(row 2 runs_by_law)" 96 0.2
near "$(row 2 runs_75)" 25.6 0.15
near "$(row 2 law_75)" 25.6 1e-9
near "$(row 2 law_90)" 33.058 1e-4
[ -z "$(row 2 confirm_median)$(row 3 runs_75)" ] || fault "a median of two halves, or a curve of three runs: $(cat out)"
no_nan
awk 'BEGIN { print "f,v"; for (f = 1; f <= 2; f++) for (r = 0; r < 40; r++) print f "," f * (100 + r % 8 / 8) }' >narrow.csv
status 0 predict --data narrow.csv --factors f --convergence --response median --ci 2% --format csv
[ "$(row 1 confirm_median),$(row 1 beyond)" = 10,0 ] || fault "runs within 1 %: $(cat out)"
status 0 predict --data converging.csv --factors f --maps-by mode --value v --convergence --response p99 --format csv
[ -z "$(row 1 runs_needed)" ] || fault "the 99th percentile of 40 runs is known: $(cat out)"
for format in text csv json; do
    for response in mean sd p90; do
        status 0 predict --data converging.csv --factors f,mode --value v --convergence --response $response --format $format
        no_nan
        [ $format != text ] || [ "$(awk 'length > 80' out | wc -l)" -eq 0 ] || fault 'a table wider than 80 columns'
    done
done
refused 2 'must be a mean, sd, median or percentile' predict --data converging.csv --factors f,mode --convergence --response y
refused 2 'must be a mean, sd, median or percentile' predict --data converging.csv --factors f --value v --convergence --response max
refused 2 'exclude each other' predict --data converging.csv --factors f --value v --convergence --plan

# Bad tables are refused with line and column.
refused 2 '--data is missing' predict --factors a
refused 2 '--factors is missing' predict --data law.csv
refused 2 'cannot read' predict --data nowhere.csv --factors a
: >empty.csv
refused 2 'is empty: a header' predict --data empty.csv --factors a
printf 'a,sd\n' >header.csv
refused 2 'holds no row' predict --data header.csv --factors a
printf '1,2\n3,4\n' >numbers.csv
refused 2 'must name the columns' predict --data numbers.csv --factors a
refused 2 'has no column "c"; its columns are: a, b, n, sd' predict --data law.csv --factors a,c
refused 2 'is named twice' predict --data law.csv --factors a,a
refused 2 'is a factor and the response' predict --data law.csv --factors a,sd
printf 'a,a,sd\n1,2,3\n' >twice.csv
refused 2 'has two columns "a"' predict --data twice.csv --factors a
printf 'a,b,sd\n1,2,3\n1,2' >cut.csv
refused 2 'line 3 has 2 cells, the header has 3: the file ends within this line' predict --data cut.csv --factors a,b
printf 'a,b,sd\n1,2,3\n1,2\n3,4,5\n' >short.csv
refused 2 'line 3 has 2 cells' predict --data short.csv --factors a,b
printf 'a,sd\n1,10\n2,20\n3,3' >cut_number.csv
status 0 predict --data cut_number.csv --factors a --method lr --query three.csv
holds out 'has no line end'
printf 'a,b,sd\n1,,3\n2,2,4\n' >missing.csv
refused 2 'missing.csv, line 2, column b: the cell is empty' predict --data missing.csv --factors a,b
printf 'a,sd\n1,3\n2,much\n' >word.csv
refused 2 'word.csv, line 3, column sd: "much" is not a number' predict --data word.csv --factors a
printf 'a,sd\n1,3\n2,"4\n' >quote.csv
refused 2 'a quote is opened' predict --data quote.csv --factors a
printf 'a,sd\n1,1e999\n' >large.csv
refused 2 'line 2, column sd: "1e999" is too large' predict --data large.csv --factors a
printf 'a,sd\n1,1e80\n' >large.csv
refused 2 'line 2, column sd: "1e80" is too large' predict --data large.csv --factors a

# Tables with too little information: constant factors, factors that depend on each other, repeated configurations.
printf 'a,b,sd\n1,5,3\n2,5,6\n3,5,9\n4,5,12\n' >constant.csv
printf 'a,b\n6,5\n6,7\n' >constant_query.csv
status 0 predict --data constant.csv --factors a,b --method lr --query constant_query.csv --format csv
near "$(row 1 predicted)" 18 1e-9
[ "$(row 2 extrapolated)" = 1 ] || fault 'another level of a constant factor is extrapolated'
status 0 predict --data constant.csv --factors a,b --method lr --query constant_query.csv
holds out 'b is constant: it is left out of the model'
refused 2 'no factor varies' predict --data constant.csv --factors b --method lr --query constant_query.csv
awk 'BEGIN { print "a,b,sd"; for (a = 1; a <= 4; a++) print a "," 3 * a "," 2 * a }' >collinear.csv
status 0 predict --data collinear.csv --factors a,b --method lr --query constant_query.csv --format csv
near "$(row 1 predicted)" 12 1e-9
[ "$(row 1 extrapolated)" = 1 ] || fault 'a point off the line of collinear factors is extrapolated'
status 0 predict --data collinear.csv --factors a,b --method lr --query constant_query.csv
holds out 'b follows from the other factors'
printf 'a,sd\n1,10\n1,30\n2,40\n4,80\n8,160\n' >duplicates.csv
status 0 predict --data duplicates.csv --factors a --method lr --query three.csv --format csv
near "$(row 1 predicted)" 60 1e-9
status 0 predict --data duplicates.csv --factors a --method lr --query three.csv
holds out '1 configurations stand in several rows'
printf 'a,sd\n1,10\n' >single.csv
refused 2 '' predict --data single.csv --factors a --method lr --query three.csv

# Responses of 0 and below have no logarithm.
printf 'a,sd\n1,-1\n2,0\n3,1\n4,2\n' >negative.csv
refused 2 '--scale log needs responses above 0' predict --data negative.csv --factors a --scale log --query three.csv
status 0 predict --data negative.csv --factors a --method lr --query three.csv --format csv
near "$(row 1 predicted)" 1 1e-9
printf 'a,sd\n0,1\n1,2\n2,4\n3,8\n' >zero.csv
status 0 predict --data zero.csv --factors a --method lr --query three.csv
holds out 'it is not on a logarithmic axis'
printf 'a\n-3\n' >below.csv
refused 2 'line 2 of the query' predict --data law.csv --factors a --response sd --query below.csv --method lr --scale log

# Names with control characters or markup are harmless in every format.
printf '"a\033[31m",sd\n1,2\n2,4\n' >steering.csv
refused 2 'control characters' predict --data steering.csv --factors a
printf '"a,""<b>\\",sd\n1,2\n2,4\n4,8\n' >hostile.csv
printf '"a,""<b>\\"\n3\n' >hostile_query.csv
status 0 predict --data hostile.csv --factors '"a,""<b>\"' --method lr --query hostile_query.csv --format csv
[ "$(head -n 1 out)" = '"a,""<b>\",predicted,ci_low,ci_high,method,extrapolated' ] || fault "the header is $(head -n 1 out)"
status 0 predict --data hostile.csv --factors '"a,""<b>\"' --method lr --query hostile_query.csv --format json
holds out '"a,\"<b>\\": 3'

# More configurations than interpolation can handle in reasonable time are refused; other methods accept them.
awk 'BEGIN { print "a,b,y"; for (i = 1; i <= 20200; i++) print i % 202 + 1 "," int(i / 202) + 1 "," (i % 202 + 1) * (int(i / 202) + 1) }' >many.csv
refused 2 'it takes at most 20000' predict --data many.csv --factors a,b --response y --method lsp --query plane.csv
status 0 predict --data many.csv --factors a,b --response y --method lr --query plane.csv --format csv

# A million rows.
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 1000000; i++) print i % 32 + 1 "," i % 7 + 1 "," (i % 32 + 1) * (i % 7 + 1) * (1 + i % 11 / 100) }' >million.csv
longer 0 predict --data million.csv --factors a,b --response mean --method lr --query plane.csv --format csv
[ "$(wc -l <out)" -eq 13 ] || fault "a million rows: $(head -n 3 out)"

# Maps of six configurations: the intervals of the method alone are too narrow; those of the report are widened and cover what
# was not measured.
awk 'BEGIN { srand(3)
    for (map = 0; map < 60; map++) {
        level = exp(3 * rand()); a = rand(); b = -rand()
        for (x = 1; x <= 16; x *= 2)
            for (y = 1; y <= 4; y *= 2) {
                sum = -6; for (i = 0; i < 12; i++) sum += rand()
                line = map "," x "," y "," level * x ^ a * y ^ b * exp(0.25 * sum)
                if ((x == 1 || x == 4 || x == 16) && (y == 1 || y == 4)) print line >"sixes.csv"
                else if (y == 2 && x > 1 && x < 16) print line >"between.csv"
            }
    } }'
sed -i '1i map,x,y,v' sixes.csv between.csv
status 0 predict --data sixes.csv --factors x,y --maps-by map --response v --query between.csv --method gp
holds out 'times as wide as those of gp itself'
status 0 predict --data sixes.csv --factors x,y --maps-by map --response v --query between.csv --method gp --format csv
is_true "$(awk -F, 'NR > 1 { n++; held += $4 >= $6 && $4 <= $7 } END { print held / n }' out) > 0.9"
status 0 predict --data sixes.csv --factors x,y --maps-by map --response v --query between.csv --method gp --format json
is_true "$(sed -n 's/.*"widening": \([0-9.]*\).*/\1/p' out | sort -g | tail -n 1) > 1"

finish
