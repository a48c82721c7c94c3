/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variability maps: what a fit to 810 points and 10,000 predictions cost in time and memory, for
 * each method; and table 2 of Cameron et al., *MOANA* (2019), on the one map that was published:
 * the average relative error of configurations that a random split held back, beside what other
 * implementations reach (cases/models/table2_one_map.csv). The map is used when CUPEL_CASES names
 * a folder beside which ../data/varsys has it; the costs then are its, else those of a made up one.
 *
 *   models [SECONDS]      for each line of the table at most (default 20; 200 splits are enough)
 */
#include <sys/resource.h>
#include <time.h>

#include "base/random.h"
#include "figure.h"
#include "stat/model/model.h"
#include "tests/unit/csv_table.h"

#define SPLITS      200
#define PREDICTIONS 10000
#define FACTORS     4
#define POINTS      1000

struct map {
    size_t n;
    double at[POINTS][FACTORS], value[POINTS];
};

static const bool logarithmic[FACTORS] = {true, true, true, true};

struct table_line {
    const char *method, *column; /* of table2_one_map.csv */
    bool log;
    unsigned degree;
};

static const struct table_line lines[] = {
    {"lr", "lr", false, 0},
    {"lsp", "lsp", false, 0},
    {"delaunay", "del", false, 0},
    {"mars", "mars_deg3", false, 3},
    {"lr", "lr_loglog", true, 0},
    {"lsp", "lsp_loglog", true, 0},
    {"delaunay", "del_loglog", true, 0},
    {"mars", "mars_deg3_loglog", true, 3},
    {"gp", "gp_loglog", true, 0},
};

/* Of the processor: what else runs here does not count. */
static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 15 frequencies, 9 numbers of threads, 6 sizes: as the published map, with values that vary. */
static void make_map(struct map *map)
{
    static const double sizes[6][2] = {{64, 32},   {256, 32},   {1024, 32},
                                       {256, 128}, {1024, 128}, {1024, 512}};
    struct random random;
    random_seed(&random, 1, 0);
    map->n = 0;
    for (size_t f = 0; f < 15; f++)
        for (size_t t = 0; t < 9; t++)
            for (size_t s = 0; s < 6; s++) {
                double *at = map->at[map->n];
                at[0] = 1.2 + 0.13 * (double)f;
                at[1] = (double)(1u << t);
                memcpy(at + 2, sizes[s], sizeof sizes[s]);
                map->value[map->n++] =
                    at[0] * sqrt(at[1]) * at[2] / log(at[3]) * (1 + 0.2 * random_unit(&random));
            }
}

static bool read_map(struct map *map)
{
    struct csv_table t;
    const char *path = csv_elsewhere("../data/varsys/map_cfq_noop_fread_summary.csv");
    if (!path || !csv_open(&t, path))
        return false;
    map->n = 0;
    for (size_t i = 0; i < t.rows; i++) {
        if (csv_number(&t, i, "in_810") == 0)
            continue;
        for (size_t j = 0; j < FACTORS; j++)
            map->at[map->n][j] = strtod(t.cell[(i + 1) * t.columns + j], NULL);
        map->value[map->n++] = csv_number(&t, i, "sd");
    }
    csv_close(&t);
    return true;
}

static struct model *fit_map(const struct map *map, size_t n, const struct table_line *line)
{
    struct model_points p = {n, FACTORS, map->at[0], map->value, NULL, NULL};
    struct model_options o = {.log_factor = line->log ? logarithmic : NULL,
                              .log_response = line->log,
                              .degree = line->degree};
    struct model *m = NULL;
    struct err e = {0};
    if (model_fit(&m, model_method_named(line->method, strlen(line->method)), &p, &o, &e))
        fprintf(stderr, "models: %s: %s\n", line->method, e.msg);
    return m;
}

