/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's rank from the variables that launchers set; processes that are not ranks; invalid
   values. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "run/launch/launcher.h"

/* Sets the environment to exactly "NAME=VALUE NAME=VALUE". */
static void set_environment(const char *words)
{
    char room[400], *rest = room, *word;
    clearenv();
    snprintf(room, sizeof room, "%s", words);
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        setenv(word, value, 1);
    }
}

struct found {
    const char *environment, *name;
    uint32_t rank, size;
    int64_t local_rank;
    const char *job;
};

static const struct found founds[] = {
    {"", "", 0, 1, -1, ""},
    {"HOME=/root", "", 0, 1, -1, ""},
    {"CUPEL_RANK=2 CUPEL_SIZE=3 CUPEL_JOB=a/b", "CUPEL_RANK", 2, 3, -1, "a_b"},
    {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0 "
     "PMIX_NAMESPACE=prterun-n1-77@1 PMIX_RANK=1",
     "Open MPI", 1, 4, 0, "prterun-n1-77_1"},
    {"MV2_COMM_WORLD_RANK=0 MV2_COMM_WORLD_SIZE=2 MV2_COMM_WORLD_LOCAL_RANK=0", "MVAPICH", 0, 2, 0,
     ""},
    {"PMI_RANK=7 PMI_SIZE=8 MPI_LOCALRANKID=3", "MPICH, Hydra or Intel MPI", 7, 8, 3, ""},
    {"FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2 FLUX_TASK_LOCAL_ID=1 FLUX_JOB_ID=f1", "Flux", 1, 2, 1, "f1"},
    {"SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_LOCALID=1 SLURM_JOB_ID=812 SLURM_STEP_ID=0", "Slurm", 3,
     4, 1, "812.0"},
    /* The step's number of tasks counts, not the job's. */
    {"SLURM_PROCID=1 SLURM_NTASKS=64 SLURM_STEP_NUM_TASKS=2 SLURM_JOB_ID=9 SLURM_STEP_ID=3",
     "Slurm", 1, 2, -1, "9.3"},
    /* A batch script, and the shell of salloc, are not ranks. */
    {"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0 SLURM_JOB_ID=812", "", 0, 1, -1, ""},
    {"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=812 SLURM_STEP_ID=4294967291", "", 0, 1, -1, ""},
    {"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=812 SLURM_STEP_ID=4294967290", "", 0, 1, -1, ""},
    /* mpirun inside an allocation: its daemon is task 0 of the step on every host. */
    {"SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_ID=1 SLURM_JOB_ID=5 OMPI_COMM_WORLD_RANK=2 "
     "OMPI_COMM_WORLD_SIZE=3",
     "Open MPI", 2, 3, -1, ""},
    /* The user's numbers take precedence. */
    {"CUPEL_RANK=0 CUPEL_SIZE=2 PMI_RANK=5 PMI_SIZE=9", "CUPEL_RANK", 0, 2, -1, ""},
    {"SLURM_PROCID=1 SLURM_NTASKS=5 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=1,2(x64)", "Slurm", 1,
     5, -1, ""},
    {"PMIX_RANK=4 PMIX_NAMESPACE=ns", "PMIx", 4, 0, -1, "ns"},
    {"PMIX_RANK=4 CUPEL_SIZE=5", "PMIx", 4, 5, -1, ""},
    {"PMI_RANK= PMI_SIZE=", "", 0, 1, -1, ""},
};

static void finds(void)
{
    for (size_t i = 0; i < sizeof founds / sizeof *founds; i++) {
        const struct found *f = &founds[i];
        struct launcher l;
        struct err e = {0};
        set_environment(f->environment);
        if (!check_that(!launcher_find(&l, &e), __FILE__, __LINE__, f->environment)) {
            fprintf(stderr, "  %s\n", e.msg);
            continue;
        }
        CHECK_STR(l.name, f->name);
        CHECK_INT(l.rank, f->rank);
        CHECK_INT(l.size, f->size);
        CHECK_INT(l.local_rank, f->local_rank);
        CHECK_STR(l.job, f->job);
        CHECK(l.host[0] != '\0' && !strchr(l.host, '/'));
    }
}

