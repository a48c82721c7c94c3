/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of every format are read as what was written: samples made here, small files made by hand
   (tests/fixtures/traces), and the cases of CUPEL_CASES. */
#include "tests/unit/trace_check.h"
#include "tests/unit/trace_samples.h"

#define SAMPLE_EVENTS 3000

static void compare(const struct trace_event *got, const struct trace_event *expected)
{
    CHECK_INT(got->time_ns, expected->time_ns);
    CHECK_INT(got->op, expected->op);
    CHECK_INT(got->offset, expected->offset);
    CHECK_INT(got->length, expected->length);
    CHECK_INT(got->response_ns, expected->response_ns);
    CHECK_INT(got->process, expected->process);
    CHECK_INT(got->durable, expected->durable);
    CHECK_INT(got->failed, expected->failed);
}

/* The device's name as the sample writes it. */
static void compare_device(const struct sample_format *format, const char *name, unsigned device)
{
    char expected[32];
    const char *form = strcmp(format->format, "cupel") == 0     ? "disk%u"
                       : strcmp(format->format, "iolog") == 0   ? "/data%u"
                       : strcmp(format->format, "msr") == 0     ? "host.%u"
                       : strncmp(format->format, "blk", 3) == 0 ? "8,%u"
                       : strcmp(format->format, "fiu") == 0     ? "8,%u"
                                                                : "%u";
    unsigned number = strcmp(format->format, "tencent") == 0 ? 1063 + device
                      : strncmp(form, "8,", 2) == 0          ? 16 * device
                                                             : device;
    snprintf(expected, sizeof expected, form, number);
    CHECK_STR(name, expected);
}

static void sample(const struct sample_format *format)
{
    struct read r;
    struct random random;
    struct trace_event event = {0};
    const char *path = trace_path("sample");
    long failures = check_failures;
    unlink(path);
    sample_write(format, path, SAMPLE_EVENTS, 7);
    read_trace(&r, path, NULL);
    CHECK_INT(r.error.code, ERR_NONE);
    CHECK_INT(r.count, SAMPLE_EVENTS);
    CHECK_INT(read_left_out(&r), 0);
    CHECK_INT(read_skipped(&r, TRACE_SKIP_REORDERED), 0);
    CHECK_INT(trace_bytes_read(r.trace), trace_bytes_total(r.trace));
    random_seed(&random, 7, 0);
    for (size_t i = 0; i < r.count; i++) {
        sample_next(&random, &event);
        struct trace_event expected = event;
        sample_fit(&expected, format->keeps);
        bool seconds = strcmp(format->format, "tencent") == 0;
        if (!(format->keeps & SAMPLE_TIME))
            expected.time_ns = seconds ? event.time_ns / 1000000000 * 1000000000 : 0;
        compare(&r.events[i], &expected);
        if (format->keeps & SAMPLE_DEVICES)
            compare_device(format, trace_device(r.trace, r.events[i].device)->name, event.device);
        CHECK_INT(r.events[i].level, strcmp(format->format, "iolog") == 0);
    }
    if (check_failures > failures)
        fprintf(stderr, "the format is %s\n", format->name);
    read_end(&r);
}

/* ---------------------------------------------------------------- expected events in files */

static char *field(char **line)
{
    char *begin = *line, *comma = begin + strcspn(begin, ",\n");
    *line = comma + (*comma == ',');
    *comma = '\0';
    return begin;
}

static uint8_t op_of(const char *word)
{
    return (uint8_t)(strchr("RWFD", *word) - "RWFD");
}

static void name_device(char *name)
{
    for (; *name; name++)
        *name = *name == ',' ? '.' : *name;
}

