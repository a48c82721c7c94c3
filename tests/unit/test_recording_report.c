/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of a recording: pages of 80 columns whatever they contain, the columns of CSV, JSON. */
#include <stdint.h>

#include "report/recording/recording.h"
#include "tests/unit/check.h"
#include "tests/unit/page.h"

static struct recording *a;
static const struct report_style style = {.full = true, .unicode = true, .width = 80};

static struct recording_numbers numbers(uint64_t count, uint64_t bytes, double ns)
{
    struct recording_numbers x = {
        .count = count, .bytes = bytes, .mean_ns = ns, .min_ns = ns / 2, .max_ns = ns * 1000};
    for (int i = 0; i < RECORDING_PERCENTILES; i++)
        x.percentile_ns[i] = ns * (i + 1);
    return x;
}

static struct recording_numbers nothing(void)
{
    struct recording_numbers x = {.mean_ns = NAN, .min_ns = NAN, .max_ns = NAN};
    for (int i = 0; i < RECORDING_PERCENTILES; i++)
        x.percentile_ns[i] = NAN;
    return x;
}

static void fill_level(struct recording_level *l, const char *name)
{
    snprintf(l->name, sizeof l->name, "%s", name);
    for (int op = 0; op < RECORDING_OPS; op++)
        l->op[op] = nothing();
    l->op[RECORDING_READ] = numbers(1234567, 5056786432, 56300);
    l->op[RECORDING_WRITE] = numbers(99, 4096 * 99, 1.2e9);
    l->op[RECORDING_ALL] = numbers(1234666, 5057191936, 152000);
    l->blocks = 9877328;
    l->busy_seconds = 7.25;
    l->depth_mean = 25.88;
    l->depth_max = 4096;
}

static void fill(void)
{
    memset(a, 0, sizeof *a);
    a->subject = RECORDING_PROGRAM;
    a->seconds = a->rate_seconds = 10;
    a->processes = 3;
    a->events = 5000000;
    fill_level(&a->calls, "");
    fill_level(&a->devices[0], "nvme0n1");
    fill_level(&a->devices[1], "a device with, a comma");
    a->device_count = 2;
    a->devices[0].size = 1ull << 40;
    a->devices[0].merged = 17;
    a->devices[0].own_count = 617333;
    snprintf(a->result.target, sizeof a->result.target, "program --with \"words\" %0200d", 7);
    for (int i = 0; i < 30; i++) {
        struct recording_file *f = &a->files[a->file_count++];
        snprintf(f->name, sizeof f->name, "/srv/data/number %d, \xc3\xa9t\xc3\xa9\x1b[31m/%080d", i,
                 i);
        f->count[RECORDING_READ] = 1000;
        f->bytes[RECORDING_READ] = 4096000;
    }
    a->files_more = 5;
    result_add(&a->result, METRIC_BPS, "all", 1362390.0)->n = (uint64_t)a->calls.blocks;
    result_add(&a->result, METRIC_IOPS, "read", 123456.7)->n = 1234567;
    struct result_row *p99 = result_add(&a->result, METRIC_LATENCY_P99, "read", 394100);
    *p99 = (struct result_row){.metric = METRIC_LATENCY_P99,
                               .op = "read",
                               .value = 394100,
                               .low = 371000,
                               .high = 420000,
                               .confidence = 0.95,
                               .n = 1234567,
                               .effective_n = 4321};
    result_add(&a->result, METRIC_LATENCY_P50, "flush", 5e6)->n = 1;
    result_note(&a->result, true,
                "%d events were lost, and this is a rather long warning about it, "
                "which has to be broken into lines",
                12);
    facts_add(&a->result.settings, "recording", "program",
              "a program with a very long command line that goes on and on and on until the end of "
              "the line and beyond",
              "", "", FACT_OK);
}

static void test_text(void)
{
    struct text page = {0};
    fill();
    report_print(&recording_report, a, "text", &style, &page);
    page_check(&page);
    CHECK(strncmp(page.data, "RECORDED: 506 MB/s, 123k IOPS, 1.36M BPS", 40) == 0);
    CHECK(strstr(page.data, "3 processes, in 10.0 s") || strstr(page.data, "3 processes, in 10 s"));
    CHECK(strstr(page.data, "no intervals"));
    CHECK(strstr(page.data, "nvme0n1: 1 TiB; busy 72 %"));
    CHECK(strstr(page.data, "  p99           read         394 us       371       420"));
    CHECK(strstr(page.data, "95 % interval of the percentile in stretches of time"));
    CHECK(strstr(page.data, "50 % handed in"));
    CHECK(strstr(page.data, "and 23 more (--format csv has 18 of them)"));
    CHECK(strstr(page.data, "Warning: 12 events"));
    CHECK(!strstr(page.data, "flush"));
    text_free(&page);

    for (int op = 0; op < RECORDING_OPS; op++)
        a->calls.op[op] = nothing(); /* a program that does no I/O at all */
    a->calls.busy_seconds = 0;
    a->calls.depth_mean = NAN;
    a->device_count = a->file_count = a->files_more = 0;
    report_print(&recording_report, a, "text", &style, &page);
    page_check(&page);
    CHECK(strstr(page.data, "did no I/O"));
    CHECK(!strstr(page.data, "nan"));
    text_free(&page);

    fill();
    a->subject = RECORDING_DEVICE;
    a->device_count = 1;
    a->file_count = 0;
    a->interrupted = true;
    report_print(&recording_report, a, "text", &style, &page);
    page_check(&page);
    CHECK(strstr(page.data, "What reached the device\n"));
    CHECK(strstr(page.data, "ended by a signal"));
    CHECK(!strstr(page.data, "handed in") && !strstr(page.data, "process"));
    text_free(&page);
}

