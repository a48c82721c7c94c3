/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads any table with one event per line whose columns the user names (--columns):
 * time=1,op=3,offset=4,len=5,unit=us. A column is given by its number, from 1, or by its name in
 * the first line. The list may also contain the name of a known table (known_tables).
 */
#include "source/trace/internal.h"

#include <ctype.h>

#include "base/units.h"

#define FIELDS_MAX 64
#define WORDS_MAX  32
#define WORD_BYTES 24
#define SKIP_MAX   1000000

enum role { TIME, OFFSET, LENGTH, OP, DEVICE, RESPONSE, PROCESS, ROLES };

static const struct {
    const char *key;
    enum role role;
} role_keys[] = {
    {"time", TIME},         {"offset", OFFSET},   {"len", LENGTH}, {"length", LENGTH},
    {"size", LENGTH},       {"op", OP},           {"type", OP},    {"device", DEVICE},
    {"response", RESPONSE}, {"process", PROCESS},
};

/* Words for units, and their size in ns or bytes. */
static const struct {
    const char *word;
    bool is_time;
    uint64_t unit;
} units[] = {
    {"s", true, 1000000000}, {"ms", true, 1000000},   {"us", true, 1000},  {"ns", true, 1},
    {"100ns", true, 100},    {"filetime", true, 100}, {"bytes", false, 1}, {"sectors", false, 512},
};

static const struct {
    const char *key;
    char separator;
} separators[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"space", ' '}, {"bar", '|'}};

/* Known tables: the ASCII formats of DiskSim and of MQSim, the VDI traces of SYSTOR '17, and the
   tables of VMware's vscsiStats that CloudPhysics published. */
static const struct {
    const char *name, *columns;
} known_tables[] = {
    {"disksim",
     "sep=space,time=1,unit=ms,device=2,offset=3,len=4,unit=sectors,op=5,read=1,write=0"},
    {"mqsim", "sep=space,time=1,unit=ns,device=2,offset=3,len=4,unit=sectors,op=5,read=1,write=0"},
    {"systor17", "sep=comma,time=1,response=2,op=3,device=4,offset=5,len=6,unit=s,unit=bytes"},
    {"vscsi", "sep=comma,len=2,op=4,offset=5,offset-unit=sectors,time=6,unit=us"},
};

struct op_word {
    char text[WORD_BYTES];
    enum operation op;
};

struct state {
    /* number of the column for each role, from 1; 0: the table has no such column */
    unsigned column[ROLES];
    uint64_t unit[ROLES]; /* ns or bytes per unit of the column; 0: not given */
    struct op_word word[WORDS_MAX];
    size_t words;
    char separator; /* 0: not yet known */
    unsigned skip;  /* number of lines that are still to be skipped */
    bool begun;     /* the first line of the table has been read */
};

/* ---- lines ---- */

static struct span next_field(const struct state *s, const char **p, const char *end)
{
    const char *begin = scan_blanks(*p, end), *at = begin;
    if (s->separator == ' ') {
        const struct span word = scan_word(&at, end);
        *p = at < end ? at : NULL;
        return word;
    }
    /* does not skip tabs as blanks if tabs separate the columns */
    begin = s->separator == '\t' ? *p : begin;
    at = memchr(begin, s->separator, (size_t)(end - begin));
    *p = at ? at + 1 : NULL;
    return span_unquoted(span_trimmed((struct span){begin, (size_t)((at ? at : end) - begin)}));
}

/* Splits a line into at most FIELDS_MAX fields. Returns their number. */
static size_t split(const struct state *s, struct span line, struct span fields[FIELDS_MAX])
{
    const char *p = line.text, *end = p + line.length;
    size_t n = 0;
    while (p && n < FIELDS_MAX) {
        fields[n] = next_field(s, &p, end);
        n += s->separator != ' ' || fields[n].length > 0;
    }
    return n;
}

/* ---- the list of --columns ---- */

static int bad_item(struct trace *t, struct span item, const char *words)
{
    char shown[80];
    return err_set(&t->fault, ERR_USAGE, "--columns %s: %s",
                   span_printable(shown, sizeof shown, item), words);
}

/* Returns the first line that is no comment, among the bytes read so far. If every line begins with
   '#', returns the first line. */
