/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A gathering of ranks: finds out which ranks are present, and which rank decides on the instant
 * of the start.
 *
 * An NFS client caches a folder's contents for up to a minute, unless it changes the folder
 * itself. So every rank writes its own file before it reads those of others.
 */
#include "run/launch/rank_gathering.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/number_parse.h"
#include "base/text.h"
#include "run/launch/internal.h"
#include "run/launch/start_instant.h"

/* Interval at which files change. It is longer with many ranks, because one server has all of the
   files. */
#define PAUSE_SECONDS      0.2
#define PAUSE_RANK_SECONDS 0.002
/* A file that has not changed for ALIVE_SECONDS plus this many pauses belongs to no living process.
 */
#define ALIVE_PAUSES  5
#define ALIVE_SECONDS 1.0
/* The instant of a start is AHEAD_SECONDS plus this many pauses after its publication. */
#define AHEAD_PAUSES  4
#define AHEAD_SECONDS 1.0
/* A start of the same job is from an earlier job of the same name if it is older than this. */
#define JOB_NS ((int64_t)600 * 1000000000)
/* A start further in the future than this, beyond the usual time ahead, comes from a clock that
   differs, or that differed when an old start was published. It is ignored. */
#define CLOCKS_DIFFER_SECONDS 60.0

/*
 * First words of the files. In a rank's file, the random number, the number of ranks and the waited
 * time in ns follow. In a start, the instant in ns and the number of ranks follow; each further
 * line of it is a rank and its random number.
 */
#define READY_MARK CUPEL_MARK " ready"
#define START_MARK CUPEL_MARK "s start"

double gathering_pause_seconds(const struct launcher *launcher)
{
    return PAUSE_SECONDS + PAUSE_RANK_SECONDS * launcher->size;
}

/* ---- files ---- */

void gathering_name_file(const struct gathering *g, const char *kind, int64_t rank,
                         char to[FILE_NAME])
{
    const char *job = g->launcher.job;
    int length = snprintf(to, FILE_NAME, "%s%s%s", kind, *job ? "-" : "", job);
    if (rank >= 0)
        snprintf(to + length, FILE_NAME - (size_t)length, "-%" PRId64, rank);
}

/* Returns true if the file was not written by a rank. Such a file is not touched. */
static bool is_foreign(const char *path)
{
    const size_t length = strlen(CUPEL_MARK);
    char head[sizeof CUPEL_MARK] = "";
    struct stat st;
    if (lstat(path, &st))
        return false;
    if (!S_ISREG(st.st_mode))
        return true;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = fd < 0 ? 0 : read(fd, head, length);
    if (fd >= 0)
        close(fd);
    /* A crash leaves an empty file if a rank's file was not flushed, so an empty file is not
       foreign. */
    return st.st_size > 0 && (got != (ssize_t)length || strcmp(head, CUPEL_MARK) != 0);
}

int gathering_put_file(const struct gathering *g, const char *name, const char *data, size_t length,
                       struct err *e)
{
    char path[PATH_MAX], draft[PATH_MAX];
    if (!file_path(path, "%s/%s", g->folder, name) ||
        !file_path(draft, "%s/.%s-%016" PRIx64, g->folder, name, g->nonce))
        return err_set(e, ERR_TARGET, "%.200s: the folder's name is too long", g->folder);
    if (is_foreign(path))
        return err_set(e, ERR_USAGE,
                       "--start-together: %.300s is no file of a common start, and is left as it "
                       "is: give the ranks a folder of their own",
                       path);
    int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_set(e, ERR_TARGET, "cannot make %.300s: %s", draft, strerror(errno));
    int status = write_all(fd, data, length, draft, e);
    if (close(fd) && !status)
        status = err_set(e, ERR_TARGET, "cannot write %.300s: %s", draft, strerror(errno));
    if (!status && rename(draft, path))
        status = err_set(e, ERR_TARGET, "cannot make %.300s: %s", path, strerror(errno));
    if (status)
        unlink(draft);
    return status;
}

void gathering_remove_file(const struct gathering *g, const char *kind, int64_t rank)
{
    char name[FILE_NAME], path[PATH_MAX];
    gathering_name_file(g, kind, rank, name);
    if (file_path(path, "%s/%s", g->folder, name) && !is_foreign(path))
        unlink(path);
}

char *gathering_read_text(const struct gathering *g, const char *kind, int64_t rank, size_t max)
{
    char name[FILE_NAME], path[PATH_MAX], *text = NULL;
    gathering_name_file(g, kind, rank, name);
    struct stat st;
    /* Opening a pipe of that name would wait. */
    if (!file_path(path, "%s/%s", g->folder, name) || lstat(path, &st) || !S_ISREG(st.st_mode) ||
        file_read_all(path, max, &text, NULL, NULL))
        return NULL;
    return text;
}

bool gathering_numbers_after(const char *text, const char *mark, uint64_t numbers[], size_t count)
{
    const char *at = text + strlen(mark);
    return !strncmp(text, mark, strlen(mark)) && number_scan_whole(&at, numbers, count) == count;
}

