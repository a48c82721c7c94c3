/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts sections to sessions. Decides which sections run at the same time and which one after
 * another. Sections that run at the same time become streams of one session, or sessions that run
 * side by side.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fio/job/internal.h"

/* The sections between two barriers, which run at the same time. Their sessions are the last ones
   in fio_sessions.list. */
struct section_group {
    struct section_reader sections[FIO_SECTIONS_MAX];
    size_t count;
    /* number of each section's session within the group; set when the group ends */
    size_t session_of[FIO_SECTIONS_MAX];
};

#define PROFILE_STREAMS 32

/* Returns true if the section has no file name and its engine needs a target. In fio each job then
   has its own files; here the jobs share one scratch file that is as large as all these files. */
static bool has_own_files(const struct section_reader *s)
{
    return s->own_files && !s->targetless;
}

static bool same_text(const struct text *a, const struct text *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->data, b->data, a->length));
}

static bool is_of_target(const struct section_reader *a, const struct section_reader *b)
{
    return !strcmp(a->session->target, b->session->target);
}

/* Returns true if two sections can be streams of one session. Must be called before the streams are
   converted to words. */
static bool is_of_session(const struct section_reader *a, const struct section_reader *b)
{
    const struct fio_region *x = &a->stream.region, *y = &b->stream.region;
    bool differ = fabs(x->size - y->size) > 0 || fabs(x->offset - y->offset) > 0;
    if (!is_of_target(a, b) || !same_text(&a->session->words, &b->session->words))
        return false;
    if (a->stream.writes && b->stream.writes && strcmp(a->stream.data, b->stream.data) != 0)
        return false;
    if (fio_streams_alike(&a->stream, &b->stream))
        return true;
    if (a->stream.trims || b->stream.trims || a->stream.resizes || b->stream.resizes)
        return false;
    if (a->stream.entries || has_own_files(a) != has_own_files(b) || x->shares != y->shares)
        return false;
    bool needs_sizes = !x->shares && (has_own_files(a) || differ);
    if (needs_sizes && (x->size <= 0 || y->size <= 0))
        return false;
    bool flows = a->stream.flow > 0, rates = a->stream.rate > 0 || b->stream.rate > 0;
    return flows == (b->stream.flow > 0) && !(flows && rates);
}

/* Returns true if two sessions may write one file at the same time; each block then contains noise
   of one of the sessions. Returns false if written data are read back or trimmed, or if the file's
   size changes. */
static bool may_share_file(const struct section_reader *a, const struct section_reader *b)
{
    struct stat st;
    if (a->stream.without_data && b->stream.without_data)
        return true;
    const struct section_reader *const both[] = {a, b};
    for (int i = 0; i < 2; i++)
        if (both[i]->stream.trims || both[i]->stream.resizes ||
            strstr(both[i]->stream.data, "--verify"))
            return false;
    return stat(a->session->target, &st) || S_ISREG(st.st_mode);
}

/* Returns the reason why two sections of different sessions cannot be measured at the same time;
   NULL: they can. */
static const char *find_clash(const struct section_reader *a, const struct section_reader *b)
{
    if (a->stream.flow > 0 && b->stream.flow > 0)
        return "and their flows are of one target and engine, without rates";
    if (!is_of_target(a, b) || a->targetless || has_own_files(a) || has_own_files(b))
        return NULL;
    if (!(a->stream.writes || b->stream.writes) || may_share_file(a, b))
        return NULL;
    return "on one target, which is written, in another way";
}

/* Returns the number of the first session of which the section can be a stream, or the next new
   number. */
static size_t find_session(const struct section_group *g, size_t number)
{
    size_t session = 0;
    for (size_t i = 0; i < number; i++)
        if (g->session_of[i] == session && !is_of_session(&g->sections[i], &g->sections[number])) {
            session++;
            i = (size_t)-1; /* the search starts again from the first section */
        }
    return session;
}

/* Returns true if session i is the next of several files that are measured one after another: each
   is a separate step. Reports sections that would run at the same time as such a step. */
static bool is_next_file(struct section_group *g, size_t i)
{
    struct section_reader *s = &g->sections[i], *before = &g->sections[i - 1];
    const bool same = s->section == before->section;
    if (!same && (s->one_by_one || before->one_by_one))
        section_cannot(s->one_by_one ? s : before,
                       (s->one_by_one ? s : before)->given[FIO_KEY_SERVICE],
                       "file_service_type: its files follow one another, and other sections run at "
                       "the same time; stonewall makes them follow");
    return same && s->one_by_one;
}

