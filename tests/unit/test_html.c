/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of HTML pages: escaping, axes, and charts. */
#include "base/span.h"
#include "report/html/internal.h"
#include "report/layout/layout.h"
#include "tests/unit/check.h"

#define OVERRIDE  "\xe2\x80\xae" /* U+202E */
#define SEPARATOR "\xe2\x80\xa8" /* U+2028 */

/* ---- escaping ---- */

static void check_escaped(const char *words, const char *expected)
{
    struct text out = {0};
    html_add(&out, words);
    CHECK_STR(layout_string(&out), expected);
    text_free(&out);
}

static void check_escaping(void)
{
    check_escaped("", "");
    check_escaped("read p99 <1ms", "read p99 &lt;1ms");
    check_escaped("<script>alert('1')</script>&\"x\"",
                  "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot;x&quot;");
    check_escaped("a" OVERRIDE "b\x01\x1b[31mc" SEPARATOR "d", "a?b??[31mc?d");
    check_escaped("\xff\xc3<\xe2\x80", "??&lt;??");
    check_escaped("M\xc3\xbcnchen", "M\xc3\xbcnchen");
}

/* No byte becomes markup: `<`, `>` and quotes become entities, and everything is UTF-8 without
   control characters. */
static void check_all_bytes(void)
{
    uint64_t state = 17;
    for (int round = 0; round < 20000; round++) {
        static const char often[] = "<>&\"'-/!\x1c\x1d\x1e\x1f\x01\n\xe2\x80\xa8";
        char words[24] = {0};
        for (size_t i = 0; i < sizeof words - 1; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            unsigned byte = (unsigned)(state >> 56), choice = (unsigned)(state >> 40);
            words[i] = choice & 1 ? often[byte % (sizeof often - 1)] : (char)byte;
        }
        struct text out = {0};
        html_add(&out, words);
        const char *text = layout_string(&out);
        bool clean =
            !strpbrk(text, "<>\"'\n\x01\x1b\x1c\x1d\x1e\x1f") && span_is_text(span_of(text));
        for (const char *at = text; (at = strchr(at, '&')); at++)
            clean &= strchr("algq#", at[1]) && strchr(at, ';');
        CHECK(clean);
        text_free(&out);
    }
}

/* ---- axes ---- */

static void check_ticks(struct axis axis, size_t wanted, const char *expected)
{
    struct axis_tick ticks[AXIS_TICKS_MAX];
    struct text labels = {0};
    size_t count = axis_ticks(&axis, wanted, ticks);
    for (size_t i = 0; i < count; i++)
        text_addf(&labels, "%s%s", i ? "|" : "", ticks[i].labelled ? ticks[i].label : "");
    CHECK_STR(layout_string(&labels), expected);
    text_free(&labels);
}

static void check_axes(void)
{
    check_ticks((struct axis){.high = 47300, .kind = METRIC_KIND_COUNT_RATE}, 5,
                "0|10k|20k|30k|40k");
    check_ticks((struct axis){.low = 101e3, .high = 107e3, .kind = METRIC_KIND_TIME}, 5,
                "102 us|104 us|106 us");
    check_ticks((struct axis){.high = 0.073, .kind = METRIC_KIND_SHARE}, 5, "0|2 %|4 %|6 %");
    check_ticks((struct axis){.high = 600, .kind = METRIC_KIND_SECONDS}, 6,
                "0|2 min|4 min|6 min|8 min|10 min");
    check_ticks((struct axis){.low = 2.4e9, .high = 2.6e9, .unit = "Hz"}, 2,
                "2.40 GHz|2.50 GHz|2.60 GHz");
    check_ticks((struct axis){.log = true, .low = 5e4, .high = 2e6, .kind = METRIC_KIND_TIME}, 5,
                "50 us|100 us|200 us|500 us|1 ms|2 ms");
    check_ticks((struct axis){.low = NAN, .high = 1}, 5, "");
    check_ticks((struct axis){.low = 0, .high = INFINITY}, 5, "");
    check_ticks((struct axis){.low = 3, .high = 3}, 5, "");

    struct axis flat = {.low = 100, .high = 100}, log = {.log = true, .low = 0, .high = 730};
    axis_round(&flat);
    CHECK(flat.low < 100 && flat.high > 100);
    axis_round(&log);
    CHECK_NEAR(log.low, 50, 1e-9);
    CHECK_NEAR(log.high, 1000, 1e-9);
    log.from = 10;
    log.to = 20;
    CHECK_NEAR(axis_place(&log, 0), 10, 1e-9);
    CHECK_NEAR(axis_place(&log, NAN), 10, 1e-9);
    CHECK_NEAR(axis_place(&log, 1e99), 20, 1e-9);
}

static void check_places(void)
{
    struct text out = {0};
    const double places[] = {1, 1.25, 1.96, -0.01, 1e300, NAN, -INFINITY};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        svg_add_place(&out, places[i]);
        text_add(&out, " ");
    }
    CHECK_STR(out.data, "1 1.3 2 0 9999 0 0 ");
    text_free(&out);
}

/* ---- charts ---- */

enum { POINTS = 100000 };
static double x[POINTS], y[POINTS];

static struct text chart_text(size_t count, const char *name)
{
    struct text out = {0};
    struct chart chart = {.title = name,
                          .x_label = "time",
                          .x_kind = METRIC_KIND_SECONDS,
                          .y_kind = METRIC_KIND_TIME,
                          .x = x,
                          .count = count,
                          .lines = {{.name = name, .y = y}},
                          .line_count = 1};
    chart_add(&out, &chart);
    CHECK(!out.failed);
    return out;
}

static void check_paths(void)
{
    for (size_t i = 0; i < 4; i++) {
        x[i] = (double)i;
        y[i] = 1000 * (double)(i + 1);
    }
    y[1] = NAN; /* a gap splits the line, and leaves a dot before it */
    struct text out = chart_text(4, "latency");
    const char *path = out.data ? strstr(out.data, "<path class=\"line c0\" d=\"") : NULL;
    CHECK(path != NULL);
    if (path)
        CHECK_INT(strncmp(path + 25, "M74,", 4), 0);
    CHECK(path && strstr(path, "h0M") && strstr(path, "h0L746,"));
    CHECK(out.data && strstr(out.data, "\"values\": [1, null, 3, 4]"));
    text_free(&out);
    y[0] = y[2] = y[3] = NAN;
    out = chart_text(4, "nothing");
    CHECK(out.data == NULL);
    text_free(&out);
}

/* A series of any length and name: the output is bounded, and its data end correctly. */
static void check_long_series(void)
{
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = (double)i * 0.001;
        y[i] = 1e5 + (double)(i % 977) * 123.456789;
    }
    y[54321] = 9e6; /* a single outlier stays in the plotted range */
    struct text out = chart_text(POINTS, "</script><script>alert(1)//&" SEPARATOR);
    CHECK(out.length < 120000);
    CHECK(out.data && strstr(out.data, "alert(1)//\\u0026"));
    CHECK(out.data && strstr(out.data, "\\u003c/script\\u003e\\u003cscript\\u003e"));
    CHECK(out.data && strstr(out.data, "9, "));
    size_t ends = 0;
    for (const char *at = out.data; at && (at = strstr(at, "</script")); at++)
        ends++;
    CHECK_INT(ends, 1);
    CHECK(out.data && !strstr(out.data, "<script>"));
    CHECK(out.data && !strstr(out.data, SEPARATOR));
    text_free(&out);
}

int main(void)
{
    check_escaping();
    check_all_bytes();
    check_axes();
    check_places();
    check_paths();
    check_long_series();
    return check_result();
}
