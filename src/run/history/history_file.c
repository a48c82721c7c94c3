/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes the files of histories: finds where they are, reads one or all, adds a session
   to one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/durable/line_journal.h"
#include "base/file/file.h"
#include "base/text_reader.h"
#include "run/history/history.h"

#define MARK       "cupel history 1\t"
#define SESSION    "session"
#define FILE_BYTES ((size_t)1 << 20) /* 1000 sessions take about a quarter of this size */
#define FILES_MAX  4096              /* a folder with this many files gets no new one */
#define LOCK_TRIES 40                /* one every 50 ms */

static const struct line_form form = {.separator = "\tcrc32c=", .flushed = true};

/* ---- the folder ---- */

int history_folder(char to[PATH_MAX], struct err *e)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    /* In a set-user-ID program the environment comes from one user, and the rights are another
       user's. */
    if (getuid() != geteuid())
        return err_set(e, ERR_MACHINE, "cupel has the rights of another user");
    /* A relative path does not count (XDG Base Directory Specification). */
    if (state && *state == '/' && file_path(to, "%s/cupel", state))
        return 0;
    /* A missing home folder is not created: it may not be mounted yet, or be missing on purpose. */
    if (home && *home == '/' && home[1] && dir_exists(home) &&
        file_path(to, "%s/.local/state/cupel", home))
        return 0;
    return err_set(e, ERR_MACHINE, "neither XDG_STATE_HOME nor HOME names a folder");
}

static int open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_of_user_or_root(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Returns true if nobody else can replace this folder, or a folder in it. */
static bool is_safe_from_others(const char *path)
{
    struct stat link, st;
    return !lstat(path, &link) && !stat(path, &st) && is_of_user_or_root(&link) &&
           is_of_user_or_root(&st) && (!(st.st_mode & S_IWOTH) || st.st_mode & S_ISVTX);
}

/* Creates the folder and its missing parents. Each parent, and each link to one, must belong to
   root or to this user. So a program that runs as root leaves nothing in a user's folder, and
   follows no link of a user. */
static int make_folder(const char *folder, struct err *e)
{
    char path[PATH_MAX];
    struct stat st;
    for (const char *slash = strchr(folder + 1, '/');; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - folder) : (int)strlen(folder),
                 folder);
        if (mkdir(path, 0700) && errno != EEXIST && stat(path, &st))
            return err_set(e, ERR_MACHINE, "%.200s cannot be made: %s", path, strerror(errno));
        if (!slash)
            break;
        if (!is_safe_from_others(path))
            return err_set(e, ERR_MACHINE, "%.200s belongs to another user, or anybody may write",
                           path);
    }
    return 0;
}

/* Opens the folder, which must be a folder of this user that nobody else writes to. Returns its
   descriptor, or -1. */
static int open_own_folder(const char *folder, struct err *e)
{
    struct stat st;
    if (make_folder(folder, e))
        return -1;
    const int fd = open_folder(folder);
    if (fd < 0)
        return err_set(e, ERR_MACHINE, "%.200s: %s", folder, strerror(errno));
    if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return fd;
    close(fd);
    return err_set(e, ERR_MACHINE, "%.200s is not a folder of this user alone", folder);
}

/* Locks the folder. Other sessions hold the lock for some milliseconds only. */
static int lock_folder(int fd, const char *folder, struct err *e)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (!flock(fd, LOCK_EX | LOCK_NB))
            return 0;
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&pause, NULL);
    }
    return err_set(e, ERR_MACHINE, "%.200s: it cannot be locked: %s", folder, strerror(errno));
}

/* ---- lines ---- */

static void add_word(struct text *line, const char *word)
{
    char plain[256];
    text_addf(line, "\t%s", span_printable(plain, sizeof plain, span_of(word)));
}

static void add_number(struct text *line, double value)
{
    text_add(line, "\t");
    text_add_number(line, value);
}

static void write_head(const struct history *h, struct text *line)
{
    text_addf(line, MARK "%s", h->key);
    add_word(line, h->target);
    add_word(line, h->workload);
}

