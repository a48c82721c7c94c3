/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histories: which sessions are repetitions, what becomes of predictions, the answers, and the
 * file: its permissions, torn and damaged lines, links, foreign files, two writers, a full one, a
 * full disk, one that an interruption left without a session; whose folders are trusted.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "check.h"
#include "run/history/history.h"
#include "tree.h"

#define KEY "0123456789abcdef"

static struct history head(void)
{
    return (struct history){.key = KEY, .target = "/dev/sdx", .workload = "randread 4 KiB"};
}

/* A session of 10 s that predicts +-10. */
static struct history_session session_of(double mean)
{
    return (struct history_session){.date = "2026-11-28T08:00:00Z",
                                    .seconds = 10,
                                    .metric = "iops",
                                    .op = "read",
                                    .mean = mean,
                                    .low = mean - 7,
                                    .high = mean + 7,
                                    .next_low = mean - 10,
                                    .next_high = mean + 10,
                                    .confidence = 0.95,
                                    .verdict = "precise",
                                    .version = "0.1.0"};
}

/* ---- the key ---- */

static void check_keys(void)
{
    static struct plan a, b;
    char one[HISTORY_KEY], other[HISTORY_KEY];
    plan_init(&a);
    plan_init(&b);
    /* How long, how precisely, with which seed and under which label: the same. */
    b.seed = 7;
    b.limit_seconds = 5;
    b.runtime_seconds = 3;
    b.target_width = 0.5;
    snprintf(b.preset, sizeof b.preset, "quick");
    b.history = true;
    b.destroy = true;
    CHECK(history_key(one, "disk 1", &a) && history_key(other, "disk 1", &b));
    CHECK_INT(strlen(one), HISTORY_KEY - 1);
    CHECK_STR(one, other);
    CHECK(history_key(other, "disk 2", &a) && strcmp(one, other) != 0);
    b.iodepth = 32;
    CHECK(history_key(other, "disk 1", &b) && strcmp(one, other) != 0);
    b.iodepth = a.iodepth;
    b.write_share = 0.5;
    CHECK(history_key(other, "disk 1", &b) && strcmp(one, other) != 0);
    b.write_share = a.write_share;
    snprintf(b.scheduler, sizeof b.scheduler, "none");
    CHECK(history_key(other, "disk 1", &b) && strcmp(one, other) != 0);
}

/* ---- predictions ---- */

static void check_one(double mean, double seconds, const char *busy, enum prediction_check expected)
{
    const struct history_session before = session_of(100);
    struct history_session next = session_of(mean);
    next.seconds = seconds;
    snprintf(next.busy, sizeof next.busy, "%s", busy);
    history_check(&before, &next);
    CHECK_INT(next.check, expected);
}

static void check_predictions(void)
{
    check_one(109.9, 10, "", PREDICTION_HELD);
    check_one(90.1, 10, "", PREDICTION_HELD);
    check_one(110.1, 10, "", PREDICTION_MISSED);
    /* A session of a quarter of the length varies more: sqrt(2.5) times. */
    check_one(115.8, 2.5, "", PREDICTION_HELD);
    check_one(115.9, 2.5, "", PREDICTION_MISSED);
    check_one(108, 40, "", PREDICTION_MISSED); /* sqrt(5/8) */
    check_one(100, 41, "", PREDICTION_LEFT_OUT);
    check_one(100, 2.4, "", PREDICTION_LEFT_OUT);
    check_one(100, 10, "other programs", PREDICTION_LEFT_OUT);

    struct history_session before = session_of(100), next = session_of(100);
    snprintf(next.metric, sizeof next.metric, "response_time");
    history_check(&before, &next);
    CHECK_INT(next.check, PREDICTION_LEFT_OUT);
    before.next_low = NAN;
    history_check(&before, &next);
    CHECK_INT(next.check, PREDICTION_NONE);
}

/* Of 26 sessions 25 are checked; the last 20 count, of which two missed. */
static void check_counts(void)
{
    struct history_session sessions[26];
    struct history h = {.sessions = sessions, .count = 26};
    char before[160], count[160];
    for (size_t i = 0; i < 26; i++)
        sessions[i] = session_of(i == 2 || i == 20 ? 120 : 100);
    history_judge(&h);
    CHECK_INT(h.predictions.checked, 20);
    CHECK_INT(h.predictions.held, 18); /* up to 120 and down again */
    history_before_write(&h, before, count);
    CHECK_STR(count, "17 of 19 held");
    CHECK_STR(before, "2026-11-28T08:00:00Z iops read next=90 to 110 seconds=10 memory=0 busy=0");
    h.count = 0;
    history_judge(&h);
    history_before_write(&h, before, count);
    CHECK_STR(before, "");
}

/* A session finds in its settings what the one before predicted. */
static void check_result_of(double next_low, double next_high, double mean,
                            enum prediction_check expected, uint64_t held)
{
    static struct result r;
    struct history_session before = session_of(100);
    struct history h = {.sessions = &before, .count = 1};
    char words[160], count[160];
    before.next_low = next_low;
    before.next_high = next_high;
    history_before_write(&h, words, count);
    r = (struct result){.verdict = VERDICT_MEASURED,
                        .headline = METRIC_IOPS,
                        .headline_op = "read",
                        .round_count = 1,
                        .rounds = {{.seconds = 10}}};
    result_add(&r, METRIC_IOPS, "read", mean);
    facts_add(&r.settings, HISTORY_NODE, HISTORY_BEFORE, words, "", "", FACT_OK);
    facts_add(&r.settings, HISTORY_NODE, HISTORY_COUNT, "4 of 5 held", "", "", FACT_OK);
    history_of_result(&r);
    CHECK_INT(r.history.check, expected);
    CHECK_STR(r.history.date, before.date);
    CHECK_INT(r.history.count.held, held);
    const struct result_row *row = result_find(&r, METRIC_PREDICTIONS_HELD, "read");
    CHECK(row && (uint64_t)row->value == held && row->n == r.history.count.checked);
}

