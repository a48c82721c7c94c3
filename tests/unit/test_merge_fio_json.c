/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio's JSON+: bins, jobs, hosts, time, and files without bins. */
#include "tests/unit/fio_fixture.h"

#define NS_MS 1000000u

#define READ                                                                                       \
    "\"read\" : {\"io_bytes\" : 40960, \"total_ios\" : 10, \"short_ios\" : 1, \"drop_ios\" : 2,\n" \
    " \"slat_ns\" : {\"min\" : 1, \"max\" : 2, \"mean\" : 1.5, \"N\" : 10},\n"                     \
    " \"clat_ns\" : {\"min\" : 705, \"max\" : 133780, \"mean\" : 20000.500000, \"N\" : 10,\n"      \
    "  \"percentile\" : {\"50.000000\" : 2416}, \"bins\" : {\"708\" : 3, \"2416\" : 6, "           \
    "\"133632\" : 1}},\n"                                                                          \
    " \"lat_ns\" : {\"min\" : 7, \"max\" : 8, \"mean\" : 7.5, \"N\" : 10}}"
#define NO_WRITE "\"write\" : {\"io_bytes\" : 0, \"total_ios\" : 0, \"clat_ns\" : {\"N\" : 0}}"
#define HEAD     "{\n  \"fio version\" : \"fio-3.33\",\n  \"timestamp_ms\" : 1795447444067,\n"
#define TAIL     "], \"disk_util\" : []\n}\n"

static void test_job(void)
{
    const char *text = "fio: this is said before\n" HEAD "\"jobs\" : [{\"jobname\" : \"j\", "
                       "\"error\" : 0, \"job options\" : {\"filename\" : \"/dev/sdb\"},\n" READ
                       ", " NO_WRITE ", \"job_runtime\" : 3000}" TAIL;
    struct merge *m = fio_merged(fio_text("j.json", text), 0);
    const struct merge_source *s = &m->sources[0];
    const struct latency_buckets *l = &s->op[OPERATION_READ].latency;
    CHECK_INT(m->source_count, 1);
    CHECK_STR(s->job, "j");
    CHECK_STR(s->host, "");
    CHECK_STR(s->device, "/dev/sdb");
    CHECK_INT(s->time, TIME_NONE);
    CHECK_INT(s->begin_ns, 1795447441067ull * NS_MS);
    CHECK_INT(s->end_ns, 1795447444067ull * NS_MS);
    CHECK_INT(s->op[OPERATION_READ].sum.ios, 10);
    CHECK_INT(s->op[OPERATION_READ].sum.bytes, 40960);
    CHECK_INT(s->op[OPERATION_READ].sum.errors, 3);
    CHECK_INT(s->op[OPERATION_READ].sum.latency_ns, 200005);
    CHECK_INT(l->used, 3);
    CHECK_INT(l->bucket[0], histogram_bucket(708));
    CHECK_INT(l->count[0], 3);
    CHECK_INT(l->bucket[1], histogram_bucket(2416));
    CHECK_INT(l->count[1], 6);
    CHECK_INT(l->bucket[2], histogram_bucket(133632));
    CHECK_INT(l->min, 705);
    CHECK_INT(l->max, 133780);
    CHECK_INT(s->op[OPERATION_WRITE].sum.ios, 0);
    CHECK(!s->failed && !s->open_end && s->bin_error <= 0);
    merge_free(m);
}

/* The middle that fio gives a bin is a value in cupel's bucket of the same number. */
static void test_every_bin(void)
{
    struct text t = {0};
    text_add(&t, HEAD "\"jobs\" : [{\"jobname\" : \"j\", \"read\" : {\"total_ios\" : 1856, "
                      "\"clat_ns\" : {\"bins\" : {");
    for (size_t i = 0; i < 1856; i++)
        text_addf(&t, "%s\"%llu\" : 1", i ? ", " : "",
                  (unsigned long long)((histogram_edge(i) + histogram_edge(i + 1)) / 2));
    text_add(&t, "}}}}" TAIL);
    struct merge *m = fio_merged(fio_text("j.json", t.data), 0);
    const struct latency_buckets *l = &m->sources[0].op[OPERATION_READ].latency;
    CHECK_INT(l->used, 1856);
    for (size_t i = 0; i < l->used; i++)
        CHECK(l->bucket[i] == i && l->count[i] == 1);
    CHECK_INT(m->sources[0].open_end, 1);
    merge_free(m);
    text_free(&t);
}