static void measure_cost(const struct map *map, const struct table_line *line, double fit_limit,
                         double answer_limit)
{
    char name[40];
    double begin = seconds();
    struct model *m = fit_map(map, map->n, line);
    double fit = seconds() - begin;
    if (!m)
        return;
    struct random random;
    random_seed(&random, 2, 0);
    begin = seconds();
    for (size_t i = 0; i < PREDICTIONS; i++) {
        double at[FACTORS];
        for (size_t j = 0; j < FACTORS; j++) {
            const double *a = map->at[random_below(&random, map->n)];
            const double *b = map->at[random_below(&random, map->n)];
            at[j] = (a[j] + b[j]) / 2;
        }
        if (!isfinite(model_answer(m, at).value))
            fprintf(stderr, "models: %s: no finite answer\n", line->method);
    }
    double answers = seconds() - begin;
    model_free(m);
    snprintf(name, sizeof name, "%s%s fit", line->method, line->log ? ", log" : "");
    figure_limit(name, "s", 3, fit, fit_limit);
    snprintf(name, sizeof name, "%s%s 10,000 answers", line->method, line->log ? ", log" : "");
    figure_limit(name, "s", 3, answers, answer_limit);
}

static void shuffle(struct map *map, struct random *random)
{
    for (size_t i = map->n; i > 1; i--) {
        size_t k = random_below(random, i);
        double at[FACTORS], value = map->value[i - 1];
        memcpy(at, map->at[i - 1], sizeof at);
        memcpy(map->at[i - 1], map->at[k], sizeof at);
        memcpy(map->at[k], at, sizeof at);
        map->value[i - 1] = map->value[k];
        map->value[k] = value;
    }
}

/* Average relative error of what the split holds back, in percent; NaN: no fit. */
static double split_error(const struct map *map, const struct table_line *line, double share)
{
    size_t n = (size_t)lround(share * (double)map->n);
    struct model *m = fit_map(map, n, line);
    double sum = 0;
    if (!m)
        return NAN;
    for (size_t i = n; i < map->n; i++)
        sum += fabs(model_answer(m, map->at[i]).value / map->value[i] - 1);
    model_free(m);
    return 100 * sum / (double)(map->n - n);
}

/* `paper`: the mean of the paper's table over its 117 maps; NaN: it has no such method. */
static void measure_errors(struct map *map, const struct table_line *line, double share,
                           double expected, double paper, double limit)
{
    struct random random;
    char name[40], reference[40];
    double sum = 0;
    int splits = 0;
    random_seed(&random, 3, 0);
    for (double begin = seconds(); splits < SPLITS && seconds() - begin < limit;) {
        shuffle(map, &random);
        sum += split_error(map, line, share);
        splits++;
    }
    snprintf(name, sizeof name, "%s%s p=%.1f ARE", line->method, line->log ? ", log" : "", share);
    snprintf(reference, sizeof reference, "others; %d splits", splits);
    struct figure f = {name, "%", 2, reference, FIGURE_AT_MOST, (expected + 0.15) / expected};
    figure_print(&f, sum / splits, expected, sum / splits / expected, "");
    if (!(paper > 0))
        return;
    f.reference = "paper, mean of 117 maps";
    f.relation = FIGURE_NO_TARGET;
    figure_print(&f, sum / splits, paper, sum / splits / paper, "");
}

/* The paper took no logarithms. */
static double paper_of(const struct csv_table *t, size_t row, const struct table_line *line)
{
    static const char *const methods[] = {"lr", "lsp", "mars", "delaunay"};
    char column[24];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!line->log && !strcmp(line->method, methods[i])) {
            snprintf(column, sizeof column, "paper117_%s", methods[i]);
            return csv_number(t, row, column);
        }
    return NAN;
}

int main(int argc, char **argv)
{
    static struct map map;
    struct csv_table expected = {0};
    double limit = argc > 1 ? strtod(argv[1], NULL) : 20;
    bool measured = read_map(&map);
    if (!measured)
        make_map(&map);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool slow = strcmp(lines[i].method, "gp") == 0;
        double fit_limit = slow ? 20 : strcmp(lines[i].method, "mars") == 0 ? 2 : 0.5;
        if (model_method_named(lines[i].method, strlen(lines[i].method)))
            measure_cost(&map, &lines[i], fit_limit, slow ? 5 : 0.5);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    figure_limit("memory", "MiB", 1, (double)usage.ru_maxrss / 1024, 200);

    if (!measured || !csv_open(&expected, csv_elsewhere("models/table2_one_map.csv")))
        return 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (size_t row = 0; row < expected.rows; row++) {
            double reference = csv_number(&expected, row, lines[i].column);
            if (model_method_named(lines[i].method, strlen(lines[i].method)) && reference > 0)
                measure_errors(&map, &lines[i], csv_number(&expected, row, "p"), reference,
                               paper_of(&expected, row, &lines[i]), limit);
        }
    csv_close(&expected);
    return 0;
}