static struct span first_line(const struct trace *t)
{
    const char *p = (const char *)input_bytes(t->inputs), *end = p + input_left(t->inputs);
    struct span first = {p, 0};
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const struct span line = span_trimmed((struct span){p, (size_t)((stop ? stop : end) - p)});
        if (!first.length)
            first = line;
        if (line.length && *line.text != '#')
            return line;
        p = stop ? stop + 1 : end;
    }
    return first;
}

/* Finds a column by its number, or by its name in the first line. */
static int find_column(struct trace *t, struct span item, struct span value, unsigned *number)
{
    const struct state *s = t->state;
    struct span fields[FIELDS_MAX];
    const char *p = value.text, *end = p + value.length;
    uint64_t given;
    if (scan_whole(&p, end, &given) == SCAN_OK && p == end) {
        *number = (unsigned)given;
        return given >= 1 && given <= FIELDS_MAX
                   ? 0
                   : bad_item(t, item, "columns have numbers from 1 to 64");
    }
    const size_t n = split(s, first_line(t), fields);
    for (size_t i = 0; i < n; i++)
        if (fields[i].length == value.length && !memcmp(fields[i].text, value.text, value.length)) {
            *number = (unsigned)i + 1;
            return 0;
        }
    return bad_item(t, item, "the first line has no column of that name");
}

/* Sets the unit of one role, or of all roles that are times or all that are bytes. */
static int set_unit(struct trace *t, struct span item, struct span value, enum role only)
{
    struct state *s = t->state;
    char text[WORD_BYTES] = "";
    uint64_t unit = 0, size;
    bool is_time = false;
    struct err ignored;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (span_is_word(value, units[i].word)) {
            unit = units[i].unit;
            is_time = units[i].is_time;
        }
    if (value.length < sizeof text)
        span_copy(text, value);
    if (!unit && *text && !parse_size(text, &size, &ignored))
        unit = size;
    if (!unit || unit > UINT32_MAX)
        return bad_item(t, item,
                        "a unit is s, ms, us, ns, 100ns (filetime), bytes, sectors (512) or a size "
                        "of blocks, as in 4k");
    const bool is_of_time = only == TIME || only == RESPONSE;
    if (only < ROLES && is_time != is_of_time)
        return bad_item(t, item, is_of_time ? "it is no unit of time" : "it is no unit of size");
    if (only < ROLES) {
        s->unit[only] = unit;
    } else if (is_time) {
        s->unit[TIME] = s->unit[RESPONSE] = unit;
    } else {
        s->unit[OFFSET] = s->unit[LENGTH] = unit;
    }
    return 0;
}

/* Adds words that mean an operation; they are separated by '/'. */
static int add_words(struct trace *t, struct span item, struct span value, enum operation op)
{
    struct state *s = t->state;
    while (value.length) {
        const char *slash = memchr(value.text, '/', value.length);
        const struct span word = {value.text, slash ? (size_t)(slash - value.text) : value.length};
        const size_t taken = word.length + (slash != NULL);
        if (!word.length || word.length >= WORD_BYTES || s->words == WORDS_MAX)
            return bad_item(t, item, "at most 32 words of operations, of 1 to 23 characters");
        span_copy(s->word[s->words].text, word);
        s->word[s->words++].op = op;
        value = (struct span){value.text + taken, value.length - taken};
    }
    return 0;
}

static int set_separator(struct trace *t, struct span item, struct span value)
{
    struct state *s = t->state;
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        if (span_is_word(value, separators[i].key)) {
            s->separator = separators[i].separator;
            return 0;
        }
    if (value.length != 1 || isalnum((unsigned char)*value.text))
        return bad_item(t, item,
                        "a separator is comma, semicolon, tab, space, bar, or one character");
    s->separator = *value.text;
    return 0;
}

static int take_list(struct trace *t, struct span list, bool of_table);

