/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The nvme-uring backend without an NVMe device: its refusals, what `auto` chooses then, and a
 * session's report of statuses. tests/guest/guest_nvme_uring.c tests it with devices.
 */
#include "backend_checks.h"

#include "io/nvme/device_failures.h"
#include "io/nvme/internal.h"
#include "run/session/running.h"
#include <sched.h>

static struct clock clock_of_test;
static _Alignas(4096) unsigned char buffers[32 * BLOCK];

/* Returns a namespace as passthrough sees it, whose generic device is `fd`. */
static struct nvme_namespace namespace_on(int fd)
{
    return (struct nvme_namespace){.is_nvme = true,
                                   .usable = true,
                                   .generic_fd = fd,
                                   .block_fd = fd,
                                   .generic_path = "/dev/ng7n1",
                                   .nsid = 1,
                                   .blocks = FILE_BLOCKS * BLOCK / 512,
                                   .block_size = 512,
                                   .transfer_max = BLOCK};
}

static struct io_setup setup_on(int fd, const struct nvme_namespace *nvme, unsigned iodepth)
{
    return (struct io_setup){.clock = &clock_of_test,
                             .fd = fd,
                             .direct = true,
                             .iodepth = iodepth,
                             .buffers = buffers,
                             .buffer_stride = BLOCK,
                             .nvme = nvme};
}

