/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restores changes from the notes in /run that killed sessions left. */
#include "hw/knob/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"

#define NOTE_MAX ((size_t)4 << 20)

/* Locks the note exclusively. Returns false if a process that will restore the note's settings
   still lives. Another cupel that only checks the note holds the lock for a moment, so this tries
   several times. */
static bool lock_note(int fd)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int attempt = 0; flock(fd, LOCK_EX | LOCK_NB); attempt++)
        if (attempt == 20 || nanosleep(&pause, NULL))
            return false;
    return true;
}

/* Returns true if the session has restored and removed the note since it was opened. */
static bool is_gone(int fd)
{
    struct stat st;
    return !fstat(fd, &st) && !st.st_nlink;
}

/* Returns the next field of a line, up to a tab or the line's end; NULL when there is none. */
static char *field(char **rest)
{
    char *begin = *rest, *tab = begin ? strchr(begin, '\t') : NULL;
    if (tab)
        *tab = '\0';
    *rest = tab ? tab + 1 : NULL;
    return begin;
}

/* Returns true if the path is that of a knob: below /sys, without a ".." that leads out of it. */
static bool is_knob(const char *path)
{
    for (const char *c = path; c && *c; c++)
        /* no control characters, since the path is printed */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return path && (!strncmp(path, "/sys/", 5) || !strcmp(path, KNOB_LATENCY_FILE)) &&
           !strstr(path, "/../");
}

static bool take_change(struct knobs *k, char *rest)
{
    struct err ignored;
    const char *with = field(&rest), *path = field(&rest), *before = field(&rest),
               *after = field(&rest);
    if (!with || !after || !is_knob(path) || strlen(before) >= KNOB_VALUE ||
        strlen(after) >= KNOB_VALUE || knob_add_change(k, path, before, after, &ignored))
        return false;
    k->changes[k->change_count - 1].with_other = with[0] == '1';
    return true;
}

static bool take_dependent(struct knobs *k, char *rest)
{
    const char *change = field(&rest), *path = field(&rest), *value = field(&rest);
    if (!change || !value || !is_knob(path))
        return false;
    struct knob_dependent d = {.path = pool_copy(&k->strings, path, strlen(path)),
                               .value = pool_copy(&k->strings, value, strlen(value)),
                               .change = strtoul(change, NULL, 10)};
    if (!d.path || !d.value || d.change >= k->change_count)
        return false;
    /* Equal paths share one string, so that a file which depends on several changes is recognised
       by its pointer. */
    for (size_t i = 0; i < k->dependent_count; i++)
        if (!strcmp(k->dependents[i].path, d.path))
            d.path = k->dependents[i].path;
    k->dependents[k->dependent_count++] = d;
    return true;
}

/* Parses a note. Returns true if the note is complete. A session changes settings only after its
   note is complete. */
static bool parse(struct knobs *k, struct knob_note *note, char *text)
{
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    k->changes = calloc(lines + 1, sizeof *k->changes);
    k->dependents = calloc(lines + 1, sizeof *k->dependents);
    if (!k->changes || !k->dependents)
        return false;
    bool is_first = true;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1, is_first = false) {
        *end = '\0';
        char *rest = strchr(line, ' ');
        rest = rest ? rest + 1 : NULL;
        if (is_first && strcmp(line, KNOB_NOTE_HEAD) != 0)
            return false;
        if (!strcmp(line, "end"))
            return !end[1];
        if (!strncmp(line, "boot ", 5))
            snprintf(note->boot, sizeof note->boot, "%s", rest);
        else if (!strncmp(line, "process ", 8))
            note->process = strtol(rest, NULL, 10);
        else if (!strncmp(line, "command ", 8))
            snprintf(note->command, sizeof note->command, "%s", rest);
        else if ((!strncmp(line, "change ", 7) && !take_change(k, rest)) ||
                 (!strncmp(line, "dependent ", 10) && !take_dependent(k, rest)))
            return false;
    }
    return false;
}

/* Opens a note, which must be a readable file that nobody else can have written. -1 with errno;
   EINVAL: it is not such a file. */
static int open_note(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
                    (st.st_uid != geteuid() && st.st_uid) || (st.st_mode & (S_IWGRP | S_IWOTH)) ||
                    (size_t)st.st_size > NOTE_MAX)) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

static bool is_name_of_note(const char *name)
{
    return !strncmp(name, KNOB_NOTE_PREFIX, strlen(KNOB_NOTE_PREFIX)) &&
           strlen(name) < sizeof((struct knobs *)0)->note_name;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t n = strlen(end);
    return length >= n && !memcmp(text + length - n, end, n);
}

/*
 * Reads a note into k, as if its run had just made the changes. *begun: the note is complete, so
 * settings may have been changed. ERR_MACHINE: it cannot be read, or it is complete but of another
 * version.
 */