static void check_results(void)
{
    static struct result r;
    check_result_of(90, 110, 105, PREDICTION_HELD, 5);
    check_result_of(0, 110, 105, PREDICTION_HELD, 5);
    check_result_of(90.125, 110.25, 111, PREDICTION_MISSED, 4);
    check_result_of(NAN, NAN, 111, PREDICTION_NONE, 4);
    /* What no other session could repeat is in no history. */
    struct history_session s;
    r = (struct result){.verdict = VERDICT_INTERRUPTED,
                        .headline = METRIC_IOPS,
                        .headline_op = "read",
                        .round_count = 1,
                        .rounds = {{.seconds = 10}}};
    result_add(&r, METRIC_IOPS, "read", 100);
    CHECK(!history_session_of(&r, &s));
    r.verdict = VERDICT_LIMIT;
    CHECK(history_session_of(&r, &s));
    r.rows[0].value = 0;
    CHECK(!history_session_of(&r, &s));
}

/* ---- answers ---- */

static void check_answer(const double means[], size_t n, enum history_answer answer,
                         enum history_ground ground)
{
    struct history_session sessions[32];
    struct history h = {.sessions = sessions, .count = n};
    for (size_t i = 0; i < n; i++)
        sessions[i] = session_of(means[i]);
    history_judge(&h);
    CHECK_INT(h.answer, answer);
    CHECK_INT(h.ground, ground);
}

static void check_answers(void)
{
    static const double same[] = {100, 104, 98, 101, 97, 103, 99, 102, 100,
                                  96,  103, 99, 101, 98, 102, 97, 100, 104};
    double moved[18];
    check_answer(same, 1, HISTORY_ONE, GROUND_FIRST_SESSION);
    check_answer(same, 2, HISTORY_SAME, GROUND_FIRST_SESSION);
    check_answer((const double[]){100, 80}, 2, HISTORY_SLOWER, GROUND_FIRST_SESSION);
    check_answer((const double[]){100, 80, 100, 130}, 4, HISTORY_FASTER, GROUND_FIRST_SESSION);
    check_answer(same, 18, HISTORY_SAME, GROUND_LEVELS);
    for (size_t i = 0; i < 18; i++)
        moved[i] = same[i] - (i < 10 ? 0 : 40);
    check_answer(moved, 18, HISTORY_SLOWER, GROUND_LEVELS);
    check_answer(moved, 11, HISTORY_SLOWER, GROUND_LAST_SESSION); /* the first of a new level */
    for (size_t i = 0; i < 18; i++)
        moved[i] = 1000 - 20 * (double)i + same[i] / 50;
    check_answer(moved, 18, HISTORY_SLOWER, GROUND_TREND);

    /* Sessions beside others count only where there are hardly any without. */
    struct history_session sessions[18];
    struct history h = {.sessions = sessions, .count = 18};
    for (size_t i = 0; i < 18; i++) {
        sessions[i] = session_of(same[i] - (i % 2 ? 0 : 40));
        snprintf(sessions[i].busy, sizeof sessions[i].busy, "%s", i % 2 ? "" : "others");
    }
    history_judge(&h);
    CHECK_INT(h.answer, HISTORY_SAME);
    CHECK(!h.of_busy);
    for (size_t i = 0; i < 18; i++) {
        sessions[i] = session_of(same[i] - (i < 10 ? 0 : 40));
        snprintf(sessions[i].busy, sizeof sessions[i].busy, "others");
    }
    history_judge(&h);
    CHECK_INT(h.answer, HISTORY_SLOWER);
    CHECK(h.of_busy);

    for (size_t i = 0; i < 18; i++) {
        sessions[i] = session_of(same[i] + (i < 10 ? 0 : 40));
        snprintf(sessions[i].metric, sizeof sessions[i].metric, "response_time");
    }
    history_judge(&h);
    CHECK_INT(h.answer, HISTORY_SLOWER); /* a longer response time */
    CHECK_INT(h.level_count, 2);
    CHECK_INT(h.levels[1].begin, 10);
    CHECK_INT(sessions[9].level, 0);
    CHECK_INT(sessions[10].level, 1);
}

/* ---- the file ---- */

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

    /* A line that a full disk cut off goes; a damaged one stays and is counted. */
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

/* Nothing of others is touched. */
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

/* A session that was killed before its history had a head, or a line after it, ends no history. */
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

/* Folders above that of the history which others could exchange. */
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
    if (geteuid() == 0) { /* a link, and a folder, of somebody else */
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

/* Eight processes at a time leave every line whole. */
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

/* A file at the limit of its size stays as it was, and is as good as before. */
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
    /* Each line is sealed by itself: the last one, again and again, is as good as measured. */
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
    const struct history h = head();
    const struct history_session s = session_of(1);
    CHECK_INT(history_add("/proc/cupel", &h, &s, &e), -1);
    CHECK_INT(history_add("/dev/null/cupel", &h, &s, &e), -1);
}

int main(void)
{
    struct tree tree;
    tree_begin(&tree);
    tree_path(&tree, folder, "/state/cupel");
    snprintf(path, sizeof path, "%s/" KEY HISTORY_FILE, folder);
    check_keys();
    check_predictions();
    check_counts();
    check_results();
    check_answers();
    check_file();
    check_foreign();
    check_begun();
    check_folders_above();
    check_writers();
    check_full_disk();
    check_bound();
    check_folders();
    tree_end(&tree);
    return check_result();
}