/* ---- this rank's file, and those of other ranks ---- */

struct ready {
    uint64_t nonce, size, waited_ns;
};

static bool read_ready(const struct gathering *g, uint32_t rank, struct ready *ready)
{
    uint64_t numbers[3];
    char *text = gathering_read_text(g, "ready", rank, FILE_BYTES);
    bool is_whole = text && gathering_numbers_after(text, READY_MARK, numbers, 3);
    free(text);
    if (is_whole)
        *ready = (struct ready){.nonce = numbers[0], .size = numbers[1], .waited_ns = numbers[2]};
    return is_whole;
}

static int write_ready(struct gathering *g, struct err *e)
{
    const uint32_t rank = g->launcher.rank;
    char name[FILE_NAME], text[FILE_BYTES];
    struct ready found;
    if (g->written && read_ready(g, rank, &found) && found.nonce != g->nonce)
        return err_set(e, ERR_USAGE,
                       "%.200s: another process is rank %u there, too: give each run its own "
                       "folder, or its own CUPEL_JOB",
                       g->folder, rank);
    gathering_name_file(g, "ready", rank, name);
    int length =
        snprintf(text, sizeof text, READY_MARK " %" PRIu64 " %u %" PRIu64 "\n%s\n", g->nonce,
                 g->launcher.size, clock_raw_ns() - g->opened_ns, g->launcher.host);
    if (gathering_put_file(g, name, text, (size_t)length, e))
        return -1;
    g->written = true;
    return 0;
}

static int look_at(struct gathering *g, uint32_t rank, struct err *e)
{
    struct other *o = &g->others[rank];
    struct ready now = {0};
    uint64_t instant = clock_raw_ns();
    if (!read_ready(g, rank, &now))
        return 0;
    bool changes = o->seen_ns && (now.nonce != o->nonce || now.waited_ns != o->waited_ns);
    if (changes && now.size != g->launcher.size)
        return err_set(e, ERR_USAGE,
                       "%.200s: rank %u there is one of %" PRIu64
                       ", this one is rank %u of %u: give "
                       "each run its own folder, or its own CUPEL_JOB",
                       g->folder, rank, now.size, g->launcher.rank, g->launcher.size);
    if (!o->seen_ns)
        o->seen_ns = instant;
    if (changes)
        o->changed_ns = instant;
    o->nonce = now.nonce;
    o->waited_ns = now.waited_ns;
    return 0;
}

static bool is_alive(const struct gathering *g, uint32_t rank)
{
    const struct other *o = &g->others[rank];
    return rank == g->launcher.rank ||
           (o->changed_ns && clock_raw_ns() - o->changed_ns < g->alive_ns);
}

/* Returns true if the rank is alive, or if its file is too new to be recognised as an old one. */
static bool may_be_alive(const struct gathering *g, uint32_t rank)
{
    const struct other *o = &g->others[rank];
    return is_alive(g, rank) || (o->seen_ns && clock_raw_ns() - o->seen_ns < g->alive_ns);
}

/* ---- the start ---- */

static size_t start_bytes(const struct gathering *g)
{
    const size_t line = 40;
    return FILE_BYTES + line * g->launcher.size;
}

static double ahead_seconds(const struct gathering *g)
{
    return AHEAD_SECONDS + AHEAD_PAUSES * gathering_pause_seconds(&g->launcher);
}

static int publish(struct gathering *g, struct err *e)
{
    char name[FILE_NAME];
    struct text text = {0};
    int64_t instant = start_instant_now() + (int64_t)(ahead_seconds(g) * 1e9);
    text_addf(&text, START_MARK " %" PRId64 " %u\n", instant, g->launcher.size);
    for (uint32_t rank = 0; rank < g->launcher.size; rank++)
        if (is_alive(g, rank))
            text_addf(&text, "%u %" PRIu64 "\n", rank,
                      rank == g->launcher.rank ? g->nonce : g->others[rank].nonce);
    gathering_name_file(g, "start", -1, name);
    int status = text.failed ? err_no_memory(e, "the ranks of a start")
                             : gathering_put_file(g, name, text.data, text.length, e);
    text_free(&text);
    g->has_published = !status;
    g->published_instant = instant;
    return status;
}

