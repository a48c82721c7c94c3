/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats with one event per line in columns, and their common reader; and the recognition of a
   trace's format. */
#include "source/trace/internal.h"

#include <string.h>

#define CERTAIN          UINT32_MAX
#define RECOGNISED_SHARE 4 /* one line in this many must fit a format */

#define FORMAT(row) &trace_format_##row,
static const struct trace_format *const formats[] = {TRACE_FORMAT_ROWS(FORMAT)};
#undef FORMAT

#define NAME(row) #row,
static const char *const names[] = {TRACE_FORMAT_ROWS(NAME) NULL};
#undef NAME
enum { FORMATS = sizeof names / sizeof *names - 1 };

const char *const *trace_format_names(void)
{
    return names;
}

/* ---- columns ---- */

/* The state of reading one line. */
struct reading {
    const struct columns *columns;
    const char *p, *end;
    struct trace_event *event;
    struct line_skip *skip;
    char device[2 * sizeof((struct trace_device *)0)->name];
    size_t device_length;
    struct span device_text; /* the text that names the device, in the line */
};

static bool is_end_of_field(const struct reading *r, const char *p)
{
    return p == r->end || *p == r->columns->separator || scan_is_blank(*p);
}

static struct span field_at(const struct reading *r, const char *begin)
{
    const char *p = begin;
    while (!is_end_of_field(r, p))
        p++;
    return (struct span){begin, (size_t)(p - begin)};
}

static bool wrong(struct reading *r, const struct column *c, const char *begin, const char *verdict)
{
    return set_line_skip(r->skip, TRACE_SKIP_MALFORMED, c->name, field_at(r, begin), verdict);
}

static bool read_number(struct reading *r, const struct column *c, uint64_t max, uint64_t *value)
{
    const char *begin = r->p;
    enum scan_status status = c->kind == COLUMN_SECONDS ? scan_seconds(&r->p, r->end, value)
                                                        : scan_whole(&r->p, r->end, value);
    if (status == SCAN_NONE || (status == SCAN_OK && !is_end_of_field(r, r->p)))
        return wrong(r, c, begin, "is no number");
    if (status == SCAN_LARGE || __builtin_mul_overflow(*value, c->scale, value) || *value > max)
        return set_line_skip(r->skip, TRACE_SKIP_RANGE, c->name, field_at(r, begin),
                             "is too large");
    return true;
}

static bool is_word(struct span word, const char *upper)
{
    for (size_t i = 0; i < word.length; i++, upper++)
        if (*upper == '\0' || (word.text[i] & ~('a' - 'A')) != *upper)
            return false;
    return *upper == '\0';
}

static bool read_op(struct reading *r, const struct column *c)
{
    struct span word = field_at(r, r->p);
    bool digit = c->kind == COLUMN_OP_DIGIT && word.length == 1;
    if (digit ? *r->p == '0' : is_word(word, "R") || is_word(word, "READ"))
        r->event->op = OPERATION_READ;
    else if (digit ? *r->p == '1' : is_word(word, "W") || is_word(word, "WRITE"))
        r->event->op = OPERATION_WRITE;
    else
        return wrong(r, c, r->p, "is neither a read nor a write");
    r->p += word.length;
    return true;
}

static bool read_device(struct reading *r, const struct column *c)
{
    struct span word = field_at(r, r->p);
    if (word.length == 0)
        return wrong(r, c, r->p, "is no name");
    if (word.length >= sizeof r->device / 2)
        return set_line_skip(r->skip, TRACE_SKIP_RANGE, c->name, word, "is too long");
    char *to = r->device + r->device_length;
    if (r->device_length)
        *to++ = r->columns->join;
    r->device_length = (size_t)(span_copy(to, word) - r->device);
    if (!r->device_text.text)
        r->device_text.text = word.text;
    r->p += word.length;
    r->device_text.length = (size_t)(r->p - r->device_text.text);
    return true;
}