/* Finds which sessions run at the same time. A session that cannot run beside another one becomes a
   later step, and this difference from the file is reported. */
static void find_steps(struct section_group *g)
{
    for (size_t i = 1; i < g->count; i++) {
        struct section_reader *s = &g->sections[i];
        if (is_next_file(g, i))
            continue;
        bool opens = true; /* true: no earlier section belongs to the same session */
        for (size_t k = 0; k < i; k++)
            opens = opens && g->session_of[k] != g->session_of[i];
        s->session->at_once = opens;
        for (size_t k = 0; k < i; k++) {
            const char *why =
                g->session_of[k] != g->session_of[i] ? find_clash(&g->sections[k], s) : NULL;
            if (!why)
                continue;
            section_cannot(s, NULL,
                           "it runs at the same time as [%s], %s; stonewall makes it follow",
                           g->sections[k].stream.name, why);
            s->session->at_once = false;
            break;
        }
    }
}

/* Adds the lines of `from` that `to` does not have yet. */
static void add_new_lines(struct text *to, const struct text *from)
{
    for (const char *line = from->data; line && *line; line += strcspn(line, "\n") + 1) {
        char one[512];
        snprintf(one, sizeof one, "%.*s\n", (int)strcspn(line, "\n"), line);
        if (!to->data || !strstr(to->data, one))
            text_add(to, one);
    }
}

static void fio_session_free(struct fio_session *session)
{
    text_free(&session->words);
    text_free(&session->targets);
    text_free(&session->notes);
    text_free(&session->left_out);
    *session = (struct fio_session){0};
}

/* Moves the notes of a section's session to the session that the section joins, and frees the
   former. */
static void give_up(struct fio_session *from, struct fio_session *to)
{
    add_new_lines(&to->notes, &from->notes);
    add_new_lines(&to->left_out, &from->left_out);
    fio_session_free(from);
}

static void add_names(struct fio_session *to, const struct section_reader parts[], size_t count)
{
    for (size_t i = 1; i < count && strlen(to->name) < 40; i++)
        snprintf(to->name + strlen(to->name), sizeof to->name - strlen(to->name), ", %.20s",
                 parts[i].stream.name);
}

/* Returns true if options of cupel run cannot express the stream, so that it needs a profile. */
static bool fio_stream_needs_profile(const struct fio_stream *stream)
{
    return !stream->entries && !stream->trims &&
           (stream->align || stream->region.shares || stream->apart);
}

/* Joins the sections of a session into its first one; equal sections become one stream with more
   jobs. */
static void join_sections(struct section_group *g, size_t session)
{
    static struct section_reader parts[FIO_SECTIONS_MAX];
    size_t streams = 0, count = 0, most = PROFILE_STREAMS;
    for (size_t i = 0; i < g->count; i++) {
        size_t same = 0;
        if (g->session_of[i] != session)
            continue;
        while (same < streams && !fio_streams_alike(&parts[same].stream, &g->sections[i].stream))
            same++;
        if (same < streams)
            parts[same].stream.jobs += g->sections[i].stream.jobs;
        else
            parts[streams++] = g->sections[i];
        if (count++)
            give_up(g->sections[i].session, parts[0].session);
    }
    add_names(parts[0].session, parts, streams);
    if (count > streams)
        text_add(&parts[0].session->notes,
                 "sections that are the same at the same time: more jobs\n");
    for (size_t i = 0; i < streams && most == PROFILE_STREAMS; i++)
        /* a section whose stream is `apart` becomes two streams: its reads and its writes */
        if (parts[i].stream.apart)
            most /= 2;
    if (streams > most) {
        section_cannot(&parts[0], NULL, "%zu sections at the same time on one target: at most %zu",
                       streams, most);
        streams = most;
    }
    if (streams > 1 || fio_stream_needs_profile(&parts[0].stream))
        section_add_profile(&parts[0], parts, streams, has_own_files(&parts[0]));
    else
        section_add_options(&parts[0], has_own_files(&parts[0]));
}

