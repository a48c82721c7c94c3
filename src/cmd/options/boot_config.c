/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the live image's configuration from cupel.cfg and from the kernel's command line, and
   writes the cupel.cfg that documents it. The keys are in boot_config_rows.c. */
#include "cmd/options/boot_config.h"

#include <stdio.h>
#include <string.h>

#include "appliance/process/kernel_arguments.h"
#include "base/invariant.h"
#include "base/text_reader.h"
#include "cmd/options/help.h"
#include "tables/boot_image.h"

enum { KEY_ROOM = 40, TEMPLATE_COLUMNS = 78 };

/* More than the longest valid value, so that a value that is too long is refused instead of cut. */
enum { VALUE_ROOM = sizeof((struct boot_config *)0)->command + 2 };

void boot_config_init(struct boot_config *c)
{
    struct err e;
    *c = (struct boot_config){0};
    INVARIANT(!options_store_defaults(boot_config_rows, c, &e), "every default of a key is valid");
}

static const struct option_row *row_of(struct span key)
{
    for (const struct option_row *row = boot_config_rows; row->name; row++)
        if (kernel_argument_named(key, row->name))
            return row;
    return NULL;
}

static int unknown_key(struct span key, struct err *e)
{
    char typed[KEY_ROOM];
    const char *best = NULL;
    span_printable(typed, sizeof typed, key);
    for (const struct option_row *row = boot_config_rows; row->name; row++)
        nearest_offer(typed, row->name, &best);
    if (best)
        return err_set(e, ERR_USAGE, "there is no key \"%s\"; did you mean %s?", typed, best);
    return err_set(e, ERR_USAGE, "there is no key \"%s\"; cupel help cupel.cfg lists them", typed);
}

/* Stores a value. An empty value restores the default. */
static int store_config_value(const struct option_row *row, struct span value,
                              struct boot_config *c, struct err *e)
{
    char text[VALUE_ROOM], shown[60];
    if (!value.length) {
        memset((char *)c + row->offset, 0, row->width);
        INVARIANT(!row->value || !option_store_value(row, row->value, c, e),
                  "every default of a key is valid");
        return 0;
    }
    if (!span_is_text(value))
        return err_set(e, ERR_USAGE, "%s: its value is no text", row->name);
    if (value.length >= sizeof text)
        return err_set(e, ERR_USAGE, "%s: its value is too long", row->name);
    span_copy(text, value);
    if (option_store_value(row, text, c, e))
        return err_context(e, "%s %s", row->name, span_printable(shown, sizeof shown, value));
    return 0;
}

/* ---- cupel.cfg ---- */

/* Reads the value after the '=': text in quotes, which may contain # and blanks, or all text up to
   a comment. */
static int take_value(struct span rest, struct span *value, struct err *e)
{
    struct span trimmed = span_trimmed(rest);
    if (!trimmed.length || trimmed.text[0] != '"') {
        *value = span_trimmed(without_comment(rest, false));
        return 0;
    }
    const char *end = memchr(trimmed.text + 1, '"', trimmed.length - 1);
    *value = (struct span){trimmed.text, 0};
    if (!end)
        return err_set(e, ERR_USAGE, "the closing \" is missing");
    size_t rest_length = trimmed.length - (size_t)(end + 1 - trimmed.text);
    if (span_trimmed(without_comment((struct span){end + 1, rest_length}, false)).length)
        return err_set(e, ERR_USAGE, "there is something after the closing \"");
    *value = (struct span){trimmed.text + 1, (size_t)(end - trimmed.text) - 1};
    return 0;
}

/* Maximum number of rows. For each row there is the number of the line in which it was set, from 1;
   0: it was not set. */
#define CONFIG_ROWS_MAX 64

/* Reads a line. If it has a mistake, returns -1 with the error, and *place is where the mistake
   is. */
static int read_config_line(struct boot_config *c, struct span line, size_t number,
                            size_t set_in[CONFIG_ROWS_MAX], const char **place, struct err *e)
{
    struct span text = span_trimmed(line), value;
    if (!text.length || text.text[0] == '#')
        return 0;
    *place = text.text;
    const char *equals = memchr(text.text, '=', text.length);
    if (!equals)
        return err_set(e, ERR_USAGE, "a line is KEY = VALUE, and here is no =");
    struct span key = span_trimmed((struct span){text.text, (size_t)(equals - text.text)});
    struct span rest = {equals + 1, text.length - (size_t)(equals + 1 - text.text)};
    const struct option_row *row = row_of(key);
    if (!row)
        return unknown_key(key, e);
    INVARIANT(row - boot_config_rows < CONFIG_ROWS_MAX, "every key has a place in set_in");
    size_t *before = &set_in[row - boot_config_rows];
    int status = take_value(rest, &value, e);
    /* a key may be set again to an empty value, which restores its default */
    if (!status && *before && value.length)
        return err_set(e, ERR_USAGE, "%s is set in line %zu already, which holds", row->name,
                       *before);
    *before = number;
    status = status ? -1 : store_config_value(row, value, c, e);
    *place = value.text;
    return status;
}