static void refused(const struct io_setup *setup, enum err_code code, const char *words)
{
    struct io_backend b = {0};
    struct err e = {0};
    CHECK_INT(io_nvme_uring.open(&b, setup, &e), -1);
    CHECK_INT(e.code, code);
    CHECK(b.state == NULL);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void check_refusals(int fd)
{
    struct nvme_namespace n = namespace_on(fd);
    struct io_setup setup = setup_on(fd, NULL, 4);
    refused(&setup, ERR_USAGE, "whole NVMe namespace");
    setup.nvme = &n;
    n.is_nvme = false;
    refused(&setup, ERR_USAGE, "whole NVMe namespace");
    n = namespace_on(fd);
    n.usable = false;
    snprintf(n.why_not, sizeof n.why_not, "passthrough is not permitted");
    refused(&setup, ERR_MACHINE, "not permitted");
    n = namespace_on(-1);
    refused(&setup, ERR_MACHINE, "generic device");
    n = namespace_on(fd);
    setup.iopoll = IO_ON;
    refused(&setup, ERR_MACHINE, "no poll queues");
    setup.iopoll = IO_AUTO;
    /* A file accepts no commands, and a kernel without io_uring offers none. */
    refused(&setup, ERR_MACHINE, "");
}

/* A backend that does not work is never chosen, and the reason is reported. */
static void check_choice(int fd, bool uring_works)
{
    static const struct {
        unsigned iodepth;
        bool is_nvme, usable, direct;
        const char *words; /* what is said of nvme-uring; NULL: it is not mentioned */
    } cases[] = {
        {1, true, false, true, "not permitted"},
        {32, true, false, true, "not permitted"},
        {1, true, true, true, "no path to the namespace, or the kernel did not take the command"},
        {32, true, true, true, "no path to the namespace, or the kernel did not take the command"},
        {1, true, true, false, NULL},
        {32, true, true, false, NULL},
        {1, false, false, true, NULL},
        {32, false, false, true, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nvme_namespace n = namespace_on(fd);
        struct io_setup setup = setup_on(fd, &n, cases[i].iodepth);
        char why[400] = "";
        n.is_nvme = cases[i].is_nvme;
        n.usable = cases[i].usable;
        snprintf(n.why_not, sizeof n.why_not, "passthrough is not permitted");
        setup.direct = cases[i].direct;
        const struct io_ops *ops = io_choose(&setup, why, sizeof why);
        if (cases[i].iodepth > 1 && !uring_works)
            continue;
        CHECK(ops == (cases[i].iodepth > 1 ? &io_uring : &io_sync));
        const char *spoken = strstr(why, "; nvme-uring: ");
        CHECK((spoken != NULL) == (cases[i].words != NULL));
        if (cases[i].words && uring_works && !strstr(why, cases[i].words))
            CHECK_STR(why, cases[i].words);
    }
    CHECK(io_nvme.bypasses_block_layer && io_nvme_uring.bypasses_block_layer);
    CHECK(!io_uring.bypasses_block_layer && !io_null.bypasses_block_layer);
    CHECK(io_backend_by_name("nvme-uring") == &io_nvme_uring);
}

static void check_releases(void)
{
    static const struct {
        const char *release;
        bool may_poll;
    } cases[] = {
        {"6.1.0-56-amd64", false},
        {"5.19.17", false},
        {"6.6.96", false},
        {"6.7.12", false},
        {"6.8.0-59-generic", true},
        {"6.12.107+deb13-amd64", true},
        {"7.0.1", true},
        {"", false},
        {"next", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(nvme_uring_may_poll(cases[i].release), cases[i].may_poll);
}

/* A session's notes on statuses, and that of the failure. */
static void check_statuses(void)
{
    static struct session s;
    static struct worker workers[2];
    char words[120];
    s.group = (struct group){.workers = workers, .count = 2};
    session_note_statuses(&s);
    CHECK_INT(s.contents.note_count, 0);
    for (int i = 0; i < 3; i++)
        io_statuses_add(&workers[0].backend.statuses, 0x281);
    io_statuses_add(&workers[1].backend.statuses, 0x281);
    io_statuses_add(&workers[1].backend.statuses, 0x371);
    io_statuses_add(&workers[1].backend.statuses, 0x4080);
    session_note_statuses(&s);
    CHECK_INT(s.contents.note_count, 2);
    const struct result_note *notes = s.contents.notes;
    CHECK(notes[0].warning && notes[1].warning);
    CHECK_STR(notes[0].text, "the device failed 6 NVMe commands: 4 media errors, 1 aborted "
                             "commands, 1 refused commands; retries: none are made; 5 of 6 may "
                             "succeed when tried again");
    CHECK(strstr(notes[1].text, "4 x Unrecovered Read Error") != NULL);
    CHECK(strstr(notes[1].text, "1 x LBA Out of Range") != NULL);

    /* For programs: each status by name, in the order of occurrence. */
    const struct facts *settings = &s.contents.settings;
    CHECK_INT(settings->count, 3);
    CHECK_STR(facts_find(settings, "errors", "Unrecovered Read Error"), "4");
    CHECK_STR(facts_find(settings, "errors", "Command Aborted By Host"), "1");
    CHECK_STR(facts_find(settings, "errors", "LBA Out of Range"), "1");
    CHECK_STR(settings->rows[0].unit, "commands");
    CHECK_STR(settings->rows[0].source, "NVMe status 2h/81h, media and data integrity");
    CHECK_STR(settings->rows[2].source, "NVMe status 0h/80h, generic, do not retry");

    workers[0].failure.error = ENODATA;
    CHECK(strstr(session_failure_status(&workers[0], words, sizeof words),
                 " (NVMe: Unrecovered Read Error") != NULL);
    workers[0].failure.error = ENODEV; /* an error of the kernel, and not a status of the device */
    CHECK_STR(session_failure_status(&workers[0], words, sizeof words), "");
    workers[0].ops = &io_nvme_uring;
    CHECK_STR(session_failure_status(&workers[0], words, sizeof words), "");
    workers[0].failure.error = EINVAL;
    CHECK_STR(session_failure_status(&workers[0], words, sizeof words),
              " (no path to the namespace, or the kernel did not take the command)");
    workers[0].ops = &io_uring;
    CHECK_STR(session_failure_status(&workers[0], words, sizeof words), "");
    workers[0].failure.error = ENODEV;
    memset(&workers[0].backend, 0, sizeof workers[0].backend);
    CHECK_STR(session_failure_status(&workers[0], words, sizeof words), "");
}

static void check_told_flush(struct io_flush first, struct io_flush second, const char *value,
                             size_t notes)
{
    static struct session s;
    static struct worker workers[2];
    memset(&s, 0, sizeof s);
    s.group = (struct group){.workers = workers, .count = 2};
    workers[0].backend.flush = first;
    workers[1].backend.flush = second;
    session_note_statuses(&s);
    const char *told = facts_find(&s.contents.settings, "namespace", "written data");
    CHECK_STR(told ? told : "", value);
    CHECK_INT(s.contents.note_count, notes);
}

/* "Flushed" is reported only if it was; a failed flush is not forgotten. */
static void check_flushes(void)
{
    const struct io_flush none = {0}, done = {.needed = true},
                          failed = {.needed = true, .error = EIO};
    char words[100];
    snprintf(words, sizeof words, "the flush after the last write failed: %s", strerror(EIO));
    check_told_flush(none, none, "", 0);
    check_told_flush(none, done, "flushed after the last write", 0);
    check_told_flush(done, failed, words, 1);
    check_told_flush(failed, done, words, 1);
}

/* The requested number of commands, or a refusal: never fewer in flight than the report says. */
static void check_commands(int fd)
{
    struct nvme_namespace n = namespace_on(fd);
    struct err e = {0};
    n.transfer_max = 128 << 10;
    CHECK_INT(nvme_uring_commands(&n, 64, 4096, &e), 64);
    CHECK_INT(nvme_uring_commands(&n, 64, 8 << 20, &e), 64 * 64);
    CHECK_INT(nvme_uring_commands(&n, 4096, 1 << 20, &e), 32768);
    CHECK_INT(nvme_uring_commands(&n, 4096, (1 << 20) + 4096, &e), 0);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK(strstr(e.msg, "iodepth 4096 with 9 commands for each request") != NULL);
    n.transfer_max = BLOCK;
    n.blocks = 1 << 30;
    struct io_setup setup = setup_on(fd, &n, IO_DEPTH_MAX);
    setup.buffer_stride = 16 * BLOCK; /* refused before a buffer is touched */
    refused(&setup, ERR_MACHINE, "lower --iodepth or --bs");
}

int main(void)
{
    bool direct;
    clock_calibrate(&clock_of_test, 10, false);
    int fd = open_test_file(&direct);
    if (fd < 0)
        return CHECK_SKIPPED;
    struct io_setup setup = setup_on(fd, NULL, 32);
    struct io_backend b = {0};
    struct err e = {0};
    bool uring_works = !io_uring.open(&b, &setup, &e);
    if (uring_works)
        io_uring.close(&b);
    else
        check_part_skipped(e.msg);
    check_refusals(fd);
    check_choice(fd, uring_works);
    check_releases();
    check_statuses();
    check_flushes();
    check_commands(fd);
    close(fd);
    return check_result();
}