/* Every row has nineteen fields; commas in quotes do not separate. */
static void test_csv(void)
{
    struct text out = {0};
    fill();
    report_print(&recording_report, a, "csv", &style, &out);
    const char header[] =
        "metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,"
        "target,rw,bs,iodepth,numjobs,label,date\n";
    CHECK(strncmp(out.data, header, strlen(header)) == 0);
    size_t commas = 0;
    bool quoted = false;
    for (size_t i = 0; i < out.length; i++) {
        quoted = quoted != (out.data[i] == '"');
        commas += !quoted && out.data[i] == ',';
        if (quoted || out.data[i] != '\n')
            continue;
        CHECK_INT(commas, 18);
        commas = 0;
    }
    CHECK(strstr(out.data, "\nbps,all,block/s,1362390,,,,9877328,,,"));
    CHECK(strstr(out.data, "\nlat_p99,read,ns,394100,371000,420000,0.95,1234567,4321,,"));
    CHECK(strstr(out.data, "\ndevice_requests,read,1,1234567,,,,1234567,,nvme0n1,"));
    CHECK(strstr(out.data, "\ndevice_iops,write,1/s,9.9,,,,99,,nvme0n1,"));
    CHECK(strstr(out.data, "\ndevice_merges,all,1,17,,,,1234666,,nvme0n1,"));
    CHECK(strstr(out.data, ",,\"a device with, a comma\","));
    CHECK(strstr(out.data, "\nprocesses,all,1,3,,,,3,,,"));
    CHECK(strstr(out.data, "\nevents_lost,all,1,0,,,,5000000,,,"));
    text_free(&out);
}

static void test_json(void)
{
    struct text out = {0};
    fill();
    a->calls.depth_mean = NAN;
    report_print(&recording_report, a, "json", &style, &out);
    CHECK(strstr(out.data, "\"program\": \"program --with \\\"words\\\""));
    CHECK(strstr(out.data, "\"depth_mean\": null"));
    CHECK(strstr(out.data, "\"own_requests\": 617333"));
    CHECK(strstr(out.data, "\"files_more\": 5"));
    CHECK(strstr(out.data, "\"ci_low\": 371000"));
    CHECK(strstr(out.data, "\\u001b"));
    text_free(&out);
}

/* Too many events were lost: there is no rate in any format, neither in the first line nor in a
   table. */
static void test_losses(void)
{
    struct text page = {0};
    fill();
    a->lost = 500;
    CHECK(recording_rates_known(a)); /* 0.01 % lost */
    a->events = 20;
    a->lost = RECORDING_LOST_FEW;
    CHECK(recording_rates_known(a)); /* as few as the kernel itself does not report */
    a->events = 150000;
    a->lost = 850000;
    CHECK(!recording_rates_known(a));
    CHECK_NEAR(recording_lost_share(a), .85, 1e-12);
    a->rate_seconds = NAN;
    a->result.row_count = 0;
    result_add(&a->result, METRIC_BPS, "all", NAN)->n = 100;
    report_print(&recording_report, a, "text", &style, &page);
    page_check(&page);
    CHECK(strncmp(page.data, "NOT DECIDED: 85 % of the events were lost", 41) == 0);
    CHECK(!strstr(page.data, "RECORDED") && !strstr(page.data, "123k"));
    CHECK(!strstr(page.data, "MB/s") && !strstr(page.data, "busy"));
    text_free(&page);
    report_print(&recording_report, a, "csv", &style, &page);
    CHECK(strstr(page.data, "\nbps,all,block/s,,,,,100,,,"));
    CHECK(strstr(page.data, "\ndevice_iops,write,1/s,,,,,99,,nvme0n1,"));
    CHECK(strstr(page.data, "\nevents_lost,all,1,850000,,,,1000000,,,"));
    text_free(&page);
    report_print(&recording_report, a, "json", &style, &page);
    CHECK(strstr(page.data, "\"rates_known\": false"));
    CHECK(strstr(page.data, "\"iops\": null"));
    text_free(&page);
}

int main(void)
{
    a = malloc(sizeof *a);
    if (!a)
        return EXIT_FAILURE;
    test_text();
    test_csv();
    test_json();
    test_losses();
    CHECK(report_has_format(&recording_report, "json") &&
          !report_has_format(&recording_report, "yaml"));
    free(a);
    return check_result();
}
