/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: lines of text, sections, and the files or built-in texts that they come from. */
#include "generator/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "generator/internal.h"

#define PROFILE_BYTES_MAX (1u << 20)

static int profile_read_section(struct profile_reader *reader, struct words *w)
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

static int profile_read_key(struct profile_reader *reader, struct words *w)
{
    char by;
    struct span word = words_next(w, " \t", &by);
    int row = words_find(w, word, "a key of a profile", profile_keys, sizeof *profile_keys,
                         profile_key_count);
    if (row < 0)
        return -1;
    const struct profile_key *key = &profile_keys[row];
    if (!(key->where & (reader->stream ? OF(reader->stream->kind) : IN_HEAD))) {
        if (!reader->stream)
            return words_fail(w, word, "%s belongs into a stream: begin one with [stream NAME]",
                              key->name);
        if (key->where & IN_HEAD)
            return words_fail(w, word, "%s belongs before the first [stream NAME]", key->name);
        return words_fail(w, word, "%s is not possible in a stream of kind %s (kind comes first)",
                          key->name, stream_kinds[reader->stream->kind]->name);
    }
    if (reader->seen & 1u << row && !key->repeated)
        return words_fail(w, word, "%s is given twice", key->name);
    reader->seen |= 1u << row;
    w->rest = span_trimmed(w->rest);
    if (!w->rest.length)
        return words_fail(w, w->rest, "the value of %s is missing: %s", key->name, key->form);
    return key->read(reader, w);
}

static int profile_read_line(struct profile_reader *reader, struct span line)
{
    struct words w = words_of(line, &reader->fault);
    if (!span_is_text(line) || memchr(line.text, '\0', line.length))
        return words_fail(&w, line, "this line is no text (UTF-8 without control characters)");
    /* A comment begins with # at the beginning of a word. */
    for (size_t i = 0; i < line.length; i++)
        if (line.text[i] == '#' && (i == 0 || line.text[i - 1] == ' ' || line.text[i - 1] == '\t'))
            line.length = i;
    w.rest = span_trimmed(line);
    if (!w.rest.length)
        return 0;
    return w.rest.text[0] == '[' ? profile_read_section(reader, &w) : profile_read_key(reader, &w);
}

static int profile_read_lines(struct profile_reader *reader, struct span text)
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
        if (profile_read_line(reader, line))
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
    int result = profile_read_lines(reader, (struct span){text, length});
    if (result)
        err_set(e, ERR_USAGE, "%s:%u:%zu: %s", source, reader->line ? reader->line : 1,
                reader->fault.column, reader->fault.message);
    free(reader);
    return result;
}

/* ---- where profiles come from: tables/profiles, put into the program by the assembler, or a file
 * ---- */

/* Each is ended by a zero byte, so that it is a string. */
#define EMBED(symbol, file)                                                                        \
    __asm__(".pushsection .rodata." #symbol ",\"a\"\n" #symbol                                     \
            ":\n.incbin \"tables/profiles/" file "\"\n.byte 0\n.popsection\n")

EMBED(profile_boot_storm, "boot-storm.profile");
EMBED(profile_backup, "backup.profile");
EMBED(profile_file_server, "file-server.profile");
EMBED(profile_jesd219, "jesd219.profile");
EMBED(profile_spc_1, "spc-1.profile");
EMBED(profile_tpc_b, "tpc-b.profile");

extern const char profile_boot_storm[], profile_backup[], profile_file_server[], profile_jesd219[],
    profile_spc_1[], profile_tpc_b[];

const struct profile_builtin profile_builtins[] = {
    {"backup", profile_backup},
    {"boot-storm", profile_boot_storm},
    {"file-server", profile_file_server},
    {"jesd219", profile_jesd219},
    {"spc-1", profile_spc_1},
    {"tpc-b", profile_tpc_b},
    {NULL, NULL},
};

int profile_load(struct workload_spec *spec, const char *name_or_path, struct err *e)
{
    for (const struct profile_builtin *p = profile_builtins; p->name; p++)
        if (!strcmp(p->name, name_or_path))
            return profile_parse(spec, p->name, p->text, strlen(p->text), e);
    if (!strpbrk(name_or_path, "/.") && access(name_or_path, F_OK)) {
        struct fault fault;
        struct words w = words_of(span_of(name_or_path), &fault);
        size_t count = sizeof profile_builtins / sizeof *profile_builtins - 1;
        words_find(&w, w.rest, "a built-in profile", profile_builtins, sizeof *profile_builtins,
                   count);
        return err_set(e, ERR_USAGE, "%s; a file is given with its path", fault.message);
    }
    /* Reading a pipe that brings nothing could not be stopped. */
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
