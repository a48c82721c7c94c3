/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of many hosts with known sums: one merge of all, merges of merges, the growth of memory,
 * and a signal in the middle.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "many/merge/internal.h"
#include "tests/bench/simulated_hosts.h"
#include "tests/unit/check.h"

enum { HOSTS = 50, MANY = 200, FEW = 20, SECONDS = 12 };

/* Memory that a source may add: its sums, its names and its row. */
#define SOURCE_BYTES_MAX (40 * 1024)

static char folder[] = "/tmp/cupel-merge-hosts-XXXXXX";
static struct err error;

/* ---- plans ---- */

struct inputs {
    char names[MANY][64];
    const char *list[MANY];
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void add_input(struct inputs *in, const char *format,
                                                            ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(in->names[in->count], sizeof in->names[in->count], format, args);
    va_end(args);
    in->list[in->count] = in->names[in->count];
    in->count++;
}

static void add_hosts(struct inputs *in, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        add_input(in, "%s/h%05u", folder, i);
}

static struct merge_plan plan_of(const struct inputs *in)
{
    struct merge_plan plan = {.inputs = in->list, .input_count = in->count};
    plan_init(&plan.statistics);
    plan.statistics.statistics.changepoint = CHANGEPOINT_NONE;
    return plan;
}

/* ---- the sums ---- */

static void check_op(const struct timeline_op *op, const uint64_t truth[HISTOGRAM_BUCKETS])
{
    uint64_t n = 0, differences = 0;
    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        const uint64_t *group = op->group[i / HISTOGRAM_SUBBUCKETS];
        differences += truth[i] != (group ? group[i % HISTOGRAM_SUBBUCKETS] : 0);
        n += truth[i];
    }
    CHECK_INT(differences, 0);
    CHECK_INT(op->n, n);
    CHECK(n > 0);
}

static void check_second(const struct timeline_interval *at, unsigned second, uint64_t *ios)
{
    static uint64_t truth[OPERATIONS][HISTOGRAM_BUCKETS];
    static struct batch batch;
    struct batch_stretch stretches[SIMULATED_STRETCHES];
    memset(truth, 0, sizeof truth);
    for (unsigned host = 0; host < HOSTS; host++) {
        simulated_batch(host % SIMULATED_TEMPLATES, second, &batch, stretches);
        for (int op = 0; op < OPERATIONS; op++)
            for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
                truth[op][i] += batch.latency[op].count[i];
        for (unsigned i = 0; i < batch.slice_count; i++)
            *ios +=
                batch.slices[i].op[OPERATION_READ].ios + batch.slices[i].op[OPERATION_WRITE].ios;
    }
    CHECK_INT(at->number, SIMULATED_BEGIN_NS / SIMULATED_SECOND_NS + second);
    for (int op = 0; op < OPERATIONS; op++)
        check_op(&at->op[op], truth[op]);
}

static void test_sums(void)
{
    struct inputs in = {.count = 0};
    struct merge *m = NULL;
    uint64_t truth = 0, ios = 0;
    add_input(&in, "%s", folder);
    const struct merge_plan plan = plan_of(&in);
    CHECK_INT(merge_run(&m, &plan, &error), 0);
    CHECK_INT(m->source_count, HOSTS);
    CHECK_INT(m->timeline.length_ns, SIMULATED_SECOND_NS);
    /* Hosts that began late add a second at the end. */
    CHECK_INT(m->timeline.count, SECONDS + 1);
    for (unsigned second = 0; second < SECONDS; second++)
        check_second(m->timeline.intervals[second], second, &truth);
    for (size_t i = 0; i < m->timeline.count; i++)
        for (unsigned k = 0; k < TIMELINE_SLICES; k++)
            ios += m->timeline.intervals[i]->slices[k].op[OPERATION_READ].ios +
                   m->timeline.intervals[i]->slices[k].op[OPERATION_WRITE].ios;
    CHECK_INT(ios, truth);
    merge_free(m);
}

/* ---- trees ---- */

static void keep(const struct inputs *in, const char *name)
{
    struct merge_plan plan = plan_of(in);
    struct merge *m = NULL;
    char to[1200];
    snprintf(to, sizeof to, "%s/.%s", folder, name);
    CHECK_INT(mkdir(to, 0777), 0);
    CHECK_INT(merge_run(&m, &plan, &error), 0);
    CHECK_INT(merge_keep(m, to, &error), 0);
    merge_free(m);
}

