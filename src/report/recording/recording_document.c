/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints a recording as a document: the figures in a line, then the levels, the files, and a plot
   over time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/document/document.h"
#include "report/layout/number.h"
#include "report/layout/screen_fit.h"
#include "report/recording/recording.h"
#include "report/run/run_figures.h"
#include "report/run/sections.h"

enum {
    OP_WIDTH = 7,
    COUNT_WIDTH = 9,
    BYTES_WIDTH = 10,
    IOPS_WIDTH = 8,
    RATE_WIDTH = 11,
    TIME_WIDTH = 8,
    NAME_WIDTH = 38,
    FILES_SHOWN = 12
};

static const char *doers(const struct recording *a)
{
    return a->subject == RECORDING_PROGRAM ? "the program" : "the processes";
}

static void section_first_lines(const struct recording *a, struct document *out)
{
    const struct recording_level *level = recording_main_level(a);
    const struct recording_numbers *all = &level->op[RECORDING_ALL];
    const struct result_row *bps = result_find(&a->result, METRIC_BPS, "all");
    const bool known = recording_rates_known(a);
    char blocks[NUMBER_BUFFER], iops[NUMBER_BUFFER], rate[NUMBER_BUFFER], share[NUMBER_BUFFER];
    struct text words = {0};
    if (known && all->count > 0)
        text_addf(
            &words, "%s, %s IOPS, %s BPS",
            number_value(rate, sizeof rate, METRIC_KIND_BYTE_RATE, (double)all->bytes / a->seconds),
            number_value(iops, sizeof iops, METRIC_KIND_COUNT_RATE,
                         (double)all->count / a->seconds),
            number_value(blocks, sizeof blocks, METRIC_KIND_COUNT_RATE, bps ? bps->value : NAN));
    else if (known)
        text_addf(&words,
                  recording_has_calls(a) ? "%s did no I/O on files or block devices by calls"
                                         : "nothing reached the device",
                  doers(a));
    else
        text_addf(
            &words,
            "%s of the events were lost: no rate is known. The tables hold what was seen of the "
            "rest.",
            number_percent(share, sizeof share, recording_lost_share(a)));
    document_paragraph_from(
        out, known ? "RECORDED: " : "NOT DECIDED: ", known ? TONE_GREEN : TONE_YELLOW, &words);
    char target[sizeof a->result.target], seconds[NUMBER_BUFFER];
    text_add(&words, layout_shorten(target, sizeof target, a->result.target,
                                    2 * layout_width(&out->style) - 40));
    if (recording_has_calls(a))
        text_addf(&words, ", %llu process%s", (unsigned long long)a->processes,
                  a->processes == 1 ? "" : "es");
    text_addf(&words, ", in %s", number_seconds(seconds, sizeof seconds, a->seconds));
    if (a->interrupted)
        text_add(&words, ", ended by a signal");
    document_paragraph_from(out, "", TONE_PLAIN, &words);

    if (!known || all->count == 0 || !out->style.full)
        return;
    text_addf(
        &words,
        "I/O was in flight for %s (%s of the time), %.1f at once on average and at most %llu. "
        "BPS is 512-byte blocks over that time, IOPS and bandwidth are over all of it. They are "
        "of this pass and have no intervals.",
        number_seconds(seconds, sizeof seconds, level->busy_seconds),
        number_percent(share, sizeof share, level->busy_seconds / a->seconds), level->depth_mean,
        (unsigned long long)level->depth_max);
    document_paragraph_from(out, "", TONE_PLAIN, &words);
}

/* ---- a level ---- */

static void print_header(const char *count, struct document *out)
{
    const struct layout_column titles[] = {
        {"", -(2 + OP_WIDTH)}, {count, COUNT_WIDTH},      {"bytes", BYTES_WIDTH},
        {"IOPS", IOPS_WIDTH},  {"bandwidth", RATE_WIDTH}, {"mean", TIME_WIDTH},
        {"p50", TIME_WIDTH},   {"p99", TIME_WIDTH},       {"max", TIME_WIDTH}};
    document_titles(out, titles, sizeof titles / sizeof *titles);
}

static void print_numbers(const struct recording_numbers *x, const char *op, double seconds,
                          struct document *out)
{
    const double times[] = {x->mean_ns, x->percentile_ns[RECORDING_METRIC_LATENCY_P50],
                            x->percentile_ns[RECORDING_METRIC_LATENCY_P99], x->max_ns};
    char cell[NUMBER_BUFFER];
    document_add(out, "  ");
    document_left(out, op, OP_WIDTH);
    document_right(out, number_count(cell, sizeof cell, (double)x->count), COUNT_WIDTH);
    document_right(out, format_size(cell, sizeof cell, (double)x->bytes), BYTES_WIDTH);
    document_right(
        out, number_value(cell, sizeof cell, METRIC_KIND_COUNT_RATE, (double)x->count / seconds),
        IOPS_WIDTH);
    document_right(
        out, number_value(cell, sizeof cell, METRIC_KIND_BYTE_RATE, (double)x->bytes / seconds),
        RATE_WIDTH);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        document_right(out, format_time(cell, sizeof cell, times[i]), TIME_WIDTH);
    document_end_row(out);
}

