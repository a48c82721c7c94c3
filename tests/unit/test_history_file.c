/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of a history: permissions, incomplete and damaged lines, links, foreign files, two
 * writers, a full history, a full disk, one that an interruption left without a session; and whose
 * folders are trusted.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"
#include "history_session.h"
#include "run/history/history.h"
#include "tree.h"

#define KEY "0123456789abcdef"

static struct history head(void)
{
    return (struct history){.key = KEY, .target = "/dev/sdx", .workload = "randread 4 KiB"};
}

static char folder[TREE_PATH], path[TREE_PATH + 64];

static size_t sessions_there(size_t *damaged)
{
    struct history h;
    struct err e = {0};
    if (history_load(&h, folder, KEY, &e)) {
        CHECK_STR(e.msg, "");
        return 0;
    }
    const size_t count = h.count;
    if (damaged)
        *damaged = h.damaged;
    history_free(&h);
    return count;
}

static void append(const char *bytes)
{
    FILE *f = fopen(path, "a");
    CHECK(f && fputs(bytes, f) >= 0);
    if (f)
        fclose(f);
}

static int add(double mean, struct err *e)
{
    const struct history h = head();
    const struct history_session s = session_of(mean);
    *e = (struct err){0};
    return history_add(folder, &h, &s, e);
}

static void check_file(void)
{
    struct err e;
    struct stat st;
    size_t damaged = 0;
    CHECK_INT(sessions_there(NULL), 0); /* no folder yet */
    CHECK_INT(add(100, &e), 0);
    CHECK_INT(add(101, &e), 0);
    CHECK_INT(sessions_there(&damaged), 2);
    CHECK_INT(damaged, 0);
    CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0600);
    CHECK(!stat(folder, &st) && (st.st_mode & 0777) == 0700);

    struct history h;
    CHECK_INT(history_load(&h, folder, KEY, &e), 0);
    CHECK_STR(h.target, "/dev/sdx");
    CHECK_STR(h.workload, "randread 4 KiB");
    CHECK_NEAR(h.sessions[1].mean, 101, 0);
    CHECK_NEAR(h.sessions[1].next_high, 111, 0);
    CHECK_STR(h.sessions[1].verdict, "precise");
    CHECK_INT(h.sessions[1].check, PREDICTION_HELD);
    history_free(&h);

    /* A line that a full disk cut off is removed; a damaged one is kept and counted. */
    append("session\t2026-11-28T0");
    CHECK_INT(sessions_there(&damaged), 2);
    CHECK_INT(damaged, 0);
    append("rubbish\n");
    CHECK_INT(sessions_there(&damaged), 2);
    CHECK_INT(damaged, 1);
    append("torn");
    CHECK_INT(add(102, &e), 0);
    CHECK_INT(sessions_there(&damaged), 3);
    CHECK_INT(damaged, 1);
}

/* Files of others are not touched. */
static void check_foreign(void)
{
    struct err e;
    struct stat st;
    char other[TREE_PATH + 80];
    snprintf(other, sizeof other, "%s/other", folder);
    CHECK(!rename(path, other) && !symlink(other, path));
    CHECK(!stat(other, &st));
    const off_t size = st.st_size;
    CHECK_INT(add(1, &e), -1);
    CHECK(!stat(other, &st) && st.st_size == size);
    CHECK(!unlink(path));

    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK_INT(write(fd, "notes of somebody\n", 18), 18);
    CHECK(!close(fd));
    CHECK_INT(add(1, &e), -1);
    CHECK(strstr(e.msg, "not a history") != NULL);
    CHECK(!stat(path, &st) && st.st_size == 18);
    CHECK(!unlink(path));

    CHECK(!mkfifo(path, 0600));
    CHECK_INT(add(1, &e), -1);
    CHECK(!unlink(path));

    CHECK(!link(other, path)); /* a second name */
    CHECK_INT(add(1, &e), -1);
    CHECK(!unlink(path));

    CHECK(!chmod(folder, 0777));
    CHECK_INT(add(1, &e), -1);
    CHECK(strstr(e.msg, "this user alone") != NULL);
    CHECK(access(path, F_OK) != 0);
    CHECK(!chmod(folder, 0700) && !rename(other, path));
    CHECK_INT(add(103, &e), 0);
    CHECK_INT(sessions_there(NULL), 4);

    /* The history of another disk under this name. */
    struct history another = head();
    const struct history_session s = session_of(1);
    snprintf(another.key, sizeof another.key, "fedcba9876543210");
    snprintf(other, sizeof other, "%s/fedcba9876543210.history", folder);
    CHECK(!rename(path, other));
    CHECK_INT(history_add(folder, &another, &s, &e), -1);
    CHECK(!rename(other, path));
}