/* Skips a program's name, which may have blanks: it ends where two numbers and a letter follow. */
static void skip_program(struct reading *r)
{
    const char *p = r->p;
    for (bool follows = false; !follows;) {
        (void)scan_word(&p, r->end);
        r->p = p;
        p = scan_blanks(p, r->end);
        if (p == r->end)
            break;
        const char *next = p;
        int numbers = 0;
        for (; numbers < 2; numbers++) {
            const struct span word = scan_word(&next, r->end);
            size_t digits = 0;
            while (digits < word.length && scan_is_digit(word.text[digits]))
                digits++;
            if (digits < word.length || next == r->end)
                break;
            next = scan_blanks(next, r->end);
        }
        follows = numbers == 2 && next < r->end && !scan_is_digit(*next);
    }
}

static bool read_column(struct reading *r, const struct column *c)
{
    struct trace_event *event = r->event;
    uint64_t value;
    switch (c->kind) {
    case COLUMN_TIME:
    case COLUMN_SECONDS:
        return read_number(r, c, UINT64_MAX, &event->time_ns);
    case COLUMN_OFFSET:
        return read_number(r, c, INT64_MAX, &event->offset);
    case COLUMN_RESPONSE:
        return read_number(r, c, TRACE_UNKNOWN - 1, &event->response_ns);
    case COLUMN_LENGTH:
        if (!read_number(r, c, UINT32_MAX, &value))
            return false;
        event->length = (uint32_t)value;
        return true;
    case COLUMN_PROCESS:
        if (!read_number(r, c, UINT32_MAX, &value))
            return false;
        event->process = (uint32_t)value;
        return true;
    case COLUMN_OP_WORD:
    case COLUMN_OP_DIGIT:
        return read_op(r, c);
    case COLUMN_DEVICE:
        return read_device(r, c);
    default:
        skip_program(r);
        return true;
    }
}

/* Moves to the next column, or to the end of the line. */
static bool next_column(struct reading *r, const struct column *next)
{
    const char separator = r->columns->separator;
    r->p = scan_blanks(r->p, r->end);
    bool more = separator == ' ' ? r->p < r->end : r->p < r->end && *r->p == separator;
    if (next->kind == COLUMN_END) {
        if (r->p == r->end || (more && r->columns->more))
            return true;
        return set_line_skip(r->skip, TRACE_SKIP_MALFORMED, "what follows,", field_at(r, r->p),
                             "is one column too many");
    }
    if (!more)
        return set_line_skip(r->skip, TRACE_SKIP_MALFORMED, next->name, (struct span){r->p, 0}, "");
    r->p = scan_blanks(r->p + (separator != ' '), r->end);
    return true;
}

static enum line_kind columns_line(const struct columns *c, struct line_reader *r, struct span line,
                                   struct trace_event *event, struct line_skip *skip)
{
    struct reading reading = {
        .columns = c, .p = line.text, .end = line.text + line.length, .event = event, .skip = skip};
    *event = (struct trace_event){.response_ns = TRACE_UNKNOWN};
    reading.p = scan_blanks(reading.p, reading.end);
    for (const struct column *column = c->column; column->kind != COLUMN_END; column++)
        if (!read_column(&reading, column) || !next_column(&reading, column + 1))
            return LINE_FAULT;
    if (!trace_event_fits(event, skip))
        return LINE_FAULT;
    if (!r->devices)
        return LINE_EVENT;
    int device = devices_find(r->devices, (struct span){reading.device, reading.device_length});
    if (device < 0) {
        set_line_skip(skip, device == DEVICES_LONG ? TRACE_SKIP_RANGE : TRACE_SKIP_DEVICES,
                      "device", reading.device_text,
                      device == DEVICES_LONG ? "is too long a name" : "is new");
        return LINE_FAULT;
    }
    event->device = (uint16_t)device;
    return LINE_EVENT;
}

/* ---- the formats ---- */

/* Traces of Microsoft Research Cambridge, 2007, and other traces of SNIA's repository in the same
   form: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime. Times are in units of 100 ns
   since 1601. */
static const struct columns msr_columns = {.separator = ',',
                                           .join = '.',
                                           .column = {{"the time", COLUMN_TIME, 100},
                                                      {"the host", COLUMN_DEVICE, 1},
                                                      {"the disk", COLUMN_DEVICE, 1},
                                                      {"the type", COLUMN_OP_WORD, 1},
                                                      {"the offset", COLUMN_OFFSET, 1},
                                                      {"the size", COLUMN_LENGTH, 1},
                                                      {"the response time", COLUMN_RESPONSE, 100}}};

