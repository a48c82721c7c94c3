/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranks that gather in a folder: all of them, without one that does not come, with old files, with
 * late ones.
 *
 * Slow: the start that they agree on is some seconds away, and the test goes through it.
 */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/launch/rank_gathering.h"
#include "run/launch/start_instant.h"

#define RANKS 3

static char folder[] = "/tmp/cupel-test-gathering-XXXXXX";

static void pause_for(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static bool is_there(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}

static void empty_folder(void)
{
    DIR *d = opendir(folder);
    struct dirent *entry;
    char path[600];
    while (d && (entry = readdir(d)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            unlink(path);
        }
    if (d)
        closedir(d);
}

struct rank {
    struct launcher launcher;
    struct gathering *gathering;
    struct gathering_state state;
};

static struct rank rank_of(uint32_t number, const char *job)
{
    struct rank r = {
        .launcher = {.name = "Slurm", .rank = number, .size = RANKS, .local_rank = -1}};
    snprintf(r.launcher.job, sizeof r.launcher.job, "%s", job);
    snprintf(r.launcher.host, sizeof r.launcher.host, "node%u", number);
    return r;
}

static void open_rank(struct rank *r, double timeout, int64_t began_ns)
{
    struct err e = {0};
    struct gathering_request request = {.folder = folder,
                                        .launcher = &r->launcher,
                                        .timeout_seconds = timeout,
                                        .process_began_ns = began_ns};
    CHECK_INT(gathering_open(&r->gathering, &request, &e), 0);
}

static void look(struct rank *r)
{
    struct err e = {0};
    if (!check_that(!gathering_look(r->gathering, &r->state, &e), __FILE__, __LINE__, "look"))
        fprintf(stderr, "  %s\n", e.msg);
}

/* All ranks look until all agree or are late, for at most `rounds`. */
static void gather(struct rank ranks[], size_t count, int rounds)
{
    for (bool waits = true; waits && rounds-- > 0;) {
        waits = false;
        for (size_t i = 0; i < count; i++) {
            look(&ranks[i]);
            waits |= !ranks[i].state.agreed && !ranks[i].state.late;
        }
        pause_for(0.02);
    }
}

static void all_come(const char *job)
{
    struct rank ranks[RANKS];
    char missing[40];
    int64_t now = start_instant_now();
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i] = rank_of(i, job);
        open_rank(&ranks[i], 60, now);
    }
    gather(ranks, RANKS, 20);
    for (size_t i = 0; i < RANKS; i++) {
        CHECK(ranks[i].state.agreed && !ranks[i].state.late);
        look(&ranks[i]); /* the last published start counts */
        CHECK_INT(ranks[i].state.instant_ns, ranks[0].state.instant_ns);
        CHECK(ranks[i].state.instant_ns > now);
        CHECK_STR(gathering_missing(ranks[i].gathering, missing, sizeof missing), "");
    }
    for (size_t i = 0; i < RANKS; i++)
        gathering_close(ranks[i].gathering, true);
    CHECK(!is_there(*job ? "ready-812.0-0" : "ready-0"));
    CHECK(is_there(*job ? "start-812.0" : "start"));
    while (start_instant_now() <= ranks[0].state.instant_ns)
        pause_for(0.02);
}

/* Files of an earlier run, which nobody changes, start nothing. */
static void old_files(void)
{
    char text[200];
    struct rank r = rank_of(1, "");
    int64_t now = start_instant_now();
    put("ready-0", "cupel rank ready 170 3 5\n");
    put("ready-2", "cupel rank ready 171 3 5\n");
    snprintf(text, sizeof text, "cupel ranks start %lld 3\n0 170\n1 172\n",
             (long long)(now - 1000000000));
    put("start", text);
    open_rank(&r, 60, now);
    for (int i = 0; i < 5; i++) {
        look(&r);
        CHECK(!r.state.agreed && !r.state.late);
        CHECK_INT(r.state.ready, 1);
    }
    gathering_close(r.gathering, false);
    CHECK(!is_there("ready-1"));
    CHECK(is_there("start"));
}

