/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a command line of fio by reading it as a job file: each --name begins a section, and the
   words before the first --name apply to all sections. */
#include <stdio.h>
#include <string.h>

#include "cmd/options/fio_option.h"
#include "fio/job/fio_job.h"
#include "fio/job/internal.h"

static struct fio_job_file job_file; /* static, because it is too large for a small stack */
static struct fio_sessions sessions;

struct line_reader {
    struct text job;
    /* options that only cupel has, quoted for a shell; they apply to each session */
    struct text ours;
    struct text output; /* file that receives the standard output */
    const char *file;   /* name of a job file, or NULL */
    bool any_name;
    bool changes_file; /* the command line has a setting of fio that is not about the output */
    bool strange;      /* the command line has a word that cannot be written in a job file */
};

void fio_shell_word(struct text *to, const char *word)
{
    text_add(to, " ");
    text_add_shell(to, word);
}

/* Splits a word into its name, in which '-' becomes '_', and its value. Returns the value, the text
   after '=', or NULL. fio accepts its names after a single dash, too. */
static const char *take_apart(const char *word, char name[64])
{
    const char *equals = strchr(word, '=');
    word += strspn(word, "-");
    snprintf(name, 64, "%.*s", (int)strcspn(word, "="), word);
    for (char *p = name; *p; p++)
        if (*p == '-')
            *p = '_';
    return equals ? equals + 1 : NULL;
}

/* Returns true if the next word may be the value of this one. fio's switches have no value, and a
   target contains a slash. */
static bool is_value(const char *next)
{
    return next && next[0] != '-' && !strchr(next, '/');
}

static void add_setting(struct line_reader *r, const char *name, const char *value)
{
    if (!strcmp(name, "name")) {
        text_addf(&r->job, "[%s]\n", value ? value : "");
        r->any_name = true;
    } else if (!strcmp(name, "output_format") || !strcmp(name, "minimal")) {
        bool json = value && strstr(value, "json");
        if (json || !value || strstr(value, "terse") || strstr(value, "minimal"))
            text_add(&r->ours, json ? " --format=fio-json" : " --format=csv");
    } else if (!strcmp(name, "terse_version") || !strcmp(name, "append_terse")) {
        return; /* these words choose the form of fio's terse lines, which cupel does not print */
    } else if (!strcmp(name, "output")) {
        text_free(&r->output);
        fio_shell_word(&r->output, value ? value : "");
    } else {
        const struct fio_option *o = fio_option_find(name);
        r->changes_file |= (!o || o->kind != FIO_NO_NEED) && strcmp(name, "readonly") != 0;
        text_addf(&r->job, value ? "%s=%s\n" : "%s\n", name, value);
    }
}

/* Reads one word, and its value if that is the next word. Returns the number of words it used. */
static int read_word(struct line_reader *r, char *const words[], int count)
{
    char name[64];
    const char *next = count > 1 ? words[1] : NULL;
    if (strpbrk(words[0], ";#\n$]"))
        r->strange = true;
    if (fio_job_is(words[0])) {
        r->changes_file |= r->file != NULL;
        r->file = words[0];
        return 1;
    }
    if (words[0][0] != '-') {
        r->changes_file = true;
        text_addf(&r->job, "filename=%s\n", words[0]);
        return 1;
    }
    const char *value = take_apart(words[0], name);
    bool theirs = name[0] && name[1] && (fio_key_is(name) || fio_option_find(name));
    bool takes = !value && (is_value(next) ||
                            (next && (!strcmp(name, "filename") || !strcmp(name, "directory"))));
    if (theirs) {
        add_setting(r, name, takes ? next : value);
    } else {
        fio_shell_word(&r->ours, words[0]);
        if (takes)
            fio_shell_word(&r->ours, next);
    }
    r->strange = r->strange || (takes && strpbrk(next, ";#\n$]"));
    return 1 + takes;
}

/* Returns true if session i runs at the same time as the session before it, and differs from that
   session only in the target. */
