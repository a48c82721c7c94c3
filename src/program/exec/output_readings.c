/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads numbers from a round's output: columns of its last line, or values of a JSON text. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/number_parse.h"
#include "program/exec/internal.h"

struct reading_source {
    struct span all, line;
    struct span json; /* the JSON text; empty if the output has columns */
    size_t columns;
    bool cut;        /* `all` lacks the beginning of the output */
    bool line_cut;   /* `line` lacks its beginning, too */
    bool json_holds; /* `json` consists of one complete JSON value */
};

static bool begins_json(const char *text)
{
    return *text == '{' || *text == '[';
}

/* Returns the last line if it is JSON; otherwise the text from the first line that begins like JSON
   to the end of the output. */
static struct span find_json(const struct output *o, struct span line)
{
    struct span all = span_trimmed((struct span){o->data, o->length});
    const char last = line.length ? line.text[line.length - 1] : '\0';
    bool ends = last == '}' || last == ']';
    if (line.length && begins_json(line.text) && (!ends || json_is_value(line)))
        return line;
    if (!ends)
        return (struct span){0};
    while (all.length && !o->cut && !begins_json(all.text)) {
        const char *end = memchr(all.text, '\n', all.length);
        const char *rest = end ? end + 1 : all.text + all.length;
        all = (struct span){rest, all.length - (size_t)(rest - all.text)};
    }
    if (o->cut)
        return (struct span){0};
    return all;
}

__attribute__((format(printf, 3, 4))) static bool refuse(char *why, size_t size, const char *format,
                                                         ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return false;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether the text at `at` begins with a word for a number that is not finite. */
static bool begins_no_number(const char *at, const char *end)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    size_t length = 0;
    while (at + length < end && is_of_word(at[length]))
        length++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && !strncasecmp(at, words[i], length))
            return true;
    return false;
}

/* Returns true if a number begins at `at`. A digit inside a word or another number begins none,
   such as the 9 of p9 or of 1.9. */
static bool begins_number(const char *begin, const char *at, const char *end)
{
    if (at > begin && (is_of_word(at[-1]) || at[-1] == '.'))
        return false;
    at += at < end && (*at == '-' || *at == '+');
    if (begins_no_number(at, end))
        return true;
    at += at < end && *at == '.';
    return at < end && isdigit((unsigned char)*at);
}

/* Returns the text after the last place at which `words` occur and are not part of longer words;
   NULL: there is no such place. */
static const char *find_words(const struct reading_source *from, const char *words)
{
    const size_t length = strlen(words);
    const char *all = from->all.text, *end = all + from->all.length, *found = NULL;
    const char *at = all;
    while (length && (at = memmem(at, (size_t)(end - at), words, length)) != NULL) {
        const char *after = at + length;
        bool begins = at > all ? !is_of_word(at[-1]) : !from->cut;
        bool ends = after == end || !is_of_word(*after);
        if ((begins || !is_of_word(words[0])) && (ends || !is_of_word(words[length - 1])))
            found = after;
        at++;
    }
    return found;
}

/* Returns true for a form like 1,234, which may mean a thousand or two columns. */
static bool is_grouped(const char *after, const char *end)
{
    size_t digits = 0;
    if (after == end || *after != ',')
        return false;
    while (after + 1 + digits < end && isdigit((unsigned char)after[1 + digits]))
        digits++;
    return digits == 3;
}

/* Finds the number `place`, counted from 1, after the last occurrence of `words`. */
static bool find_after_words(const struct reading_source *from, const char *words, int place,
                             struct span *number, char *why, size_t size)
{
    const char *begin = find_words(from, words), *at = begin;
    const char *end = from->all.text + from->all.length;
    *number = (struct span){0};
    for (; at && place > 0; place--) {
        while (at < end && *at != '\n' && !begins_number(begin, at, end))
            at++;
        const char *first = at;
        at += at < end && *at != '\n' && (*at == '-' || *at == '+');
        bool is_none = begins_no_number(at, end);
        while (at < end && *at &&
               (is_none ? is_of_word(*at) : strchr("0123456789.eE+-", *at) != NULL))
            at++;
        *number = (struct span){first, (size_t)(at - first)};
        if (number->length && is_grouped(at, end))
            return refuse(why, size,
                          "the number after \"%.80s\" is parted by commas: \"%.*s,%.3s...\"", words,
                          (int)(number->length < QUOTED ? number->length : QUOTED), first, at + 1);
    }
    return number->length > 0 ||
           refuse(why, size, "there is no number after \"%.80s\" in what it printed", words);
}

/* Returns true for "text:WORDS" and "text2:WORDS". */
static bool is_words(const char *source)
{
    return !strncmp(source, "text:", 5) || !strncmp(source, "text2:", 6);
}