/* A session killed before its history had a head, or a line after it, does not prevent later
   sessions. */
static void check_begun(void)
{
    struct err e;
    struct histories all;
    char kept[TREE_PATH + 80], text[200] = "";
    const size_t lengths[] = {0, 5, 15, 16, 40, 0 /* the whole head */};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    FILE *f = fopen(path, "r");
    CHECK(f && fgets(text, sizeof text, f));
    if (f)
        fclose(f);
    snprintf(kept, sizeof kept, "%s/kept", folder);
    CHECK(!rename(path, kept));
    for (size_t i = 0; i < LENGTHS; i++) {
        const size_t length = i == LENGTHS - 1 ? strlen(text) : lengths[i];
        f = fopen(path, "w");
        CHECK(f && fwrite(text, 1, length, f) == length && !fclose(f));
        CHECK_INT(sessions_there(NULL), 0);
        CHECK_INT(histories_load(&all, folder, &e), 0);
        CHECK_INT(all.count, 0); /* nothing to show */
        CHECK_INT(all.unreadable, 0);
        histories_free(&all);
        CHECK_INT(add(105, &e), 0);
        CHECK_INT(sessions_there(NULL), 1);
    }
    CHECK(!rename(kept, path));
}

/* Folders above the history that other users could exchange. */
static void check_folders_above(void)
{
    enum { SOMEBODY = 4711 };
    struct err e;
    struct stat st;
    char above[TREE_PATH + 16], target[TREE_PATH + 32], link[TREE_PATH + 32], to[TREE_PATH + 64];
    const struct history h = head();
    const struct history_session s = session_of(1);
    snprintf(above, sizeof above, "%s/above", folder);
    snprintf(target, sizeof target, "%s/target", above);
    snprintf(link, sizeof link, "%s/link", above);
    CHECK(!mkdir(above, 0700) && !mkdir(target, 0700) && !symlink(target, link));

    CHECK(!chmod(above, 0777));
    snprintf(to, sizeof to, "%s/cupel", target);
    CHECK_INT(history_add(to, &h, &s, &e), -1);
    CHECK(strstr(e.msg, "anybody may write") != NULL);
    CHECK(lstat(to, &st) != 0);
    CHECK(!chmod(above, 01777));
    CHECK_INT(history_add(to, &h, &s, &e), 0);

    snprintf(to, sizeof to, "%s/through", link);
    CHECK_INT(history_add(to, &h, &s, &e), 0);
    if (geteuid() == 0) { /* a link, and a folder, of another user */
        snprintf(to, sizeof to, "%s/again", link);
        CHECK(!lchown(link, SOMEBODY, SOMEBODY));
        CHECK_INT(history_add(to, &h, &s, &e), -1);
        CHECK(strstr(e.msg, "belongs to another user") != NULL);
        CHECK(!chown(target, SOMEBODY, SOMEBODY));
        snprintf(to, sizeof to, "%s/again", target);
        CHECK_INT(history_add(to, &h, &s, &e), -1);
        CHECK(lstat(to, &st) != 0);
    }
}

/* A line that no session can have written is ignored like a damaged one. */
static void check_impossible(void)
{
    struct err e;
    size_t before, damaged;
    const size_t count = sessions_there(&before);
    const struct history h = head();
    struct history_session s[] = {session_of(100), session_of(100), session_of(100),
                                  session_of(NAN)};
    s[0].low = s[0].high + 1;
    s[1].next_low = s[1].next_high + 1;
    s[2].seconds = 0;
    for (size_t i = 0; i < sizeof s / sizeof *s; i++)
        CHECK_INT(history_add(folder, &h, &s[i], &e), 0);
    CHECK_INT(sessions_there(&damaged), count);
    CHECK_INT(damaged, before + 4);
    s[0] = session_of(100);
    s[0].low = s[0].high = s[0].next_low = s[0].next_high = NAN; /* a missing interval is valid */
    CHECK_INT(history_add(folder, &h, &s[0], &e), 0);
    CHECK_INT(sessions_there(NULL), count + 1);
}

/* Eight processes writing at the same time leave every line complete. */
static void check_writers(void)
{
    enum { WRITERS = 8, EACH = 10 };
    struct err e;
    size_t damaged = 1;
    const size_t before = sessions_there(NULL);
    fflush(NULL);
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) {
            int failed = 0;
            for (int k = 0; k < EACH; k++)
                failed |= add(100, &e);
            _exit(failed != 0);
        }
    int status;
    while (wait(&status) > 0)
        CHECK_INT(status, 0);
    CHECK_INT(sessions_there(&damaged), before + WRITERS * EACH);
    CHECK_INT(damaged, 1);
}

