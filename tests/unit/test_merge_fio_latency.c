/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio's logs of single I/Os: values, times, the time with I/O in flight, and refusals. */
#include "tests/unit/fio_fixture.h"

#define NS_MS 1000000u

static void test_values(void)
{
    const char *rows = "0, 78207, 0, 4096, 0\n"
                       "0, 64075, 1, 8192, 0\n"
                       "1, 1533, 0, 4096, 0\n"
                       "1, 99, 2, 512, 0\n"
                       "7, 5000000, 1, 8192, 0\n"
                       "7, 5000000, 4, 0, 0\n"; /* a sync */
    struct merge *m = fio_merged(fio_text("db_lat.12.log.node3", rows), 0);
    const struct merge_source *s = &m->sources[0];
    CHECK_STR(s->format, "fio lat log");
    CHECK_STR(s->job, "db.12");
    CHECK_STR(s->host, "node3");
    CHECK_INT(s->time, TIME_RELATIVE);
    CHECK_INT(s->op[OPERATION_READ].sum.ios, 2);
    CHECK_INT(s->op[OPERATION_READ].sum.latency_ns, 78207 + 1533);
    CHECK_INT(s->op[OPERATION_READ].sum.bytes, 8192);
    CHECK_INT(s->op[OPERATION_WRITE].sum.ios, 2);
    CHECK_INT(s->op[OPERATION_WRITE].latency.max, 5000000);
    CHECK_INT(s->op[OPERATION_TRIM].sum.ios, 1);
    CHECK_INT(s->op[OPERATION_TRIM].sum.bytes, 512);
    /* Within the first two ms the sum of the latencies, then the whole of the long I/O. */
    CHECK_INT(s->busy_ns, 78207 + 64075 + 1533 + 99 + 5000000);
    CHECK(!s->values_averaged && !s->cut_short);
    CHECK(fio_noted(m, "neither of reads nor of writes nor of trims"));
    merge_free(m);
}

/* Rows of all forms give the same I/Os. */
static void test_columns(void)
{
    static const char *const forms[] = {
        "1795447444067, 2000000, 0, 4096\n1795447444069, 1000, 0, 4096\n",
        "1795447444067, 2000000, 0, 4096, 0\n1795447444069, 1000, 0, 4096, 1\n",
        "1795447444067, 2000000, 0, 4096, 0x0000\n1795447444069, 1000, 0, 4096, 0x2004\n",
        "1795447444067, 2000000, 0, 4096, 81920, 0\n1795447444069, 1000, 0, 4096, 0, 0x2004\n",
        "1795447444067, 2000000, 0, 4096, 81920, 0, 0\n1795447444069, 1000, 0, 4096, 0, 0, 0\n",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct merge *m = fio_merged(fio_text("x_clat.1.log", forms[i]), 0);
        const struct merge_source *s = &m->sources[0];
        CHECK_INT(s->time, TIME_ABSOLUTE);
        CHECK_INT(s->op[OPERATION_READ].sum.ios, 2);
        CHECK_INT(s->op[OPERATION_READ].sum.latency_ns, 2001000);
        CHECK_INT(s->busy_ns, 2001000);
        CHECK_INT(s->end_ns / NS_MS, 1795447444069);
        CHECK_INT(fio_noted(m, "may be of fio 2"), i == 0);
        merge_free(m);
    }
}

/* With issue times in the log, the time in flight is exact to the ns. */
static void test_issue_times(void)
{
    const char *rows = "0, 300000, 0, 4096, 0, 0, 100000\n"
                       "0, 200000, 0, 4096, 0, 0, 250000\n" /* they overlap */
                       "1, 100000, 0, 4096, 0, 0, 1500000\n"
                       "2, 800000, 0, 4096, 0, 0, 1550000\n";
    struct merge *m = fio_merged(fio_text("x_clat.1.log", rows), 0);
    CHECK_INT(m->sources[0].busy_ns, 450000 - 100000 + 2350000 - 1500000);
    CHECK_INT(m->sources[0].begin_ns, 100000);
    CHECK_INT(m->sources[0].end_ns, 2350000);
    CHECK(!fio_noted(m, "the ms is known"));
    merge_free(m);
}

/*
 * The time in flight compared with the true one, for made-up I/Os of one worker and of four. For
 * long I/Os every edge is off by at most a ms; for short ones with pauses only the sum within a ms
 * is known.
 */
static void test_time_in_flight(void)
{
    for (unsigned workers = 1; workers <= 4; workers += 3)
        for (unsigned short_ns = 0; short_ns <= 1; short_ns++) {
            const uint64_t latency = short_ns ? 80000 : 7300000, pause = short_ns ? 20000 : 2500000;
            struct text t = {0};
            uint64_t busy = 0, at = 0;
            const unsigned bursts = short_ns ? 20000 : 300;
            for (unsigned i = 0; i < bursts; i++, at += pause) {
                at += latency;
                busy += latency;
                for (unsigned w = 0; w < workers; w++)
                    text_addf(&t, "%llu, %llu, 0, 4096, 0\n", (unsigned long long)(at / NS_MS),
                              (unsigned long long)latency);
            }
            struct merge *m = fio_merged(fio_text("x_lat.1.log", t.data), 0);
            const double measured = (double)m->sources[0].busy_ns;
            if (short_ns && workers > 1)
                CHECK(measured >= (double)busy && measured <= (double)at);
            else
                CHECK(fabs(measured - (double)busy) <= (short_ns ? NS_MS : (double)bursts * NS_MS));
            merge_free(m);
            text_free(&t);
        }
}

