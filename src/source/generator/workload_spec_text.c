/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads arrivals, phases, times, addresses and sizes from text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "source/generator/internal.h"
#include "source/generator/phases.h"
#include "source/generator/workload_spec_text.h"

/* A kind and the range of its parameter. If low == high, the kind has no parameter. */
struct kind_row {
    const char *name;
    const char *parameter; /* meaning of the parameter, for messages and reports */
    double usual, low, high;
    bool required, whole;
};

static const struct kind_row arrival_rows[ARRIVAL_KINDS] = {
    [ARRIVAL_UNIFORM] = {.name = "uniform"},
    [ARRIVAL_POISSON] = {.name = "poisson"},
    [ARRIVAL_NORMAL] = {"normal", "standard deviation over mean", .25, .001, 1, false, false},
    [ARRIVAL_PARETO] = {"pareto", "shape", 1.5, 1.01, 100, false, false},
    [ARRIVAL_BURST] = {"burst", "requests in a burst", 16, 1, 1e6, false, true},
};

static const struct kind_row address_rows[ADDRESS_KINDS] = {
    [ADDRESS_UNIFORM] = {.name = "random"},
    [ADDRESS_SEQUENTIAL] = {.name = "sequential"},
    [ADDRESS_ZIPF] = {"zipf", "theta", 1.2, .01, 20, true, false},
    [ADDRESS_PARETO] = {"pareto", "h", .2, .001, .999, true, false},
    [ADDRESS_HOTSPOT] = {.name = "hotspot", .parameter = "region and requests"},
    [ADDRESS_STREAMS] = {"streams", "sequential streams", 2, 1, STREAMS_OF_ADDRESS_MAX, true, true},
    [ADDRESS_STRIDE] = {.name = "stride", .parameter = "bytes"},
    [ADDRESS_ZONED] = {.name = "zoned", .parameter = "requests and region"},
    [ADDRESS_STRIPS] = {.name = "strips", .parameter = "bytes"},
    [ADDRESS_WALK] = {"walk", "chance to climb", .44, 0, .99, false, false},
    [ADDRESS_SEQUENCE] = {.name = "sequence", .parameter = "numbers of blocks"},
    [ADDRESS_SAME] = {"same", "step", 0, 1, STEPS_MAX, false, true},
};

static const struct kind_row duration_rows[] = {
    {.name = "exponential", .parameter = "mean"},
    {.name = "uniform", .parameter = "maximum"},
};

/* Reads the parameter after the colon. `by`: the character after the kind's name. */
static int read_parameter(struct text_reader *w, const struct kind_row *row, char by,
                          double *parameter)
{
    *parameter = row->usual;
    struct span at = w->rest;
    if (by != ':' && !row->required)
        return 0;
    if (row->low == row->high)
        return reader_fail(w, at.text, "%s takes nothing after it", row->name);
    if (!at.length)
        return reader_fail(w, at.text, "%s:%s is expected (%s)", row->name,
                           row->whole ? "NUMBER" : "VALUE", row->parameter);
    uint64_t whole;
    if (!row->whole)
        return words_number(w, at, row->parameter, row->low, row->high, parameter);
    if (words_whole(w, at, row->parameter, (uint64_t)row->low, (uint64_t)row->high, &whole))
        return -1;
    *parameter = (double)whole;
    return 0;
}

int words_arrival(struct text_reader *w, struct arrival_spec *arrival)
{
    char by;
    struct span word = reader_piece(w, ":", &by);
    int kind =
        words_find(w, word, "a kind of arrival", arrival_rows, sizeof *arrival_rows, ARRIVAL_KINDS);
    if (kind < 0)
        return -1;
    arrival->kind = (enum arrival_kind)kind;
    return read_parameter(w, &arrival_rows[kind], by, &arrival->parameter);
}

/* Reads REQUESTS/REGION:REQUESTS/REGION..., in percent as in fio. A zone without REGION gets the
   remaining part of the region. */
