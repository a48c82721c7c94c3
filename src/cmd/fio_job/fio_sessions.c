/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections to sessions: which are one session together, and which follow one another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/fio_job/internal.h"

#define PROFILE_STREAMS 32

/* Sections that run at the same time: between two barriers. */
static struct section_reader group[FIO_SECTIONS_MAX];

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

static void free_session(struct fio_session *session)
{
    text_free(&session->words);
    text_free(&session->notes);
    text_free(&session->left_out);
    *session = (struct fio_session){0};
}

/* Without a file name jobs have files of their own: here they share one, as large as all. */
static bool has_own_files(const struct section_reader *s)
{
    return !s->given[FIO_KEY_FILENAME] && !s->targetless;
}

static bool same_text(const struct text *a, const struct text *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length));
}

/* Why the two are not one session; NULL: they can be. Before their streams are words. */
static const char *apart(const struct section_reader *a, const struct section_reader *b)
{
    const struct fio_region *x = &a->stream.region, *y = &b->stream.region;
    bool differ = fabs(x->size - y->size) > 0 || fabs(x->offset - y->offset) > 0;
    if (strcmp(a->session->target, b->session->target) != 0)
        return "on another target";
    if (!same_text(&a->session->words, &b->session->words))
        return "with another engine, time, processors or memory";
    if (a->stream.writes && b->stream.writes && strcmp(a->stream.data, b->stream.data) != 0)
        return "with other data of writes";
    if (fio_streams_alike(&a->stream, &b->stream))
        return NULL;
    if (a->stream.entries)
        return "with another number or size of files";
    if (has_own_files(a) != has_own_files(b) || x->shares != y->shares)
        return "in another kind of part of the target";
    if (!x->shares && (has_own_files(a) ? x->size <= 0 || y->size <= 0
                                        : differ && (x->size <= 0 || y->size <= 0)))
        return "in parts of the target whose sizes are not given";
    if ((a->stream.flow > 0) != (b->stream.flow > 0))
        return "where one has a flow and the other has none";
    if (a->stream.flow > 0 && (a->stream.rate > 0 || b->stream.rate > 0))
        return "where a flow goes with no rates";
    return NULL;
}

/* The first one of the group before that number that is apart from it, and why; or NULL. */
static const struct section_reader *find_apart(size_t number, const char **why)
{
    for (size_t i = 0; i < number; i++)
        if ((*why = apart(&group[i], &group[number])))
            return &group[i];
    return NULL;
}

/* Those that are not there yet. */
static void add_new_lines(struct text *to, const struct text *from)
{
    for (const char *line = from->data; line && *line; line += strcspn(line, "\n") + 1) {
        char one[512];
        snprintf(one, sizeof one, "%.*s\n", (int)strcspn(line, "\n"), line);
        if (!to->data || !strstr(to->data, one))
            text_add(to, one);
    }
}

/* A session that another one holds: what was said of it stays. */
static void give_up(struct fio_sessions *all, struct fio_session *to)
{
    struct fio_session *last = &all->list[--all->count];
    add_new_lines(&to->notes, &last->notes);
    add_new_lines(&to->left_out, &last->left_out);
    free_session(last);
}

/* The sections of a group as one session, if they can be; those alike are one stream. Their
   sessions are the last ones of all. */
static bool join_group(size_t count)
{
    struct section_reader *first = &group[0];
    size_t streams = 1;
    const char *why;
    for (size_t i = 1; i < count; i++)
        if (find_apart(i, &why))
            return false;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < streams && !fio_streams_alike(&group[same].stream, &group[i].stream))
            same++;
        if (same < streams)
            group[same].stream.jobs += group[i].stream.jobs;
        else
            group[streams++] = group[i];
    }
    if (streams > PROFILE_STREAMS)
        return false;
    bool is_profile = streams > 1 || fio_stream_needs_profile(&first->stream);
    for (size_t i = 1; i < count; i++)
        give_up(first->all, first->session);
    for (size_t i = 1; i < streams && strlen(first->session->name) < 40; i++)
        snprintf(first->session->name + strlen(first->session->name),
                 sizeof first->session->name - strlen(first->session->name), ", %.20s",
                 group[i].stream.name);
    if (count > streams)
        text_add(&first->session->notes,
                 "sections that are the same at the same time: more jobs\n");
    if (is_profile)
        section_add_profile(first, group, streams, has_own_files(first));
    else
        section_add_options(first, has_own_files(first));
    return true;
}

/* Each becomes a session of its own, one after the other: not what the file says. */
static void part_group(size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const char *why;
        const struct section_reader *other = find_apart(i, &why);
        section_cannot(&group[i], NULL,
                       "it runs at the same time as [%s], %s: one session is of one target and one "
                       "engine; stonewall makes it follow",
                       (other ? other : &group[0])->stream.name,
                       other ? why : "and so do too many others");
    }
    for (size_t i = 0; i < count; i++)
        if (fio_stream_needs_profile(&group[i].stream))
            section_add_profile(&group[i], &group[i], 1, has_own_files(&group[i]));
        else
            section_add_options(&group[i], has_own_files(&group[i]));
}

static void end_group(size_t *count)
{
    if (*count && !join_group(*count))
        part_group(*count);
    *count = 0;
}

/* Its name, as its own setting says or its head. */
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
    size_t together = 0; /* sections since the last barrier */
    *sessions = (struct fio_sessions){0};
    for (int i = 0; i < (int)file->section_count; i++) {
        struct section_reader s = {.file = file, .all = sessions, .section = i};
        bool alone = false;
        s.session = &sessions->list[sessions->count++]; /* so that a failure frees it */
        if (section_make(&s, e) ||
            begins_alone(&s, together ? &group[together - 1] : NULL, together, &alone, e))
            return -1;
        if (s.impossible) {
            free_session(&sessions->list[--sessions->count]);
            continue;
        }
        name_section(&s);
        if (alone) {
            struct fio_session own = *s.session; /* the group's are the last ones of all */
            *s.session = (struct fio_session){0};
            sessions->count--;
            end_group(&together);
            s.session = &sessions->list[sessions->count++];
            *s.session = own;
        }
        group[together++] = s;
    }
    end_group(&together);
    return 0;
}

void fio_sessions_free(struct fio_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        free_session(&sessions->list[i]);
    text_free(&sessions->faults);
    *sessions = (struct fio_sessions){0};
}