const struct trace_format trace_format_msr = {
    .name = "msr", .title = "MSR Cambridge CSV", .columns = &msr_columns};

/* Alibaba's block traces of 2020: device,opcode,offset,length,time in us. */
static const struct columns alibaba_columns = {.separator = ',',
                                               .column = {{"the device", COLUMN_DEVICE, 1},
                                                          {"the opcode", COLUMN_OP_WORD, 1},
                                                          {"the offset", COLUMN_OFFSET, 1},
                                                          {"the length", COLUMN_LENGTH, 1},
                                                          {"the time", COLUMN_TIME, 1000}}};

const struct trace_format trace_format_alibaba = {
    .name = "alibaba", .title = "Alibaba 2020 CSV", .columns = &alibaba_columns};

/* Tencent's traces of cloud block storage: seconds,offset,size,type,volume, in sectors of 512
   bytes. Times are whole seconds: all events of one second are due at once. */
static const struct columns tencent_columns = {.separator = ',',
                                               .column = {{"the time", COLUMN_TIME, 1000000000},
                                                          {"the offset", COLUMN_OFFSET, 512},
                                                          {"the size", COLUMN_LENGTH, 512},
                                                          {"the type", COLUMN_OP_DIGIT, 1},
                                                          {"the volume", COLUMN_DEVICE, 1}}};

const struct trace_format trace_format_tencent = {
    .name = "tencent", .title = "Tencent CBS CSV", .columns = &tencent_columns};

/* The Storage Performance Council's trace file format, revision 1.0.1, as in the UMass traces:
   ASU,LBA,size,opcode,seconds, and further fields. */
static const struct columns spc_columns = {.separator = ',',
                                           .more = true,
                                           .column = {{"the ASU", COLUMN_DEVICE, 1},
                                                      {"the LBA", COLUMN_OFFSET, 512},
                                                      {"the size", COLUMN_LENGTH, 1},
                                                      {"the opcode", COLUMN_OP_WORD, 1},
                                                      {"the time", COLUMN_SECONDS, 1}}};

const struct trace_format trace_format_spc = {
    .name = "spc", .title = "SPC/UMass", .columns = &spc_columns};

/* Traces of Florida International University: time in ns, pid, program, LBA and size in sectors of
   512 bytes, W or R, major, minor, and MD5 sums of the contents. */
static const struct columns fiu_columns = {.separator = ' ',
                                           .join = ',',
                                           .more = true,
                                           .column = {{"the time", COLUMN_TIME, 1},
                                                      {"the process", COLUMN_PROCESS, 1},
                                                      {"the program", COLUMN_PROGRAM, 1},
                                                      {"the LBA", COLUMN_OFFSET, 512},
                                                      {"the size", COLUMN_LENGTH, 512},
                                                      {"the operation", COLUMN_OP_WORD, 1},
                                                      {"the major number", COLUMN_DEVICE, 1},
                                                      {"the minor number", COLUMN_DEVICE, 1}}};

const struct trace_format trace_format_fiu = {
    .name = "fiu", .title = "FIU", .columns = &fiu_columns};

/* ---- events of lines ---- */

static enum line_kind read_event(const struct trace_format *format, struct line_reader *r,
                                 struct span line, struct trace_event *event,
                                 struct line_skip *skip)
{
    return format->line ? format->line(r, line, event, skip)
                        : columns_line(format->columns, r, line, event, skip);
}

/* Returns what a line would be in `format`, another format that is recognised by its lines. */
static enum line_kind kind_in(const struct trace_format *format, struct span line)
{
    struct line_reader trial = {NULL, NULL};
    struct trace_event event;
    struct line_skip skip;
    return (format->columns || format->line) && !format->mark
               ? read_event(format, &trial, line, &event, &skip)
               : LINE_FAULT;
}

static int skip_line(struct trace *t, struct span line, struct line_skip *skip)
{
    if (skip->reason == TRACE_SKIP_MALFORMED) {
        /* A first line without digits contains the names of the columns. */
        bool has_digit = false;
        for (size_t i = 0; i < line.length; i++)
            has_digit = has_digit || scan_is_digit(line.text[i]);
        if (t->number == 1 && !has_digit)
            return 0;
        if (t->cut_line)
            skip->reason = TRACE_SKIP_TRUNCATED;
        for (size_t i = 0; i < FORMATS && skip->reason == TRACE_SKIP_MALFORMED; i++)
            if (formats[i] != t->format && kind_in(formats[i], line) == LINE_EVENT)
                skip->reason = TRACE_SKIP_FOREIGN;
    }
    char words[LINE_SKIP_BYTES];
    return trace_skip(t, skip->reason, 1, t->inputs->name, t->number, "%s",
                      line_skip_words(words, skip));
}