static void print_level(const struct recording_level *l, double seconds, struct document *out)
{
    size_t kinds = 0;
    for (int op = 0; op < RECORDING_ALL; op++) {
        if (l->op[op].count == 0)
            continue;
        kinds++;
        print_numbers(&l->op[op], recording_op_name((enum recording_op)op), seconds, out);
    }
    if (kinds > 1)
        print_numbers(&l->op[RECORDING_ALL], recording_op_name(RECORDING_ALL), seconds, out);
}

static void section_devices(const struct recording *a, struct document *out)
{
    if (a->device_count == 0 ||
        (!recording_has_calls(a) && a->devices[0].op[RECORDING_ALL].count == 0))
        return;
    document_heading(out, recording_has_calls(a)
                              ? "What reached the devices meanwhile, of all programs"
                              : "What reached the device");
    print_header("requests", out);
    for (size_t i = 0; i < a->device_count; i++) {
        const struct recording_level *d = &a->devices[i];
        char cell[NUMBER_BUFFER], lead[40];
        struct text words = {0};
        uint64_t requests = d->op[RECORDING_ALL].count;
        if (requests == 0)
            continue;
        snprintf(lead, sizeof lead, "  %.32s: ", d->name);
        if (d->size > 0)
            text_addf(&words, "%s; ", format_size(cell, sizeof cell, (double)d->size));
        if (recording_rates_known(a))
            text_addf(&words, "busy %s of the time, ",
                      number_percent(cell, sizeof cell, d->busy_seconds / a->seconds));
        text_addf(&words, "%.1f requests in flight on average and at most %llu", d->depth_mean,
                  (unsigned long long)d->depth_max);
        if (d->merged > 0)
            text_addf(&words, ", %s merged into others",
                      number_count(cell, sizeof cell, (double)d->merged));
        if (recording_has_calls(a))
            text_addf(&words, "; %s handed in by %s",
                      number_percent(cell, sizeof cell, (double)d->own_count / (double)requests),
                      a->subject == RECORDING_PROGRAM ? "the program's own processes"
                                                      : "these processes");
        document_paragraph_from(out, lead, TONE_PLAIN, &words);
        print_level(d, a->rate_seconds, out);
    }
}

/* ---- files ---- */

static void print_side(uint64_t count, uint64_t bytes, struct document *out)
{
    char cell[NUMBER_BUFFER];
    document_right(out, count ? number_count(cell, sizeof cell, (double)count) : "", COUNT_WIDTH);
    document_right(out, count ? format_size(cell, sizeof cell, (double)bytes) : "", BYTES_WIDTH);
}

static void section_files(const struct recording *a, struct document *out)
{
    static const struct layout_column titles[] = {{"", -(2 + NAME_WIDTH)},
                                                  {"reads", COUNT_WIDTH},
                                                  {"bytes", BYTES_WIDTH},
                                                  {"writes", COUNT_WIDTH},
                                                  {"bytes", BYTES_WIDTH}};
    if (a->file_count == 0)
        return;
    document_heading(out, "Files, those with the most bytes first");
    document_titles(out, titles, sizeof titles / sizeof *titles);
    size_t shown = a->file_count < FILES_SHOWN ? a->file_count : FILES_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const struct recording_file *f = &a->files[i];
        char name[sizeof f->name];
        document_add(out, "  ");
        document_left(out, layout_shorten(name, sizeof name, f->name, NAME_WIDTH), NAME_WIDTH);
        print_side(f->count[RECORDING_READ], f->bytes[RECORDING_READ], out);
        print_side(f->count[RECORDING_WRITE], f->bytes[RECORDING_WRITE], out);
        document_end_row(out);
    }
    if (a->file_count + a->files_more > shown)
        document_line(out, "  and %llu more (--format csv has %zu of them)",
                      (unsigned long long)(a->file_count - shown + a->files_more),
                      a->file_count - shown);
}

static void section_recording(const struct recording *a, struct document *out)
{
    const struct facts *facts = &a->result.settings;
    document_heading(out, "How it was recorded");
    document_labels(out, &a->result.labels);
    for (size_t i = 0; i < facts->count; i++) {
        char lead[32];
        snprintf(lead, sizeof lead, "  %-18.18s ", facts->rows[i].key);
        document_paragraph(out, lead, TONE_PLAIN, facts->rows[i].value);
    }
}

