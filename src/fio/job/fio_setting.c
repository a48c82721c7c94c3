/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the settings that apply to a section, adds notes on those without effect, and reads the
   values. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cmd/options/fio_option.h"
#include "fio/job/fio_value.h"
#include "fio/job/internal.h"

/* ---- messages ---- */

__attribute__((format(printf, 4, 5))) int section_refuse(const struct section_reader *s,
                                                         const struct fio_setting *at,
                                                         struct err *e, const char *format, ...)
{
    char words[300];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    return err_set(e, ERR_USAGE, "%.160s:%zu:%zu: %s", s->file->files[at->file], at->line,
                   at->value ? at->value_column : at->column, words);
}

void section_cannot(struct section_reader *s, const struct fio_setting *at, const char *format, ...)
{
    char words[300];
    const struct fio_section *section = &s->file->sections[s->section];
    int file = at ? at->file : section->file;
    size_t line = at ? at->line : section->line, column = at ? at->column : section->column;
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    s->all->fault_count++;
    text_addf(&s->all->faults, "%s:%zu:%zu: [%s] %s\n", s->file->files[file], line, column,
              section->name, words);
    text_addf(&s->session->left_out, "%zu:%zu: %s\n", line, column, words);
}

void section_word(struct section_reader *s, const char *format, ...)
{
    char one[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(one, sizeof one, format, list);
    va_end(list);
    text_add_bytes(&s->session->words, one, strlen(one) + 1);
    s->session->word_count++;
}

const char *section_printable(char to[64], const char *text)
{
    return span_printable(to, 64, span_of(text ? text : "without a value"));
}

/* ---- which settings apply ---- */

static bool holds_for(const struct fio_setting *s, int section)
{
    return s->section == section || (s->section < 0 && s->before <= section);
}

bool section_has(const struct section_reader *s, const struct fio_setting *at)
{
    return holds_for(at, s->section);
}

const char *fio_key_name(enum fio_key key)
{
    size_t i = 0;
    while (fio_keys[i].key != key)
        i++;
    return fio_keys[i].name;
}

static int key_of(const char *name)
{
    for (size_t i = 0; i < sizeof fio_keys / sizeof *fio_keys; i++)
        if (!strcmp(fio_keys[i].name, name))
            return (int)fio_keys[i].key;
    return -1;
}

bool fio_key_is(const char *name)
{
    return key_of(name) >= 0;
}

static bool is_overridden(const struct section_reader *s, size_t i)
{
    const struct fio_setting *list = s->file->settings;
    for (size_t j = i + 1; j < s->file->setting_count; j++)
        if (holds_for(&list[j], s->section) && !strcmp(list[j].name, list[i].name))
            return true;
    return false;
}

static bool is_as_here(const struct fio_setting *at)
{
    for (size_t i = 0; i < sizeof fio_as_here / sizeof *fio_as_here; i++)
        if (at->value && !strcmp(fio_as_here[i].name, at->name) &&
            !strcmp(fio_as_here[i].value, at->value))
            return true;
    return false;
}

/* Returns true if the setting has no effect; *words becomes the reason. */
static bool is_harmless(const struct fio_setting *at, const struct fio_option *o,
                        const char **words)
{
    *words = o->words;
    for (size_t i = 0; i < sizeof fio_harmless / sizeof *fio_harmless; i++) {
        if (strcmp(fio_harmless[i].name, at->name) != 0)
            continue;
        if (fio_harmless[i].words)
            *words = fio_harmless[i].words;
        return true;
    }
    return is_as_here(at) || o->kind == FIO_NO_NEED;
}

static bool is_off(const struct fio_setting *at)
{
    size_t count = sizeof fio_zero_is_a_value / sizeof *fio_zero_is_a_value;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(fio_zero_is_a_value[i], at->name))
            return false;
    return fio_is_off(at->value);
}

static void look_at_other(struct section_reader *s, const struct fio_setting *at)
{
    char name[64];
    const struct fio_option *o = fio_option_find(at->name);
    const char *words;
    section_printable(name, at->name);
    if (!o)
        section_cannot(s, at, "%s: neither fio nor cupel has this option", name);
    else if (is_harmless(at, o, &words))
        text_addf(&s->session->notes, "%s: %s\n", name, *words ? words : "not needed");
    else if (o->kind == FIO_ENGINE)
        section_cannot(s, at, "%s: of an engine that cupel does not have", name);
    else if (!strcmp(at->name, "serialize_overlap") && (!s->stream.writes || s->targetless))
        text_addf(&s->session->notes, "%s: nothing is written that could overlap\n", name);
    else if (is_off(at))
        text_addf(&s->session->notes, "%s: off\n", name);
    else if (o->kind == FIO_RENAMED && o->ours)
        section_cannot(s, at, "%s: not the same here; see %s%s%s%s", name,
                       o->ours[0] == '-' ? "" : "--", o->ours, *o->words ? ": " : "", o->words);
    else
        section_cannot(s, at, "%s: %s", name, o->words);
}

/* Adds a note if the same section has an earlier setting of this name with another value. It is
   normal that a section overrides [global]. */
