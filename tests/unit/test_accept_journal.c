/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of an acceptance: cut off at every byte, damaged at every byte, on a full disk. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "machine/accept/accept.h"
#include "machine/accept/accept_journal.h"

static char folder[] = "/tmp/cupel-journal-XXXXXX", made[64], path[96];

static void write_file(const char *data, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, data, length) == (ssize_t)length);
    close(fd);
}

static size_t lines_of(const struct accept_journal *j)
{
    size_t count = 0;
    while (accept_journal_line(j, count))
        count++;
    return count;
}

static void add_and_read(void)
{
    struct accept_journal *j, *second;
    struct err e;
    char quoted[ACCEPT_QUOTED], text[240];
    const char odd[] = "a b=c %41\n\t\"\xc3\xa9";
    CHECK_INT(accept_journal_open(&j, made, false, &e), 0);
    CHECK_INT(accept_journal_open(&second, made, false, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_INT(accept_journal_open(&second, made, true, &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);
    for (unsigned i = 0; i < 20; i++)
        CHECK_INT(accept_journal_add(j, i % 3, &e, "written", "at=%u words=%s half=%.2f", i,
                                     accept_journal_quote(quoted, odd), i / 2.0),
                  0);
    CHECK(!accept_journal_last(j, 0, "written")); /* not visible before the journal is read again */
    CHECK_INT(accept_journal_reload(j, &e), 0);
    CHECK_INT((long long)lines_of(j), 21);
    const struct accept_line *line = accept_journal_last(j, 1, "written");
    CHECK_INT((long long)accept_line_count(line, "at"), 19);
    CHECK_NEAR(accept_line_number(line, "half"), 9.5, 1e-12);
    CHECK(accept_line_text(line, "words", text, sizeof text));
    CHECK_STR(text, odd);
    /* the beginning of a key does not match */
    CHECK(!accept_line_text(line, "word", text, sizeof text));
    CHECK(isnan(accept_line_number(line, "words")));
    CHECK(!accept_journal_last(j, 3, "written"));
    CHECK(accept_is_in(made));
    accept_journal_close(j);
}

/* A power loss in the middle of a line: earlier complete lines are kept, and more can be added. */
static void cut_off_everywhere(void)
{
    char *data;
    size_t length;
    struct err e;
    CHECK_INT(file_read_all(path, 1 << 20, &data, &length, &e), 0);
    size_t first = strcspn(data, "\n") + 1, whole = 0;
    for (size_t cut = 0; cut <= length; cut++) {
        struct accept_journal *j;
        whole += cut && data[cut - 1] == '\n';
        write_file(data, cut);
        int status = accept_journal_open(&j, made, true, &e);
        CHECK_INT(status, cut < first ? -1 : 0);
        if (status) {
            CHECK_INT(e.code, ERR_USAGE);
            continue;
        }
        CHECK_INT((long long)lines_of(j), (long long)whole);
        CHECK_INT(accept_journal_add(j, 7, &e, "more", "x=1"), 0);
        CHECK_INT(accept_journal_reload(j, &e), 0);
        CHECK_INT((long long)lines_of(j), (long long)whole + 1);
        accept_journal_close(j);
    }
    write_file(data, length);
    free(data);
}

/* After a power loss a file may have its length but zeros in its last bytes. */
static void zeros_at_the_end(void)
{
    char *data;
    size_t length;
    struct err e;
    struct accept_journal *j;
    CHECK_INT(file_read_all(path, 1 << 20, &data, &length, &e), 0);
    char *longer = calloc(length + 5000, 1);
    memcpy(longer, data, length - 10);
    write_file(longer, length + 5000);
    CHECK_INT(accept_journal_open(&j, made, true, &e), 0);
    CHECK_INT((long long)lines_of(j), 20);
    accept_journal_close(j);
    write_file(data, length);
    free(longer);
    free(data);
}

/* One flipped bit: in the last line it drops the line, in an earlier one the journal is refused. */
static void damaged_everywhere(void)
{
    char *data;
    size_t length;
    struct err e;
    CHECK_INT(file_read_all(path, 1 << 20, &data, &length, &e), 0);
    size_t last = length - 1;
    while (data[last - 1] != '\n')
        last--;
    for (size_t at = 0; at < length; at++) {
        struct accept_journal *j;
        data[at] ^= 0x10;
        write_file(data, length);
        data[at] ^= 0x10;
        int status = accept_journal_load(&j, made, &e);
        /* A damaged line break before the last line joins two lines into one incomplete line. */
        CHECK_INT(status, at >= last - 1 ? 0 : -1);
        if (status) {
            CHECK_INT(e.code, ERR_USAGE);
            CHECK(strstr(e.msg, "damaged"));
            continue;
        }
        CHECK_INT((long long)lines_of(j), at >= last ? 20 : 19);
        accept_journal_close(j);
    }
    write_file(data, length);
    free(data);
}

static void full_disk(void)
{
    struct accept_journal *j;
    struct err e;
    struct stat st;
    struct rlimit before, small;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(accept_journal_open(&j, made, true, &e), 0);
    CHECK_INT(stat(path, &st), 0);
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)st.st_size + 20; /* room for a part of the line only */
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    CHECK_INT(accept_journal_add(j, 0, &e, "written", "flushed=%d", 123456789), -1);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_INT(accept_journal_reload(j, &e), 0);
    CHECK_INT((long long)lines_of(j), 21);
    /* Later lines are refused even if they would fit, because the journal ends where the first was
       lost. */
    CHECK_INT(accept_journal_add(j, 0, &e, "end", "status=failed"), -1);
    CHECK_INT(e.code, ERR_TARGET);
    accept_journal_close(j);
    CHECK_INT(accept_journal_open(&j, made, true, &e), 0);
    CHECK_INT((long long)lines_of(j), 21);
    CHECK_INT(accept_journal_add(j, 0, &e, "written", "flushed=%d", 123456789), 0);
    CHECK_INT(accept_journal_reload(j, &e), 0);
    CHECK_INT((long long)lines_of(j), 22);
    accept_journal_close(j);
}

enum { DISKS = 6, LINES = 60 };

static struct accept_journal *views[DISKS];
static unsigned failures;

/* Adds and reads lines, as the stages of a disk do while other disks' stages run. */
static void *work_on_disk(void *number)
{
    const unsigned disk = *(const unsigned *)number;
    struct accept_journal *j = views[disk];
    struct err e;
    for (unsigned i = 0; i < LINES; i++) {
        unsigned bad = accept_journal_add(j, disk, &e, "step", "at=%u", i) != 0;
        bad += i % 7 == 6 && accept_journal_reload(j, &e);
        const struct accept_line *last = accept_journal_last(j, disk, "step");
        bad += i % 7 == 6 && accept_line_count(last, "at") != i;
        __atomic_fetch_add(&failures, bad, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void many_disks(void)
{
    struct accept_journal *j;
    struct err e;
    pthread_t threads[DISKS];
    unsigned numbers[DISKS];
    CHECK_INT(accept_journal_open(&j, made, true, &e), 0);
    const size_t before = lines_of(j);
    for (unsigned i = 0; i < DISKS; i++) {
        numbers[i] = i;
        CHECK_INT(accept_journal_view(&views[i], j, i, &e), 0);
        CHECK_INT((long long)lines_of(views[i]), i == 0 ? 9 : i == 1 ? 7 : i == 2 ? 6 : 0);
    }
    for (unsigned i = 0; i < DISKS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, work_on_disk, &numbers[i]), 0);
    for (unsigned i = 0; i < DISKS; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(failures, 0);
    for (unsigned i = 0; i < DISKS; i++) {
        CHECK_INT(accept_journal_reload(views[i], &e), 0);
        CHECK(!accept_journal_last(views[i], (i + 1) % DISKS, "step"));
        accept_journal_close(views[i]);
    }
    CHECK_INT(accept_journal_reload(j, &e), 0);
    CHECK_INT((long long)lines_of(j), (long long)before + DISKS * LINES);
    accept_journal_close(j);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(made, sizeof made, "%s/made", folder);
    snprintf(path, sizeof path, "%s/" ACCEPT_JOURNAL_FILE, made);
    add_and_read();
    cut_off_everywhere();
    zeros_at_the_end();
    damaged_everywhere();
    full_disk();
    many_disks();
    unlink(path);
    rmdir(made);
    rmdir(folder);
    return check_result();
}