static bool is_another_target(size_t i)
{
    const struct text *words = &sessions.list[i].words,
                      *before = &sessions.list[i ? i - 1 : 0].words;
    return sessions.list[i].at_once && words->length == before->length &&
           !memcmp(words->data, before->data, words->length);
}

/* Returns true if sessions run at the same time and differ in more than their targets, which a
   command line cannot express. */
static bool runs_at_once(void)
{
    for (size_t i = 0; i < sessions.count; i++)
        if (sessions.list[i].at_once && !is_another_target(i))
            return true;
    return false;
}

/* Adds the notes of a session that no earlier session had. */
static void add_notes(const struct fio_session *s, struct text *notes)
{
    for (const char *p = s->notes.data, *end; p && (end = strchr(p, '\n')); p = end + 1) {
        const struct span note = {p, (size_t)(end + 1 - p)};
        if (!notes->data || !memmem(notes->data, notes->length, note.text, note.length))
            text_add_bytes(notes, note.text, note.length);
    }
}

static void print_sessions(const struct line_reader *r, struct text *to)
{
    bool first = true;
    for (size_t i = 0; i < sessions.count; i++) {
        const struct fio_session *s = &sessions.list[i];
        const char *word = s->words.data;
        text_add(to, first ? "cupel run" : " && cupel run");
        for (size_t k = 0; k < s->word_count; k++, word += strlen(word) + 1)
            fio_shell_word(to, word);
        text_add(to, r->ours.data ? r->ours.data : "");
        if (s->target[0] == '-')
            text_add(to, " --");
        if (s->target[0])
            fio_shell_word(to, s->target);
        while (i + 1 < sessions.count && is_another_target(i + 1))
            fio_shell_word(to, sessions.list[++i].target);
        if (r->output.data)
            text_addf(to, " %s%s", first ? ">" : ">>", r->output.data + 1);
        first = false;
    }
}

/* Writes the command line for a job file whose other options only concern the output: cupel run
   reads the file itself. */
static void print_file(const struct line_reader *r, struct text *to)
{
    text_add(to, "cupel run");
    fio_shell_word(to, r->file);
    text_addf(to, "%s%s%s", r->ours.data ? r->ours.data : "", r->output.data ? " >" : "",
              r->output.data ? r->output.data + 1 : "");
}

/* Copies the first fault without its place, as the user does not see the job file that was made. */
static void keep_reason(const char *lines, struct err *why)
{
    char reason[sizeof why->msg];
    const char *begin = strstr(lines, ": ");
    begin = begin ? begin + 2 : lines;
    snprintf(reason, sizeof reason, "%.*s", (int)strcspn(begin, "\n"), begin);
    err_set(why, ERR_USAGE, "%s", reason);
}

bool fio_command_line(char *const words[], int count, struct text *to, struct text *notes,
                      struct err *why)
{
    struct line_reader r = {0};
    *why = (struct err){0};
    text_add(&r.job, "[global]\n");
    for (int i = count && !strcmp(words[0], "fio"); i < count;)
        i += read_word(&r, words + i, count - i);
    struct span span = {r.job.data, r.job.length};
    bool is_one = r.any_name && !r.strange && !r.job.failed;
    if (is_one && (fio_job_read(&job_file, "it", &span, false, why) ||
                   fio_sessions_make(&job_file, &sessions, why)))
        keep_reason(why->msg, why);
    else if (is_one && sessions.fault_count)
        keep_reason(sessions.faults.data, why);
    else if (is_one && runs_at_once())
        err_set(why, ERR_USAGE,
                "its jobs run at the same time in several ways: put them into a job file, and give "
                "that to cupel run");
    else if (is_one)
        print_sessions(&r, to);
    for (size_t i = 0; i < sessions.count && to->length; i++)
        add_notes(&sessions.list[i], notes);
    if (!r.any_name && r.file && !r.strange && !r.changes_file) {
        print_file(&r, to);
        is_one = true;
    }
    fio_sessions_free(&sessions);
    fio_job_free(&job_file);
    text_free(&r.job);
    text_free(&r.ours);
    text_free(&r.output);
    return is_one;
}
