/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers out of a round's output: columns of its last line, or values of a JSON text. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number_parse.h"
#include "exec/internal.h"

enum { QUOTED = 60 }; /* room for the program's text in a message */

struct reading_source {
    struct span all, line;
    struct span json; /* empty: columns */
    size_t columns;
};

/* Take a column off the line: blanks, tabs or one comma part two of them, except within "...". */
static bool next_column(struct span *rest, struct span *column)
{
    *rest = span_trimmed(*rest);
    if (!rest->length)
        return false;
    size_t i = 0;
    bool quoted = false;
    for (; i < rest->length && (quoted || !strchr(" \t,", rest->text[i])); i++)
        quoted = quoted != (rest->text[i] == '"');
    *column = span_unquoted((struct span){rest->text, i});
    while (i < rest->length && (rest->text[i] == ' ' || rest->text[i] == '\t'))
        i++;
    i += i < rest->length && rest->text[i] == ',';
    *rest = (struct span){rest->text + i, rest->length - i};
    return true;
}

static size_t count_columns(struct span line)
{
    struct span column;
    size_t count = 0;
    while (next_column(&line, &column))
        count++;
    return count;
}

static bool column_at(struct span line, size_t index, struct span *column)
{
    for (size_t i = 0; next_column(&line, column); i++)
        if (i == index)
            return true;
    return false;
}

static bool begins_json(const char *text)
{
    return *text == '{' || *text == '[';
}

/* The last line when it is JSON, else what goes from the first line that begins as JSON does to the
   end of the output. */
static struct span find_json(const struct output *o, struct span line)
{
    struct span all = span_trimmed((struct span){o->data, o->length});
    bool ends = line.length && strchr("}]", line.text[line.length - 1]);
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

static bool begins_number(const char *at, const char *end)
{
    at += *at == '-';
    return at < end && *at >= '0' && *at <= '9';
}

/* The number of that place, from 1, after the last such words. */
static bool find_after_words(struct span all, const char *words, int place, struct span *number)
{
    const size_t length = strlen(words);
    const char *found = NULL, *at = all.text, *end = all.text + all.length;
    while (length && (at = memmem(at, (size_t)(end - at), words, length)) != NULL)
        found = at += length;
    if (!found)
        return false;
    for (at = found; place > 0; place--) {
        while (at < end && *at != '\n' && !begins_number(at, end))
            at++;
        const char *begin = at;
        while (at < end && *at && strchr("0123456789.eE+-", *at))
            at++;
        *number = (struct span){begin, (size_t)(at - begin)};
    }
    return number->length > 0;
}

static bool find_text(const struct reading_source *from, const char *source, struct span *value,
                      char *why, size_t size)
{
    char line[QUOTED];
    size_t column = 0;
    const bool second = !strncmp(source, "text2:", 6);
    if (second || !strncmp(source, "text:", 5))
        return find_after_words(from->all, strchr(source, ':') + 1, second ? 2 : 1, value) ||
               refuse(why, size, "there is no number after \"%.80s\" in what it printed",
                      strchr(source, ':') + 1);
    bool is_number = strspn(source, "0123456789") == strlen(source);
    for (const char *c = source; is_number && *c; c++)
        column = column * 10 + (size_t)(*c - '0');
    if (from->json.length) {
        enum json_found found = json_find(from->json, span_of(source), value);
        if (found == JSON_FOUND)
            return true;
        return found == JSON_ABSENT
                   ? refuse(why, size, "its JSON has no \"%.100s\"", source)
                   : refuse(why, size, "its JSON ends or is wrong before \"%.100s\"", source);
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
    if (number_parse(text.text, text.length, value) == NUMBER_OK)
        return true;
    return refuse(why, size, "\"%s\" in %s %.60s is no finite number",
                  span_printable(shown, sizeof shown, text), from->json.length ? "JSON" : "column",
                  source);
}

/* What its type of mean cannot have. */
static bool check_value(const struct exec_index *index, double value, char *why, size_t size)
{
    if (index->above_zero && !(value > 0))
        return refuse(why, size, "%s of %s is %g: it did nothing of the kind", index->name,
                      index->op, value);
    if (index->type == INDEX_RATIO && !(value > 0))
        return refuse(why, size, "%s is %g: a ratio has to be above 0", index->name, value);
    if (index->type == INDEX_PROPORTION && !(value >= 0 && value <= 1))
        return refuse(why, size, "%s is %g: a proportion goes from 0 to 1", index->name, value);
    if (index->type == INDEX_DURATION && !(value >= 0))
        return refuse(why, size, "%s is %g: a duration is not below 0", index->name, value);
    return true;
}

static bool reads_columns(const struct exec_program *program)
{
    bool reads = program->duration_column >= 0;
    for (size_t i = 0; i < program->index_count; i++)
        reads = reads || !strchr(program->indices[i].source, ':');
    return reads;
}

bool readings_take(const struct exec_program *program, const struct output *output,
                   struct reader_memory *memory, double values[], double *duration, char *why,
                   size_t size)
{
    struct reading_source from = {.all = {output->data, output->length},
                                  .line = output_last_line(output)};
    char line[QUOTED], source[16];
    if (!program->index_count && program->duration_column < 0)
        return true;
    if (!from.line.length)
        return refuse(why, size, "it printed nothing");
    from.json = find_json(output, from.line);
    from.columns = from.json.length ? 0 : count_columns(from.line);
    if (!from.json.length && reads_columns(program) && memory->columns &&
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
        if (!isfinite(values[i]))
            return refuse(why, size, "%s is too large for a number", index->name);
        if (!check_value(index, values[i], why, size))
            return false;
    }
    memory->columns = from.columns;
    return true;
}
