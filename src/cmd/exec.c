/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel exec: any program, run round by round until its numbers are precise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_parse.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/internal.h"
#include "cmd/options/command.h"

/* ---- its options ---- */

#define EXEC(member) OPTION_FIELD(struct exec_options, member)
#define WORK_PLACE   "%WORK_AMOUNT%"

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
             "also be text:WORDS, the number after these words, wherever they stand last."},
    {.name = "parse",
     .argument = "NAME",
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
     .help = "What %WORK_AMOUNT% in CMD stands for, or with --wps the range it is taken from. k, m "
             "and g are powers of 1024. %ROUND% is the number of the round, %RESULT_DIR% a new "
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
     .help = "A shell command at the end, also after Ctrl-C."},
    {.name = "timeout",
     .argument = "TIME",
     .kind = OPTION_TIME,
     EXEC(timeout_seconds),
     .min = 0.001,
     .max = 30 * 86400,
     .value_words = "--limit ends it",
     .help = "A round that takes longer is killed and has failed."},
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
             "20%, 10, 1s (quick); 10%, 10, 3s (normal); 10%, 50, 10s (strict). Each of them can "
             "still be given."},
    {.name = "ci"},
    {.name = "confidence"},
    {.name = "min-samples",
     .value_words = "by --preset",
     .help = "Least number of rounds, and of independent readings that they are worth, that a "
             "result has to rest on."},
    {.name = "changepoint"},
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
     .help =
         "Exactly so many rounds that count, however narrow the intervals are by then; the exit "
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
    OUTPUT_FORMAT_OPTION(struct exec_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     EXEC(folder),
     .value_words = "nothing is kept",
     .help = "Keep the whole result in DIR, which is made and must not exist."},
    {0},
};

/* Rounds are dear: what run asks of thousands of time slices cannot be asked of them. */
static const struct {
    const char *name;
    uint32_t rounds;
    double seconds;
} exec_presets[] = {{"quick", 10, 1}, {"normal", 10, 3}, {"strict", 50, 10}};

static void apply_preset(const struct option_set *set, struct plan *plan)
{
    for (size_t i = 0; i < sizeof exec_presets / sizeof *exec_presets; i++) {
        if (strcmp(plan->preset, exec_presets[i].name) != 0)
            continue;
        if (!options_given(set, "min-samples"))
            plan->minimum_subsessions = exec_presets[i].rounds;
        if (!options_given(set, "min-time"))
            plan->minimum_seconds = exec_presets[i].seconds;
    }
}

/* ---- options to a plan ---- */

static int add_index(struct exec_options *o, const struct exec_index *index, struct err *e)
{
    size_t *count = &o->exec.program.index_count;
    if (*count == EXECUTION_INDICES_MAX - 1)
        return err_set(e, ERR_USAGE, "--pi: %d of them are possible", EXECUTION_INDICES_MAX - 1);
    for (size_t i = 0; i < *count; i++)
        if (!strcmp(o->indices[i].name, index->name) && !strcmp(o->indices[i].op, index->op))
            return err_set(e, ERR_USAGE, "--pi %.60s: there are two of that name", index->name);
    o->indices[(*count)++] = *index;
    return 0;
}

/* Those that a parser knows, then those that were typed. */
static int read_indices(const struct option_set *set, struct exec_options *o, struct err *e)
{
    int cursor = 0;
    for (const char *name; (name = options_next(set, "parse", &cursor)) != NULL;) {
        const struct exec_parser *parser = exec_parser_find(name);
        if (!parser)
            return err_set(e, ERR_USAGE,
                           "--parse %.40s: fio, fio-write, sysbench, pgbench and redis-benchmark "
                           "are known",
                           name);
        o->exec.program.parser = parser;
        for (const struct exec_index *index = parser->indices; index->name[0]; index++)
            if (add_index(o, index, e))
                return -1;
    }
    cursor = 0;
    for (const char *text; (text = options_next(set, "pi", &cursor)) != NULL;) {
        struct exec_index index;
        if (exec_index_parse(text, &index, e) || add_index(o, &index, e))
            return -1;
    }
    o->exec.program.indices = o->indices;
    return 0;
}

static int check_command(const struct option_set *set, struct err *e)
{
    if (set->operand_count > set->after_dashes_count)
        return err_set(e, ERR_USAGE, "%.60s: the program stands after --: cupel exec -- %.60s",
                       set->operands[0], set->operands[0]);
    if (!set->after_dashes_count)
        return err_set(e, ERR_USAGE, "nothing to run: give a program after --");
    if (!set->after_dashes[0][0])
        return err_set(e, ERR_USAGE, "the program's name is empty");
    return 0;
}

