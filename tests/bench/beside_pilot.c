/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cupel exec beside Pilot's own program (Li et al., *Pilot*, 2016; its command line `bench`) on the
 * same simulated rounds, both to an interval of 10 % with the preset normal. Pilot times rounds by
 * the clock, which is simulated for it.
 *
 *   beside_pilot PILOT PROGRAM CLOCK FOLDER [NAME]     PILOT: the program, or "" to leave it out;
 *                                                      only the kinds whose name begins with NAME
 */
#include "beside.h"

enum { SESSIONS = 100, SPEED_SESSIONS = 100 };

#define SESSION_LIMIT                                                                              \
    "500" /* simulated seconds: Pilot looks for change points in all rounds, each time */
#define SPEED_LIMIT   "20000"
#define WORK_MAX      1000000
#define LIMIT_REACHED 13 /* Pilot's exit status */

static const char *wanted = "";
static char *pilot, *program, *clock_library, *folder;
static struct beside_file file;

static const struct kind {
    const char *name;
    struct simulated_model model;
    bool rate;    /* the index is the rate: a harmonic mean */
    size_t least; /* rounds; 0: what the preset says, 30 of exec and 50 of Pilot */
} kinds[] = {
    {.name = "independent, sd 20 %", .model = {.setup = 1, .speed = INFINITY, .sd = 0.2}},
    {.name = "AR(1) .6, sd 10 %", .model = {.setup = 1, .speed = INFINITY, .sd = 0.1, .rho = 0.6}},
    {.name = "AR(1) .9, sd 5 %", .model = {.setup = 1, .speed = INFINITY, .sd = 0.05, .rho = 0.9}},
    {.name = "30 rounds warm-up, AR(1) .3",
     .model = {.setup = 1, .speed = INFINITY, .sd = 0.1, .rho = 0.3, .warm_rounds = 30}},
    {.name = "8 rounds warm-up, AR(1) .3",
     .model = {.setup = 1, .speed = INFINITY, .sd = 0.1, .rho = 0.3, .warm_rounds = 8}},
    {.name = "one in ten slow, sd 5 %",
     .model = {.setup = 1, .speed = INFINITY, .sd = 0.05, .slow_share = 0.1}},
    {.name = "30 rounds warm-up, 50 at least",
     .model = {.setup = 1, .speed = INFINITY, .sd = 0.1, .rho = 0.3, .warm_rounds = 30},
     .least = 50},
    {.name = "rates, lognormal .3",
     .model = {.setup = 1, .speed = INFINITY, .sd = 0.3, .lognormal = 1},
     .rate = true},
};

static const struct kind speeds[] = {
    {.name = "WPS, independent",
     .model = {.setup = 2, .speed = 100, .sd = 0.25, .setup_varies = 1}},
    {.name = "WPS, AR(1) .6",
     .model = {.setup = 2, .speed = 100, .sd = 0.25, .rho = 0.6, .setup_varies = 1}},
    {.name = "WPS, noise of 5 % of a round", .model = {.setup = 2, .speed = 100, .sd = 0.05}},
};

/* The number below that heading in the last line of a file of CSV; NaN when there is none. */
static double column_of(const char *file_name, const char *heading)
{
    char path[1100], head[4096] = "", row[4096] = "", line[4096];
    snprintf(path, sizeof path, "%s/pilot/%s", folder, file_name);
    FILE *f = fopen(path, "re");
    if (!f || !fgets(head, sizeof head, f)) {
        if (f)
            fclose(f);
        return NAN;
    }
    while (fgets(line, sizeof line, f))
        if (*line != '\n')
            memcpy(row, line, sizeof row);
    fclose(f);
    char *headings = head, *cells = row, *name, *cell;
    while ((name = strsep(&headings, ",\n")) && (cell = strsep(&cells, ",\n")))
        if (!strcmp(name, heading))
            return *cell ? strtod(cell, NULL) : NAN;
    return NAN;
}

/* All values are as Pilot exports them: means, and full widths of intervals. */
static int run_pilot(char *const argv[], const char *file_name, const char *value,
                     const char *width, struct beside_result *r)
{
    bool precise;
    if (beside_run_simulated(argv, &file, clock_library, LIMIT_REACHED, &precise))
        return -1;
    double middle = column_of(file_name, value), half = column_of(file_name, width) / 2;
    *r = (struct beside_result){file.session->seconds, middle, middle - half, middle + half,
                                precise};
    return 0;
}

static int pilot_readings(const struct kind *k, struct beside_result *r)
{
    char to[1100], index[64];
    snprintf(to, sizeof to, "%s/pilot", folder);
    snprintf(index, sizeof index, "reading,,%d,%d,1", k->rate, k->rate);
    char *const argv[] = {pilot, "run_program", "--quiet", "--preset", "normal",
                          "-s",  SESSION_LIMIT, "-o",      to,         "-p",
                          index, "--",          program,   file.path,  NULL};
    return run_pilot(argv, "pi_results.csv", "readings_mean", "readings_subsession_ci", r);
}

static int cupel_readings(const struct kind *k, struct beside_result *r)
{
    const struct simulated_request asked = {
        .type = k->rate ? INDEX_RATIO : INDEX_ORDINARY, .width = 0.1, .least = k->least};
    return beside_run_cupel(&file, &asked, r);
}

static int pilot_speed(const struct kind *k, struct beside_result *r)
{
    (void)k;
    char to[1100];
    snprintf(to, sizeof to, "%s/pilot", folder);
    char *const argv[] = {
        pilot,       "run_program", "--quiet", "--preset", "normal",  "-s",
        SPEED_LIMIT, "-o",          to,        "--wps",    "-d",      "0",
        "-w",        "1,1000000",   "--",      program,    file.path, "%WORK_AMOUNT%",
        NULL};
    return run_pilot(argv, "wps_analysis.csv", "wps_v", "wps_v_ci", r);
}

static int cupel_speed(const struct kind *k, struct beside_result *r)
{
    (void)k;
    const struct simulated_request asked = {.width = 0.1, .work_max = WORK_MAX};
    return beside_run_cupel(&file, &asked, r);
}

typedef int session_of(const struct kind *k, struct beside_result *r);

static int compare(const struct kind *k, double truth, unsigned sessions, session_of *of_cupel,
                   session_of *of_pilot)
{
    if (strncmp(k->name, wanted, strlen(wanted)) != 0)
        return 0;
    struct beside_result ours[SESSIONS], theirs[SESSIONS];
    for (unsigned i = 0; i < sessions; i++) {
        beside_begin(&file, &k->model, i + 1);
        if (of_cupel(k, &ours[i]))
            return -1;
        beside_begin(&file, &k->model, i + 1);
        if (of_pilot(k, &theirs[i]))
            return -1;
    }
    beside_print(k->name, "Pilot", ours, theirs, sessions, truth);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: beside_pilot PILOT PROGRAM CLOCK FOLDER [NAME]\n");
        return 1;
    }
    pilot = argv[1];
    program = argv[2];
    clock_library = argv[3];
    folder = argv[4];
    if (argc == 6)
        wanted = argv[5];
    if (!*pilot) {
        printf("beside Pilot: skipped, PILOT names no program of Pilot\n");
        return 0;
    }
    if (beside_open(&file, folder))
        return 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = &kinds[i];
        double truth = k->model.setup * (1 + k->model.slow_share);
        if (compare(k, truth, SESSIONS, cupel_readings, pilot_readings))
            return 1;
    }
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (compare(&speeds[i], speeds[i].model.speed, SPEED_SESSIONS, cupel_speed, pilot_speed))
            return 1;
    return 0;
}
