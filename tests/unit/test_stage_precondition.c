/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preconditioning, on a file in place of a drive: every sector has the stamp of the last pass; data
 * that the journal calls flushed is not written again; above its temperature limit the drive is
 * given time to cool.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/accept/accept_journal.h"
#include "machine/accept/internal.h"

enum { SIZE = 6 * 1024 * 1024 + 512 };

static char folder[] = "/var/tmp/cupel-precondition-XXXXXX", state[64], file[64], warmth[64];
static struct accept_request request = {.passes = 2, .stages = "precondition"};
static unsigned looks;

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

/* Called about five times a second: after the second call the drive has cooled down. */
static void show(void *context, const struct session_progress *now)
{
    (void)context;
    if (strstr(now->stage, "cooler") && ++looks == 2)
        write_text(warmth, "41000\n");
}

static const struct session_observer observer = {.progress = show};

/* Returns how many sectors of the file from `begin` to `end` have the stamp of that pass. */
static uint64_t stamped(const struct accept_disk *d, uint64_t begin, uint64_t end, uint32_t pass)
{
    const struct stamp_run run = accept_disk_stamp(d, pass);
    unsigned char sector[512];
    uint64_t good = 0;
    for (uint64_t at = begin; at < end; at += sizeof sector) {
        CHECK_INT(pread(d->target.fd, sector, sizeof sector, (off_t)at), sizeof sector);
        good += stamp_check(&run, sector, at / sizeof sector, NULL) == STAMP_GOOD;
    }
    return good;
}

static struct accept_disk new_disk(struct accept_journal *journal)
{
    struct accept_disk d = {.request = &request,
                            .journal = journal,
                            .name = "drive",
                            .serial = "S-1",
                            .size = SIZE,
                            .logical_block = 512,
                            .salt = 7,
                            .rate = 1e8,
                            .celsius_max = NAN,
                            .target = TARGET_NONE,
                            .observer = &observer};
    snprintf(d.path, sizeof d.path, "%s", file);
    d.target.fd = open(file, O_RDWR | O_CREAT, 0600);
    CHECK(d.target.fd >= 0 && !ftruncate(d.target.fd, SIZE));
    return d;
}

static bool runs_here(const struct err *e)
{
    if (e->code == ERR_MACHINE)
        printf("skipped: %s\n", e->msg);
    return e->code != ERR_MACHINE;
}

static bool whole_and_taken_up(void)
{
    struct accept_journal *j;
    struct err e = {0};
    CHECK_INT(accept_journal_open(&j, state, false, &e), 0);
    struct accept_disk d = new_disk(j);
    int status = stage_precondition.run(&d, &e);
    if (!runs_here(&e))
        return false;
    CHECK_INT(status, 0);
    CHECK_INT((long long)stamped(&d, 0, SIZE, 2), SIZE / 512);
    CHECK_INT(accept_journal_reload(j, &e), 0);
    const struct accept_line *last = accept_journal_last(j, 0, "written");
    CHECK_INT((long long)accept_line_count(last, "generation"), 2);
    CHECK_INT((long long)accept_line_count(last, "flushed"), SIZE);
    /* All of it was done before, so nothing is written. */
    CHECK_INT(ftruncate(d.target.fd, 0) || ftruncate(d.target.fd, SIZE), 0);
    CHECK_INT(stage_precondition.run(&d, &e), 0);
    CHECK_INT((long long)stamped(&d, 0, SIZE, 2), 0);
    /* Cut off in the third of three passes: only the rest of that pass is written. */
    request.passes = 3;
    CHECK_INT(accept_journal_add(j, 0, &e, "written", "generation=3 flushed=%d seconds=1", 1 << 20),
              0);
    CHECK_INT(accept_journal_reload(j, &e), 0);
    CHECK_INT(stage_precondition.run(&d, &e), 0);
    CHECK_INT((long long)stamped(&d, 0, 1 << 20, 3), 0);
    CHECK_INT((long long)stamped(&d, 1 << 20, SIZE, 3), (SIZE - (1 << 20)) / 512);
    request.passes = 2;
    close(d.target.fd);
    accept_journal_close(j);
    return true;
}

static void too_hot(void)
{
    struct accept_journal *j;
    struct err e = {0};
    char words[240];
    CHECK_INT(accept_journal_open(&j, state, true, &e), 0);
    struct accept_disk d = new_disk(j);
    d.number = 1; /* another drive in the same journal */
    d.celsius_max = 70;
    snprintf(d.thermometer, sizeof d.thermometer, "%s", warmth);
    request.passes = 100; /* long enough for a first check */
    write_text(warmth, "90000\n");
    CHECK_INT(stage_precondition.run(&d, &e), 0);
    CHECK(looks >= 2);
    CHECK_INT(accept_journal_reload(j, &e), 0);
    const struct accept_line *hot = accept_journal_last(j, 1, "hot");
    CHECK(accept_line_text(hot, "stage", words, sizeof words));
    CHECK_STR(words, "precondition");
    CHECK(accept_line_number(hot, "celsius") == 90);
    CHECK(accept_line_number(hot, "limit") == 70);
    CHECK_INT((long long)stamped(&d, 0, SIZE, 100), SIZE / 512);
    close(d.target.fd);
    accept_journal_close(j);
}

int main(void)
{
    char path[96];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(state, sizeof state, "%s/state", folder);
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(warmth, sizeof warmth, "%s/warmth", folder);
    bool ran = whole_and_taken_up();
    if (ran)
        too_hot();
    snprintf(path, sizeof path, "%s/" ACCEPT_JOURNAL_FILE, state);
    unlink(path);
    rmdir(state);
    unlink(file);
    unlink(warmth);
    rmdir(folder);
    return ran ? check_result() : CHECK_SKIPPED;
}