/* A file at its size limit is unchanged and still valid. */
static void check_full_disk(void)
{
    struct err e;
    struct stat st;
    struct rlimit limit, old;
    const size_t before = sessions_there(NULL);
    CHECK(!stat(path, &st) && !getrlimit(RLIMIT_FSIZE, &old));
    limit = old;
    limit.rlim_cur = (rlim_t)st.st_size + 20;
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
    CHECK_INT(add(1, &e), -1);
    CHECK(!setrlimit(RLIMIT_FSIZE, &old));
    CHECK_INT(sessions_there(NULL), before);
    CHECK_INT(add(104, &e), 0);
    CHECK_INT(sessions_there(NULL), before + 1);
}

static void check_bound(void)
{
    struct err e;
    struct stat st;
    /* Each line is sealed separately: repeating the last one any number of times is valid. */
    char last[1024] = "", line[1024];
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        memcpy(last, line, sizeof last);
    if (f)
        fclose(f);
    for (size_t i = sessions_there(NULL); i < HISTORY_SESSIONS_MAX; i++)
        append(last);
    CHECK_INT(sessions_there(NULL), HISTORY_SESSIONS_MAX);
    CHECK_INT(add(5000, &e), 0);
    struct history h;
    CHECK_INT(history_load(&h, folder, KEY, &e), 0);
    CHECK_INT(h.count, HISTORY_SESSIONS_MAX / 2 + 1);
    CHECK_NEAR(h.sessions[h.count - 1].mean, 5000, 0);
    CHECK_NEAR(h.sessions[h.count - 2].mean, 104, 0);
    CHECK_INT(h.damaged, 0);
    history_free(&h);
    CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0600);

    struct histories all;
    CHECK_INT(histories_load(&all, folder, &e), 0);
    CHECK_INT(all.count, 1);
    CHECK_INT(all.unreadable, 0);
    histories_free(&all);
}

static void check_folders(void)
{
    struct err e;
    char to[PATH_MAX];
    setenv("XDG_STATE_HOME", "/some/where", 1);
    setenv("HOME", "/usr", 1);
    CHECK_INT(history_folder(to, &e), 0);
    CHECK_STR(to, "/some/where/cupel");
    setenv("XDG_STATE_HOME", "relative", 1);
    CHECK_INT(history_folder(to, &e), 0);
    CHECK_STR(to, "/usr/.local/state/cupel");
    setenv("XDG_STATE_HOME", "", 1);
    CHECK_INT(history_folder(to, &e), 0);
    CHECK_STR(to, "/usr/.local/state/cupel");
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "/a home that is missing", 1); /* is not made */
    CHECK_INT(history_folder(to, &e), -1);
    setenv("HOME", "/", 1);
    CHECK_INT(history_folder(to, &e), -1);
    unsetenv("HOME");
    CHECK_INT(history_folder(to, &e), -1);
    setenv("HOME", "/usr", 1);
    fflush(NULL);
    if (geteuid() == 0) { /* the environment of one user with the rights of another */
        int status = 0;
        if (fork() == 0)
            _exit(setresuid(4711, 0, 0) || history_folder(to, &e) != -1);
        CHECK(wait(&status) > 0);
        CHECK_INT(status, 0);
    }
    const struct history h = head();
    const struct history_session s = session_of(1);
    CHECK_INT(history_add("/proc/cupel", &h, &s, &e), -1);
    CHECK_INT(history_add("/dev/null/cupel", &h, &s, &e), -1);
}

/* Returns the reason if the tests' folder is in another user's folder. */
static bool is_elsewhere(const struct tree *tree)
{
    struct err e = {0};
    const struct history h = head();
    const struct history_session s = session_of(1);
    char probe[TREE_PATH];
    history_add(tree_path(tree, probe, "/probe/cupel"), &h, &s, &e);
    if (!strstr(e.msg, "belongs to another user"))
        return false;
    printf("skipped: %s\n", e.msg);
    return true;
}

int main(void)
{
    struct tree tree;
    tree_begin(&tree);
    if (is_elsewhere(&tree)) {
        tree_end(&tree);
        return CHECK_SKIPPED;
    }
    tree_path(&tree, folder, "/state/cupel");
    snprintf(path, sizeof path, "%s/" KEY HISTORY_FILE, folder);
    check_file();
    check_foreign();
    check_begun();
    check_folders_above();
    check_writers();
    check_full_disk();
    check_bound();
    check_impossible();
    check_folders();
    tree_end(&tree);
    return check_result();
}