static int read_zones(struct text_reader *w, struct address_spec *address)
{
    struct span begin = w->rest;
    double requests = 0, region = 0;
    char by = ':';
    while (by == ':') {
        double share, part = -1;
        struct span first = reader_piece(w, "/:", &by);
        if (address->zone_count == ADDRESS_ZONES_MAX)
            return reader_fail(w, first.text, "more than %d zones", ADDRESS_ZONES_MAX);
        if (by != '/')
            return reader_fail(w, first.text,
                               "zoned:REQUESTS/REGION:... is expected, as in zoned:60/10:40/90");
        struct span second = reader_piece(w, ":", &by);
        if (words_number(w, first, "percent of the requests", 0, 100, &share) ||
            (second.length && words_number(w, second, "percent of the region", 0, 100, &part)))
            return -1;
        part = part < 0 ? 100 - region : part;
        requests += share;
        region += part;
        address->zones[address->zone_count].requests = (float)(share / 100);
        address->zones[address->zone_count++].region = (float)(part / 100);
    }
    if (fabs(requests - 100) > .01 || fabs(region - 100) > .01)
        return reader_fail(w, begin.text,
                           "the requests and the regions of all zones make 100 each, not %g and %g",
                           requests, region);
    return 0;
}

static int read_strips(struct text_reader *w, struct address_spec *address)
{
    char by = 0;
    uint64_t strip, gap;
    struct span size = reader_piece(w, "/", &by);
    if (by != '/')
        return reader_fail(w, size.text, "strips:SIZE/GAP is expected, as in strips:256m/2g");
    if (words_size(w, size, 512, 1ull << 50, &strip) || words_size(w, w->rest, 0, 1ull << 50, &gap))
        return -1;
    address->parameter = (double)strip;
    address->second = (double)gap;
    return 0;
}

static int read_stride(struct text_reader *w, struct address_spec *address)
{
    uint64_t bytes;
    bool backward = w->rest.length && *w->rest.text == '-';
    struct span size = {w->rest.text + backward, w->rest.length - backward};
    if (words_size(w, size, 512, 1u << 30, &bytes))
        return -1;
    address->parameter = backward ? -(double)bytes : (double)bytes;
    return 0;
}

/* Reads NUMBER,NUMBER...[/STEP]. */
static int read_sequence(struct text_reader *w, struct address_spec *address)
{
    const uint64_t max = UINT32_MAX;
    uint64_t number;
    char by = ',';
    while (by == ',') {
        struct span one = reader_piece(w, ",/", &by);
        if (address->sequence_count == ADDRESS_SEQUENCE_MAX)
            return reader_fail(w, one.text, "more than %d numbers", ADDRESS_SEQUENCE_MAX);
        if (words_whole(w, one, "the number of a block", 0, max, &number))
            return -1;
        address->sequence[address->sequence_count++] = (uint32_t)number;
    }
    if (by == '/' && words_whole(w, w->rest, "a step in blocks", 1, max, &number))
        return -1;
    address->parameter = by == '/' ? (double)number : 0;
    return 0;
}

int words_address(struct text_reader *w, struct address_spec *address)
{
    char by;
    struct span word = reader_piece(w, ":", &by);
    int kind =
        words_find(w, word, "a kind of address", address_rows, sizeof *address_rows, ADDRESS_KINDS);
    if (kind < 0)
        return -1;
    *address = (struct address_spec){.kind = (enum address_kind)kind};
    if (kind == ADDRESS_HOTSPOT) {
        char slash = 0;
        struct span region = reader_piece(w, "/", &slash);
        if (by != ':' || slash != '/')
            return reader_fail(w, region.text,
                               "hotspot:REGION/REQUESTS is expected, as in hotspot:10%%/90%%");
        if (words_share(w, region, &address->parameter))
            return -1;
        if (address->parameter <= 0)
            return reader_fail(w, region.text, "the hot spot needs a share of the region above 0");
        return words_share(w, w->rest, &address->second);
    }
    if (kind == ADDRESS_STRIDE && by != ':')
        return reader_fail(w, w->rest.text, "stride:SIZE is expected, as in stride:1m");
    if (kind == ADDRESS_STRIDE)
        return read_stride(w, address);
    if (kind == ADDRESS_ZONED)
        return read_zones(w, address);
    if (kind == ADDRESS_STRIPS)
        return read_strips(w, address);
    if (kind == ADDRESS_SEQUENCE)
        return read_sequence(w, address);
    return read_parameter(w, &address_rows[kind], by, &address->parameter);
}

