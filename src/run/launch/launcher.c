/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the rank of this process from launchers' environment variables, by a table. */
#include "run/launch/launcher.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number_parse.h"

#define ALTERNATIVES 2

/* A launcher: the variables that it sets in every process that it starts. Of several alternatives,
   the first variable that is set counts. If a row has no names for `size`, the launcher does not
   give the number of ranks. */
struct launcher_row {
    const char *name;
    const char *rank;
    /* the variable contains a list of hosts, and the rank is the position of this host */
    bool is_list;
    const char *size[ALTERNATIVES];
    const char *local_rank;
    /* variable whose largest number counts, as in "2(x3),1" (ranks per host, with repetitions) */
    const char *local_size;
    const char *job[ALTERNATIVES]; /* if there are two names, the job consists of both values */
    /* If this is not NULL, the row applies only if this variable contains the number of a step. */
    const char *step;
};

/*
 * The order matters: mpirun starts its processes within a step of Slurm, and they inherit that
 * step's variables, which describe mpirun's own daemon. PMIx comes last, because other launchers
 * set its variable, too, and give more information.
 */
static const struct launcher_row launchers[] = {
    {.name = "CUPEL_RANK", .rank = "CUPEL_RANK", .size = {"CUPEL_SIZE"}},
    {.name = "CUPEL_HOSTS", .rank = "CUPEL_HOSTS", .is_list = true},
    {.name = "Open MPI",
     .rank = "OMPI_COMM_WORLD_RANK",
     .size = {"OMPI_COMM_WORLD_SIZE"},
     .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
     .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE",
     .job = {"PMIX_NAMESPACE"}},
    {.name = "MVAPICH",
     .rank = "MV2_COMM_WORLD_RANK",
     .size = {"MV2_COMM_WORLD_SIZE"},
     .local_rank = "MV2_COMM_WORLD_LOCAL_RANK",
     .local_size = "MV2_COMM_WORLD_LOCAL_SIZE"},
    {.name = "Flux",
     .rank = "FLUX_TASK_RANK",
     .size = {"FLUX_JOB_SIZE"},
     .local_rank = "FLUX_TASK_LOCAL_ID",
     .job = {"FLUX_JOB_ID"}},
    {.name = "MPICH, Hydra or Intel MPI",
     .rank = "PMI_RANK",
     .size = {"PMI_SIZE"},
     .local_rank = "MPI_LOCALRANKID",
     .local_size = "MPI_LOCALNRANKS"},
    {.name = "Slurm",
     .rank = "SLURM_PROCID",
     .size = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     .local_rank = "SLURM_LOCALID",
     .local_size = "SLURM_STEP_TASKS_PER_NODE",
     .job = {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     .step = "SLURM_STEP_ID"},
    {.name = "PMIx", .rank = "PMIX_RANK", .job = {"PMIX_NAMESPACE"}},
};

/*
 * From this number on, Slurm counts steps that are shells: of a batch script, of salloc and others
 * (SLURM_MAX_NORMAL_STEP_ID of its API). Such a step has SLURM_PROCID=0 and the number of tasks of
 * the whole job, but is one process; programs that it runs without srun are not ranks.
 */
#define SLURM_SPECIAL_STEPS 0xfffffff0u

/* Returns the variable's value, or NULL if it is unset or empty. */
static const char *variable(const char *name)
{
    const char *value = name ? getenv(name) : NULL;
    return value && *value ? value : NULL;
}

/* Returns the name of the first variable that is set, or NULL. */
static const char *first_of(const char *const names[ALTERNATIVES])
{
    for (size_t i = 0; i < ALTERNATIVES; i++)
        if (variable(names[i]))
            return names[i];
    return NULL;
}

static bool whole_number(const char *text, uint64_t max, uint64_t *number)
{
    *number = 0;
    for (const char *c = text; *c; c++) {
        if (!isdigit((unsigned char)*c))
            return false;
        *number = *number * 10 + (uint64_t)(*c - '0');
        if (*number > max)
            return false;
    }
    return *text;
}

static int read_number(const char *name, uint64_t min, uint64_t max, uint64_t *number,
                       struct err *e)
{
    if (whole_number(variable(name), max, number) && *number >= min)
        return 0;
    return err_set(e, ERR_USAGE,
                   "the environment has %s=%.40s: a whole number from %llu to %llu is expected "
                   "there; unset it, or set CUPEL_RANK and CUPEL_SIZE, which win",
                   name, variable(name), (unsigned long long)min, (unsigned long long)max);
}

/* Returns true if the row's launcher started this process. */
static bool applies(const struct launcher_row *row)
{
    uint64_t step;
    if (!variable(row->rank))
        return false;
    if (!row->step)
        return true;
    return variable(row->step) && whole_number(variable(row->step), SLURM_SPECIAL_STEPS - 1, &step);
}

/* Returns the largest number: 2 for "2(x3),1". Other forms may give any value, which is used only
   for advice. */
static uint32_t largest_number(const char *list)
{
    uint32_t largest = 0;
    for (const char *at = list; at;) {
        uint64_t number;
        if (number_scan_whole(&at, &number, 1) && number > largest && number <= LAUNCHER_RANKS_MAX)
            largest = (uint32_t)number;
        at = strchr(at, ',');
        at += at != NULL;
    }
    return largest;
}

static int read_rank(const struct launcher_row *row, struct launcher *l, struct err *e)
{
    uint64_t number;
    const char *size = first_of(row->size);
    /* If the launcher does not give the number of ranks, the user may set it. */
    if (!row->size[0] && variable("CUPEL_SIZE"))
        size = "CUPEL_SIZE";
    if (row->size[0] && !size)
        return err_set(e, ERR_USAGE,
                       "the environment has %s=%.40s and no %s: set it to the number of ranks",
                       row->rank, variable(row->rank), row->size[0]);
    if (size && read_number(size, 1, LAUNCHER_RANKS_MAX, &number, e))
        return -1;
    l->size = size ? (uint32_t)number : 0;
    if (read_number(row->rank, 0, LAUNCHER_RANKS_MAX - 1, &number, e))
        return -1;
    l->rank = (uint32_t)number;
    if (size && l->rank >= l->size)
        return err_set(e, ERR_USAGE,
                       "the environment has %s=%u and %s=%u: ranks count from 0, and the last one "
                       "is %u",
                       row->rank, l->rank, size, l->size, l->size - 1);
    bool has_local = variable(row->local_rank);
    if (has_local && read_number(row->local_rank, 0, LAUNCHER_RANKS_MAX - 1, &number, e))
        return -1;
    l->local_rank = has_local ? (int64_t)number : -1;
    l->local_max = variable(row->local_size) ? largest_number(variable(row->local_size)) : 0;
    return 0;
}

/* Appends a name; characters other than letters, digits, '.', '-' and '_' are replaced, because
   they could not be used in a file's name. */
static void add_name(char *to, size_t size, const char *from)
{
    size_t n = strlen(to);
    for (; *from && n + 1 < size; from++)
        to[n++] = isalnum((unsigned char)*from) || strchr(".-_", *from) ? *from : '_';
    to[n] = '\0';
}

static void read_job(const struct launcher_row *row, struct launcher *l)
{
    if (variable("CUPEL_JOB")) {
        add_name(l->job, sizeof l->job, variable("CUPEL_JOB"));
        return;
    }
    for (size_t i = 0; i < ALTERNATIVES && variable(row->job[i]); i++) {
        if (i)
            add_name(l->job, sizeof l->job, ".");
        add_name(l->job, sizeof l->job, variable(row->job[i]));
    }
}

/* Returns true if the word is this host's name, complete or up to its first dot: one of the two may
   have a domain, and the other none. */
static bool names_host(const char *word, size_t length, const char *host)
{
    size_t short_word = 0, short_host = strcspn(host, ".");
    while (short_word < length && word[short_word] != '.')
        short_word++;
    if (length == strlen(host) && !strncasecmp(word, host, length))
        return true;
    return (short_word == length || !host[short_host]) && short_word == short_host &&
           !strncasecmp(word, host, short_word);
}

/* Reads CUPEL_HOSTS: "n1,n2,n3". */
static int read_hosts(const char *list, struct launcher *l, struct err *e)
{
    const char *separators = ", \t";
    uint32_t places = 0;
    l->size = 0;
    for (const char *word = list + strspn(list, separators); *word;) {
        size_t length = strcspn(word, separators);
        if (names_host(word, length, l->host)) {
            l->rank = l->size;
            places++;
        }
        l->size++;
        word += length;
        word += strspn(word, separators);
    }
    if (l->size > LAUNCHER_RANKS_MAX)
        return err_set(e, ERR_USAGE, "CUPEL_HOSTS holds more than %u hosts", LAUNCHER_RANKS_MAX);
    if (places != 1)
        return err_set(e, ERR_USAGE,
                       "this host, %s, stands %s in CUPEL_HOSTS=%.80s: it has to be there once",
                       l->host, places ? "more than once" : "nowhere", list);
    l->local_rank = 0;
    l->local_max = 1;
    return 0;
}

int launcher_find(struct launcher *l, struct err *e)
{
    char host[256] = "";
    *l = (struct launcher){.name = "", .size = 1, .local_rank = -1};
    if (gethostname(host, sizeof host - 1) || !host[0])
        snprintf(host, sizeof host, "localhost");
    add_name(l->host, sizeof l->host, host);
    if (variable("CUPEL_SIZE") && !variable("CUPEL_RANK") && !variable("CUPEL_HOSTS") &&
        !variable("PMIX_RANK"))
        return err_set(e, ERR_USAGE,
                       "the environment has CUPEL_SIZE=%.40s and no CUPEL_RANK: set it to the "
                       "number of this process, from 0",
                       variable("CUPEL_SIZE"));
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher_row *row = &launchers[i];
        if (!applies(row))
            continue;
        read_job(row, l);
        l->name = row->name;
        return row->is_list ? read_hosts(variable(row->rank), l, e) : read_rank(row, l, e);
    }
    return 0;
}
