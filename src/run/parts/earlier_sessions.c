/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the session's place in the history of its disk: which sessions it repeats, and what the
 * session before it predicted. The history is read before anything is measured; `cupel run` adds
 * the session once it is judged.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/units.h"
#include "io/target/guard.h"
#include "io/target/target_identity.h"
#include "run/history/history.h"
#include "run/session/running.h"

struct place {
    /* key of the history; "": there is no disk that a later session could measure again */
    char key[HISTORY_KEY];
    /* value of HISTORY_KEPT: HISTORY_ASKED, or the reason why the session is not kept; "": not
       requested */
    char kept[160];
    /* value of HISTORY_LENGTH: the lengthened minimum, or the reason why it was not lengthened; "":
       lengthening was not needed */
    char shortest[160];
    struct history_before before;
};

/* ---- the disk ---- */

/* Adds the identity of the block device of this number, or the number alone. */
static void add_device(struct text *to, dev_t device)
{
    char path[PATH_MAX], identity[TARGET_IDENTITY_BYTES] = "";
    snprintf(path, sizeof path, "/dev/block/%u:%u", major(device), minor(device));
    const int look = open(path, O_PATH | O_CLOEXEC);
    const bool known = look >= 0 && target_identity(look, identity);
    if (look >= 0)
        close(look);
    text_addf(to, "%s", identity);
    /* such as a virtual disk without a serial number, which is identified by its device number */
    if (!known)
        text_addf(to, " %u:%u", major(device), minor(device));
}

/* Adds the disk below a file: the file and its filesystem may be created anew. A filesystem without
   a device is identified by its number. */
static void add_filesystem(struct text *to, const struct target *t)
{
    struct statfs fs;
    uint64_t id = 0;
    if (t->device) {
        add_device(to, t->device);
        return;
    }
    if (!fstatfs(t->kind == TARGET_FOLDER ? t->parent_fd : t->fd, &fs))
        memcpy(&id, &fs.f_fsid, sizeof id);
    text_addf(to, "filesystem %llx", (unsigned long long)id);
}

/* Adds what identifies the target. Scratch files are identified by their filesystem alone, since
   each one may be in another part of it. */
static void add_identity(struct text *to, const struct target *t)
{
    char path[PATH_MAX];
    if (t->kind == TARGET_BLOCK_DEVICE || t->kind == TARGET_GENERIC) {
        add_device(to, t->device);
        return;
    }
    add_filesystem(to, t);
    if (t->kind == TARGET_FILE)
        text_addf(to, " file %s", realpath(t->path, path) ? path : t->path);
}

/* ---- the folder of the history ---- */

/* Refuses a folder on the measured target: nothing is written there, not even a line in a file. */
static int check_folder(const struct target *t, const char *folder, struct err *e)
{
    const bool is_device = t->kind == TARGET_BLOCK_DEVICE || t->kind == TARGET_GENERIC;
    const bool claimed = t->exclusive_fd >= 0 || (t->kind == TARGET_BLOCK_DEVICE &&
                                                  (fcntl(t->fd, F_GETFL) & O_ACCMODE) != O_RDONLY);
    struct stat st = {0};
    if (is_device)
        st = (struct stat){.st_mode = S_IFBLK, .st_rdev = t->device};
    else if (t->kind != TARGET_FILE || fstat(t->fd, &st))
        return 0;
    if (!guard_holds_folder(&st, claimed, folder))
        return 0;
    return err_set(e, ERR_UNSAFE, "%.100s lies on what is measured%s", folder,
                   is_device ? ", or that cannot be seen" : "");
}

/* ---- the part ---- */

/*
 * Lengthens the minimum length of the session if earlier sessions differed by more than the
 * requested precision, because a few seconds show only one state of a disk that has several. The
 * new minimum is at most PREDICTION_LENGTHS_MAX times the length of the last session, because a
 * longer session would be no repetition of it.
 */
static void lengthen(struct place *own, struct plan *p, const struct history *h)
{
    const struct between_sessions b = between_sessions_of(h);
    const double seconds =
        between_sessions_seconds(&b, p->statistics.target_width / 2, p->statistics.confidence);
    char words[UNITS_BUFFER];
    if (!plan_has_precision(p) || p->repeat.sessions > 1 || !(seconds > p->ending.minimum_seconds))
        return;
    if (seconds > p->ending.limit_seconds) {
        snprintf(own->shortest, sizeof own->shortest,
                 "as asked: what %zu sessions before differed by evens out in %s, past the limit",
                 b.pairs + 1, format_time(words, sizeof words, seconds * 1e9));
        return;
    }
    const double longest = PREDICTION_LENGTHS_MAX * h->sessions[h->count - 1].seconds;
    p->ending.minimum_seconds = fmax(fmin(seconds, longest), p->ending.minimum_seconds);
    snprintf(own->shortest, sizeof own->shortest, "%s, for what %zu sessions before differed by",
             format_time(words, sizeof words, p->ending.minimum_seconds * 1e9), b.pairs + 1);
}

static int read_before(struct place *own, const struct target *t, struct plan *p, struct err *e)
{
    char folder[PATH_MAX];
    struct history h;
    if (history_folder(folder, e) || check_folder(t, folder, e) ||
        history_load(&h, folder, own->key, e))
        return -1;
    history_before_write(&h, &own->before);
    lengthen(own, p, &h);
    history_free(&h);
    return 0;
}

static int find_place(struct session *s, struct err *e)
{
    const struct target *t = &s->target;
    struct place *own = s->own[SESSION_PART_HISTORY];
    struct text identity = {0};
    struct err why = {0};
    (void)e; /* an error is ignored, because a session is measured without its history, too */
    if (!s->ops->needs_target || s->meeting)
        return 0;
    add_identity(&identity, t);
    if (identity.failed || !history_key(own->key, identity.data, &s->contents.plan))
        own->key[0] = '\0';
    text_free(&identity);
    if (!s->contents.plan.history || !own->key[0])
        return 0;
    if (read_before(own, t, &s->contents.plan, &why))
        snprintf(own->kept, sizeof own->kept, "no: %.150s", why.msg);
    else
        snprintf(own->kept, sizeof own->kept, HISTORY_ASKED);
    return 0;
}

static void add_facts(struct session *s)
{
    const struct place *own = s->own[SESSION_PART_HISTORY];
    const struct {
        const char *key, *value;
    } facts[] = {{HISTORY_IS, own->key},
                 {HISTORY_KEPT, own->kept},
                 {HISTORY_BEFORE, own->before.session},
                 {HISTORY_COUNT, own->before.count},
                 {HISTORY_DIFFER, own->before.differences},
                 {HISTORY_LENGTH, own->shortest}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].value[0])
            session_setting(s, HISTORY_NODE, facts[i].key, "%s", facts[i].value);
}

const struct session_part part_history = {
    .bytes = sizeof(struct place), .prepare[AT_TARGET] = find_place, .on[ON_START] = add_facts};
