/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines with checksums, in each form: the bytes, a cut at every place, every damaged byte, links,
   and a file that cannot grow. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable/line_journal.h"
#include "base/file/file.h"

enum { LINES = 5 };

static const char *const texts[LINES] = {"first", "a,b", "3", "4f1c09aa 0 x", "the last one"};

static const struct {
    struct line_form form;
    const char *first; /* the first line with its checksum */
} forms[] = {
    {{.separator = " ", .in_front = true}, "8a3ea150 first\n"},
    {{.separator = ",", .flushed = true}, "first,8a3ea150\n"},
    {{.separator = "", .chained = true}, "first8a3ea150\n"},
    {{.separator = "crc32c="}, "firstcrc32c=8a3ea150\n"},
};

static char path[] = "/tmp/cupel-lines-XXXXXX";

static struct line_journal make(const struct line_form *form)
{
    struct line_journal j = {.form = form, .fd = -1};
    struct err e;
    snprintf(j.path, sizeof j.path, "%s/lines", path);
    unlink(j.path);
    CHECK_INT(line_journal_open(&j, true), 0);
    for (int i = 0; i < LINES; i++)
        CHECK_INT(line_journal_add(&j, span_of(texts[i]), &e), 0);
    return j;
}

/* Returns the number of complete lines; *torn: the rest may come from an interruption. */
static int read_back(const struct line_form *form, const char *data, size_t length, bool *torn)
{
    struct line_reader r = {.form = form, .rest = {data, length}};
    struct span line;
    int count = 0;
    for (; line_next(&r, &line); count++)
        CHECK(count < LINES && span_is(line, texts[count]));
    CHECK_INT((long long)r.number, count + 1);
    *torn = line_rest_is_torn(&r);
    return count;
}

static void in_form(const struct line_form *form, const char *first)
{
    struct line_journal j = make(form);
    struct err e;
    char *data;
    size_t length;
    bool torn;
    CHECK_INT(file_read_all(j.path, 1 << 16, &data, &length, &e), 0);
    CHECK_INT((long long)length, (long long)j.end);
    CHECK(!strncmp(data, first, strlen(first)));
    int whole = 0;
    for (size_t cut = 0; cut <= length; cut++) {
        whole += cut && data[cut - 1] == '\n';
        CHECK_INT(read_back(form, data, cut, &torn), whole);
        CHECK(torn);
    }
    const size_t last = length - strlen(texts[LINES - 1]) - strlen(first) + strlen(texts[0]);
    for (size_t at = 0; at < length; at++) {
        data[at] ^= 0x10;
        int count = read_back(form, data, length, &torn);
        data[at] ^= 0x10;
        CHECK(count < LINES);
        /* Damage to the line end before the last line joins two lines into one incomplete line.
           With chained checksums a complete line is never taken for an incomplete one. */
        CHECK_INT(torn, form->chained ? at == length - 1 : at + 1 >= last);
        if (at >= last)
            CHECK_INT(count, LINES - 1);
    }
    /* After a cut, new lines are added after the complete ones. */
    j.end = (off_t)last;
    CHECK_INT(line_journal_cut(&j), 0);
    struct stat st;
    CHECK(!fstat(j.fd, &st) && st.st_size == (off_t)last);
    free(data);
    line_journal_close(&j);
    CHECK_INT(j.fd, -1);
}

static void full(void)
{
    struct line_journal j = make(&forms[1].form);
    struct rlimit before, small;
    struct err e = {0}, again = {0};
    const off_t end = j.end;
    struct stat st;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)end + 5; /* room for a part of the line only */
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    CHECK_INT(line_journal_add(&j, span_of("a longer line"), &e), -1);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_INT(j.error, EFBIG);
    CHECK(!fstat(j.fd, &st) && st.st_size == end);
    /* Even with room again, no line may follow a missing one. */
    CHECK_INT(line_journal_add(&j, span_of("x"), &again), -1);
    CHECK_STR(again.msg, e.msg);
    CHECK(!fstat(j.fd, &st) && st.st_size == end);
    line_journal_close(&j);
}

static void links(void)
{
    struct line_journal j = make(&forms[0].form), other = {.form = &forms[0].form, .fd = -1};
    char link[128];
    snprintf(other.path, sizeof other.path, "%s", j.path);
    CHECK_INT(line_journal_open(&other, true), -1);
    CHECK_INT(errno, EEXIST);
    line_journal_close(&other);
    snprintf(link, sizeof link, "%s/link", path);
    CHECK_INT(symlink(j.path, link), 0);
    snprintf(other.path, sizeof other.path, "%s", link);
    for (int is_new = 0; is_new < 2; is_new++) {
        CHECK_INT(line_journal_open(&other, is_new), -1);
        CHECK_INT(errno, is_new ? EEXIST : ELOOP);
        line_journal_close(&other);
    }
    unlink(link);
    unlink(j.path);
    line_journal_close(&j);
    /* Without a file nothing is kept. */
    CHECK_INT(line_journal_add(&other, span_of("x"), NULL), 0);
}

int main(void)
{
    CHECK(mkdtemp(path) != NULL);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        in_form(&forms[i].form, forms[i].first);
    full();
    links();
    rmdir(path);
    return check_result();
}
