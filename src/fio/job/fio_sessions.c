/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts sections to sessions: which run at the same time, and which after one another. */
#include <stdio.h>
#include <string.h>

#include "fio/job/internal.h"

/* Sections that run at the same time: between two barriers. */
static struct section_group group;

static bool is_in_group(int section)
{
    for (size_t i = 0; i < group.count; i++)
        if (group.sections[i].section == section)
            return true;
    return false;
}

/* Does the section begin only when all of the group have ended? */
static int begins_alone(struct section_reader *s, bool *alone, struct err *e)
{
    const struct fio_setting *wait = s->given[FIO_KEY_WAIT_FOR];
    char shown[64];
    if (section_read_flag(s, FIO_KEY_STONEWALL, alone, e) || section_need_value(s, wait, e))
        return -1;
    if (!wait || *alone)
        return 0;
    for (int i = 0; i < s->section; i++)
        if (!strcmp(s->file->sections[i].name, wait->value)) {
            *alone = is_in_group(i);
            if (*alone && group.count > 1)
                section_cannot(s, wait,
                               "wait_for=%s: it would run beside the other sections of "
                               "that time, and can follow all of them only",
                               section_printable(shown, wait->value));
            return 0;
        }
    return section_refuse(s, wait, e, "wait_for=%s: no section above has this name",
                          section_printable(shown, wait->value));
}

/* Names the section by its own setting, or by its head. */
static void name_section(struct section_reader *s)
{
    const struct fio_setting *name = s->given[FIO_KEY_NAME];
    if (name && name->value && *name->value)
        section_printable(s->session->name, name->value);
    else
        snprintf(s->session->name, sizeof s->session->name, "%s",
                 s->file->sections[s->section].name);
    snprintf(s->stream.name, sizeof s->stream.name, "%s", s->session->name);
}

int fio_sessions_make(const struct fio_job_file *file, struct fio_sessions *sessions, struct err *e)
{
    *sessions = (struct fio_sessions){0};
    group.count = 0;
    for (int i = 0; i < (int)file->section_count; i++) {
        struct section_reader s = {.file = file, .all = sessions, .section = i};
        bool alone = false;
        s.session = &sessions->list[sessions->count++]; /* so that a failure frees it */
        if (section_make(&s, e) || begins_alone(&s, &alone, e))
            return -1;
        if (s.impossible) {
            fio_session_free(&sessions->list[--sessions->count]);
            continue;
        }
        name_section(&s);
        if (alone) {
            struct fio_session own = *s.session; /* the group's are the last ones of all */
            *s.session = (struct fio_session){0};
            sessions->count--;
            section_group_end(&group);
            s.session = &sessions->list[sessions->count++];
            *s.session = own;
        }
        group.sections[group.count++] = s;
    }
    section_group_end(&group);
    return 0;
}

void fio_sessions_free(struct fio_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        fio_session_free(&sessions->list[i]);
    text_free(&sessions->faults);
    *sessions = (struct fio_sessions){0};
}