/* The command in one line, as far as it fits. */
static void describe_command(char *const *words, char *to, size_t size)
{
    struct text line = {0};
    for (size_t i = 0; words[i]; i++)
        text_addf(&line, "%s%s", i ? " " : "", words[i]);
    span_printable(to, size, span_of(line.data ? line.data : ""));
    text_free(&line);
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static int read_work(const struct option_set *set, struct exec_options *o, struct err *e)
{
    char first[sizeof o->work];
    const char *comma = strchr(o->work, ',');
    size_t length = comma ? (size_t)(comma - o->work) : strlen(o->work);
    uint64_t min = 0, max = 0;
    snprintf(first, sizeof first, "%.*s", (int)length, o->work);
    if (parse_size(first, &min, e) || (comma && parse_size(comma + 1, &max, e)))
        return -1;
    const uint64_t most = (uint64_t)1 << 53;
    if (min > most || max > most || (comma ? max < 2 || min >= max : min == 0))
        return err_set(e, ERR_USAGE,
                       "-w %s: an amount of 1 or more, or MIN,MAX with MIN below MAX, is needed",
                       o->work);
    if (o->wps != (comma != NULL))
        return err_set(e, ERR_USAGE,
                       o->wps ? "--wps needs the range of work amounts: -w MIN,MAX"
                              : "-w %s: a range of work amounts goes with --wps",
                       o->work);
    if (!o->wps && options_given(set, "shortest-round"))
        return err_set(e, ERR_USAGE, "--shortest-round goes with --wps");
    o->exec.work = (double)min;
    if (!o->wps)
        return 0;
    if (o->exec.program.index_count)
        return err_set(e, ERR_USAGE, "--wps measures durations: --pi does not go with it");
    bool varies = strstr(o->prepare, WORK_PLACE) != NULL;
    for (size_t i = 0; i < set->after_dashes_count; i++)
        varies |= strstr(set->after_dashes[i], WORK_PLACE) != NULL;
    if (!varies)
        return err_set(e, ERR_USAGE, "--wps varies %s, and CMD does not have it", WORK_PLACE);
    o->exec.work_range = (struct work_limits){.min = min ? (double)min : 1,
                                              .max = (double)max,
                                              .shortest = o->shortest_seconds,
                                              .quick_seconds = WORK_QUICK_SECONDS,
                                              .quick_rounds = WORK_QUICK_ROUNDS};
    return 0;
}

static void make_plan(const struct option_set *set, struct exec_options *o)
{
    struct exec_plan *p = &o->exec;
    const struct plan *plan = &o->plan;
    p->program.command = (const char *const *)set->after_dashes;
    p->program.shell = o->shell;
    p->program.serve = o->serve;
    p->program.setup = or_null(o->setup);
    p->program.prepare = or_null(o->prepare);
    p->program.cleanup = or_null(o->cleanup);
    p->program.directory = or_null(o->directory);
    p->program.timeout_seconds = o->timeout_seconds;
    p->program.discard_output = o->discard_output;
    p->program.duration_column = options_given(set, "duration-col") ? (int)o->duration_column : -1;
    p->config = plan_judge_config(plan, false);
    p->config.minimum_readings = plan->minimum_subsessions;
    p->minimum_seconds = plan->minimum_seconds;
    p->limit_seconds = plan->limit_seconds;
    p->rounds = o->rounds;
    p->warmup = o->warmup;
    p->overhead_pairs = o->overhead_pairs;
    p->failures = o->failures;
    p->monitor_cost = plan->monitor_cost;
    p->graph = or_null(plan->graph);
    describe_command(set->after_dashes, p->command, sizeof p->command);
}

int exec_options_read(const struct option_set *set, struct exec_options *o, struct err *e)
{
    *o = (struct exec_options){0};
    if (plan_options_store(set, &o->plan, e) || check_command(set, e) || read_indices(set, o, e) ||
        exec_environment_read(set, o, e) || read_work(set, o, e) ||
        exec_parameters_read(set, &o->parameters, e) ||
        exec_exit_codes_parse(o->exit_ok, o->exec.program.exit_ok, e))
        return -1;
    if (o->plan.period_seconds > 0)
        return err_set(e, ERR_USAGE,
                       "--interval %g s: rounds have no intervals of time; give a "
                       "method, as in --interval pilot",
                       o->plan.period_seconds);
    if (o->serve && o->discard_output)
        return err_set(e, ERR_USAGE,
                       "--serve reads the answers: --discard-output does not go with it");
    if (o->serve && o->overhead_pairs)
        return err_set(e, ERR_USAGE, "--serve reads every answer: --overhead does not go with it");
    bool reads = o->exec.program.index_count || options_given(set, "duration-col");
    if (o->discard_output && reads)
        return err_set(e, ERR_USAGE,
                       "--discard-output: --pi and --duration-col read what is printed");
    if (o->plan.graph[0] && o->plan.monitor_cost <= 0)
        return err_set(e, ERR_USAGE, "--graph has to watch: leave it or --monitor-cost 0 out");
    if (o->rounds && (options_given(set, "min-samples") || options_given(set, "min-time")))
        return err_set(e, ERR_USAGE,
                       "--rounds is exact: --min-samples and --min-time do not go "
                       "with it");
    apply_preset(set, &o->plan);
    make_plan(set, o);
    return 0;
}

/* ---- the command ---- */

static int run_exec(const struct option_set *set, struct err *e)
{
    static struct exec_options o; /* too large for a small stack */
    return exec_options_read(set, &o, e) ? -1 : exec_options_run(&o, e);
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
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Measured, and every index as precise as asked."},
            {"2", "Wrong options."},
            {"4", "CMD cannot be started, or too many rounds in a row failed; what was measured "
                  "before is printed."},
            {"5", "The limit or a signal came before the precision; what was measured is printed."},
            {"6", "This machine, kernel or permission cannot do it."},
            {0}},
    .files =
        (const struct help_item[]){
            {"DIR/record.cupel", "Every round; cupel report reads it, also when the session was "
                                 "killed."},
            {"DIR/output.txt", "The end of what each round printed."},
            {"DIR/rounds/", "The folders that %RESULT_DIR% stands for."},
            {"DIR/report.txt, summary.csv, rounds.csv, readings.csv, machine.csv",
             "The result, and how much of the machine was in use."},
            {0}},
    .max_operands = SIZE_MAX,
    .run = run_exec,
    .foresee = foresee_exec,
};
