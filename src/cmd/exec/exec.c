/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel exec: runs a program round by round until its numbers are precise. */
#include "base/err.h"
#include "cmd/column/column.h"
#include "cmd/exec/exec_options.h"
#include "cmd/exec/internal.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/output/output.h"
#include "cmd/run/launch_options.h"
#include "cmd/run/session_options.h"
#include "facts/comparison.h"
#include "facts/result.h"
#include "hw/sysroot/sysroot.h"
#include "run/plan/plan.h"

/* ---- options ---- */

#define EXEC(member)        OPTION_FIELD(struct exec_options, member)
#define EXEC_LAUNCH(member) OPTION_FIELD(struct exec_options, launch.member)

/* clang-format off */
static const struct option_rule exec_rules[] = {
    EXCLUDES("unit-readings", "serve overhead", "unit readings come from a program that is started for each round"),
    NEEDS("shortest-round", "wps", "it is the shortest round of the line that --wps fits"),
    NEEDS("duration-of", "wps", "the line that it fits predicts them"),
    EXCLUDES("wps", "parse", "--wps measures durations"),
    EXCLUDES("serve", "discard-output overhead!=0", "every answer is read"),
    EXCLUDES("rounds", "min-samples min-time", "--rounds is exact"),
    NEEDS("start-timeout", "start-together", "it is the time to wait for the other ranks"),
    ONE_OF("start-at start-together", "the one has the instant, with the other the ranks agree on one"),
    EXCLUDES("start-at start-together", "parameter", "several sessions do not begin at one instant"),
    EXCLUDES("remote", "monitor-cost=0", "with --monitor-cost 0 nothing is watched"),
    {0},
};
/* clang-format on */