static void finds_ranks_of_a_host(void)
{
    static const struct {
        const char *environment;
        uint32_t local_max;
    } cases[] = {
        {"", 0},
        {"PMI_RANK=0 PMI_SIZE=4 MPI_LOCALNRANKS=3", 3},
        {"PMI_RANK=0 PMI_SIZE=4", 0},
        {"SLURM_PROCID=0 SLURM_NTASKS=9 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=1,2(x64),1", 2},
        {"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=4", 4},
        {"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_STEP_ID=0 SLURM_STEP_TASKS_PER_NODE=many", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct launcher l;
        set_environment(cases[i].environment);
        CHECK_INT(launcher_find(&l, NULL), 0);
        CHECK_INT(l.local_max, cases[i].local_max);
    }
}

/* Finds this host's own name in lists as people write them. */
static void finds_itself_in_a_list(void)
{
    static const struct {
        const char *before, *after; /* of the name in the list */
        uint32_t rank, size;
    } cases[] = {
        {"", "", 0, 1},
        {"other,", "", 1, 2},
        {"", ".example.org,other", 0, 2},
        {" other1, other2 ", ",other3,", 2, 4},
    };
    struct launcher l;
    struct err e = {0};
    char host[65], words[400];
    clearenv();
    CHECK_INT(launcher_find(&l, &e), 0);
    snprintf(host, sizeof host, "%s", l.host);
    host[strcspn(host, ".")] = '\0';
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(words, sizeof words, "%s%s%s", cases[i].before, host, cases[i].after);
        setenv("CUPEL_HOSTS", words, 1);
        CHECK_INT(launcher_find(&l, &e), 0);
        CHECK_STR(l.name, "CUPEL_HOSTS");
        CHECK_INT(l.rank, cases[i].rank);
        CHECK_INT(l.size, cases[i].size);
    }
    setenv("CUPEL_HOSTS", "no-such-host.example,x", 1);
    CHECK_INT(launcher_find(&l, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "nowhere"));
    snprintf(words, sizeof words, "%s,x,%s", host, host);
    setenv("CUPEL_HOSTS", words, 1);
    CHECK_INT(launcher_find(&l, &e), -1);
    CHECK(strstr(e.msg, "more than once"));
    setenv("CUPEL_RANK", "3", 1);
    setenv("CUPEL_SIZE", "5", 1);
    CHECK_INT(launcher_find(&l, &e), 0);
    CHECK_INT(l.rank, 3);
}

static void names_garbage(void)
{
    static const struct {
        const char *environment, *words;
    } cases[] = {
        {"PMI_RANK=two PMI_SIZE=4", "PMI_RANK=two"},
        {"PMI_RANK=-1 PMI_SIZE=4", "PMI_RANK=-1"},
        {"PMI_RANK=1.5 PMI_SIZE=4", "PMI_RANK=1.5"},
        {"PMI_RANK=0 PMI_SIZE=0", "PMI_SIZE=0"},
        {"PMI_RANK=0 PMI_SIZE=99999999999999999999", "PMI_SIZE=9999"},
        {"PMI_RANK=4 PMI_SIZE=4", "the last one is 3"},
        {"CUPEL_RANK=1", "CUPEL_SIZE"},
        {"CUPEL_SIZE=2", "no CUPEL_RANK"},
        {"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE"},
        {"SLURM_PROCID=0 SLURM_NTASKS=x SLURM_STEP_ID=0", "SLURM_NTASKS=x"},
        {"PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=a", "MPI_LOCALRANKID=a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct launcher l;
        struct err e = {0};
        set_environment(cases[i].environment);
        CHECK_INT(launcher_find(&l, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        if (!check_that(strstr(e.msg, cases[i].words) != NULL, __FILE__, __LINE__,
                        cases[i].environment))
            fprintf(stderr, "  %s\n", e.msg);
    }
}

int main(void)
{
    finds();
    finds_ranks_of_a_host();
    finds_itself_in_a_list();
    names_garbage();
    return check_result();
}