static bool find_text(const struct reading_source *from, const char *source, struct span *value,
                      char *why, size_t size)
{
    char line[QUOTED];
    size_t column = 0;
    if (is_words(source))
        return find_after_words(from, strchr(source, ':') + 1, source[4] == '2' ? 2 : 1, value, why,
                                size);
    if (from->line_cut)
        return refuse(why, size,
                      "its last line is longer than what is kept of its output: its beginning is "
                      "gone");
    if (from->json.length && !from->json_holds)
        return refuse(why, size, "its JSON ends early or is wrong");
    bool is_number = strspn(source, "0123456789") == strlen(source);
    for (const char *c = source; is_number && *c; c++)
        column = column * 10 + (size_t)(*c - '0');
    if (from->json.length) {
        return json_find(from->json, span_of(source), value) == JSON_FOUND ||
               refuse(why, size, "its JSON has no \"%.100s\"", source);
    }
    span_printable(line, sizeof line, from->line);
    if (!is_number)
        return refuse(why, size, "\"%.60s\" is a name in JSON, and it printed none: \"%s\"", source,
                      line);
    if (!column_at(from->line, column, value))
        return refuse(why, size,
                      "its last line has %zu column%s, and column %zu is wanted (from 0): \"%s\"",
                      from->columns, from->columns == 1 ? "" : "s", column, line);
    return true;
}

static bool take_number(const struct reading_source *from, const char *sources, double *value,
                        char *why, size_t size)
{
    struct span text = {0};
    char shown[QUOTED], source[sizeof((struct exec_index *)0)->source];
    bool found = false;
    for (const char *at = sources; !found && at; at = strchr(at, '|')) {
        at += *at == '|';
        snprintf(source, sizeof source, "%.*s", (int)strcspn(at, "|"), at);
        found = find_text(from, source, &text, why, size);
    }
    if (!found)
        return false;
    enum number_status status = reading_parse(text.text, text.length, value);
    if (status == NUMBER_OK)
        return true;
    return refuse(why, size, "\"%s\" in %s %.60s is %s", span_printable(shown, sizeof shown, text),
                  from->json.length ? "JSON" : "column", source,
                  status == NUMBER_TOO_LARGE ? "too large: readings are of at most 1e60"
                                             : "no finite number");
}

static bool reads_columns(const struct exec_program *program)
{
    bool reads = program->duration_column >= 0;
    for (size_t i = 0; i < program->index_count; i++)
        reads = reads || !is_words(program->indices[i].source);
    return reads;
}

bool readings_take(const struct exec_program *program, const struct output *output,
                   struct reader_memory *memory, double values[], double *duration, char *why,
                   size_t size)
{
    struct reading_source from = {.all = {output->data, output->length},
                                  .line = output_last_line(output),
                                  .cut = output->cut};
    char line[QUOTED], source[16];
    if (!program->index_count && program->duration_column < 0)
        return true;
    if (!from.line.length)
        return refuse(why, size, "it printed nothing");
    from.line_cut =
        output->cut && !memchr(output->data, '\n', (size_t)(from.line.text - output->data));
    from.json = find_json(output, from.line);
    from.json_holds = from.json.length && json_is_value(from.json);
    from.columns = from.json.length ? 0 : count_columns(from.line);
    if (!from.json.length && !from.line_cut && reads_columns(program) && memory->columns &&
        from.columns != memory->columns)
        return refuse(why, size, "its last line has %zu columns, and those before had %zu: \"%s\"",
                      from.columns, memory->columns, span_printable(line, sizeof line, from.line));
    if (program->duration_column >= 0) {
        snprintf(source, sizeof source, "%d", program->duration_column);
        if (!take_number(&from, source, duration, why, size))
            return false;
        if (!(*duration >= 0))
            return refuse(why, size, "its duration is %g s", *duration);
    }
    const struct exec_parser *parser = program->parser;
    struct span unwanted;
    if (parser && parser->refused && from.json.length &&
        json_find(from.json, span_of(parser->refused), &unwanted) == JSON_FOUND)
        return refuse(why, size, "%s", parser->why);
    for (size_t i = 0; i < program->index_count; i++) {
        const struct exec_index *index = &program->indices[i];
        if (!take_number(&from, index->source, &values[i], why, size))
            return false;
        values[i] *= index->scale;
        if (!reading_fits(values[i]))
            return refuse(why, size, "%s is %g, which is too large: readings are of at most 1e60",
                          index->name, values[i]);
        if (!index_can_have(index, values[i], why, size))
            return false;
    }
    memory->columns = from.columns;
    return true;
}