/* Reads the ranks of a start into `others`. Returns true if this process is among them. */
static bool read_list(struct gathering *g, const char *lines)
{
    bool has_this = false;
    uint64_t pair[2];
    for (uint32_t rank = 0; rank < g->launcher.size; rank++)
        g->others[rank].listed = false;
    for (const char *line = strchr(lines, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        const char *at = line + 1;
        if (number_scan_whole(&at, pair, 2) < 2 || pair[0] >= g->launcher.size)
            continue;
        g->others[pair[0]].listed = true;
        g->others[pair[0]].listed_nonce = pair[1];
        has_this |= pair[0] == g->launcher.rank && pair[1] == g->nonce;
    }
    return has_this;
}

static void read_start(struct gathering *g, struct gathering_state *state)
{
    char *text = gathering_read_text(g, "start", -1, start_bytes(g));
    uint64_t numbers[2];
    int64_t now = start_instant_now();
    if (text && gathering_numbers_after(text, START_MARK, numbers, 2) && numbers[0] <= INT64_MAX &&
        numbers[1] == g->launcher.size) {
        int64_t instant = (int64_t)numbers[0];
        bool has_this = read_list(g, text);
        bool is_far = (double)(instant - now) > (ahead_seconds(g) + CLOCKS_DIFFER_SECONDS) * 1e9;
        bool is_ours = has_this || (instant > g->process_began_ns && !is_far) ||
                       (g->launcher.job[0] && now - instant < JOB_NS && !is_far);
        state->instant_ns = is_ours ? instant : 0;
        state->agreed = (has_this && !is_far) || (is_ours && !has_this && instant > now);
        state->late = is_ours && !state->agreed;
    }
    free(text);
}

/* ---- the gathering as a whole ---- */

/* Called if this rank is the lowest one alive: publishes the start if it has seen enough ranks. */
static int lead(struct gathering *g, struct gathering_state *state, struct err *e)
{
    uint64_t waited_ns = clock_raw_ns() - g->opened_ns;
    uint32_t unclear = 0;
    state->ready = 0;
    for (uint32_t rank = 0; rank < g->launcher.size; rank++) {
        if (rank > g->launcher.rank && look_at(g, rank, e))
            return -1;
        if (is_alive(g, rank)) {
            state->ready++;
            if (g->others[rank].waited_ns > waited_ns)
                waited_ns = g->others[rank].waited_ns;
        } else {
            unclear += may_be_alive(g, rank);
        }
    }
    bool all = state->ready == g->launcher.size;
    bool timed_out = (double)waited_ns > g->timeout_seconds * 1e9 && !unclear;
    if (!all && !timed_out)
        return 0;
    if (publish(g, e))
        return -1;
    read_start(g, state);
    return 0;
}

int gathering_look(struct gathering *g, struct gathering_state *state, struct err *e)
{
    *state = (struct gathering_state){.ready = 1};
    if (write_ready(g, e))
        return -1;
    read_start(g, state);
    if (state->agreed || state->late)
        return 0;
    for (uint32_t rank = 0; rank < g->launcher.rank; rank++) {
        if (look_at(g, rank, e))
            return -1;
        if (is_alive(g, rank)) {
            /* at least two ranks are ready, because the lower rank is there as well */
            state->ready = 2;
            return 0;
        }
    }
    return lead(g, state, e);
}

int gathering_check(const char *folder, struct err *e)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return err_set(e, ERR_USAGE, "--start-together: cannot make the folder %.300s: %s", folder,
                       strerror(errno));
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS)) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return err_set(e, ERR_USAGE, "--start-together %.300s: no files can be made there: %s",
                       folder, strerror(why));
    }
    close(fd);
    return 0;
}

int gathering_open(struct gathering **gathering, const struct gathering_request *request,
                   struct err *e)
{
    struct gathering *g = calloc(1, sizeof *g);
    struct other *others = calloc(request->launcher->size, sizeof *others);
    if (!g || !others) {
        free(others);
        free(g);
        return err_no_memory(e, "%u ranks", request->launcher->size);
    }
    snprintf(g->folder, sizeof g->folder, "%s", request->folder);
    g->launcher = *request->launcher;
    g->timeout_seconds = request->timeout_seconds;
    g->process_began_ns = request->process_began_ns;
    g->others = others;
    g->opened_ns = clock_raw_ns();
    g->alive_ns = (uint64_t)(1e9 * (ALIVE_SECONDS +
                                    ALIVE_PAUSES * gathering_pause_seconds(request->launcher)));
    if (getrandom(&g->nonce, sizeof g->nonce, 0) != (ssize_t)sizeof g->nonce)
        g->nonce = clock_raw_ns() ^ (uint64_t)getpid() << 32;
    *gathering = g;
    return 0;
}

char *gathering_missing(const struct gathering *g, char *to, size_t size)
{
    const uint32_t count = g->launcher.size;
    size_t used = 0;
    to[0] = '\0';
    for (uint32_t first = 0, end; first < count; first = end) {
        end = first + 1;
        if (g->others[first].listed)
            continue;
        while (end < count && !g->others[end].listed)
            end++;
        char range[32];
        snprintf(range, sizeof range, end - first > 1 ? "%s%u-%u" : "%s%u", used ? ", " : "", first,
                 end - 1);
        if (used + strlen(range) + sizeof " ..." >= size) {
            snprintf(to + used, size - used, " ...");
            break;
        }
        used += (size_t)snprintf(to + used, size - used, "%s", range);
    }
    return to;
}

void gathering_close(struct gathering *g, bool begins)
{
    if (!g)
        return;
    /* Removes a start that no rank follows any more, so that the next run does not find it. */
    if (!begins && g->has_published && g->published_instant > start_instant_now())
        gathering_remove_file(g, "start", -1);
    if (g->written)
        gathering_remove_file(g, "ready", g->launcher.rank);
    free(g->others);
    free(g);
}
