/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans of sweeps: their meaning, the place of mistakes, and the configurations that they make. */
#include "check.h"

#include "base/err.h"
#include "base/span.h"
#include "cmd/column/column.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/run/session_options.h"
#include "facts/result.h"
#include "many/sweep/plan.h"
#include "run/plan/plan.h"

static struct option_row rows[OPTIONS_MAX + 1];
static struct sweep_plan plan;

static int read_plan(const char *text, struct err *e)
{
    return sweep_plan_read(&plan, "plan", span_of(text), options_expand(run_option_rows, rows), e);
}

/* Refused with these words, which begin with line and column. */
static void refused(const char *text, const char *words)
{
    struct err e = {0};
    CHECK_INT(read_plan(text, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, words) != NULL);
    if (!strstr(e.msg, words))
        fprintf(stderr, "    \"%s\" is not in \"%s\"\n", words, e.msg);
    sweep_plan_free(&plan);
}

static size_t design_of(const char *text, struct sweep_configuration **list)
{
    struct err e = {0};
    size_t count = 0;
    *list = NULL;
    if (read_plan(text, &e) || sweep_design_make(&plan, list, &count, &e))
        CHECK_STR(e.msg, "");
    if (!*list) /* the following checks read it */
        exit(EXIT_FAILURE);
    return count;
}

static void refused_design(const char *text, const char *words)
{
    struct sweep_configuration *list;
    struct err e = {0};
    size_t count;
    CHECK_INT(read_plan(text, &e), 0);
    CHECK_INT(sweep_design_make(&plan, &list, &count, &e), -1);
    CHECK(strstr(e.msg, words) != NULL);
    if (!strstr(e.msg, words))
        fprintf(stderr, "    \"%s\" is not in \"%s\"\n", words, e.msg);
    sweep_plan_free(&plan);
}

static void a_whole_plan(void)
{
    struct err e = {0};
    CHECK_INT(read_plan("\xef\xbb\xbf# all of it\r\n"
                        "target: /data/a file   # with a blank\n"
                        "size: 64m\n"
                        "factor threads: 1 2 4\n"
                        "factor bs: 4k \"16k\" 1m\n"
                        "factor mode: read randwrite\n"
                        "factor load: low high\n"
                        "  set: ./load %LEVEL% # loud\n"
                        "  unset: ./load off\n"
                        "constraint: size > bs\n"
                        "constraint: threads <= 2\n"
                        "response: throughput write.p99 bps\n"
                        "repeats: until sd within 20 % at least 6 at most 50\n"
                        "design: random 7\n"
                        "control: every 20 runs threads=2 bs=4k mode=read load=low\n"
                        "control: threads=1 bs=4k mode=read load=high\n"
                        "seed: 99\ncommand-timeout: 5s\n",
                        &e),
              0);
    CHECK_STR(plan.target, "/data/a file");
    CHECK_INT(plan.factor_count, 4);
    CHECK_STR(plan.factors[0].option->name, "numjobs");
    CHECK_STR(plan.factors[1].levels[1].text, "16k");
    CHECK_NEAR(plan.factors[1].levels[2].number, 1048576, 0);
    CHECK(plan.factors[2].is_text && !plan.factors[1].is_text);
    CHECK(plan.factors[3].option == NULL);
    CHECK_STR(plan.factors[3].set, "./load %LEVEL%");
    CHECK_STR(plan.factors[3].unset, "./load off");
    CHECK_INT(plan.response_count, 3);
    CHECK_INT(plan.responses[0].metric, METRIC_BANDWIDTH);
    CHECK_INT(plan.responses[1].metric, METRIC_LATENCY_P99);
    CHECK_STR(plan.responses[1].op, "write");
    CHECK_INT(plan.repeats, 6);
    CHECK_INT(plan.repeats_max, 50);
    CHECK_NEAR(plan.sd_width, 0.2, 1e-12);
    CHECK_INT(plan.design_size, 7);
    CHECK_INT(plan.control_every, 20);
    CHECK_INT(plan.control_count, 2);
    CHECK_INT(plan.controls[0].level[0], 1);
    CHECK_INT(plan.controls[1].level[3], 1);
    CHECK_INT(plan.seed, 99);
    CHECK_NEAR(plan.command_seconds, 5, 0);
    CHECK_INT(plan.grid, 36);
    sweep_plan_free(&plan);
}

