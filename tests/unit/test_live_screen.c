/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The full screen of a running session: the same facts on terminals of several sizes; no line is
   wider and no screen higher than the terminal, whatever its size. */
#include "check.h"
#include "golden.h"

#include "report/layout/layout.h"
#include "report/live/live_screen.h"

static struct result_clause clauses[] = {
    {.text = "read.p99<1ms",
     .verdict = CLAUSE_PASSED,
     .kind = METRIC_KIND_TIME,
     .value = 812e3,
     .limit = 1e6},
    {.text = "iops>20k",
     .verdict = CLAUSE_FAILED,
     .kind = METRIC_KIND_COUNT_RATE,
     .value = 17900,
     .limit = 20000},
    {.text = "read.p99.9:10%",
     .is_width = true,
     .verdict = CLAUSE_UNDECIDED,
     .kind = METRIC_KIND_TIME,
     .value = 0.36,
     .limit = 0.1},
};

static struct live example(void)
{
    struct live l = {.target = "/dev/caf\xc3\xa9\033[2J",
                     .workload = "randread 4 KiB, iodepth 32, 1 job",
                     .seconds = 64,
                     .points = LIVE_POINTS,
                     .quantile = {61e3, 90e3, 812e3, 2.1e6},
                     .rate_now = 17900,
                     .bytes_now = 73.3e6,
                     .in_flight = 31.8,
                     .slots = 32,
                     .backlog = 12,
                     .phase = "warmup",
                     .stable_begin = 8,
                     .stable_end = 64,
                     .changes = {8, 40},
                     .changes_kept = 2,
                     .change_count = 3,
                     .parts = {{"nvme0n1", 0.97}, {"PCIe link", 0.12}, {"cpu3", 0.55}},
                     .part_count = 3,
                     .clauses = clauses,
                     .clause_count = 3};
    for (size_t i = 0; i < LIVE_POINTS; i++) {
        l.rate[i] = i < 8 ? 4000 + 1700 * (double)i : 17500 + (double)(i * 37 % 11) * 80;
        l.p50[i] = i % 16 == 15 ? NAN : 60e3 + (double)(i * 29 % 7) * 1e3;
        l.p99[i] = i % 16 == 15 ? NAN : 500e3 + (double)(i * i % 13) * 30e3;
    }
    return l;
}

static const char status[] =
    "round 3, 70 s  17.9k IOPS  read.p99.9: +-18 %, goal +-5 %; about 40 s";

static void check_golden(const char *name, size_t columns, size_t rows, bool unicode)
{
    const struct live l = example();
    const struct report_style style = {.unicode = unicode};
    struct text out = {0};
    live_screen(&l, status, &style, columns, rows, &out);
    golden_check(name, &out);
    text_free(&out);
}

/* With and without colours: the lines, their widths, and that each colour is reset. */
static void check_size(size_t columns, size_t rows)
{
    const struct live l = example();
    for (int i = 0; i < 4; i++) {
        const struct report_style style = {.unicode = i % 2, .colour = i / 2};
        struct text out = {0};
        size_t lines = 0;
        live_screen(&l, status, &style, columns, rows, &out);
        for (const char *at = layout_string(&out); *at; lines++) {
            const char *end = strchr(at, '\n');
            size_t width = 0;
            CHECK(end != NULL);
            if (!end)
                break;
            for (const char *c = at; c < end; c++) {
                if (*c == '\033')
                    c += strcspn(c, "m");
                else
                    width += ((unsigned char)*c & 0xc0) != 0x80;
            }
            CHECK(width <= columns);
            at = end + 1;
        }
        CHECK(lines <= rows);
        CHECK(out.length < LIVE_SCREEN_BYTES);
        CHECK(!strstr(layout_string(&out), "\033[2J"));
        text_free(&out);
    }
}

int main(void)
{
    check_golden("live/screen_80x24.txt", 79, 24, true);
    check_golden("live/screen_80x24_ascii.txt", 79, 24, false);
    check_golden("live/screen_200x50.txt", 199, 50, true);
    check_golden("live/screen_20x10.txt", 19, 10, false);
    for (size_t columns = 1; columns < 300; columns += columns < 30 ? 1 : 23)
        for (size_t rows = 1; rows < 100; rows += rows < 30 ? 1 : 13)
            check_size(columns, rows);
    struct text out = {0};
    live_screen(NULL, "writing the scratch file, 40 %, 3 s", &(struct report_style){0}, 79, 24,
                &out);
    CHECK_STR(layout_string(&out), "writing the scratch file, 40 %, 3 s\n"
                                   "Ctrl-C ends it with what was measured so far\n");
    text_free(&out);
    return check_result();
}