/* Reads one item: "KEY=VALUE", or the name of a known table. */
static int take_item(struct trace *t, struct span item)
{
    struct state *s = t->state;
    const char *equals = memchr(item.text, '=', item.length);
    const struct span key = {item.text, equals ? (size_t)(equals - item.text) : item.length};
    const struct span value = {equals ? equals + 1 : "", equals ? item.length - key.length - 1 : 0};
    const char *suffix = "-unit";
    for (size_t i = 0; !equals && i < sizeof known_tables / sizeof *known_tables; i++)
        if (span_is_word(item, known_tables[i].name))
            return take_list(t, span_of(known_tables[i].columns), true);
    if (!value.length)
        return bad_item(
            t, item, "KEY=VALUE is expected, as in time=1, or disksim, mqsim, systor17 or vscsi");
    if (span_is(key, "unit"))
        return set_unit(t, item, value, ROLES);
    if (span_is(key, "sep"))
        return set_separator(t, item, value);
    if (span_is(key, "skip")) {
        const char *p = value.text, *end = p + value.length;
        uint64_t lines;
        if (scan_whole(&p, end, &lines) != SCAN_OK || p != end || lines > SKIP_MAX)
            return bad_item(t, item, "a number of lines is expected");
        s->skip = (unsigned)lines;
        return 0;
    }
    const enum operation op = operation_of_word(key);
    if (op < OPERATIONS)
        return add_words(t, item, value, op);
    for (size_t i = 0; i < sizeof role_keys / sizeof *role_keys; i++) {
        const size_t length = strlen(role_keys[i].key);
        const enum role role = role_keys[i].role;
        if (span_is(key, role_keys[i].key))
            return find_column(t, item, value, &s->column[role]);
        if (key.length > length && !memcmp(key.text, role_keys[i].key, length) &&
            span_is((struct span){key.text + length, key.length - length}, suffix) &&
            (role <= LENGTH || role == RESPONSE))
            return set_unit(t, item, value, role);
    }
    return bad_item(
        t, item,
        "a key is time, offset, len, op, device, response, process, unit, "
        "time-unit, offset-unit, len-unit, response-unit, read, write, trim, flush, sep "
        "or skip");
}

/* Reads the items of a list. The separator (sep=) is read in a first pass, because a column can be
   found by its name only if the separator is known. */
static int take_list(struct trace *t, struct span list, bool of_table)
{
    for (int pass = of_table; pass < 2; pass++)
        for (struct span rest = list; rest.length;) {
            const char *comma = memchr(rest.text, ',', rest.length);
            const struct span item = {rest.text, comma ? (size_t)(comma - rest.text) : rest.length};
            const size_t taken = item.length + (comma != NULL);
            const bool separates = item.length > 4 && !memcmp(item.text, "sep=", 4);
            if ((pass == 1 || separates) && take_item(t, item))
                return -1;
            rest = (struct span){rest.text + taken, rest.length - taken};
        }
    return 0;
}

/* Returns the first candidate that the line contains, or a blank if it contains none. */
static char find_separator(struct span line)
{
    static const char candidates[] = "\t;,|";
    for (const char *c = candidates; *c; c++)
        if (memchr(line.text, *c, line.length))
            return *c;
    return ' ';
}

static int named_begin(struct trace *t)
{
    struct state *s = t->state;
    const struct span list = span_of(t->columns);
    s->separator = find_separator(first_line(t));
    if (take_list(t, list, false))
        return -1;
    if (!s->column[OFFSET] || !s->column[LENGTH])
        return bad_item(t, list, "offset=COLUMN and len=COLUMN are needed");
    if (s->column[TIME] && !s->unit[TIME])
        return bad_item(t, list, "unit=s, ms, us, ns or 100ns is needed: the unit of the time");
    if (s->column[RESPONSE] && !s->unit[RESPONSE])
        return bad_item(t, list, "response-unit=s, ms, us, ns or 100ns is needed");
    for (int role = OFFSET; role <= LENGTH; role++)
        s->unit[role] = s->unit[role] ? s->unit[role] : 1;
    return 0;
}

/* ---- one event ---- */

/* Reads a number with an optional fraction, and multiplies it by the unit. */
static enum scan_status scan_decimal(struct span text, uint64_t unit, uint64_t *value)
{
    const char *p = text.text, *end = p + text.length;
    uint64_t digits = 0, scale = 1;
    enum scan_status status = scan_whole(&p, end, value);
    if (status != SCAN_OK)
        return status;
    if (p < end && *p == '.')
        for (p++; p < end && scan_is_digit(*p); p++)
            if (scale < 1000000000) {
                digits = 10 * digits + (uint64_t)(*p - '0');
                scale *= 10;
            }
    if (p != end)
        return SCAN_NONE;
    const uint64_t fraction = (uint64_t)((unsigned __int128)digits * unit / scale);
    return __builtin_mul_overflow(*value, unit, value) ||
                   __builtin_add_overflow(*value, fraction, value)
               ? SCAN_LARGE
               : SCAN_OK;
}