/* Handles the end of the input; compressed data may be incomplete there. */
static int end_of_text(struct trace *t)
{
    const struct input *in = t->inputs;
    if (!in->broken)
        return 0;
    return trace_skip(t, TRACE_SKIP_TRUNCATED, 1, in->name, t->number + 1, "%s", in->broken);
}

int text_next(struct trace *t, struct trace_event *event)
{
    struct line_reader reader = {&t->devices, t->state};
    struct span line;
    for (;;) {
        int status = lines_read(t, &line);
        if (status <= 0)
            return status ? status : end_of_text(t);
        if (line.length == 0 || *line.text == '#')
            continue;
        if (t->cut_line && t->inputs->broken) {
            t->number--; /* the compressed data end within this line, so the line is not counted */
            return end_of_text(t);
        }
        struct line_skip skip;
        enum line_kind kind = read_event(t->format, &reader, line, event, &skip);
        if (kind == LINE_EVENT) {
            event->number = t->number;
            return 1;
        }
        if (kind == LINE_FAULT && skip_line(t, line, &skip))
            return -1;
    }
}

/* ---- the format of a file ---- */

/* Returns the number of lines that fit the format, as events or as other lines of the format, such
   as the messages of blkparse; 0 if most lines do not fit. */
static unsigned count_readable(const struct trace_format *format, const unsigned char *head,
                               size_t length)
{
    const char *p = (const char *)head, *end = p + length;
    unsigned lines = 0, readable = 0;
    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (!line_end)
            line_end = end;
        struct span line = span_trimmed((struct span){p, (size_t)(line_end - p)});
        if (line.length && *line.text != '#') {
            lines++;
            readable += kind_in(format, line) != LINE_FAULT;
        }
        p = line_end + 1;
    }
    return readable * RECOGNISED_SHARE >= lines ? readable : 0;
}

static char *list_names(char *to, size_t size)
{
    size_t used = 0;
    *to = '\0';
    for (size_t i = 0; names[i] && used + strlen(names[i]) + 3 < size; i++) {
        char *end = span_copy(to + used, span_of(used ? ", " : ""));
        used = (size_t)(span_copy(end, span_of(names[i])) - to);
    }
    return to;
}

const struct trace_format *trace_format_of(const struct input *in, const char *name, struct err *e)
{
    char list[128];
    if (name) {
        for (size_t i = 0; i < FORMATS; i++)
            if (strcmp(name, names[i]) == 0)
                return formats[i];
        err_set(e, ERR_USAGE, "%s: no format of traces; known: %s", name,
                list_names(list, sizeof list));
        return NULL;
    }
    const unsigned char *head = input_bytes(in);
    size_t length = input_left(in) < TRACE_HEAD_BYTES ? input_left(in) : TRACE_HEAD_BYTES;
    const struct trace_format *best = NULL;
    unsigned best_score = 0;
    for (size_t i = 0; i < FORMATS; i++) {
        const struct trace_format *f = formats[i];
        size_t mark = f->mark ? strlen(f->mark) : 0;
        unsigned score = f->recognise ? f->recognise(head, length)
                         : !mark      ? count_readable(f, head, length)
                         : length >= mark && memcmp(head, f->mark, mark) == 0 ? CERTAIN
                                                                              : 0;
        if (score > best_score) {
            best = f;
            best_score = score;
        }
    }
    if (!best) {
        char seen[48];
        const unsigned char *line_end = memchr(head, '\n', length);
        struct span first = {(const char *)head, line_end ? (size_t)(line_end - head) : length};
        err_set(e, ERR_USAGE,
                "%s: no trace in a format that is known (%s); it begins with \"%s\"; "
                "--trace-format says which it is, --columns what the columns of any other table "
                "are",
                in->name, list_names(list, sizeof list),
                span_printable(seen, sizeof seen, span_trimmed(first)));
    }
    return best;
}