/* A row behind its file's name, beside the event that was read. */
static void compare_row(const struct read *r, size_t i, char *line)
{
    struct trace_event expected = {0};
    char name[80];
    if (i >= r->count)
        return;
    expected.time_ns = strtoull(field(&line), NULL, 10);
    expected.op = op_of(field(&line));
    expected.offset = strtoull(field(&line), NULL, 10);
    expected.length = (uint32_t)strtoul(field(&line), NULL, 10);
    const char *response = field(&line);
    expected.response_ns = *response == '-' ? TRACE_UNKNOWN : strtoull(response, NULL, 10);
    expected.process = (uint32_t)strtoul(field(&line), NULL, 10);
    snprintf(name, sizeof name, "%s", trace_device(r->trace, r->events[i].device)->name);
    name_device(name);
    CHECK_STR(name, field(&line));
    expected.durable = *field(&line) == '1';
    expected.failed = *field(&line) == '1';
    compare(&r->events[i], &expected);
}

static void fixtures(void)
{
    static const char folder[] = "tests/fixtures/traces";
    char path[400], line[300], open[300] = "";
    struct read r = {0};
    size_t i = 0;
    snprintf(path, sizeof path, "%s/expected.csv", folder);
    FILE *f = fopen(path, "re");
    CHECK(f != NULL);
    if (!f || !fgets(line, sizeof line, f))
        return;
    while (fgets(line, sizeof line, f)) {
        char *rest = line;
        const char *name = field(&rest);
        if (strcmp(name, open) != 0) {
            CHECK_INT(r.count, i);
            read_end(&r);
            snprintf(open, sizeof open, "%s", name);
            snprintf(path, sizeof path, "%s/%s", folder, name);
            read_trace(&r, path, NULL);
            CHECK_STR(r.error.msg, "");
            CHECK_INT(read_left_out(&r), 0);
            i = 0;
        }
        long failures = check_failures;
        compare_row(&r, i++, rest);
        if (check_failures > failures)
            fprintf(stderr, "that was event %zu of %s\n", i, path);
    }
    CHECK_INT(r.count, i);
    read_end(&r);
    fclose(f);
}

/* Numbers of lines and records, and what devices are known to reach to. */
static void numbers(void)
{
    struct read r;
    read_trace(&r, "tests/fixtures/traces/fio2.log", NULL);
    CHECK_INT(r.count, 5);
    CHECK_INT(r.events[0].number, 5);
    CHECK_INT(r.events[4].number, 12);
    CHECK_STR(trace_format_name(r.trace), "fio iolog version 2");
    CHECK_INT(trace_device_count(r.trace), 2);
    CHECK_INT(trace_device(r.trace, 0)->end, 1048576 + 65536);
    CHECK_INT(trace_device(r.trace, 1)->end, 8192 + 16384);
    CHECK_INT(trace_device(r.trace, 0)->size, 0);
    read_end(&r);
}

/* ---------------------------------------------------------------- the cases */

/* Facts that a format does not contain for the 200 events: exact times, response times. */
static const struct {
    const char *name, *title;
    uint64_t unit_ns;
    bool response;
} cases[] = {
    {"msr_like.csv", "MSR Cambridge CSV", 100, true},
    {"alibaba_like.csv", "Alibaba 2020 CSV", 1000, false},
    {"tencent_like.csv", "Tencent CBS CSV", 1000000000, false},
    {"spc_like.spc", "SPC/UMass", 1000, false},
};

static const char *case_path(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/traces/%s", getenv("CUPEL_CASES"), name);
    return path;
}

