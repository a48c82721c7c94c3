/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel exec beside hyperfine on the same simulated rounds, hyperfine by a simulated clock. It ends
 * after 3 s and 10 rounds, however precise that is; its mean and standard deviation give Student's
 * interval. Three questions: the time to 10 %, which hyperfine may not have reached; the time to
 * the width that hyperfine ended with; and how wide both are on the same rounds.
 *
 *   beside_hyperfine PROGRAM CLOCK FOLDER
 */
#include "beside.h"
#include "stat/basic/distribution.h"

enum { SESSIONS = 200 };

static char *program, *clock_library, *folder;
static struct beside_file file;

static const struct kind {
    const char *name;
    struct simulated_model model;
} kinds[] = {
    {"20 ms, sd 5 %", {.setup = 0.02, .speed = INFINITY, .sd = 0.05}},
    {"20 ms, sd 20 %", {.setup = 0.02, .speed = INFINITY, .sd = 0.2}},
    {"20 ms, one in ten slow", {.setup = 0.02, .speed = INFINITY, .sd = 0.05, .slow_share = 0.1}},
    {".4 s, sd 5 %", {.setup = 0.4, .speed = INFINITY, .sd = 0.05}},
    {".4 s, sd 20 %", {.setup = 0.4, .speed = INFINITY, .sd = 0.2}},
    {".4 s, one in ten slow", {.setup = 0.4, .speed = INFINITY, .sd = 0.05, .slow_share = 0.1}},
};

static double full_width(const struct beside_result *r)
{
    return (r->high - r->low) / r->value;
}

/* One line of numbers below a heading: command,mean,stddev,... */
static int read_export(const char *path, double *mean, double *sd)
{
    char line[4096];
    FILE *f = fopen(path, "re");
    bool read = f && fgets(line, sizeof line, f) && fgets(line, sizeof line, f);
    if (f)
        fclose(f);
    const char *numbers = read ? strchr(line, ',') : NULL;
    if (numbers && sscanf(numbers, ",%lf,%lf", mean, sd) == 2)
        return 0;
    fprintf(stderr, "%s holds no result of hyperfine\n", path);
    return -1;
}

static int run_hyperfine(struct beside_result *r)
{
    char to[1100], command[2100];
    snprintf(to, sizeof to, "%s/hyperfine.csv", folder);
    snprintf(command, sizeof command, "%s %s", program, file.path);
    char *const argv[] = {"hyperfine", "-N", "--style", "none", "--export-csv", to, command, NULL};
    double mean, sd, n;
    bool ended;
    if (beside_run_simulated(argv, &file, clock_library, 0, &ended) || read_export(to, &mean, &sd))
        return -1;
    n = (double)file.session->rounds;
    double half = student_t_quantile(0.975, n - 1) * sd / sqrt(n);
    *r = (struct beside_result){file.session->seconds, mean, mean - half, mean + half,
                                2 * half / mean <= 0.1};
    return 0;
}

static int compare(const struct kind *k)
{
    struct beside_result theirs[SESSIONS], ours[SESSIONS], equal[SESSIONS];
    double width[SESSIONS], their_width[SESSIONS],
        truth = k->model.setup * (1 + k->model.slow_share);
    char label[64];
    for (unsigned i = 0; i < SESSIONS; i++) {
        beside_begin(&file, &k->model, i + 1);
        if (run_hyperfine(&theirs[i]))
            return -1;
        their_width[i] = full_width(&theirs[i]);
        const struct simulated_request to_tenth = {.width = 0.1},
                                       to_theirs = {.width = their_width[i]},
                                       as_long = {.width = 0.1, .rounds = file.session->rounds};
        beside_begin(&file, &k->model, i + 1);
        if (beside_run_cupel(&file, &to_tenth, &ours[i]))
            return -1;
        beside_begin(&file, &k->model, i + 1);
        if (beside_run_cupel(&file, &to_theirs, &equal[i]))
            return -1;
        struct beside_result same;
        beside_begin(&file, &k->model, i + 1);
        if (beside_run_cupel(&file, &as_long, &same))
            return -1;
        width[i] = full_width(&same);
    }
    snprintf(label, sizeof label, "%s, to 10 %%", k->name);
    beside_print(label, "hyperfine", ours, theirs, SESSIONS, truth);
    snprintf(label, sizeof label, "%s, to its width", k->name);
    beside_print(label, "hyperfine", equal, theirs, SESSIONS, truth);
    struct figure f = {"  width on equal rounds", "1", 4, "hyperfine", FIGURE_NO_TARGET, 0};
    figure_pairs(&f, width, their_width, SESSIONS);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: beside_hyperfine PROGRAM CLOCK FOLDER\n");
        return 1;
    }
    program = argv[1];
    clock_library = argv[2];
    folder = argv[3];
    if (beside_open(&file, folder))
        return 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (compare(&kinds[i]))
            return 1;
    return 0;
}