/* For the last bin only the longest latency is known. */
static void test_open_end(void)
{
    const char *text = HEAD "\"jobs\" : [{\"jobname\" : \"j\", \"trim\" : {\"total_ios\" : 9, "
                            "\"lat_ns\" : {\"max\" : 30000000000, \"bins\" : {\"17045651456\" : 9}}"
                            "}}" TAIL;
    struct merge *m = fio_merged(fio_text("j.json", text), 0);
    const struct latency_buckets *l = &m->sources[0].op[OPERATION_TRIM].latency;
    CHECK_INT(m->sources[0].open_end, 8);
    CHECK_INT(l->used, 2);
    CHECK_INT(l->count[0], 8);
    CHECK_INT(l->bucket[1], histogram_bucket(30000000000));
    CHECK_INT(l->max, 30000000000);
    merge_free(m);
}

static void test_clients(void)
{
    const char *text =
        HEAD "\"global options\" : {\"filename\" : \"/dev/sdc\"}, \"client_stats\" : [\n"
             "{\"jobname\" : \"a\", \"hostname\" : \"n1\", \"error\" : 0, " READ "},\n"
             "{\"jobname\" : \"a\", \"hostname\" : \"n2\", \"error\" : 5, \"job_start\" : "
             "1795447000000, \"job_runtime\" : 1000, " READ "},\n"
             "{\"jobname\" : \"All clients\", \"hostname\" : \"n2\", " READ "}" TAIL;
    struct merge *m = fio_merged(fio_text("c.json", text), 0);
    CHECK_INT(m->source_count, 2);
    for (size_t i = 0; i < m->source_count; i++) {
        const struct merge_source *s = &m->sources[i];
        const bool first = strcmp(s->host, "n1") == 0;
        CHECK(first || strcmp(s->host, "n2") == 0);
        CHECK_STR(s->job, "a");
        CHECK_STR(s->device, "/dev/sdc");
        CHECK_INT(s->op[OPERATION_READ].sum.ios, 10);
        CHECK_INT(s->failed, !first);
        if (!first) {
            CHECK_INT(s->begin_ns, 1795447000000ull * NS_MS);
            CHECK_INT(s->end_ns, 1795447001000ull * NS_MS);
            CHECK(strstr(s->failure, "job a: ") != NULL);
        }
    }
    merge_free(m);
}

/* Of several states of one run the last complete one counts. */
/* The rates of runs at different times refer to the total time of the runs, and have no intervals.
 */
static void test_rates(void)
{
    const char *text = HEAD
        "\"jobs\" : [\n"
        "{\"jobname\" : \"a\", \"job_start\" : 1795447000000, \"job_runtime\" : 1000, " READ "},\n"
        "{\"jobname\" : \"b\", \"job_start\" : 1795447000500, \"job_runtime\" : 1000, " READ "},\n"
        "{\"jobname\" : \"c\", \"job_start\" : 1795447900000, \"job_runtime\" : 500, " READ
        "}" TAIL;
    static struct result r;
    struct err e = {0};
    struct merge *m = fio_merged(fio_text("r.json", text), 0);
    size_t found = 0;
    CHECK_INT(merge_result(m, &r, &e), 0);
    for (size_t i = 0; i < r.row_count; i++)
        if (r.rows[i].metric == METRIC_IOPS && strcmp(r.rows[i].op, "read") == 0) {
            CHECK_NEAR(r.rows[i].value, 30 / 2.0, 1e-9);
            CHECK(isnan(r.rows[i].low) && isnan(r.rows[i].high));
            found++;
        }
    CHECK_INT(found, 1);
    merge_free(m);
}

static void test_several(void)
{
    struct text t = {0};
    text_add(&t, HEAD "\"jobs\" : [{\"jobname\" : \"early\", " READ "}" TAIL);
    text_add(&t, HEAD "\"jobs\" : [{\"jobname\" : \"late\", " READ "}" TAIL "said later {\n");
    struct merge *m = fio_merged(fio_text("s.json", t.data), 0);
    CHECK_INT(m->source_count, 1);
    CHECK_STR(m->sources[0].job, "late");
    CHECK(!m->sources[0].cut_short);
    merge_free(m);
    text_add(&t, HEAD "\"jobs\" : [{\"jobname\" : \"cut\",");
    m = fio_merged(fio_text("s.json", t.data), 0);
    CHECK_STR(m->sources[0].job, "late");
    CHECK(m->sources[0].cut_short);
    merge_free(m);
    text_free(&t);
}