/* After the timeout the present ranks begin and name the missing one, which is late when it comes.
 */
static void one_is_missing(void)
{
    struct rank ranks[RANKS];
    char missing[40];
    int64_t now = start_instant_now();
    for (uint32_t i = 0; i < RANKS; i++)
        ranks[i] = rank_of(i, "");
    put("ready-2", "cupel rank ready 171 3 5\n");
    open_rank(&ranks[0], 0.1, now);
    open_rank(&ranks[1], 0.1, now);
    /* the old file must first be recognised as old, which takes some seconds */
    gather(ranks, 2, 400);
    CHECK(ranks[0].state.agreed && ranks[1].state.agreed);
    CHECK_INT(ranks[0].state.instant_ns, ranks[1].state.instant_ns);
    CHECK_STR(gathering_missing(ranks[0].gathering, missing, sizeof missing), "2");
    CHECK_STR(gathering_missing(ranks[1].gathering, missing, sizeof missing), "2");

    /* It was started together with them, and is still in time. */
    open_rank(&ranks[2], 0.1, now);
    look(&ranks[2]);
    CHECK(ranks[2].state.agreed && !ranks[2].state.late);
    CHECK_INT(ranks[2].state.instant_ns, ranks[0].state.instant_ns);
    while (start_instant_now() <= ranks[0].state.instant_ns)
        pause_for(0.02);
    look(&ranks[2]);
    CHECK(ranks[2].state.late && !ranks[2].state.agreed);
    gathering_close(ranks[2].gathering, true);

    /* A rank started after that time belongs to a new run, and waits. */
    open_rank(&ranks[2], 60, start_instant_now());
    look(&ranks[2]);
    CHECK(!ranks[2].state.late && !ranks[2].state.agreed);
    gathering_close(ranks[2].gathering, false);

    /* But not if the job is the same. */
    struct rank again = rank_of(2, "812.0");
    char text[200];
    snprintf(text, sizeof text, "cupel ranks start %lld 3\n0 170\n",
             (long long)(start_instant_now() - 3000000000));
    put("start-812.0", text);
    open_rank(&again, 60, start_instant_now());
    look(&again);
    CHECK(again.state.late);
    gathering_close(again.gathering, true);
    gathering_close(ranks[0].gathering, true);
    gathering_close(ranks[1].gathering, true);
}

/* A start that did not take place is taken back. */
static void interrupted(void)
{
    struct rank ranks[RANKS];
    for (uint32_t i = 0; i < RANKS; i++) {
        ranks[i] = rank_of(i, "");
        open_rank(&ranks[i], 60, start_instant_now());
    }
    gather(ranks, RANKS, 20);
    CHECK(ranks[0].state.agreed);
    for (size_t i = 0; i < RANKS; i++)
        gathering_close(ranks[i].gathering, false);
    CHECK(!is_there("start"));
    CHECK(!is_there("ready-0") && !is_there("ready-1") && !is_there("ready-2"));
}