const struct option_row exec_option_rows[] = {
    {.section = "What is read out of each round",
     .name = "pi",
     .argument = "NAME,UNIT,COLUMN,TYPE,BETTER,CI",
     .kind = OPTION_LIST,
     .value_words = "the time that a round takes",
     .help = "A performance index, and again for each further one. COLUMN is a column, from 0, of "
             "the last line that is not empty, parted by blanks, tabs or commas; or, of a program "
             "that prints JSON, the place of the value, as in jobs.0.read.iops. TYPE is ordinary "
             "(arithmetic mean), ratio (rates over equal work: harmonic mean), proportion (from 0 "
             "to 1: Wilson's interval, whose whole width is the CI) or duration (seconds). BETTER "
             "is higher or lower. What is left out at the end is 0,ordinary,higher and --ci. All "
             "of them have to reach their precision, except those whose CI is none. COLUMN may "
             "also be text:WORDS, the number after these words, wherever they stand last, or "
             "unit:N, a column of --unit-readings."},
    {.name = "unit-readings",
     .argument = "FILE|pipe",
     .kind = OPTION_TEXT,
     EXEC(unit_readings),
     .value_words = "none",
     .help =
         "Readings within a round, a line for each unit of work, that CMD writes to FILE (where "
         "%ROUND% and %RESULT_DIR% may stand), to a FIFO, or to a pipe that it finds as "
         "descriptor 3. %UNIT_READINGS% in CMD is their name. Without a --pi whose COLUMN is "
         "unit:N, the first column is the index. The part of each round before its level is "
         "steady does not count."},
    {.name = "parse",
     .argument = "NAME",
     .words = WORDS_PARSERS,
     .kind = OPTION_LIST,
     .value_words = "what --pi says",
     .help = "The indices of a well-known benchmark: fio (reads) and fio-write, with "
             "--output-format=json and one job or --group_reporting; sysbench; pgbench; "
             "redis-benchmark, with --csv and one test. May be given with --pi, and again."},
    {.name = "duration-col",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     EXEC(duration_column),
     .min = 0,
     .max = 100000,
     .value_words = "the time that the process takes",
     .help = "The column, from 0, in which the program prints its own duration in seconds."},

    {.section = "How the program is run",
     .name = "shell",
     .kind = OPTION_FLAG,
     EXEC(shell),
     .help = "Let /bin/sh run the words of CMD, joined by blanks. The shell's own start is then "
             "part of every round."},
    {.name = "work-amount",
     .letter = 'w',
     .argument = "N|MIN,MAX",
     .kind = OPTION_TEXT,
     EXEC(work),
     .value = "1",
     .help = "What %WORK_AMOUNT% in CMD stands for, or with --wps the range it is taken from; with "
             "--unit-readings alone it doubles from MIN to MAX, round by round. k, m and g are "
             "powers of 1024. %ROUND% is the number of the round, %RESULT_DIR% a new "
             "folder for it, which is kept with -o and removed otherwise."},
    {.name = "wps",
     .kind = OPTION_FLAG,
     EXEC(wps),
     .help = "Work per second: vary the work amount from round to round within -w MIN,MAX, and "
             "report by how much each unit of work lengthens a round (wps_speed), and what remains "
             "without work (wps_setup)."},
    {.name = "shortest-round",
     .argument = "TIME",
     .kind = OPTION_TIME,
     EXEC(shortest_seconds),
     .min = 0,
     .max = 86400,
     .value = "1s",
     .help = "With --wps: rounds that take less are kept and do not count; the work doubles until "
             "they take as long."},
    {.name = "duration-of",
     .argument = "N",
     .kind = OPTION_TEXT,
     EXEC(durations_of),
     .value_words = "none",
     .help = "With --wps: work amounts, parted by commas, up to 8 of them, whose duration is "
             "predicted with its interval (duration_of_N), also beyond MAX of -w."},
    {.name = "parameter",
     .argument = "NAME=VALUES",
     .kind = OPTION_LIST,
     .value_words = "none",
     .help =
         "Values, parted by commas, that %NAME% in CMD stands for: a result for each of them, "
         "and with several such options for each combination. With -o each has a folder in DIR."},
    {.name = "serve",
     .kind = OPTION_FLAG,
     EXEC(serve),
     .help = "Start CMD once. Each round writes a line with the work amount to its standard input, "
             "and ends with the next line that CMD prints; the time between is the duration. A CMD "
             "that ends or is killed is started again."},
    {.name = "setup",
     .argument = "CMD",
     .kind = OPTION_TEXT,
     EXEC(setup),
     .value_words = "none",
     .help = "A shell command before the first round. What it leaves running is left alone."},
    {.name = "prepare",
     .argument = "CMD",
     .kind = OPTION_TEXT,
     EXEC(prepare),
     .value_words = "none",
     .help = "A shell command before each round, whose time does not count: one that empties the "
             "page cache, for example."},
    {.name = "cleanup",
     .argument = "CMD",
     .kind = OPTION_TEXT,
     EXEC(cleanup),
     .value_words = "none",
     .help = "A shell command at the end, also after Ctrl-C and after a round that --limit ended."},
    {.name = "timeout",
     .argument = "TIME",
     .kind = OPTION_TIME,
     EXEC(timeout_seconds),
     .min = 0.001,
     .max = 30 * 86400,
     .value_words = "--limit ends it",
     .help = "A round that takes longer is killed and has failed."},
    {.name = "hook-timeout",
     .argument = "TIME",
     .kind = OPTION_TIME,
     EXEC(hook_seconds),
     .min = 0.001,
     .max = 30 * 86400,
     .value_words = "--limit ends them",
     .help = "A --setup, --prepare or --cleanup that takes longer is ended with its process group, "
             "and has failed. Without it --cleanup has until --limit, and 10 s at least."},
    {.name = "env",
     .argument = "NAME=VALUE",
     .kind = OPTION_LIST,
     .value_words = "cupel's own environment",
     .help = "A variable for the program, and again for each further one."},
    {.name = "cwd",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     EXEC(directory),
     .value_words = "this folder",
     .help = "The folder to run in."},
    {.name = "ok-exit",
     .argument = "CODES",
     .kind = OPTION_TEXT,
     EXEC(exit_ok),
     .value = "0",
     .help = "Exit codes of a good round, as in 0,2-4, or any."},
    {.name = "discard-output",
     .kind = OPTION_FLAG,
     EXEC(discard_output),
     .help = "Give the program /dev/null as standard output. Otherwise it is read and the end of "
             "it kept, which costs a program that prints much some of its time."},
    {.name = "max-failures",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     EXEC(failures),
     .min = 1,
     .max = 1000000,
     .value = "3",
     .help = "So many failed rounds in a row end the session with exit status 4. A failed round is "
             "kept and reported, and does not count."},

    {.section = "Statistics",
     .name = "preset",
     .help = "How precise the result has to be: sets --ci, --min-samples and --min-time at once to "
             "20%, 10, 1s (quick); 10%, 30 (with --wps 60), 3s (normal); 10%, 50 (with --wps 100), "
             "10s (strict). "
             "Each of them can still be given."},
    {.name = "ci",
     .help = "Full width of the confidence interval over the mean that is enough, or half: +-5%. A "
             "width with a unit is absolute, and is that of the indices which have such a unit: "
             "2MB/s, 50ms; of a duration s, ms, us or ns."},
    {.name = "confidence"},
    {.name = "min-samples",
     .value_words = "by --preset",
     .help =
         "Least number of rounds, and of independent readings that they are worth, that a "
         "result has to rest on; with --unit-readings one round does by default. Fewer than 30 "
         "often miss what is slow once in ten rounds. Where "
         "--limit has no room for 30, as many as fit into it are enough without this option, but "
         "not fewer than 10, and the report says so."},
    {.name = "changepoint"},
    {.name = "autocorr"},
    {.name = "interval",
     .help = "How the confidence interval is made: spectral from an autoregressive model of the "
             "readings, pilot by Pilot's subsession rule, for comparison."},
    {.section = "When it ends",
     .name = "min-time",
     .value_words = "by --preset",
     .help = "Least time to measure for."},
    {.name = "limit"},
    {.name = "rounds",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     EXEC(rounds),
     .min = 1,
     .max = 100000000,
     .value_words = "until the intervals are narrow enough",
     .help = "Exactly this number of rounds that count, however narrow the intervals are by then; "
             "the exit "
             "status is 0."},
    {.name = "warmup",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     EXEC(warmup),
     .min = 0,
     .max = 1000000,
     .value = "0",
     .help = "Rounds before those that count. A warm-up of 30 rounds or more is found without it."},
    {.section = "What limits the program",
     .name = "monitor-cost",
     .help =
         "Watch the data paths of its files, its threads and the processors meanwhile, as often "
         "as costs at most this share of a processor. 0 watches nothing."},
    {.name = "graph"},
    {.name = "remote"},
    {.name = "remote-target"},
    {.name = "sysroot",
     .argument = "DIR",
     EXEC(sysroot),
     .kind = OPTION_TEXT,
     .value_words = "this machine",
     .help = "Read /sys and /proc below DIR."},
    {.name = "strict-bottleneck"},
    {.name = "overhead",
     .argument = "N",
     .kind = OPTION_UNSIGNED,
     EXEC(overhead_pairs),
     .min = 0,
     .max = 100000,
     .value = "0",
     .help =
         "After the result, N pairs of rounds with and without measuring, in turns: by how much "
         "measuring lengthens a round, with a warning above 1 %."},
    LAUNCH_OPTIONS(EXEC_LAUNCH),
    OUTPUT_PAGE_OPTION(struct exec_options),
    OUTPUT_FULL_OPTION(struct exec_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     EXEC(folder),
     .value_words = "nothing is kept",
     .help = "Keep the whole result in DIR, which is made and must not exist. " RANK_NAME_WORDS},
    OPTION_GROUP(PLAN_LABEL),
    OPTION_RULES(exec_rules),
    {0},
};