static void mistakes(void)
{
    refused("", "plan:1:1: the plan has no factor");
    refused("factor bs: 4k\n", "the plan has no \"repeats: 10\"");
    refused("repeats: 3\nfactor bs:\n", "plan:2:11: bs has no level");
    refused("factor bs: 4k 8k 4k\n", "plan:1:18: the level \"4k\" is there already");
    refused("factor bs: 4k 4096\n", "plan:1:15: the level \"4096\" is there already");
    refused("factor bs: 4k\nfactor record: 8k\n", "bs and record are the same option --bs");
    refused("factor bs 4k\n", "plan:1:8: \"factor NAME: LEVEL LEVEL ...\" is expected");
    refused("factor lod: 1 2\nrepeats: 3\n",
            "plan:1:1: lod is no option of cupel run: a line \"set:");
    refused("treads: 4\n", "plan:1:1: there is no \"treads\"");
    refused("iodpeth: 4\n", "did you mean iodepth?");
    refused("  destroy: 1\n", "plan:1:3: permission to destroy stands on the command line");
    refused("factor overwrite: 1\n", "permission to destroy stands on the command line");
    refused("ci: 5%\n", "ci is of whole sessions");
    refused("factor limit: 1s\n", "limit is of whole sessions");
    refused("seed: 1\nseed: 2\n", "plan:2:1: seed stands there already");
    refused("size: 1m\nsize: 2m\n", "size is set in line 1 already");
    refused("size: 1m\nfactor size: 2m\nrepeats: 1\n",
            "size is a factor and, in line 1, a setting");
    refused("set: ./x\n", "it belongs below the factor");
    refused("factor bs: 4k\nset: ./x\n", "bs is an option of cupel run, which sets it");
    refused("factor run: 1\n", "run is a column of its own");
    refused("factor bs: 4k\nresponse: iosp\nrepeats: 1\n", "plan:2:11: \"iosp\" is no metric");
    refused("factor bs: 4k\nresponse: iops iops\nrepeats: 1\n", "iops is a response already");
    refused("repeats: 0\n", "plan:1:10: repeats: the number is a number from 1 to 10000");
    refused("repeats: until sd\n", "\"until sd within 20%\" is expected");
    refused("repeats: until sd within 20% at least 3\n", "an SD needs at least 5 repeats");
    refused("repeats: until sd within 200%\n", "plan:1:26: a share from 1% to 100%");
    refused("design: half\n", "full, random N or space-filling N");
    refused("control: every 0 runs\n", "every how many runs is a number");
    refused("factor bs: 4k\ncontrol: bs=8k\n", "plan:2:10: bs has no level \"8k\"");
    refused("factor bs: 4k\nfactor rw: read\ncontrol: bs=4k\n", "the control has no level of rw");
    refused("factor bs: 4k\nconstraint: bs >4k\n", "plan:2:16: <, <=, =");
    refused("factor rw: read\nconstraint: rw > 4k\n", "plan:2:13: it is text");
    refused("factor rw: read\nconstraint: 1 < 2\n", "neither side is a factor");
    refused("factor bs: 4k\nsize: 1m\nexec: true %bs%\nrepeats: 1\n",
            "plan:2:1: a program has no settings");
    refused("factor bs: 4k\nindex: x,s,0\nrepeats: 1\n", "index: needs exec:");
    refused("exec: true\nindex: ,s,0\n", "plan:2:8:");
    refused("exec: echo %n\nfactor n: 1 2\nrepeats: 1\n", "plan:2:1: no %n% stands in exec:");
}

