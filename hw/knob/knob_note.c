/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records in a file of /run what is changed, and by which process, in case both the run and the
   process that restores the knobs are killed. */
#include "hw/knob/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text.h"

int knob_note_folder(const struct sysroot *root)
{
    char full[PATH_MAX];
    struct stat st;
    int fd = open(sysroot_path(root, full, sizeof full, KNOB_NOTES),
                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (!fstat(fd, &st) && (st.st_uid == geteuid() || !st.st_uid) &&
        !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* Adds the command line as one line, without characters that control a terminal. */
static void add_command(struct text *out)
{
    char words[1024] = "";
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, words, sizeof words - 1);
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < got; i++)
        if ((unsigned char)words[i] < ' ' || words[i] == 0x7f)
            words[i] = ' ';
    text_addf(out, "command %s\n", words);
}

static uint64_t start_of_process(void)
{
    char line[1024];
    const char *end =
        file_first_line("/proc/self/stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    for (int field = 0; end && field < 20; field++) /* starttime is the 20th field after the name */
        end = strchr(end + 1, ' ');
    return end ? strtoull(end, NULL, 10) : 0;
}

static void describe(const struct knobs *k, struct text *out)
{
    char boot[64];
    file_first_line(KNOB_BOOT_ID_FILE, boot, sizeof boot);
    text_addf(out, KNOB_NOTE_HEAD "\nboot %s\nprocess %ld %" PRIu64 "\n", boot, (long)getpid(),
              start_of_process());
    add_command(out);
    for (size_t i = 0; i < k->change_count; i++)
        text_addf(out, "change %d\t%s\t%s\t%s\n", k->changes[i].with_other, k->changes[i].path,
                  k->changes[i].before, k->changes[i].after);
    for (size_t i = 0; i < k->dependent_count; i++)
        text_addf(out, "dependent %zu\t%s\t%s\n", k->dependents[i].change, k->dependents[i].path,
                  k->dependents[i].value);
    text_add(out, "end\n");
}

void knob_note_write(struct knobs *k)
{
    char folder[PATH_MAX], name[64];
    uint64_t id;
    struct text out = {0};
    struct err ignored;
    sysroot_path(&k->root, folder, sizeof folder, KNOB_NOTES);
    if (mkdir(folder, 0755) && errno != EEXIST)
        return;
    int at = knob_note_folder(&k->root);
    if (at < 0 || getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id) {
        if (at >= 0)
            close(at);
        return;
    }
    snprintf(name, sizeof name, "." KNOB_NOTE_PREFIX "%ld-%016" PRIx64, (long)getpid(), id);
    int fd = openat(at, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    describe(k, &out);
    /* The file is complete and locked before it gets its name. The lock lasts as long as the run or
       the process that restores its knobs. */
    bool kept = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB) && !out.failed &&
                !write_all(fd, out.data, out.length, name, &ignored) && !fsync(fd) &&
                !renameat(at, name, at, name + 1) && !fsync(at);
    text_free(&out);
    if (kept) {
        k->note = fd;
        k->note_folder = at;
        snprintf(k->note_name, sizeof k->note_name, "%s", name + 1);
        return;
    }
    if (fd >= 0) {
        unlinkat(at, name, 0);
        unlinkat(at, name + 1, 0);
        close(fd);
    }
    close(at);
}

void knob_note_remove(const struct knobs *k)
{
    if (k->note_name[0])
        unlinkat(k->note_folder, k->note_name, 0);
}

void knob_note_close(struct knobs *k)
{
    if (!k->note_name[0])
        return;
    close(k->note);
    close(k->note_folder);
    k->note_name[0] = '\0';
}