static void confusion(void)
{
    struct rank a = rank_of(0, ""), b = rank_of(0, ""), c = rank_of(1, "");
    struct err e = {0};
    open_rank(&a, 60, start_instant_now());
    open_rank(&b, 60, start_instant_now());
    look(&a);
    look(&b);
    CHECK_INT(gathering_look(a.gathering, &a.state, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "another process is rank 0"));

    c.launcher.size = 4;
    open_rank(&c, 60, start_instant_now());
    look(&c);
    look(&b);
    CHECK_INT(gathering_look(c.gathering, &c.state, &e), -1);
    CHECK(strstr(e.msg, "one of 3"));
    gathering_close(a.gathering, false);
    gathering_close(b.gathering, false);
    gathering_close(c.gathering, false);
    CHECK_INT(gathering_check("/proc/none/none", &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_INT(gathering_check(folder, &e), 0);
}

/* Changes the time in the file and keeps its processes. */
static void change_instant(const char *name, int64_t instant_ns)
{
    char path[200], lines[400] = "", text[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    if (!f)
        return;
    CHECK(fread(lines, 1, sizeof lines - 1, f) > 0);
    fclose(f);
    snprintf(text, sizeof text, "cupel ranks start %lld %d%s", (long long)instant_ns, RANKS,
             strchr(lines, '\n'));
    put(name, text);
}

/* A clock was hours ahead when the start was published: the next run does not wait for it. */
static void start_far_away(void)
{
    char text[200];
    struct rank r = rank_of(0, "");
    snprintf(text, sizeof text, "cupel ranks start %lld 3\n0 170\n1 171\n2 172\n",
             (long long)(start_instant_now() + 3600000000000));
    put("start", text);
    open_rank(&r, 60, start_instant_now());
    look(&r);
    CHECK(!r.state.agreed && !r.state.late);
    gathering_close(r.gathering, false);

    /* It names this process: the leader's clock is ahead, and the rank begins at once. */
    struct rank all[RANKS];
    for (uint32_t i = 0; i < RANKS; i++) {
        all[i] = rank_of(i, "812.0");
        open_rank(&all[i], 60, start_instant_now());
    }
    gather(all, RANKS, 20);
    CHECK(all[1].state.agreed);
    change_instant("start-812.0", all[1].state.instant_ns + 3600000000000);
    look(&all[1]);
    CHECK(all[1].state.late && !all[1].state.agreed);
    for (size_t i = 0; i < RANKS; i++)
        gathering_close(all[i].gathering, true);
}

/* Other users' files with such a name are neither replaced nor removed. */
static void files_of_others(void)
{
    struct rank r = rank_of(0, "");
    struct err e = {0};
    put("ready-0", "mine\n");
    open_rank(&r, 60, start_instant_now());
    CHECK_INT(gathering_look(r.gathering, &r.state, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "no file of a common start"));
    gathering_close(r.gathering, false);
    CHECK(is_there("ready-0"));

    empty_folder();
    put("start", "mine\n");
    open_rank(&r, 0.1, start_instant_now());
    e.code = 0;
    for (int i = 0; i < 100 && !gathering_look(r.gathering, &r.state, &e); i++)
        pause_for(0.02);
    CHECK_INT(e.code, ERR_USAGE);
    gathering_close(r.gathering, false);
    CHECK(is_there("start") && !is_there("ready-0"));

    /* A pipe with the name is not waited for. */
    empty_folder();
    char path[200];
    snprintf(path, sizeof path, "%s/start", folder);
    CHECK_INT(mkfifo(path, 0600), 0);
    open_rank(&r, 60, start_instant_now());
    look(&r);
    CHECK(!r.state.agreed && !r.state.late);
    gathering_close(r.gathering, false);
}

static void ranges(void)
{
    struct rank r = rank_of(1, "");
    char text[200], missing[40], small[12];
    r.launcher.size = 20;
    snprintf(text, sizeof text, "cupel ranks start %lld 20\n1 0\n5 0\n6 0\n9 0\n10 0\n12 0\n19 0\n",
             (long long)(start_instant_now() + 9000000000));
    put("start", text);
    open_rank(&r, 60, start_instant_now());
    look(&r);
    CHECK_STR(gathering_missing(r.gathering, missing, sizeof missing), "0, 2-4, 7-8, 11, 13-18");
    CHECK_STR(gathering_missing(r.gathering, small, sizeof small), "0, 2-4 ...");
    gathering_close(r.gathering, true);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    all_come("");
    files_of_others();
    empty_folder();
    start_far_away();
    empty_folder();
    all_come(""); /* while the start of the first run is still there */
    empty_folder();
    all_come("812.0");
    old_files();
    empty_folder();
    one_is_missing();
    empty_folder();
    interrupted();
    empty_folder();
    confusion();
    empty_folder();
    ranges();
    empty_folder();
    rmdir(folder);
    return check_result();
}