static void write_session(const struct history_session *s, struct text *line)
{
    const double numbers[] = {s->seconds,  s->mean,      s->low,    s->high,
                              s->next_low, s->next_high, s->memory, s->confidence};
    text_add(line, SESSION);
    add_word(line, s->date);
    add_word(line, s->metric);
    add_word(line, s->op);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        add_number(line, numbers[i]);
    add_word(line, s->verdict);
    add_word(line, s->version);
    add_word(line, s->busy);
}

/* Takes the next word of the line. Returns false if there is none or it does not fit. */
static bool take_word(struct text_reader *r, char *to, size_t size)
{
    char by;
    const bool any = r->rest.text != NULL;
    const struct span word = reader_piece(r, "\t", &by);
    if (!by)
        r->rest = (struct span){NULL, 0};
    if (!any || word.length >= size)
        return false;
    span_copy(to, word);
    return true;
}

static bool take_number(struct text_reader *r, double *to)
{
    char word[TEXT_NUMBER + 8], *end;
    if (!take_word(r, word, sizeof word) || !word[0])
        return false;
    *to = strtod(word, &end);
    return !*end;
}

static bool read_head(struct span line, struct history *h)
{
    const size_t mark = strlen(MARK);
    if (line.length <= mark || memcmp(line.text, MARK, mark) != 0)
        return false;
    struct text_reader r =
        reader_of_line((struct span){line.text + mark, line.length - mark}, NULL);
    return take_word(&r, h->key, sizeof h->key) && take_word(&r, h->target, sizeof h->target) &&
           take_word(&r, h->workload, sizeof h->workload);
}

static bool read_session(struct span line, struct history_session *s)
{
    char word[sizeof SESSION];
    struct text_reader r = reader_of_line(line, NULL);
    *s = (struct history_session){.predicted_low = NAN, .predicted_high = NAN};
    double *const numbers[] = {&s->seconds,  &s->mean,      &s->low,    &s->high,
                               &s->next_low, &s->next_high, &s->memory, &s->confidence};
    if (!take_word(&r, word, sizeof word) || strcmp(word, SESSION) != 0 ||
        !take_word(&r, s->date, sizeof s->date) || !take_word(&r, s->metric, sizeof s->metric) ||
        !take_word(&r, s->op, sizeof s->op))
        return false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!take_number(&r, numbers[i]))
            return false;
    return take_word(&r, s->verdict, sizeof s->verdict) &&
           take_word(&r, s->version, sizeof s->version) && take_word(&r, s->busy, sizeof s->busy) &&
           isfinite(s->mean) && s->seconds > 0 && !(s->low > s->high) &&
           !(s->next_low > s->next_high);
}

/* ---- reading ---- */

/* Reads the text of a file: its head and its last sessions. `whole`: number of bytes up to the end
   of the last complete line. Returns false if the text is not a history. */
static bool parse(struct history *h, const char *text, size_t length, size_t *whole)
{
    struct span rest = {text, length};
    bool has_head = false;
    *whole = 0;
    for (const char *end; (end = rest.length ? memchr(rest.text, '\n', rest.length) : NULL);) {
        struct span line = {rest.text, (size_t)(end - rest.text)};
        struct history_session session;
        uint32_t chain = 0;
        const bool good = line_unseal(&form, &chain, &line);
        if (!has_head && !(good && read_head(line, h)))
            return false;
        if (has_head && (!good || !read_session(line, &session)))
            h->damaged++;
        else if (has_head && h->count < HISTORY_SESSIONS_MAX)
            h->sessions[h->count++] = session;
        has_head = true;
        rest = (struct span){end + 1, rest.length - line.length};
        rest.length = length - (size_t)(rest.text - text);
        *whole = (size_t)(rest.text - text);
    }
    return has_head;
}

/* Returns true if the text is empty or only a part of a head: the writing of a new file was
   interrupted. */
static bool is_begun(const char *text, size_t length)
{
    const size_t mark = strlen(MARK);
    return !memchr(text, '\n', length) && !memcmp(text, MARK, length < mark ? length : mark);
}