int words_duration(struct text_reader *w, struct duration_spec *duration)
{
    char by = 0;
    *duration = (struct duration_spec){.kind = DURATION_FIXED};
    struct span whole = w->rest, word = reader_piece(w, ":", &by);
    if (by == ':') {
        int kind = words_find(w, word, "a kind of time", duration_rows, sizeof *duration_rows,
                              sizeof duration_rows / sizeof *duration_rows);
        if (kind < 0)
            return -1;
        duration->kind = kind ? DURATION_UNIFORM : DURATION_EXPONENTIAL;
        whole = w->rest;
    }
    if (words_time(w, whole, &duration->ns))
        return -1;
    if (!duration->ns)
        duration->kind = DURATION_NONE;
    return 0;
}

/* Reads RATE, RATE/ON/OFF or FROM-TO, and then :TIME. *by becomes the character after the phase: a
   comma, or 0 at the end. */
static int read_phase(struct text_reader *w, struct phase_spec *phase, char *by)
{
    struct span begin = w->rest, rate = reader_piece(w, "-/:,", by);
    *phase = (struct phase_spec){0};
    if (words_rate(w, rate, &phase->rate_begin))
        return -1;
    phase->rate_end = phase->rate_begin;
    if (*by == '-') {
        if (words_rate(w, reader_piece(w, ":,", by), &phase->rate_end))
            return -1;
    } else if (*by == '/') {
        struct span on = reader_piece(w, "/:,", by);
        if (*by != '/')
            return reader_fail(w, on.text, "RATE/ON/OFF is expected, as in 5k/100ms/900ms");
        struct span off = reader_piece(w, ":,", by);
        if (words_time(w, on, &phase->on_ns) || words_time(w, off, &phase->off_ns))
            return -1;
        if (!phase->on_ns || !phase->off_ns)
            return reader_fail(w, on.text, "the times on and off are above 0");
    }
    if (*by == ':') {
        struct span length = reader_piece(w, ",", by);
        if (words_time(w, length, &phase->length_ns))
            return -1;
        return phase->length_ns ? 0 : reader_fail(w, length.text, "a phase is longer than 0");
    }
    if (*by == ',')
        return reader_fail(w, begin.text,
                           "RATE:TIME is expected, as in 5k:10s: only the last phase is "
                           "without end");
    if (phase->rate_end != phase->rate_begin)
        return reader_fail(w, begin.text, "FROM-TO:TIME is expected, as in 5k-50k:1m");
    return 0;
}

int words_phases(struct text_reader *w, struct phases *phases)
{
    char by = ',';
    struct span begin = w->rest;
    double requests = 0;
    *phases = (struct phases){0};
    while (by == ',') {
        if (phases->count == PHASES_MAX)
            return reader_fail(w, w->rest.text, "more than %d phases", PHASES_MAX);
        struct phase_spec *phase = &phases->phase[phases->count++];
        if (read_phase(w, phase, &by))
            return -1;
        requests += phase->rate_begin + phase->rate_end;
    }
    return requests > 0 ? 0 : reader_fail(w, begin.text, "no phase has a rate above 0");
}

/* Reads SIZE/WEIGHT:SIZE/WEIGHT... */
static int read_sizes(struct text_reader *w, struct size_spec sizes[SIZES_MAX], unsigned *count)
{
    char by = ':';
    struct span begin = w->rest;
    unsigned without = 0;
    double given = 0;
    *count = 0;
    while (by == ':') {
        uint64_t bytes;
        struct span size = reader_piece(w, "/:", &by);
        if (*count == SIZES_MAX)
            return reader_fail(w, size.text, "more than %d sizes", SIZES_MAX);
        if (words_size(w, size, 512, REQUEST_MAX_BYTES, &bytes))
            return -1;
        struct size_spec *one = &sizes[(*count)++];
        *one = (struct size_spec){.bytes = (uint32_t)bytes, .weight = -1};
        struct span weight = {.text = w->rest.text};
        if (by == '/')
            weight = reader_piece(w, ":", &by);
        if (weight.length && words_number(w, weight, "a weight", 0, 1e6, &one->weight))
            return -1;
        without += !weight.length;
        given += one->weight > 0 ? one->weight : 0;
    }
    if (!without)
        return given > 0 ? 0 : reader_fail(w, begin.text, "no size has a weight above 0");
    /* As in fio, sizes without a weight share the remainder to 100. */
    if (given >= 100)
        return reader_fail(w, begin.text,
                           "nothing of 100 %% is left for the sizes without a weight");
    for (unsigned i = 0; i < *count; i++)
        if (sizes[i].weight < 0)
            sizes[i].weight = (100 - given) / without;
    return 0;
}