static const char *const role_names[ROLES] = {"the time",   "the offset", "the length",
                                              "the op",     "the device", "the response time",
                                              "the process"};

static bool take_number(const struct state *s, const struct span field[ROLES], enum role role,
                        uint64_t max, uint64_t *value, struct line_skip *skip)
{
    if (!s->column[role])
        return true;
    const enum scan_status status =
        scan_decimal(field[role], s->unit[role] ? s->unit[role] : 1, value);
    if (status == SCAN_NONE)
        return set_line_skip(skip, TRACE_SKIP_MALFORMED, role_names[role], field[role],
                             field[role].length ? "is no number" : "");
    return (status == SCAN_OK && *value <= max) ||
           set_line_skip(skip, TRACE_SKIP_RANGE, role_names[role], field[role], "is too large");
}

static bool take_op(const struct state *s, struct span word, struct trace_event *event,
                    struct line_skip *skip)
{
    if (!s->column[OP])
        return true;
    for (size_t i = 0; i < s->words; i++)
        if (span_is_word(word, s->word[i].text)) {
            event->op = s->word[i].op & 3;
            return true;
        }
    const enum operation usual = operation_of_word(word);
    event->op = usual & 3;
    if (usual < OPERATIONS)
        return true;
    return set_line_skip(skip, TRACE_SKIP_MALFORMED, role_names[OP], word,
                         word.length ? "is no operation: say read=WORD, write=WORD" : "");
}

static bool take_event(const struct state *s, const struct span field[ROLES],
                       struct trace_event *event, struct line_skip *skip)
{
    uint64_t length = 0, process = 0;
    *event = (struct trace_event){.response_ns = TRACE_UNKNOWN};
    if (!take_op(s, field[OP], event, skip) ||
        !take_number(s, field, TIME, UINT64_MAX, &event->time_ns, skip) ||
        !take_number(s, field, PROCESS, UINT32_MAX, &process, skip))
        return false;
    event->process = (uint32_t)process;
    if (field[RESPONSE].length &&
        !take_number(s, field, RESPONSE, TRACE_UNKNOWN - 1, &event->response_ns, skip))
        return false;
    const bool is_whole = event->op == OPERATION_SYNC && !field[LENGTH].length;
    if (!is_whole && (!take_number(s, field, OFFSET, INT64_MAX, &event->offset, skip) ||
                      !take_number(s, field, LENGTH, UINT32_MAX, &length, skip)))
        return false;
    event->length = (uint32_t)length;
    return trace_event_fits(event, skip);
}

static enum line_kind named_line(struct line_reader *r, struct span line, struct trace_event *event,
                                 struct line_skip *skip)
{
    struct state *s = r->state;
    struct span fields[FIELDS_MAX], field[ROLES];
    if (!s) /* without columns: this is a trial on a line of a trace of another format */
        return LINE_FAULT;
    if (s->skip) {
        s->skip--;
        return LINE_NOTHING;
    }
    const size_t n = split(s, line, fields);
    for (int role = 0; role < ROLES; role++)
        field[role] = s->column[role] && s->column[role] <= n ? fields[s->column[role] - 1]
                                                              : (struct span){"", 0};
    const bool is_first = !s->begun;
    s->begun = true;
    if (!take_event(s, field, event, skip)) {
        /* If offset and length of the first line do not begin with a digit, the line contains the
           names of the columns. */
        const bool names = is_first && field[OFFSET].length && field[LENGTH].length &&
                           !scan_is_digit(*field[OFFSET].text) &&
                           !scan_is_digit(*field[LENGTH].text);
        return names ? LINE_NOTHING : LINE_FAULT;
    }
    const struct span device = field[DEVICE].length ? field[DEVICE] : span_of("-");
    const int found = devices_find(r->devices, device);
    if (found < 0) {
        set_line_skip(skip, found == DEVICES_LONG ? TRACE_SKIP_RANGE : TRACE_SKIP_DEVICES,
                      role_names[DEVICE], device,
                      found == DEVICES_LONG ? "is too long a name" : "is new");
        return LINE_FAULT;
    }
    event->device = (uint16_t)found;
    return LINE_EVENT;
}

const struct trace_format trace_format_named_columns = {.name = "columns",
                                                        .title = "named columns",
                                                        .state_bytes = sizeof(struct state),
                                                        .begin = named_begin,
                                                        .line = named_line};