/* ---- the command ---- */

static int run_exec(const struct option_set *set, struct err *e)
{
    static struct exec_options o; /* too large for a small stack */
    if (exec_options_read(set, &o, e))
        return -1;
    const struct launcher *launcher = &o.launch.start.launcher;
    int status = launch_options_prepare(&o.launch, o.folder, e) ? -1 : exec_options_run(&o, e);
    return status < 0 ? launch_error(launcher, e) : status;
}

static int foresee_exec(const struct option_set *set, struct command_effect *effect, struct err *e)
{
    static struct exec_options o;
    effect->starts_program = true;
    return exec_options_read(set, &o, e);
}

const struct command command_exec = {
    .name = "exec",
    .operands = "-- CMD...",
    .summary = "run any program until its numbers are precise",
    .description =
        (const char *const[]){
            "Runs CMD again and again. Each execution is a round, and each round gives one reading "
            "of every index: what the program prints (--pi), or without --pi the time that it "
            "takes. The readings go through the same statistics as those of cupel run: change "
            "points, the steady part, autocorrelation, an interval that keeps its confidence "
            "although one stops when it is narrow.",
            "CMD is started without a shell, in a process group of its own, with /dev/null as "
            "standard input. Wall time goes from the start of the process to its end; processor "
            "time is that of the process and of the children it waited for.",
            "A round fails when the exit code is not one of --ok-exit, when a signal or --timeout "
            "ends it, when an index cannot be read out of its output, or when processes go on "
            "after its end, which are killed. Failed rounds are reported with the end of what they "
            "printed, and do not count.",
            "Ctrl-C ends the program and prints what was measured so far.", NULL},
    .options = exec_option_rows,
    .examples =
        (const struct help_item[]){
            {"cupel exec -- sleep 0.1", "How long it takes, to 10 %."},
            {"cupel exec --prepare 'sync' --ci 5% -- tar -xf src.tar -C %RESULT_DIR%",
             "To 5 %, with a preparation that does not count, each round in a new folder."},
            {"cupel exec --pi rate,MB/s,1,ratio -w 500 -- ./bench --mb %WORK_AMOUNT%",
             "The second column of the last line, a rate over equal work."},
            {"cupel exec --parameter n=1,2,4 -- make -j%n%", "A result for each number of jobs."},
            {"cupel exec --parse fio -- fio --output-format=json job.fio",
             "What fio reports, with intervals over its runs."},
            {"cupel exec --wps -w 1m,10g -- ./bench --bytes %WORK_AMOUNT%",
             "Bytes per second of a program that prints nothing, without its set-up."},
            {"srun -N 4 cupel exec --start-together /nfs/meet -o r1/%h-%r -- ./bench",
             "On four hosts at the same time, until all are precise."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Measured, and every index as precise as asked."},
            {"2", "Wrong options, or CMD is no program that can be started."},
            {"4", "Too many rounds in a row failed, or --setup, --prepare or --cleanup did; what "
                  "was measured before is printed."},
            {"5", "The limit or a signal came before the precision; what was measured is printed."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){
            {"DIR/program.cupel", "Every round; cupel report reads it, also when the session was "
                                  "killed."},
            {"DIR/output.txt", "The end of what each round printed."},
            {"DIR/rounds/", "The folders that %RESULT_DIR% stands for."},
            {"DIR/report.txt, summary.csv, rounds.csv, readings.csv, machine.csv",
             "The result, and how much of the machine was in use."},
            {"DIR/unit_readings.csv", "The readings of --unit-readings, round by round."},
            {0}},
    .max_operands = SIZE_MAX,
    .run = run_exec,
    .foresee = foresee_exec,
};