int boot_config_read(struct boot_config *c, const char *text, size_t length, const char *name,
                     struct err *e)
{
    struct text_reader r = reader_of_lines((struct span){text, length}, NULL);
    struct mistakes mistakes = {.e = e, .said_once = strlen(name) + 2}; /* "cupel.cfg, " */
    size_t set_in[CONFIG_ROWS_MAX] = {0};
    /* Notepad can save UTF-16, which is not supported. */
    if (r.below.length >= 2 &&
        (!memcmp(r.below.text, "\xff\xfe", 2) || !memcmp(r.below.text, "\xfe\xff", 2)))
        return err_set(e, ERR_USAGE, "%s is UTF-16: save it as ANSI or UTF-8", name);
    while (reader_next_line(&r)) {
        struct err wrong = {0};
        const char *place;
        if (!read_config_line(c, r.line, r.number, set_in, &place, &wrong))
            continue;
        err_context(&wrong, "%s, line %zu, column %zu", name, r.number, reader_column(&r, place));
        mistakes_add(&mistakes, &wrong);
    }
    return mistakes_result(&mistakes);
}

/* ---- the kernel's command line ---- */

int boot_config_read_command_line(struct boot_config *c, const char *command_line, struct err *e)
{
    struct kernel_argument argument;
    struct span key;
    struct mistakes mistakes = {.e = e};
    while (kernel_argument_next(&command_line, &argument)) {
        struct err wrong = {0};
        int status;
        if (!kernel_argument_below(&argument, "cupel", &key))
            continue;
        const struct option_row *row = row_of(key);
        if (!row)
            status = unknown_key(key, &wrong);
        else if (!argument.has_value)
            status = err_set(&wrong, ERR_USAGE, "%s needs a value: cupel.%s=%s", row->name,
                             row->name, row->argument);
        else
            status = store_config_value(row, argument.value, c, &wrong);
        if (status) {
            err_context(&wrong, "kernel command line");
            mistakes_add(&mistakes, &wrong);
        }
    }
    return mistakes_result(&mistakes);
}

/* ---- the documented cupel.cfg ---- */

/* Adds words as lines that begin with "# " and are wrapped at TEMPLATE_COLUMNS. */
static void add_comment(struct text *out, const char *words)
{
    size_t column = 0;
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        bool breaks = column > 0 && column + 1 + length > TEMPLATE_COLUMNS;
        if (breaks)
            text_add(out, "\n");
        if (column == 0 || breaks) {
            text_add(out, "#");
            column = 1;
        }
        text_add(out, " ");
        text_add_bytes(out, words, length);
        column += 1 + length;
        words += length;
    }
    text_add(out, "\n");
}

void boot_config_write_template(struct text *out)
{
    static const char *const head[] = {
        CONFIG_FILE ": what happens when a machine is started from this stick.",
        "A line is KEY = VALUE. Everything after a # is a comment: take the # away before a key, "
        "and write the value that is wanted. A value with a # in it stands in \"quotes\". A KEY "
        "without a value has its default. Any text editor will do, Notepad too.",
        "The kernel's command line takes the same keys as cupel.KEY=VALUE, in quotes where the "
        "value has blanks, and wins over this file.",
        "Nothing is ever written to a disk of the machine without that disk's serial number: "
        "somebody types it at the menu, or a command says --destroy-serial. The serial number of "
        "the device that was opened is compared before the first write.",
        "This file is followed on a machine that was started from this stick, or from another of "
        "the same image, and on no other: one that was started from the network reads nothing "
        "here. The kernel's command line may say otherwise (cupel.stick). Whoever can write to "
        "this stick decides what it does.",
    };
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        if (i > 0)
            text_add(out, "#\n");
        add_comment(out, head[i]);
    }
    for (const struct option_row *row = boot_config_rows; row->name; row++) {
        struct text words = {0};
        if (row->section)
            text_addf(out, "\n# ---- %s ----\n", row->section);
        text_add(out, "\n");
        help_option_words(row, &words);
        add_comment(out, words.data ? words.data : "");
        out->failed = out->failed || words.failed;
        text_free(&words);
        text_addf(out, "#%s = %s\n", row->name, row->value ? row->value : row->argument);
    }
}
