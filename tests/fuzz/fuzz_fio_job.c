/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Job files of fio's. A message has the line and the column of something that is there; the words
 * of a session are options with their values in one word, none of which permits writing, and the
 * faults are lines of their own.
 */
#include <string.h>

#include "fio/job/fio_job.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_place.h"

static struct fio_job_file file;
static struct fio_sessions sessions;

/* The options of a session that take no value. */
static bool is_flag(const char *word)
{
    return !strcmp(word, "--verify") || !strcmp(word, "--zero_buffers");
}

static void check_session(const struct fio_session *s)
{
    static const char *const permissions[] = {"--destroy", "--overwrite", "--allow-unwritten"};
    const char *word = s->words.data;
    FUZZ_CHECK(s->name[0] && memchr(s->target, '\0', sizeof s->target), "a session without a name");
    for (size_t i = 0; i < s->word_count; i++, word += strlen(word) + 1) {
        FUZZ_CHECK(word + strlen(word) < s->words.data + s->words.length, "a word without an end");
        FUZZ_CHECK(!strncmp(word, "--", 2) && (strchr(word, '=') || is_flag(word)),
                   "a word that is no option");
        for (size_t p = 0; p < sizeof permissions / sizeof *permissions; p++)
            FUZZ_CHECK(strncmp(word, permissions[p], strlen(permissions[p])) != 0,
                       "a permission out of a job file");
    }
}

static size_t lines_of(const struct text *text)
{
    size_t lines = 0;
    for (const char *p = text->data; p && (p = strchr(p, '\n')); p++)
        lines++;
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    const char *text = (const char *)data;
    const struct span span = {text, size};
    if (fio_job_read(&file, "job", &span, false, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && place_is_there("job", text, size, e.msg),
                   "a file refused without its place");
        return 0;
    }
    if (fio_sessions_make(&file, &sessions, &e) == 0) {
        for (size_t i = 0; i < sessions.count; i++)
            check_session(&sessions.list[i]);
        FUZZ_CHECK(sessions.fault_count == lines_of(&sessions.faults),
                   "not one line for each fault");
    } else {
        FUZZ_CHECK(e.code == ERR_USAGE && place_is_there("job", text, size, e.msg),
                   "a setting refused without its place");
    }
    fio_sessions_free(&sessions);
    fio_job_free(&file);
    return 0;
}