/* More separate I/Os than are kept at once, followed by a second job's: nothing is lost. */
static void test_many(void)
{
    struct text t = {0};
    const unsigned count = 300000;
    for (int job = 0; job < 2; job++)
        for (unsigned i = 1; i <= count; i++)
            text_addf(&t, "%u, %u, 1, 512, 0\n", 3 * i, 1500000 + job);
    struct merge *m = fio_merged(fio_text("x_lat.log", t.data), 0);
    CHECK_INT(m->sources[0].op[OPERATION_WRITE].sum.ios, 2 * count);
    CHECK_STR(m->sources[0].job, "x");
    CHECK(m->sources[0].busy_ns >= count * 1500000ull);
    CHECK(m->sources[0].busy_ns <= 2 * count * 1500001ull);
    merge_free(m);
    text_free(&t);
}

static void test_averaged(void)
{
    struct merge *m = fio_merged(
        fio_text("x_lat.1.log", "500, 6957, 1, 0, 0\n500, 73010, 0, 0, 0\n1000, 83367, 0, 0, 0\n"),
        0);
    CHECK(m->sources[0].values_averaged && !m->sources[0].has_stretches);
    CHECK(fio_noted(m, "log_avg_msec=0"));
    merge_free(m);
}

static void test_broken_off(void)
{
    const char *rows = "0, 78207, 0, 4096, 0\n1, 1533, 0, 4096, 0\n";
    for (size_t left = strcspn(rows, "\n") + 1; left < strlen(rows); left++) {
        struct merge *m = fio_merged(fio_file("x_lat.1.log", rows, left), 0);
        CHECK_INT(m->sources[0].op[OPERATION_READ].sum.ios, 1);
        CHECK_INT(m->sources[0].cut_short, rows[left - 1] != '\n');
        merge_free(m);
    }
    struct merge *m = fio_merged(fio_text("x_lat.1.log", ""), 0); /* no I/O was logged */
    CHECK(!m->sources[0].cut_short && m->sources[0].op[OPERATION_READ].sum.ios == 0);
    merge_free(m);
}

static void refused_below(const char *line, const char *words)
{
    char text[300];
    snprintf(text, sizeof text, "0, 78207, 0, 4096, 0\n%s\n", line);
    fio_refused(fio_text("x_lat.1.log", text), words);
}

static void test_refused(void)
{
    refused_below("1, x, 0, 4096, 0", "line 2, column 4: \"x\" is no whole number");
    refused_below("1, -5, 0, 4096, 0", "line 2, column 4: \"-5\" is no whole number");
    refused_below("1, 5, 0, 4096", "line 2, column 10: \"4096\"");
    refused_below("1, 5, 0, 4096, 0, 0", "line 2, column 16: \"0\"");
    refused_below("1, 99999999999999999, 0, 4096, 0", "\"99999999999999999\" is too large");
    refused_below("1, 99999999999999999999, 0, 4096, 0", "is no whole number");
    refused_below("500, 6957, 8800, 0, 0", "\"8800\" is no direction of data");
    const char *rows = "0, 78207, 0, 4096, 0\n";
    fio_refused(fio_text("x_slat.1.log", rows), "to submit I/Os, which is no latency");
    fio_refused(fio_text("x_bw.1.log", rows), "a log of rates");
    fio_refused(fio_text("x_iops.log", rows), "a log of rates");
    fio_refused(fio_text("trace.csv", "0,78207,0,4096,0\n"), "its format is not known");
}

/* A note that applies to many logs appears once, with their number. */
static void test_notes_of_many(void)
{
    char paths[5][400];
    const char *inputs[5];
    struct merge *m = NULL;
    struct err e = {0};
    for (int i = 0; i < 5; i++) {
        char name[32], rows[64];
        snprintf(name, sizeof name, "x_lat.%d.log", i);
        snprintf(rows, sizeof rows, "%d, 5000, 0, 4096, 0\n", i);
        snprintf(paths[i], sizeof paths[i], "%s", fio_text(name, rows));
        inputs[i] = paths[i];
    }
    const struct merge_plan plan = {.inputs = inputs, .input_count = 5};
    CHECK_INT(merge_run(&m, &plan, &e), 0);
    size_t found = 0;
    for (size_t i = 0; i < m->note_count; i++)
        if (strstr(m->notes[i].text, "the ms is known")) {
            CHECK_INT(m->note_kinds[i].more, 4);
            found++;
        }
    CHECK_INT(found, 1);
    merge_free(m);
}

int main(void)
{
    test_notes_of_many();
    test_values();
    test_columns();
    test_issue_times();
    test_time_in_flight();
    test_many();
    test_averaged();
    test_broken_off();
    test_refused();
    return check_result();
}