static void refused(const char *job, const char *words)
{
    struct text t = {0};
    text_addf(&t, HEAD "\"jobs\" : [%s" TAIL, job);
    fio_refused(fio_text("r.json", t.data), words);
    text_free(&t);
}

static void test_refused(void)
{
    refused("{\"jobname\" : \"j\", \"read\" : {\"total_ios\" : 3, \"clat_ns\" : {\"N\" : 3}}}",
            "job \"j\", read: it has no bins: run fio with --output-format=json+");
    refused("{\"jobname\" : \"j\", \"write\" : {\"total_ios\" : 3, \"clat_ns\" : {\"bins\" : "
            "{\"x\" : 3}}}}",
            "write: a bin has no whole numbers");
    refused("{\"jobname\" : \"j\", \"write\" : {\"total_ios\" : 3, \"clat_ns\" : {\"bins\" : "
            "{\"10\" : -3}}}}",
            "write: a bin has no whole numbers");
    refused("{\"jobname\" : \"j\", \"write\" : {\"total_ios\" : 3, \"clat_ns\" : {\"bins\" : "
            "{\"99999999999999\" : 3}}}}",
            "longer than those of fio");
    refused("", "it holds no job");
    fio_refused(fio_text("r.json", HEAD "\"jobs\" : [{\"jobname\""), "breaks off or is damaged");
    fio_refused(fio_text("r.txt", "fio-3.33\nStarting 1 process\n"),
                "there are no jobs in JSON in it: run fio with --output-format=json+");
}

/* fio 3.33 counts each flush of a synchronous engine as a short read. */
static void test_flushes(void)
{
#define FLUSHES                                                                                    \
    "\"lat_ns\" : {\"min\" : 65024, \"max\" : 133780, \"mean\" : 70000.5, \"N\" : 1000, "          \
    "\"bins\" : {\"65024\" : 990, \"133632\" : 10}}"
    static const struct {
        const char *read, *sync;
        uint64_t reads, errors, flushes;
    } cases[] = {
        {"\"read\" : {\"total_ios\" : 0, \"short_ios\" : 1000, \"clat_ns\" : {\"N\" : 0}}",
         "\"total_ios\" : 0, ", 0, 0, 1000},
        /* some of the reads really are short */
        {"\"read\" : {\"total_ios\" : 3, \"short_ios\" : 1002, \"drop_ios\" : 1, \"clat_ns\" : "
         "{\"bins\" "
         ": {\"708\" : 3}}}",
         "\"total_ios\" : 0, ", 3, 3, 1000},
        /* a version that counts flushes correctly */
        {"\"read\" : {\"total_ios\" : 3, \"short_ios\" : 2, \"clat_ns\" : {\"bins\" : {\"708\" : "
         "3}}}",
         "\"total_ios\" : 1000, ", 3, 2, 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text t = {0};
        text_addf(&t,
                  HEAD "\"jobs\" : [{\"jobname\" : \"j\", %s, " NO_WRITE ", \"sync\" : {%s" FLUSHES
                       "}, \"job_runtime\" : 1000}" TAIL,
                  cases[i].read, cases[i].sync);
        struct merge *m = fio_merged(fio_text("j.json", t.data), 0);
        text_free(&t);
        if (!m)
            continue;
        const struct source_op *read = &m->sources[0].op[OPERATION_READ];
        const struct source_op *sync = &m->sources[0].op[OPERATION_SYNC];
        CHECK_INT(read->sum.ios, cases[i].reads);
        CHECK_INT(read->sum.errors, cases[i].errors);
        CHECK_INT(sync->sum.ios, cases[i].flushes);
        CHECK_INT(sync->latency.n, cases[i].flushes);
        CHECK_INT(sync->latency.max, 133780);
        CHECK_INT(sync->sum.latency_ns, 70000500);
        merge_free(m);
    }
#undef FLUSHES
}

int main(void)
{
    test_flushes();
    test_job();
    test_every_bin();
    test_open_end();
    test_clients();
    test_several();
    test_rates();
    test_refused();
    return check_result();
}