static void constraints(void)
{
    struct sweep_configuration *list;
    CHECK_INT(design_of("factor size: 64k 256k 1m\nfactor bs: 32k 128k 512k\n"
                        "constraint: size > bs\nrepeats: 1\n",
                        &list),
              6); /* MOANA (2019), table 1 */
    for (size_t i = 0; i < 6; i++)
        CHECK(sweep_level_of(&plan, &list[i], 0)->number >
              sweep_level_of(&plan, &list[i], 1)->number);
    free(list);
    sweep_plan_free(&plan);
    CHECK_INT(design_of("factor rw: read write\nfactor direct: 0 1\nconstraint: rw != write\n"
                        "constraint: direct = 1\nrepeats: 1\n",
                        &list),
              1);
    free(list);
    sweep_plan_free(&plan);
    CHECK_INT(
        design_of("constraint: rate_iops < 20k\nfactor rate_iops: 15000 20k\nrepeats: 1\n", &list),
        1);
    free(list);
    sweep_plan_free(&plan);
    refused_design("factor bs: 4k 8k\nconstraint: bs < 4k\nrepeats: 1\n",
                   "no configuration meets all constraints");
}

#define TEN "0 1 2 3 4 5 6 7 8 9"
#define SEVEN_FACTORS                                                                              \
    "exec: true %a% %b% %c% %d% %e% %f% %g% %h%\nfactor a: " TEN "\nfactor b: " TEN                \
    "\nfactor c: " TEN "\nfactor d: " TEN "\nfactor e: " TEN "\nfactor f: " TEN "\nfactor g: " TEN \
    "\nrepeats: 1\n"

static void check_distinct(const struct sweep_configuration list[], size_t count)
{
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            alike += !memcmp(&list[i], &list[k], sizeof *list);
    CHECK_INT(alike, 0);
}

static double least_distance(const struct sweep_configuration list[], size_t count, size_t factors)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            double sum = 0;
            for (size_t f = 0; f < factors; f++)
                sum += pow(list[i].level[f] - list[k].level[f], 2);
            least = fmin(least, sum);
        }
    return least;
}

static void large_grids(void)
{
    struct sweep_configuration *list;
    refused_design(SEVEN_FACTORS "factor h: 0 1\n", "the factors make 2e+07 configurations");
    refused_design(SEVEN_FACTORS, "there are more than 1000000 configurations");
    CHECK_INT(design_of(SEVEN_FACTORS "factor h: 0 1\ndesign: random 300\n", &list), 300);
    check_distinct(list, 300);
    free(list);
    sweep_plan_free(&plan);
    refused_design("factor bs: 4k 8k\nrepeats: 1\ndesign: random 3\n",
                   "3 configurations are asked for, and only 2 meet the constraints");
    refused_design("factor bs: 4k 8k\nrepeats: 1\ndesign: space-filling 3000\n", "at most 2000");
}

/* More evenly spread than at random, and no level left out. */
static void space_filling(void)
{
    struct sweep_configuration *list;
    static const char grid[] = "exec: true %a% %b% %c% %d%\nfactor a: " TEN "\nfactor b: " TEN
                               "\nfactor c: " TEN "\nrepeats: 1\n";
    char text[400];
    snprintf(text, sizeof text, "%sdesign: random 40\n", grid);
    CHECK_INT(design_of(text, &list), 40);
    double by_chance = least_distance(list, 40, 3);
    free(list);
    sweep_plan_free(&plan);
    snprintf(text, sizeof text, "%sdesign: space-filling 40\n", grid);
    CHECK_INT(design_of(text, &list), 40);
    CHECK(least_distance(list, 40, 3) > by_chance);
    unsigned seen[3][10] = {{0}};
    for (size_t i = 0; i < 40; i++)
        for (size_t f = 0; f < 3; f++)
            seen[f][list[i].level[f]]++;
    for (size_t f = 0; f < 3; f++)
        for (size_t l = 0; l < 10; l++)
            CHECK(seen[f][l] >= 2 && seen[f][l] <= 7);
    free(list);
    sweep_plan_free(&plan);
}

int main(void)
{
    a_whole_plan();
    mistakes();
    constraints();
    large_grids();
    space_filling();
    return check_result();
}