/* Closes the gaps that joined sections left at the end of the list of sessions. */
static void close_ranks(struct section_group *g, size_t sessions)
{
    struct fio_sessions *all = g->sections[0].all;
    size_t kept = all->count - g->count, next = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (g->session_of[i] != next) /* this section is not the first of the next session */
            continue;
        struct fio_session own = *g->sections[i].session;
        *g->sections[i].session = (struct fio_session){0};
        all->list[kept++] = own;
        next++;
    }
    all->count -= g->count - sessions;
}

/* Ends the group: its sections become sessions, and the group is empty. */
static void section_group_end(struct section_group *g)
{
    size_t sessions = 0;
    for (size_t i = 0; i < g->count; i++) {
        g->session_of[i] = find_session(g, i);
        sessions += g->session_of[i] == sessions;
    }
    find_steps(g);
    for (size_t i = 0; i < sessions; i++)
        join_sections(g, i);
    if (g->count)
        close_ranks(g, sessions);
    g->count = 0;
}

/* The group of the sections that are being read. */
static struct section_group group;

static bool is_in_group(int section)
{
    for (size_t i = 0; i < group.count; i++)
        if (group.sections[i].section == section)
            return true;
    return false;
}

/* Sets *alone to true if the section begins only after all sections of the group have ended. */
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

/* Sets the section's name: the setting `name`, or the name in brackets. */
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

/* Adds a section to the group. If it has several targets, adds a session with the same words for
   each further target. */
static void add_to_group(struct section_reader *s)
{
    struct fio_sessions *all = s->all;
    const struct fio_session *first = s->session;
    if (s->target_count < 2) {
        group.sections[group.count++] = *s;
        return;
    }
    if (all->count + s->target_count - 1 > FIO_SECTIONS_MAX) {
        section_cannot(s, NULL, "%zu files: more than %d in all sections", s->target_count,
                       FIO_SECTIONS_MAX);
        s->target_count = 1;
    }
    for (size_t i = s->target_count; i-- > 1;) {
        struct section_reader part = *s;
        part.session = &all->list[all->count + i - 1];
        *part.session = (struct fio_session){.word_count = first->word_count};
        snprintf(part.session->name, sizeof part.session->name, "%s", first->name);
        text_add_bytes(&part.session->words, first->words.data, first->words.length);
        text_add_bytes(&part.session->targets, first->targets.data, first->targets.length);
        text_add_bytes(&part.session->left_out, first->left_out.data, first->left_out.length);
        section_give_share(&part, i);
        group.sections[group.count + i] = part;
    }
    all->count += s->target_count - 1;
    section_give_share(s, 0);
    group.sections[group.count] = *s;
    group.count += s->target_count;
}

/* Returns true if the list, separated by commas, contains the name. */
static bool is_listed(const char *list, const char *name)
{
    for (; list; list = strchr(list, ','), list += list != NULL)
        if (span_is((struct span){list, strcspn(list, ",")}, name))
            return true;
    return false;
}

int fio_sessions_make(const struct fio_job_file *file, struct fio_sessions *sessions, struct err *e)
{
    *sessions = (struct fio_sessions){0};
    group.count = 0;
    bool any = false;
    for (int i = 0; i < (int)file->section_count; i++) {
        struct section_reader s = {.file = file, .all = sessions, .section = i};
        bool alone = false;
        if (file->only && !is_listed(file->only, file->sections[i].name))
            continue;
        any = true;
        /* counted already now, so that the caller frees the session after a failure */
        s.session = &sessions->list[sessions->count++];
        if (section_make(&s, e) || begins_alone(&s, &alone, e))
            return -1;
        if (s.impossible) {
            fio_session_free(&sessions->list[--sessions->count]);
            continue;
        }
        name_section(&s);
        if (alone) {
            /* removed from the list for now, because the group's sessions must be the last ones in
               the list */
            struct fio_session own = *s.session;
            *s.session = (struct fio_session){0};
            sessions->count--;
            section_group_end(&group);
            s.session = &sessions->list[sessions->count++];
            *s.session = own;
        }
        add_to_group(&s);
    }
    section_group_end(&group);
    return any ? 0
               : err_set(e, ERR_USAGE, "%.160s: no section is named %.100s", file->files[0],
                         file->only);
}

void fio_sessions_free(struct fio_sessions *sessions)
{
    for (size_t i = 0; i < sessions->count; i++)
        fio_session_free(&sessions->list[i]);
    text_free(&sessions->faults);
    *sessions = (struct fio_sessions){0};
}