static int load(struct knobs *k, struct knob_note *note, bool *begun, struct err *e)
{
    char *text = calloc(1, NOTE_MAX + 1);
    size_t used = 0;
    ssize_t got = 0;
    *begun = false;
    if (!text)
        return err_no_memory(e, "the settings of this machine");
    while (used < NOTE_MAX && (got = read(k->note, text + used, NOTE_MAX - used)) > 0)
        used += (size_t)got;
    const int error = got < 0 ? errno : 0;
    *begun = ends_with(text, used, "\nend\n");
    const bool whole = *begun && strlen(text) == used && parse(k, note, text);
    free(text);
    if (error)
        return err_set(e, ERR_MACHINE, KNOB_NOTES "/%s: %s", k->note_name, strerror(error));
    return whole || !*begun
               ? 0
               : err_set(e, ERR_MACHINE,
                         KNOB_NOTES "/%s: it is not as this version of cupel writes it: restore "
                                    "with the one that did, or by hand with what it says",
                         k->note_name);
}

/* Restores the settings of one note. The caller has locked the note, so no process lives that would
   restore them. */
static int restore_note(struct knobs *k, struct knob_note *note, knob_note_seen *seen,
                        void *context, struct err *e)
{
    char boot[64];
    bool begun;
    if (load(k, note, &begun, e))
        return -1;
    if (!begun) {
        knob_note_remove(k); /* an incomplete note: its session has changed nothing yet */
        return 0;
    }
    if (!file_first_line(KNOB_BOOT_ID_FILE, boot, sizeof boot))
        return err_set(e, ERR_MACHINE,
                       KNOB_NOTES
                       "/%s: whether it is of this boot cannot be read from " KNOB_BOOT_ID_FILE,
                       k->note_name);
    if (strcmp(boot, note->boot) != 0) {
        knob_note_remove(k); /* a reboot has undone the changes */
        return 0;
    }
    if (knob_locks_reserve(k, k->change_count, e))
        return -1;
    for (size_t i = 0; i < k->change_count; i++)
        if (strcmp(k->changes[i].path, KNOB_LATENCY_FILE) != 0 &&
            (knob_lock_share(k, k->changes[i].path, e) ||
             (knob_is_locked(k, k->changes[i].path) && knob_lock_alone(k, k->changes[i].path, e))))
            return -1;
    k->is_taken_up = true;
    struct knob_restored restored = knobs_put_back(k, false);
    seen(context, k, note);
    restored.foreign = 0; /* the function `seen` has reported these files */
    return knob_report_restored(k, &restored, e);
}

int knob_notes_restore(const struct sysroot *root, knob_note_seen *seen, void *context,
                       struct err *e)
{
    int status = 0, folder = knob_note_folder(root);
    if (folder < 0)
        return errno == ENOENT ? 0 : err_set(e, ERR_MACHINE, KNOB_NOTES ": %s", strerror(errno));
    DIR *list = fdopendir(folder);
    if (!list) {
        close(folder);
        return err_set(e, ERR_MACHINE, KNOB_NOTES ": %s", strerror(errno));
    }
    for (const struct dirent *d; (d = readdir(list));) {
        struct knob_note note = {0};
        struct knobs k = {.set = true, .root = *root, .pipe = -1, .latency = -1};
        struct err why = {0};
        int one = 0;
        if (!is_name_of_note(d->d_name))
            continue;
        k.note = open_note(folder, d->d_name);
        if (k.note < 0) {
            one = err_set(&why, ERR_MACHINE, KNOB_NOTES "/%.60s: %s", d->d_name,
                          errno == EINVAL ? "others can have written it, or it is no file that "
                                            "cupel writes: look at it, and remove it"
                                          : strerror(errno));
        } else if (!lock_note(k.note)) {
            one = err_set(&why, ERR_UNSAFE,
                          KNOB_NOTES "/%.60s: its session still runs, and restores its settings "
                                     "itself",
                          d->d_name);
            close(k.note);
        } else if (is_gone(k.note)) {
            close(k.note);
        } else {
            snprintf(k.note_name, sizeof k.note_name, "%.63s", d->d_name);
            k.note_folder = dup(folder);
            one = restore_note(&k, &note, seen, context, &why);
            knob_note_close(&k);
        }
        knobs_free(&k);
        if (one && !status) {
            status = -1;
            *e = why;
        }
    }
    closedir(list);
    return status;
}

long knob_notes_left(const struct sysroot *root)
{
    long process = 0;
    int folder = knob_note_folder(root);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);
    if (!list) {
        if (folder >= 0)
            close(folder);
        return 0;
    }
    for (const struct dirent *d; !process && (d = readdir(list));) {
        if (!is_name_of_note(d->d_name))
            continue;
        int fd = open_note(folder, d->d_name);
        long named = strtol(d->d_name + strlen(KNOB_NOTE_PREFIX), NULL, 10);
        char path[64];
        snprintf(path, sizeof path, "/proc/%ld", named);
        /* A user who may not read the note can at least see whether its process is gone. */
        bool is_left = fd >= 0 ? !flock(fd, LOCK_EX | LOCK_NB) && !is_gone(fd)
                               : errno == EACCES && access(path, F_OK) && errno == ENOENT;
        process = is_left ? named : 0;
        if (fd >= 0)
            close(fd);
    }
    closedir(list);
    return process;
}