static void note_repeated(struct section_reader *s, size_t i)
{
    const struct fio_setting *at = &s->file->settings[i];
    char name[64];
    for (size_t j = i; j-- > 0;) {
        const struct fio_setting *before = &s->file->settings[j];
        if (before->section != at->section || strcmp(before->name, at->name) != 0)
            continue;
        if (strcmp(before->value ? before->value : "", at->value ? at->value : "") != 0)
            text_addf(
                &s->session->notes,
                "%s stands in line %zu and again in line %zu: the later one holds, as in fio\n",
                section_printable(name, at->name), before->line, at->line);
        return;
    }
}

void section_gather(struct section_reader *s)
{
    for (size_t i = 0; i < s->file->setting_count; i++) {
        const struct fio_setting *at = &s->file->settings[i];
        int key = holds_for(at, s->section) ? key_of(at->name) : -1;
        if (key >= 0)
            /* a setting that is given several times: the last one applies */
            s->given[key] = at;
        /* all filename settings apply together, so a second one is no repetition */
        if (holds_for(at, s->section) && key != FIO_KEY_FILENAME)
            note_repeated(s, i);
    }
}

/* Adds notes on settings without effect, unless the section cannot be measured at all. */
void section_look_at_others(struct section_reader *s)
{
    for (size_t i = 0; i < s->file->setting_count && !s->impossible; i++) {
        const struct fio_setting *at = &s->file->settings[i];
        if (holds_for(at, s->section) && key_of(at->name) < 0 && !is_overridden(s, i))
            look_at_other(s, at);
    }
}

/* ---- values ---- */

bool section_is_blkio_ring(const struct section_reader *s, const struct fio_setting *engine)
{
    const struct fio_setting *driver = s->given[FIO_KEY_BLKIO_DRIVER];
    const struct fio_setting *path = s->given[FIO_KEY_BLKIO_PATH];
    return engine && !strcmp(engine->value, "libblkio") && driver && driver->value && path &&
           path->value && !strcmp(driver->value, "io_uring");
}

int section_need_value(const struct section_reader *s, const struct fio_setting *at, struct err *e)
{
    return at && (!at->value || !*at->value)
               ? section_refuse(s, at, e, "%s needs a value", at->name)
               : 0;
}

int section_read_number(const struct section_reader *s, enum fio_key key, uint64_t max,
                        uint64_t *to, struct err *e)
{
    char shown[64];
    const struct fio_setting *at = s->given[key];
    if (!at)
        return 0;
    if (!at->value || parse_unsigned(at->value, to, NULL) || *to > max)
        return section_refuse(s, at, e, "%s is a number up to %" PRIu64 ", not %s", at->name, max,
                              section_printable(shown, at->value));
    return 0;
}

int section_read_bytes(const struct section_reader *s, const struct fio_setting *at,
                       const char *text, uint64_t *to, struct err *e)
{
    char shown[64];
    if (!text || fio_bytes(text, s->base, to))
        return section_refuse(s, at, e, "%s is a size as 4096, 4k or 1g, not %s", at->name,
                              section_printable(shown, text));
    return 0;
}

/* Parses yes or no; a name without a value (NULL) is yes. */
static int fio_bool(const char *text, bool *yes)
{
    *yes = !text || !strcmp(text, "1") || !strcmp(text, "true");
    return *yes || !strcmp(text, "0") || !strcmp(text, "false") ? 0 : -1;
}

int section_read_flag(const struct section_reader *s, enum fio_key key, bool *yes, struct err *e)
{
    const struct fio_setting *at = s->given[key];
    return at && fio_bool(at->value, yes) ? section_refuse(s, at, e, "%s is 0 or 1", at->name) : 0;
}

/* Returns the index of the section's first direction in a list of values for reads, writes and
   trims. The first direction is reads if the section has any. */
static unsigned first_direction(const struct section_reader *s)
{
    const bool trims = s->stream.trims && !strstr(s->stream.trims, "write");
    return trims ? 2 : s->stream.writes && !s->stream.mixed;
}

int section_read_directed(const struct section_reader *s, const struct fio_setting *at,
                          struct section_directed *to, struct err *e)
{
    const unsigned first = first_direction(s);
    if (section_need_value(s, at, e))
        return -1;
    if (!fio_direction(at->value, first, to->value[0], sizeof to->value[0]) ||
        !fio_direction(at->value, 1, to->value[1], sizeof to->value[1]))
        return section_refuse(s, at, e, "%s is too long", at->name);
    to->count = s->stream.mixed && strcmp(to->value[0], to->value[1]) != 0 ? 2 : 1;
    return 0;
}

int section_choose_direction(struct section_reader *s, const struct fio_setting *at, char *to,
                             size_t size, bool *differs, struct err *e)
{
    char write[1024];
    if (section_need_value(s, at, e))
        return -1;
    if (!fio_direction(at->value, first_direction(s), to, size) ||
        !fio_direction(at->value, 1, write, sizeof write))
        return section_refuse(s, at, e, "%s is too long", at->name);
    *differs = s->stream.mixed && strcmp(to, write) != 0;
    return 0;
}
