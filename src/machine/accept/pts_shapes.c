/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the matrices of the PTS, and chooses the cells of them that fit into a given time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "machine/accept/pts.h"
#include "stat/steady/steady.h"

#define KIB(n) ((n)*1024u)

_Static_assert(PTS_ROUNDS_MAX == STEADY_ROUNDS_MAX, "as many rounds as the rule allows");

const struct pts_test pts_tests[PTS_TESTS + 1] = {
    {.name = "pts-iops",
     .stage = "pts-iops",
     .title = "IOPS",
     .kind = METRIC_KIND_COUNT_RATE,
     .random = true,
     .precondition = KIB(128),
     .load = {{4, 32}, {2, 16}},
     .rounds = PTS_ROUNDS_MAX,
     .blocks = {KIB(1024), KIB(128), KIB(64), KIB(32), KIB(16), KIB(8), KIB(4), 512},
     .mixes = {100, 95, 65, 50, 35, 5, 0},
     .mix_count = 7,
     .core_blocks = 0x65, /* 1024, 64, 8 and 4 KiB */
     .core_mixes = 0x45,  /* 100/0, 65/35 and 0/100 */
     .tracked = {{KIB(4), 0}, {KIB(64), 65}, {KIB(1024), 100}},
     .tracked_count = 3},
    {.name = "pts-tp-128k",
     .stage = "pts-tp",
     .title = "throughput, 128 KiB",
     .kind = METRIC_KIND_BYTE_RATE,
     .precondition = KIB(128),
     .load = {{1, 32}, {1, 32}},
     .rounds = PTS_ROUNDS_MAX,
     .blocks = {KIB(128)},
     .mixes = {100, 0},
     .mix_count = 2,
     .tracked = {{KIB(128), 100}, {KIB(128), 0}},
     .tracked_count = 2},
    {.name = "pts-tp-1024k",
     .stage = "pts-tp",
     .title = "throughput, 1024 KiB",
     .kind = METRIC_KIND_BYTE_RATE,
     .precondition = KIB(1024),
     .load = {{1, 32}, {1, 32}},
     .rounds = PTS_ROUNDS_MAX,
     .blocks = {KIB(1024)},
     .mixes = {100, 0},
     .mix_count = 2,
     .tracked = {{KIB(1024), 100}, {KIB(1024), 0}},
     .tracked_count = 2},
    {.name = "pts-lat",
     .stage = "pts-lat",
     .title = "latency",
     .kind = METRIC_KIND_TIME,
     .random = true,
     .precondition = KIB(128),
     .load = {{1, 1}, {1, 1}},
     .rounds = PTS_ROUNDS_MAX,
     .blocks = {KIB(8), KIB(4), 512},
     .mixes = {100, 65, 0},
     .mix_count = 3,
     .core_blocks = 0x2, /* 4 KiB */
     .core_mixes = 0x7,
     .tracked = {{KIB(4), 0}},
     .tracked_count = 1,
     .long_seconds = 1200},
    {.name = "pts-wsat",
     .stage = "pts-wsat",
     .title = "write saturation",
     .kind = METRIC_KIND_COUNT_RATE,
     .random = true,
     .saturation = true,
     .load = {{4, 32}, {2, 16}},
     .rounds = 360,
     .blocks = {KIB(4)},
     .mixes = {0},
     .mix_count = 1,
     .tracked = {{KIB(4), 0}},
     .tracked_count = 1},
    {.name = NULL},
};

#define FULL_SECONDS  60
#define ROUNDS_WANTED 10

/* the cells of the matrix that a step measures */
enum part { PART_ALL, PART_CORE, PART_TRACKED };

static const struct step {
    enum part part;
    double seconds;
} steps[] = {
    {PART_ALL, FULL_SECONDS},     {PART_ALL, 20},     {PART_CORE, FULL_SECONDS}, {PART_CORE, 20},
    {PART_TRACKED, FULL_SECONDS}, {PART_TRACKED, 20}, {PART_TRACKED, 5},
};

enum { STEPS = sizeof steps / sizeof *steps };

/* ---- cells ---- */

static bool is_tracked(const struct pts_test *test, uint32_t block, unsigned mix)
{
    for (unsigned i = 0; i < test->tracked_count; i++)
        if (test->tracked[i].block == block && test->tracked[i].mix == mix)
            return true;
    return false;
}

static bool is_in(enum part part, const struct pts_test *test, unsigned block, unsigned mix)
{
    bool core = test->core_blocks >> block & 1 && test->core_mixes >> mix & 1;
    return part == PART_ALL || (part == PART_CORE && core) ||
           is_tracked(test, test->blocks[block], test->mixes[mix]);
}

/* Chooses the cells: for each mix all its block sizes, the largest first. */
static void choose_cells(struct pts_result *r, const struct pts_test *test, enum part part,
                         uint32_t logical_block)
{
    r->cell_count = r->chosen = 0;
    for (unsigned m = 0; m < test->mix_count; m++)
        for (unsigned b = 0; b < PTS_BLOCKS_MAX && test->blocks[b]; b++) {
            struct pts_cell *c = &r->cells[r->cell_count++];
            *c = (struct pts_cell){.block = test->blocks[b],
                                   .read_percent = test->mixes[m],
                                   .tracked = is_tracked(test, test->blocks[b], test->mixes[m]),
                                   .mean = NAN};
            c->chosen = c->block % logical_block == 0 && is_in(part, test, b, m);
            r->chosen += c->chosen;
        }
}

