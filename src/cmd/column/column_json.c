/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a column of numbers from JSON: an array, or the times of a command that hyperfine
   exported. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"
#include "base/number_parse.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/column/column.h"

#define JSON_BYTES_MAX (64u << 20)

static int read_numbers(struct column *column, struct span array, const char *file, struct err *e)
{
    struct json_walk walk = json_walk_of(array);
    struct span name, value;
    size_t room = 0;
    while (json_next(&walk, &name, &value)) {
        double number;
        char shown[44];
        enum number_status parsed = reading_parse(value.text, value.length, &number);
        if (parsed == NUMBER_TOO_LARGE)
            return err_set(e, ERR_USAGE,
                           "%s: element %zu, %s, is too large: readings are of at most 1e60", file,
                           column->count + 1, span_printable(shown, sizeof shown, value));
        if (parsed != NUMBER_OK)
            return err_set(e, ERR_USAGE, "%s: element %zu is not a number", file,
                           column->count + 1);
        if (column_add(column, &room, number, file, e))
            return -1;
    }
    return walk.broken ? err_set(e, ERR_USAGE, "%s: the JSON breaks off", file) : 0;
}

/* Finds the result of hyperfine with that command, or with that number from 1. */
static int find_times(struct span results, const char *wanted, struct column *column,
                      struct span *times, const char *file, struct err *e)
{
    static const struct span command_place = {"command", 7}, times_place = {"times", 5};
    struct json_walk walk = json_walk_of(results);
    struct span name, result, command;
    uint64_t number = 0;
    size_t count = 0;
    bool found = false, by_number = wanted && !parse_unsigned(wanted, &number, NULL);
    while (json_next(&walk, &name, &result)) {
        char text[sizeof column->name] = "";
        if (json_find(result, command_place, &command) == JSON_FOUND)
            span_printable(text, sizeof text, command);
        count++;
        if (wanted && (by_number ? count != number
                                 : command.length != strlen(wanted) ||
                                       memcmp(command.text, wanted, command.length) != 0))
            continue;
        if (found)
            continue;
        found = true;
        snprintf(column->name, sizeof column->name, "%.58s (s)", text);
        if (json_find(result, times_place, times) != JSON_FOUND)
            return err_set(e, ERR_USAGE, "%s: result %zu has no \"times\"", file, count);
    }
    if (!found)
        return err_set(e, ERR_USAGE, "%s: no result of %zu is %s", file, count,
                       wanted ? wanted : "there");
    if (!wanted && count > 1)
        return err_set(e, ERR_USAGE,
                       "%s has the times of %zu commands: choose one with --column NUMBER, or with "
                       "--column 'COMMAND' as it stands there",
                       file, count);
    return 0;
}

/* Reads an array of numbers, or hyperfine's export: {"results": [{"command": .., "times":
   [..]}]}. */
int column_read_json(struct column *column, struct row_reader *rows, struct span row,
                     const char *wanted, struct err *e)
{
    static const struct span results_place = {"results", 7};
    struct text all = {0};
    struct span results, times = {0};
    int got = 1, status = -1;
    for (; got > 0 && all.length < JSON_BYTES_MAX; got = row_reader_next(rows, &row, e)) {
        text_add_bytes(&all, row.text, row.length);
        text_add(&all, "\n");
    }
    struct span text = {all.data, all.length};
    if (all.failed)
        err_no_memory(e, "a row of %s", rows->file);
    else if (got > 0)
        err_set(e, ERR_USAGE, "%s: JSON of more than %u MiB", rows->file, JSON_BYTES_MAX >> 20);
    else if (got == 0 && !json_is_value(span_trimmed(text)))
        err_set(e, ERR_USAGE, "%s begins like JSON but is not valid", rows->file);
    else if (got == 0 && span_trimmed(text).text[0] == '[')
        status = read_numbers(column, span_trimmed(text), rows->file, e);
    else if (got == 0 && json_find(text, results_place, &results) != JSON_FOUND)
        err_set(
            e, ERR_USAGE,
            "%s is JSON that is not known: an array of numbers, or hyperfine's \"results\" with "
            "\"times\", is",
            rows->file);
    else if (got == 0 && !find_times(results, wanted, column, &times, rows->file, e))
        status = read_numbers(column, times, rows->file, e);
    text_free(&all);
    return status;
}