static void one_case(size_t c)
{
    struct read r;
    char line[200];
    size_t i = 0;
    read_trace(&r, case_path(cases[c].name), NULL);
    CHECK_STR(r.error.msg, "");
    CHECK_STR(trace_format_name(r.trace), cases[c].title);
    CHECK_INT(read_left_out(&r), 0);
    FILE *f = fopen(case_path("normalised_expected.csv"), "re");
    CHECK(f && fgets(line, sizeof line, f));
    for (; f && fgets(line, sizeof line, f) && i < r.count; i++) {
        char *rest = line;
        const struct trace_event *event = &r.events[i];
        int64_t difference = (int64_t)event->time_ns - (int64_t)strtoull(field(&rest), NULL, 10);
        CHECK(difference < (int64_t)cases[c].unit_ns && -difference < (int64_t)cases[c].unit_ns);
        CHECK(cases[c].unit_ns > 100 || difference == 0);
        CHECK_INT(event->op, op_of(field(&rest)));
        CHECK_INT(event->offset, strtoull(field(&rest), NULL, 10));
        CHECK_INT(event->length, strtoull(field(&rest), NULL, 10));
        CHECK_INT(event->response_ns,
                  cases[c].response ? strtoull(field(&rest), NULL, 10) : TRACE_UNKNOWN);
    }
    CHECK_INT(i, 200);
    CHECK_INT(r.count, 200);
    if (f)
        fclose(f);
    read_end(&r);
}

/* One synthetic block layer trace: per processor, as one stream, and as blkparse's text. */
static void block_case(const char *name)
{
    struct read r;
    char line[200];
    size_t i = 0;
    uint64_t first = 0;
    read_trace(&r, case_path(name), NULL);
    CHECK_STR(r.error.msg, "");
    CHECK_INT(read_left_out(&r), 0);
    FILE *f = fopen(case_path("blktrace/expected_ios.csv"), "re");
    CHECK(f && fgets(line, sizeof line, f));
    for (; f && fgets(line, sizeof line, f) && i < r.count; i++) {
        char *rest = line;
        uint64_t time_ns = strtoull(field(&rest), NULL, 10);
        first = i == 0 ? time_ns : first;
        CHECK_INT(r.events[i].time_ns, time_ns - first);
        CHECK_INT(r.events[i].op, op_of(field(&rest)));
        CHECK_INT(r.events[i].offset, strtoull(field(&rest), NULL, 10));
        CHECK_INT(r.events[i].length, strtoull(field(&rest), NULL, 10));
        CHECK_INT(r.events[i].response_ns, strtoull(field(&rest), NULL, 10));
        CHECK_INT(r.events[i].process, 4242);
    }
    CHECK_INT(r.count, i);
    CHECK_INT(i, 60);
    if (f)
        fclose(f);
    read_end(&r);
}

/* Every line of the iolog again, by another reader. */
static void iolog_case(void)
{
    struct read r;
    char line[200];
    size_t i = 0;
    unsigned long long us, offset, length, first = 0;
    read_trace(&r, case_path("poisson5000_2000.v3"), NULL);
    FILE *f = fopen(case_path("poisson5000_2000.v3"), "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%llu /data1g read %llu %llu", &us, &offset, &length) == 3 &&
            i < r.count) {
            first = i == 0 ? us : first;
            CHECK_INT(r.events[i].time_ns, (us - first) * 1000);
            CHECK_INT(r.events[i].offset, offset);
            CHECK_INT(r.events[i].length, length);
            i++;
        }
    CHECK_INT(i, 2000);
    CHECK_INT(r.count, i);
    if (f)
        fclose(f);
    read_end(&r);

    static const uint64_t times[] = {0, 800000000, 800000000, 800000000, 1700000000};
    read_trace(&r, case_path("handmade.v2"), NULL);
    CHECK_INT(r.count, 5);
    for (i = 0; i < r.count; i++)
        CHECK_INT(r.events[i].time_ns, times[i]);
    CHECK_INT(r.events[3].op, OPERATION_SYNC);
    read_end(&r);
}

int main(void)
{
    trace_folder();
    for (size_t i = 0; i < SAMPLE_FORMATS; i++)
        sample(&sample_formats[i]);
    fixtures();
    numbers();
    if (getenv("CUPEL_CASES")) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            one_case(c);
        block_case("blktrace/loop0.blktrace.0");
        block_case("blktrace/loop0.merged.bin");
        block_case("blktrace/loop0.blkparse.txt");
        block_case("blktrace/loop0");
        iolog_case();
    } else {
        check_part_skipped("CUPEL_CASES is not set");
    }
    trace_folder_end();
    return check_result();
}
