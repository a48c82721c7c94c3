/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: lines of text, sections, and where they come from. */
#include "generator/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "generator/internal.h"

#define PROFILE_BYTES_MAX (1u << 20)

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without the comment, which begins with # at the begin of a word. */
static struct span without_comment(struct span line)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.text[i] == '#' && (i == 0 || is_blank(line.text[i - 1])))
            line.length = i;
    return span_trimmed(line);
}

static int read_section(struct profile_reader *reader, struct words *w)
{
    char by;
    struct span head = w->rest;
    if (head.text[head.length - 1] != ']')
        return words_fail(w, head, "[stream NAME] is expected: the ] is missing");
    w->rest = span_trimmed((struct span){head.text + 1, head.length - 2});
    struct span word = words_next(w, " \t", &by);
    if (!span_is(word, "stream"))
        return words_fail(w, word, "[stream NAME] is expected: there are no other sections");
    return profile_begin_stream(reader, w, span_trimmed(w->rest));
}

/* Keys of the kind of section that is being read. */
static bool is_possible(const struct profile_reader *reader, const struct profile_key *key)
{
    return key->where & (reader->stream ? OF(reader->stream->kind) : IN_HEAD);
}

static int refuse_key(struct profile_reader *reader, struct words *w, struct span word,
                      const struct profile_key *key)
{
    if (!reader->stream)
        return words_fail(w, word, "%s belongs into a stream: begin one with [stream NAME]",
                          key->name);
    if (key->where & IN_HEAD)
        return words_fail(w, word, "%s belongs before the first [stream NAME]", key->name);
    return words_fail(w, word, "%s is not possible in a stream of kind %s (kind comes first)",
                      key->name, stream_kinds[reader->stream->kind]->name);
}

static int read_key(struct profile_reader *reader, struct words *w)
{
    char by;
    struct span word = words_next(w, " \t", &by);
    int row = words_find(w, word, "a key of a profile", profile_keys, sizeof *profile_keys,
                         profile_key_count);
    if (row < 0)
        return -1;
    const struct profile_key *key = &profile_keys[row];
    if (!is_possible(reader, key))
        return refuse_key(reader, w, word, key);
    if (reader->seen & 1u << row && !key->repeated)
        return words_fail(w, word, "%s is given twice", key->name);
    reader->seen |= 1u << row;
    w->rest = span_trimmed(w->rest);
    if (!w->rest.length)
        return words_fail(w, w->rest, "the value of %s is missing: %s", key->name, key->form);
    return key->read(reader, w);
}

static int read_line(struct profile_reader *reader, struct span line)
{
    struct words w = words_of(line, &reader->fault);
    if (!span_is_text(line) || memchr(line.text, '\0', line.length))
        return words_fail(&w, line, "this line is no text (UTF-8 without control characters)");
    w.rest = without_comment(line);
    if (!w.rest.length)
        return 0;
    return w.rest.text[0] == '[' ? read_section(reader, &w) : read_key(reader, &w);
}

static int read_lines(struct profile_reader *reader, struct span text)
{
    struct span line = {.text = text.text};
    if (text.length >= 3 && !memcmp(text.text, "\xef\xbb\xbf", 3)) {
        text.text += 3;
        text.length -= 3;
    }
    while (text.length) {
        const char *end = memchr(text.text, '\n', text.length);
        line = (struct span){text.text, end ? (size_t)(end - text.text) : text.length};
        reader->line++;
        if (read_line(reader, line))
            return -1;
        size_t taken = line.length + (end != NULL);
        text.text += taken;
        text.length -= taken;
    }
    struct words last = words_of(line, &reader->fault);
    return profile_finish(reader, &last);
}

int profile_parse(struct workload_spec *spec, const char *source, const char *text, size_t length,
                  struct err *e)
{
    struct profile_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return err_set(e, ERR_MACHINE, "%s: no memory to read it", source);
    *spec = (struct workload_spec){0};
    reader->spec = spec;
    int result = read_lines(reader, (struct span){text, length});
    if (result)
        err_set(e, ERR_USAGE, "%s:%u:%zu: %s", source, reader->line ? reader->line : 1,
                reader->fault.column, reader->fault.message);
    free(reader);
    return result;
}

static int unknown_profile(const char *name, struct err *e)
{
    struct fault fault;
    struct words w = words_of(span_of(name), &fault);
    size_t count = 0;
    while (profile_builtins[count].name)
        count++;
    words_find(&w, w.rest, "a built-in profile", profile_builtins, sizeof *profile_builtins, count);
    return err_set(e, ERR_USAGE, "%s; a file is given with its path", fault.message);
}

int profile_load(struct workload_spec *spec, const char *name_or_path, struct err *e)
{
    for (const struct profile_builtin *p = profile_builtins; p->name; p++)
        if (!strcmp(p->name, name_or_path))
            return profile_parse(spec, p->name, p->text, strlen(p->text), e);
    if (!strpbrk(name_or_path, "/.") && access(name_or_path, F_OK))
        return unknown_profile(name_or_path, e);
    /* A pipe that brings nothing would keep us, whatever the user wants. */
    struct stat about;
    if (!stat(name_or_path, &about) && !S_ISREG(about.st_mode))
        return err_set(e, ERR_USAGE, "%s: a profile is a regular file", name_or_path);
    char *text;
    size_t length;
    if (file_read_all(name_or_path, PROFILE_BYTES_MAX, &text, &length, e))
        return -1;
    int result = profile_parse(spec, name_or_path, text, length, e);
    free(text);
    return result;
}