static size_t read_kept(const char *name, char **bytes)
{
    char path[1200];
    struct stat st = {0};
    snprintf(path, sizeof path, "%s/.%s/merged.cupel", folder, name);
    FILE *f = fopen(path, "re");
    CHECK(f && !fstat(fileno(f), &st));
    *bytes = malloc((size_t)st.st_size + 1);
    size_t length = f && *bytes ? fread(*bytes, 1, (size_t)st.st_size, f) : 0;
    CHECK_INT(length, st.st_size);
    if (f)
        fclose(f);
    return length;
}

static void test_tree(void)
{
    static const unsigned ends[] = {7, 8, 30, HOSTS};
    struct inputs all = {.count = 0}, pairs[2] = {{.count = 0}, {.count = 0}}, last = {.count = 0};
    char *one, *tree;
    add_hosts(&all, 0, HOSTS);
    keep(&all, "one");
    for (unsigned i = 0, from = 0; i < 4; from = ends[i++]) {
        struct inputs part = {.count = 0};
        char name[16];
        snprintf(name, sizeof name, "part%u", i);
        add_hosts(&part, from, ends[i]);
        keep(&part, name);
        add_input(&pairs[i % 2], "%s/.%s/merged.cupel", folder, name);
    }
    keep(&pairs[0], "even");
    keep(&pairs[1], "odd");
    add_input(&last, "%s/.odd", folder);
    add_input(&last, "%s/.even/merged.cupel", folder);
    keep(&last, "tree");
    size_t length = read_kept("one", &one);
    CHECK(length > 0 && length == read_kept("tree", &tree));
    CHECK(one && tree && !memcmp(one, tree, length));
    free(one);
    free(tree);
}

/* ---- memory ---- */

#if defined(__SANITIZE_ADDRESS__)

static void test_memory(void)
{
}

#else

static long peak_kib(unsigned hosts)
{
    struct rusage usage = {0};
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        struct inputs in = {.count = 0};
        struct merge *m;
        add_hosts(&in, 0, hosts);
        const struct merge_plan plan = plan_of(&in);
        _exit(merge_run(&m, &plan, &error) || m->source_count != hosts);
    }
    CHECK(child > 0 && wait4(child, &status, 0, &usage) == child);
    CHECK_INT(status, 0);
    return usage.ru_maxrss;
}

static void test_memory(void)
{
    const long few = peak_kib(FEW), many = peak_kib(MANY);
    CHECK(few > 0);
    const bool bounded = (many - few) * 1024 < (MANY - FEW) * SOURCE_BYTES_MAX;
    CHECK(bounded);
    if (!bounded)
        fprintf(stderr, "%d hosts: %ld KiB, %d hosts: %ld KiB\n", FEW, few, MANY, many);
}

#endif

/* ---- a signal ---- */

static size_t files_seen;

static bool stop_at_seven(void *context, const struct merge_progress *now)
{
    CHECK(context == folder);
    CHECK_INT(now->files_done, files_seen);
    CHECK_INT(now->file_count, HOSTS);
    CHECK(now->bytes > 0 && (now->files_done > 0) == (now->bytes_done > 0));
    return ++files_seen <= 7;
}

static void test_stop(void)
{
    struct inputs in = {.count = 0};
    struct merge *m = NULL;
    add_hosts(&in, 0, HOSTS);
    struct merge_plan plan = plan_of(&in);
    plan.progress = stop_at_seven;
    plan.progress_context = folder;
    CHECK_INT(merge_run(&m, &plan, &error), -1);
    CHECK(m == NULL);
    CHECK_INT(error.code, ERR_UNDECIDED);
    CHECK(strstr(error.msg, "7 of 50 files") != NULL);
}

static void write_hosts(struct simulated_hosts *s, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        CHECK(simulated_hosts_write(s, folder, i) > 0);
}

static void remove_kept(void)
{
    static const char *const names[] = {"one",   "part0", "part1", "part2",
                                        "part3", "even",  "odd",   "tree"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/.%s/merged.cupel", folder, names[i]);
        unlink(path);
        snprintf(path, sizeof path, "%s/.%s", folder, names[i]);
        rmdir(path);
    }
}

int main(void)
{
    struct simulated_hosts s;
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    CHECK_INT(simulated_hosts_init(&s, folder, SECONDS), 0);
    write_hosts(&s, 0, HOSTS);
    test_sums();
    test_tree();
    test_stop();
    write_hosts(&s, HOSTS, MANY);
    test_memory();
    simulated_hosts_free(&s);
    simulated_hosts_remove(folder, 0, MANY);
    remove_kept();
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