#define HANDFUL 100 /* operations with fewer I/Os have no histogram and no table of percentiles */

static bool is_handful(const struct recording *a, const char *op)
{
    const struct result_row *row = result_find(&a->result, METRIC_IOPS, op);
    return !row || row->n < HANDFUL;
}

/* Prints percentiles with intervals, as the recording is only a sample of such work. */
static void section_recorded_percentiles(const struct recording *a, struct document *out)
{
    char words[200];
    bool begun = false;
    for (int op = 0; op < RECORDING_ALL; op++) {
        const char *name = recording_op_name((enum recording_op)op);
        if (is_handful(a, name))
            continue;
        if (!begun) {
            document_heading(out, "Percentiles of the response time");
            metric_titles(out);
        }
        begun = true;
        latency_print(&a->result, name, out);
    }
    snprintf(
        words, sizeof words,
        "low, high: %g %% interval of the percentile in stretches of time like those that were "
        "recorded; eff. n: independent I/Os that these are worth.",
        100 * RECORDING_CONFIDENCE);
    if (begun)
        document_paragraph(out, "  ", TONE_PLAIN, words);
}

static void section_response_times(const struct recording *a, struct document *out)
{
    /* true: an operation has figures; a page shows those of all operations beside them */
    bool begun = false;
    for (size_t i = 0; i < a->result.histogram_count; i++) {
        const struct result_histogram *h = &a->result.histograms[i];
        char heading[64];
        if (is_handful(a, h->op) || (out->style.page && begun))
            continue;
        begun = true;
        snprintf(heading, sizeof heading, "Response times, %s", h->op);
        document_heading(out, out->style.page ? "Response times" : heading);
        document_figure(out, (struct figure){.text = histogram_draw,
                                             .page = figures_of_latency,
                                             .context = &a->result,
                                             .number = i});
    }
}

static void section_calls(const struct recording *a, struct document *out)
{
    char heading[80];
    if (!recording_has_calls(a) || a->calls.op[RECORDING_ALL].count == 0)
        return;
    snprintf(heading, sizeof heading, "What %s asked for: calls on files and block devices",
             doers(a));
    document_heading(out, heading);
    print_header("calls", out);
    print_level(&a->calls, a->rate_seconds, out);
}

static void section_warnings(const struct recording *a, struct document *out)
{
    if (out->style.full)
        section_notes(&a->result, true, out);
    else
        screen_warnings(&a->result, out);
}

/* ---- the whole text, and the text of one screen ---- */

static void draw_screen(const void *what, size_t number, const struct report_style *style,
                        struct text *out)
{
    static const struct {
        void (*print)(const struct recording *a, struct document *out);
        size_t lines;
        unsigned rank;
    } sections[] = {{section_first_lines, 4, 0},
                    {section_warnings, 7, 1},
                    {section_calls, 7, 0},
                    {section_devices, 9, 2},
                    {section_files, 7, 3}};
    enum { SECTIONS = sizeof sections / sizeof *sections, FOOTER_LINES = 1, PLOT_LINES_MIN = 6 };
    const struct recording *a = what;
    struct screen_part parts[SECTIONS + 2] = {0}; /* the last two are the plot and the footer */
    (void)number;
    for (size_t i = 0; i < SECTIONS; i++) {
        struct document d = document_for(style);
        parts[i].lines_max = sections[i].lines;
        parts[i].rank = sections[i].rank;
        sections[i].print(a, &d);
        document_print_text(&d, &parts[i].text);
        document_free(&d);
    }
    const size_t lines = screen_lines(style);
    const size_t used = screen_fit(parts, SECTIONS, lines - FOOTER_LINES) + FOOTER_LINES;
    if (used + PLOT_LINES_MIN <= lines && !screen_is_narrow(style)) {
        struct document d = document_for(style);
        series_print(&a->result, lines - used, &d);
        document_print_text(&d, &parts[SECTIONS].text);
        document_free(&d);
    }
    layout_paragraph(&parts[SECTIONS + 1].text, style, "The whole report: ", TONE_PLAIN,
                     "--full, or --report FILE");
    screen_join(parts, SECTIONS + 2, out);
}

void recording_document(const void *what, struct document *out)
{
    const struct recording *a = what;
    document_title(out, a->result.target);
    if (!out->style.full) {
        document_figure(out, (struct figure){.text = draw_screen, .context = a});
        return;
    }
    section_first_lines(a, out);
    section_warnings(a, out);
    section_calls(a, out);
    section_devices(a, out);
    section_files(a, out);
    section_recorded_percentiles(a, out);
    section_series(&a->result, out);
    section_response_times(a, out);
    section_recording(a, out);
    section_notes(&a->result, false, out);
}