/* Reads an open file. If its head is incomplete, it has no sessions, and `whole` is 0. ERR_USAGE:
   the file is not a history of cupel. */
static int read_file(struct history *h, int fd, const char *path, size_t *whole, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink != 1 ||
        (size_t)st.st_size > FILE_BYTES)
        return err_set(e, ERR_USAGE, "%.300s: it is not a history that this user's cupel wrote",
                       path);
    char *text = malloc((size_t)st.st_size + 1);
    h->sessions = calloc(HISTORY_SESSIONS_MAX, sizeof *h->sessions);
    ssize_t got = text && h->sessions ? pread(fd, text, (size_t)st.st_size, 0) : 0;
    int status = 0;
    if (!text || !h->sessions)
        status = err_no_memory(e, "%.300s", path);
    else if (got < 0)
        status = err_set(e, ERR_USAGE, "%.300s: %s", path, strerror(errno));
    else if (!parse(h, text, (size_t)got, whole) && !is_begun(text, (size_t)got))
        status = err_set(e, ERR_USAGE, "%.300s: it is not a history of cupel", path);
    free(text);
    return status;
}

static int open_file(const char *path, int flags)
{
    return open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int history_load(struct history *h, const char *folder, const char *key, struct err *e)
{
    char path[PATH_MAX];
    size_t whole;
    *h = (struct history){0};
    snprintf(h->key, sizeof h->key, "%s", key);
    if (!file_path(path, "%s/%s" HISTORY_FILE, folder, key))
        return err_set(e, ERR_USAGE, "%.100s...: the path is too long", folder);
    const int fd = open_file(path, O_RDONLY);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (fd < 0)
        return err_set(e, ERR_USAGE, "%.300s: %s", path, strerror(errno));
    int status = read_file(h, fd, path, &whole, e);
    close(fd);
    if (!status && strcmp(h->key, key) != 0)
        status =
            err_set(e, ERR_USAGE, "%.300s: it is the history of another disk or workload", path);
    if (status)
        history_free(h);
    else
        history_judge(h);
    return status;
}

void history_free(struct history *h)
{
    free(h->sessions);
    h->sessions = NULL;
    h->count = 0;
}

static int by_target(const void *a, const void *b)
{
    const struct history *one = a, *other = b;
    const int order = strcmp(one->target, other->target);
    return order ? order : strcmp(one->workload, other->workload);
}

int histories_load(struct histories *to, const char *folder, struct err *e)
{
    const size_t ending = strlen(HISTORY_FILE);
    *to = (struct histories){.source = folder, .of_machine = true};
    DIR *d = opendir(folder);
    int status = 0;
    for (struct dirent *entry; d && !status && (entry = readdir(d));) {
        const size_t length = strlen(entry->d_name);
        char key[HISTORY_KEY];
        struct err why;
        struct history h;
        if (length != HISTORY_KEY - 1 + ending ||
            strcmp(entry->d_name + length - ending, HISTORY_FILE) != 0)
            continue;
        snprintf(key, sizeof key, "%.16s", entry->d_name);
        struct history *more = realloc(to->rows, (to->count + 1) * sizeof *more);
        if (!more) {
            status = err_no_memory(e, "the histories of %.200s", folder);
            continue;
        }
        to->rows = more;
        if (history_load(&h, folder, key, &why)) {
            to->unreadable++;
        } else if (h.count) {
            to->rows[to->count++] = h;
        } else { /* no session: the first write was interrupted, or no line can be read */
            to->unreadable += h.damaged > 0;
            history_free(&h);
        }
    }
    if (d)
        closedir(d);
    if (to->count)
        qsort(to->rows, to->count, sizeof *to->rows, by_target);
    return status;
}

void histories_free(struct histories *of)
{
    for (size_t i = 0; i < of->count; i++)
        history_free(&of->rows[i]);
    free(of->rows);
    *of = (struct histories){0};
}

/* ---- adding ---- */

static int check_number_of_files(const char *folder, struct err *e)
{
    size_t count = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d))
        count++;
    if (d)
        closedir(d);
    return count < FILES_MAX ? 0
                             : err_set(e, ERR_MACHINE, "%.200s holds %d files: remove old ones",
                                       folder, FILES_MAX);
}