/* ---- words ---- */

static void name_left_out(struct pts_result *r, uint32_t logical_block)
{
    unsigned count = 0;
    for (unsigned i = 0; i < r->cell_count; i++)
        count += r->cells[i].block % logical_block != 0;
    r->left_out[0] = '\0';
    if (count)
        snprintf(r->left_out, sizeof r->left_out,
                 "%u cells of less than %u bytes are left out: the drive's blocks are that large",
                 count, logical_block);
}

static void name_shape(struct pts_result *r, const struct pts_test *test, uint32_t logical_block)
{
    name_left_out(r, logical_block);
    unsigned possible = 0;
    for (unsigned i = 0; i < r->cell_count; i++)
        possible += r->cells[i].block % logical_block == 0;
    const char *what = test->saturation ? "samples" : "rounds";
    int used = snprintf(r->words, sizeof r->words, "PTS-%c %s", r->client ? 'C' : 'E', r->title);
    r->reduced =
        r->chosen < possible || r->cell_seconds < FULL_SECONDS || r->rounds_max < test->rounds;
    if (r->reduced)
        used += snprintf(r->words + used, sizeof r->words - (size_t)used,
                         ", reduced: %u of %u cells, %.4g s each", r->chosen, r->cell_count,
                         r->cell_seconds);
    if (r->rounds_max < test->rounds)
        snprintf(r->words + used, sizeof r->words - (size_t)used, ", at most %u of %u %s",
                 r->rounds_max, test->rounds, what);
}

/* ---- time ---- */

static double round_seconds(unsigned cells, double cell_seconds)
{
    return cells * (cell_seconds + PTS_CELL_EXTRA_SECONDS);
}

/* Returns the duration of the long run of LAT, which is shortened in proportion to the cells. */
static double long_run(const struct pts_test *test, double cell_seconds)
{
    return test->long_seconds * fmin(cell_seconds / FULL_SECONDS, 1);
}

double pts_seconds(const struct pts_result *r, const struct pts_test *test, unsigned rounds)
{
    return rounds * round_seconds(r->chosen, r->cell_seconds) + long_run(test, r->cell_seconds);
}

double pts_seconds_left(const struct pts_result *r, const struct pts_test *test)
{
    unsigned samples = r->sample_count;
    double took = r->cell_seconds + PTS_CELL_EXTRA_SECONDS;
    if (test->saturation) {
        double left = (r->rounds_max - samples) * took;
        double written = samples ? r->samples[samples - 1].written : 0;
        double share = written / (4 * (double)r->capacity);
        return share > 0 ? fmin(left, samples * took * (1 / share - 1)) : left;
    }
    unsigned rounds = r->chosen ? samples / r->chosen + 1 : 1;
    rounds = rounds > STEADY_WINDOW ? rounds : STEADY_WINDOW;
    return fmax(rounds * r->chosen - samples, 0) * took + long_run(test, r->cell_seconds);
}

int pts_shape(struct pts_result *r, const struct pts_test *test, const struct pts_limits *limits,
              struct err *e)
{
    /* Write saturation has 360 samples, and a change of level takes several of them. */
    const unsigned wanted = test->saturation ? 60 : ROUNDS_WANTED;
    const unsigned block = limits->logical_block ? limits->logical_block : 512;
    double fit = 0;
    for (unsigned i = 0; i < test->tracked_count; i++)
        if (test->tracked[i].block % block != 0)
            return err_set(e, ERR_USAGE,
                           "%s: the drive's blocks have %u bytes, and its steady state is judged "
                           "by requests of %u bytes",
                           test->stage, block, test->tracked[i].block);
    *r = (struct pts_result){.client = limits->client,
                             .saturation = test->saturation,
                             .kind = test->kind,
                             .threads = test->load[limits->client].threads,
                             .depth = test->load[limits->client].depth,
                             .capacity = limits->capacity};
    snprintf(r->name, sizeof r->name, "%s", test->name);
    snprintf(r->title, sizeof r->title, "%s", test->title);
    const uint64_t align = KIB(1024);
    r->range = limits->client ? limits->capacity / 4 * 3 / align * align : limits->capacity;
    for (unsigned i = 0; i < STEPS; i++) {
        double seconds = steps[i].seconds;
        if (limits->cell_seconds > 0)
            seconds = fmin(seconds, limits->cell_seconds);
        choose_cells(r, test, steps[i].part, block);
        r->cell_seconds = seconds;
        fit =
            floor((limits->seconds - long_run(test, seconds)) / round_seconds(r->chosen, seconds));
        if (fit >= wanted)
            break;
    }
    if (!(fit >= STEADY_WINDOW))
        return err_set(e, ERR_USAGE,
                       "%s: five rounds of its smallest matrix take %.0f s, and there are %.0f s: "
                       "give it more --hours, or leave it out of --stages",
                       test->stage, pts_seconds(r, test, STEADY_WINDOW), limits->seconds);
    r->rounds_max = fit < test->rounds ? (unsigned)fit : test->rounds;
    name_shape(r, test, block);
    return 0;
}
