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
    struct span line;
    struct span json; /* empty: columns */
    size_t columns;
};

/* Take a column off the line: blanks, tabs or one comma part two of them. */
static bool next_column(struct span *rest, struct span *column)
{
    *rest = span_trimmed(*rest);
    if (!rest->length)
        return false;
    size_t i = 0;
    while (i < rest->length && !strchr(" \t,", rest->text[i]))
        i++;
    *column = (struct span){rest->text, i};
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

/* A text that is JSON from its begin to its end, or a last line that is. */
static struct span find_json(const struct output *o, struct span line)
{
    struct span all = span_trimmed((struct span){o->data, o->length});
    if (!o->cut && all.length && (all.text[0] == '{' || all.text[0] == '['))
        return all;
    if (line.length && (line.text[0] == '{' || line.text[0] == '['))
        return line;
    return (struct span){0};
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

static bool find_text(const struct reading_source *from, const char *source, struct span *value,
                      char *why, size_t size)
{
    char line[QUOTED];
    size_t column = 0;
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

static bool take_number(const struct reading_source *from, const char *source, double *value,
                        char *why, size_t size)
{
    struct span text = {0};
    char shown[QUOTED];
    if (!find_text(from, source, &text, why, size))
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
    if (index->type == INDEX_RATIO && !(value > 0))
        return refuse(why, size, "%s is %g: a ratio has to be above 0", index->name, value);
    if (index->type == INDEX_PROPORTION && !(value >= 0 && value <= 1))
        return refuse(why, size, "%s is %g: a proportion goes from 0 to 1", index->name, value);
    if (index->type == INDEX_DURATION && !(value >= 0))
        return refuse(why, size, "%s is %g: a duration is not below 0", index->name, value);
    return true;
}

bool readings_take(const struct exec_program *program, const struct output *output,
                   struct reader_memory *memory, double values[], double *duration, char *why,
                   size_t size)
{
    struct reading_source from = {.line = output_last_line(output)};
    char line[QUOTED], source[16];
    if (!program->index_count && program->duration_column < 0)
        return true;
    if (!from.line.length)
        return refuse(why, size, "it printed nothing");
    from.json = find_json(output, from.line);
    from.columns = from.json.length ? 0 : count_columns(from.line);
    if (!from.json.length && memory->columns && from.columns != memory->columns)
        return refuse(why, size, "its last line has %zu columns, and those before had %zu: \"%s\"",
                      from.columns, memory->columns, span_printable(line, sizeof line, from.line));
    if (program->duration_column >= 0) {
        snprintf(source, sizeof source, "%d", program->duration_column);
        if (!take_number(&from, source, duration, why, size))
            return false;
        if (!(*duration >= 0))
            return refuse(why, size, "its duration is %g s", *duration);
    }
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