static int add_head(struct line_journal *j, const struct history *h, struct err *e)
{
    struct text line = {0};
    write_head(h, &line);
    int status = fchmod(j->fd, S_IRUSR | S_IWUSR) || line.failed
                     ? err_set(e, ERR_MACHINE, "%.300s cannot be begun", j->path)
                     : line_journal_add(j, (struct span){line.data, line.length}, e);
    text_free(&line);
    return status;
}

static int begin_file(struct line_journal *j, const struct history *h, const char *folder,
                      struct err *e)
{
    if (check_number_of_files(folder, e))
        return -1;
    if (line_journal_open(j, true))
        return err_set(e, ERR_MACHINE, "%.300s: %s", j->path, strerror(errno));
    if (!add_head(j, h, e))
        return 0;
    unlink(j->path); /* this process made the file, and holds the lock on the folder */
    return -1;
}

/* Replaces a full file by one with the newer half of its sessions. */
static int halve(struct history *h, const char *folder, struct err *e)
{
    struct text out = {0}, line = {0};
    char name[sizeof h->key + sizeof HISTORY_FILE];
    uint32_t chain = 0;
    snprintf(name, sizeof name, "%s" HISTORY_FILE, h->key);
    write_head(h, &line);
    for (size_t i = h->count / 2; i <= h->count; i++) {
        chain = 0;
        line_seal(&form, &chain, (struct span){line.data, line.length}, &out);
        line.length = 0;
        if (i < h->count)
            write_session(&h->sessions[i], &line);
    }
    int status = out.failed || line.failed
                     ? err_no_memory(e, "%.200s/%s", folder, name)
                     : write_file_over(folder, name, MARK, out.data, out.length, e);
    text_free(&out);
    text_free(&line);
    return status;
}

/* Opens the file at j->path to add a session. Creates it if it is missing, removes a last line that
   was cut short, and halves a full file. ERR_USAGE: it is not the file of this history. */
static int open_for_adding(struct line_journal *j, const struct history *h, const char *folder,
                           struct err *e)
{
    struct history old = {0};
    size_t whole = 0;
    if (line_journal_open(j, false)) {
        if (errno != ENOENT)
            return err_set(e, ERR_MACHINE, "%.300s: %s", j->path, strerror(errno));
        line_journal_close(j);
        return begin_file(j, h, folder, e);
    }
    int status = read_file(&old, j->fd, j->path, &whole, e);
    if (!status && whole && strcmp(old.key, h->key) != 0)
        status = err_set(e, ERR_USAGE, "%.300s: it is another history", j->path);
    j->end = (off_t)whole;
    const bool is_full = !status && old.count >= HISTORY_SESSIONS_MAX;
    if (!status && !is_full && line_journal_cut(j))
        status = err_set(e, ERR_MACHINE, "%.300s: %s", j->path, strerror(errno));
    if (!status && !whole)
        status = add_head(j, h, e);
    if (is_full)
        status = halve(&old, folder, e);
    history_free(&old);
    if (status || !is_full)
        return status;
    line_journal_close(j);
    return open_for_adding(j, h, folder, e);
}

int history_add(const char *folder, const struct history *h, const struct history_session *session,
                struct err *e)
{
    struct line_journal j = {.form = &form, .fd = -1};
    struct text line = {0};
    const int fd = open_own_folder(folder, e);
    if (fd < 0)
        return -1;
    write_session(session, &line);
    int status = line.failed ? err_no_memory(e, "a session") : lock_folder(fd, folder, e);
    if (!status && !file_path(j.path, "%s/%s" HISTORY_FILE, folder, h->key))
        status = err_set(e, ERR_MACHINE, "%.100s...: the path is too long", folder);
    if (!status)
        status = open_for_adding(&j, h, folder, e);
    if (!status)
        status = line_journal_add(&j, (struct span){line.data, line.length}, e);
    line_journal_close(&j);
    close(fd);
    text_free(&line);
    return status;
}
