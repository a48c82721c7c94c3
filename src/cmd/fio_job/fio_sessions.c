/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections to sessions: which are one session together, and which follow one another. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/fio_job/internal.h"

static bool alike(const struct fio_session *a, const struct fio_session *b)
{
    return a->words.length == b->words.length && !strcmp(a->target, b->target) &&
           (!a->words.length || !memcmp(a->words.data, b->words.data, a->words.length));
}

/* Does the section begin when all before it have ended? */
static int begins_alone(struct section_reader *s, const struct section_reader *before,
                        size_t together, bool *alone, struct err *e)
{
    const struct fio_setting *wait = s->given[FIO_KEY_WAIT_FOR];
    char shown[64];
    if (section_read_flag(s, FIO_KEY_STONEWALL, alone, e) || section_need_value(s, wait, e))
        return -1;
    if (!wait || *alone)
        return 0;
    for (int i = 0; i < s->section; i++)
        if (!strcmp(s->file->sections[i].name, wait->value)) {
            *alone = together == 1 && before && before->section == i;
            return 0;
        }
    return section_refuse(s, wait, e, "wait_for=%s: no section above has this name",
                          section_printable(shown, wait->value));
}

/* All jobs of fio's without a file name have files of their own: here they share one as large. */
static void finish_session(struct section_reader *s)
{
    bool shared = !s->given[FIO_KEY_FILENAME] && !s->targetless;
    uint64_t size = s->size;
    if (shared && s->jobs > 1 && size && !__builtin_mul_overflow(s->size, s->jobs, &size))
        text_addf(&s->session->notes,
                  "%" PRIu64 " jobs share one scratch file, as large as theirs\n", s->jobs);
    if (size)
        section_word(s, "--size=%" PRIu64, size);
    if (s->jobs > 1)
        section_word(s, "--numjobs=%" PRIu64, s->jobs);
}

static void free_session(struct fio_session *session)
{
    text_free(&session->words);
    text_free(&session->notes);
    text_free(&session->left_out);
    *session = (struct fio_session){0};
}

int fio_sessions_make(const struct fio_job_file *file, struct fio_sessions *sessions, struct err *e)
{
    static struct section_reader last;
    size_t together = 0; /* sections since the last barrier */
    *sessions = (struct fio_sessions){0};
    for (int i = 0; i < (int)file->section_count; i++) {
        struct fio_session *session = &sessions->list[sessions->count];
        struct section_reader s = {.file = file, .all = sessions, .session = session, .section = i};
        bool alone = false;
        sessions->count++; /* so that a failure frees it */
        snprintf(session->name, sizeof session->name, "%s", file->sections[i].name);
        if (section_make(&s, e) || begins_alone(&s, together ? &last : NULL, together, &alone, e))
            return -1;
        const struct fio_setting *name = s.given[FIO_KEY_NAME];
        if (name && name->value && *name->value)
            section_printable(session->name, name->value);
        if (s.impossible) {
            free_session(session);
            sessions->count--;
            continue;
        }
        if (together && !alone && alike(last.session, session) && last.size == s.size) {
            last.jobs += s.jobs;
            text_addf(&last.session->notes, "[%s] is the same at the same time: more jobs\n",
                      session->name);
            free_session(session);
            sessions->count--;
            continue;
        }
        if (together && !alone)
            section_cannot(
                &s, s.given[FIO_KEY_WAIT_FOR],
                "it runs at the same time as [%s], which does something else: one workload is "
                "measured at a time; stonewall makes it follow",
                last.session->name);
        if (together)
            finish_session(&last);
        together = alone ? 1 : together + 1;
        last = s;
    }
    if (together)
        finish_session(&last);
    return 0;
}

void fio_sessions_free(struct fio_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        free_session(&sessions->list[i]);
    text_free(&sessions->faults);
    *sessions = (struct fio_sessions){0};
}