int words_sizes(struct text_reader *w, struct stream_spec *stream)
{
    char by;
    struct text_reader reads = *w;
    reads.rest = reader_piece(w, ",", &by);
    stream->write_size_count = 0;
    if (read_sizes(&reads, stream->sizes, &stream->size_count))
        return -1;
    return by ? read_sizes(w, stream->write_sizes, &stream->write_size_count) : 0;
}

/* ---- parsers of options: each reads a whole text; errors name the column ---- */

static int fail_at_column(const struct fault *fault, struct err *e)
{
    return err_set(e, ERR_USAGE, "column %zu: %s", fault->column, fault->message);
}

int arrival_parse(const char *text, struct arrival_spec *arrival, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    return words_arrival(&w, arrival) ? fail_at_column(&fault, e) : 0;
}

int phases_parse(const char *text, struct phases *phases, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    return words_phases(&w, phases) ? fail_at_column(&fault, e) : 0;
}

int duration_parse(const char *text, struct duration_spec *duration, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    return words_duration(&w, duration) ? fail_at_column(&fault, e) : 0;
}

int address_parse(const char *text, struct address_spec *address, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    if (words_address(&w, address))
        return fail_at_column(&fault, e);
    if (address->kind == ADDRESS_SAME)
        return err_set(e, ERR_USAGE, "column 1: same is possible in transactions of profiles only");
    return 0;
}

int priorities_parse(const char *text, uint16_t usual, struct stream_spec *stream, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    return words_priorities(&w, usual, stream) ? fail_at_column(&fault, e) : 0;
}

/* Returns the row of the command with that word, or NULL after reader_fail. */
static const struct request_row *find_mode(struct text_reader *w, struct span word)
{
    char known[80];
    unsigned left = 0;
    size_t used = 0;
    for (unsigned i = 0; i < REQUEST_COMMANDS; i++) {
        if (request_rows[i].mode >= 0 && span_is(word, request_rows[i].word))
            return &request_rows[i];
        left += request_rows[i].mode >= 0;
    }
    for (unsigned i = 0; i < REQUEST_COMMANDS; i++)
        if (request_rows[i].mode >= 0)
            used +=
                (size_t)snprintf(known + used, sizeof known - used, "%s%s", request_rows[i].word,
                                 --left == 1 ? " or "
                                 : left      ? ", "
                                             : "");
    reader_fail(w, word.text, "%s is expected", known);
    return NULL;
}

/* Reads MODE[/PERCENT]. The percentage may be missing only if the mode is `alone`. */
static int read_mode(struct text_reader *w, bool alone, struct request_split *to)
{
    char by;
    const struct span word = reader_piece(w, "/", &by);
    const struct request_row *mode = find_mode(w, word);
    if (!mode)
        return -1;
    *to = (struct request_split){.share = 100, .kind.command = mode->command};
    if (!by && !alone)
        return reader_fail(w, word.text, "MODE/PERCENT is expected, as in write/60:zeroes/40");
    if (by && words_number(w, w->rest, "a percentage", 0, 100, &to->share))
        return -1;
    to->share /= 100;
    return 0;
}

static int words_write_modes(struct text_reader *w, struct stream_spec *stream)
{
    const char *begin = w->rest.text;
    const bool alone = !memchr(begin, ':', w->rest.length);
    double sum = 0;
    stream->split_count = 0;
    stream->by_command = true;
    for (char by = ':'; by == ':';) {
        struct text_reader one = *w;
        one.rest = reader_piece(w, ":", &by);
        const char *at = one.rest.text;
        struct request_split *split = &stream->splits[stream->split_count];
        if (read_mode(&one, alone, split))
            return -1;
        for (unsigned i = 0; i < stream->split_count; i++)
            if (stream->splits[i].kind.command == split->kind.command)
                return reader_fail(w, at, "this command stands there twice");
        sum += split->share;
        stream->split_count += split->share > 0;
    }
    return fabs(sum - 1) < 1e-9
               ? 0
               : reader_fail(w, begin, "the shares make %.6g %%, not 100 %%", 100 * sum);
}

int write_modes_parse(const char *text, struct stream_spec *stream, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    return words_write_modes(&w, stream) ? fail_at_column(&fault, e) : 0;
}

int sizes_parse(const char *text, struct stream_spec *stream, struct err *e)
{
    struct fault fault;
    struct text_reader w = reader_of_line(span_of(text), &fault);
    return words_sizes(&w, stream) ? fail_at_column(&fault, e) : 0;
}
