/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The menu, driven by keys as typed: the content of each screen, its requests, and above all that a
 * write test is requested only after the serial number of that one disk.
 */
#include "check.h"

#include <sys/wait.h>

#include "menu_fixture.h"

static void test_first_screen_and_ends(void)
{
    struct machine m = two_disks_and_a_stick();
    struct shown s = play(&m, "9\r");
    CHECK_INT(s.end, MENU_POWER_OFF);
    CHECK(holds(&s, 0, "cupel "));
    CHECK(holds(&s, 0, "Dell Inc. PowerEdge R7625\r\n"));
    CHECK(holds(&s, 0, "last result: PASS: 2 devices"));
    CHECK(holds(&s, 0, "  1  qualify: look, measure, judge; nothing is written"));
    CHECK(holds(&s, 0, "[all 4 disks]"));
    CHECK(holds(&s, 0, "[normal]"));
    CHECK(holds(&s, 0, "  4  write test of one disk, which DESTROYS what is on it"));
    CHECK(holds(&s, 0, "  0  reboot"));
    CHECK_STR(s.log, "");
    free(s.text);
    s = play(&m, "xyz\033[A0\r");
    CHECK_INT(s.end, MENU_REBOOT);
    free(s.text);
    s = play(&m, "x");
    CHECK_INT(s.end, MENU_END_OF_INPUT);
    free(s.text);
    CHECK_INT(m.order_count, 0);
    CHECK_INT(m.keeps, 0);
}

/* A serial port whose far end echoes everything, starting with "cupel 0.1.0": the loop ends. */
static void test_unconfirmed_ends(void)
{
    static const char *const keys[] = {"9x", "0.9\033", "9\rcupel 0\r----", "0\r0\r0\r."};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct machine m = two_disks_and_a_stick();
        struct shown s = play(&m, keys[i]);
        CHECK_INT(s.end, MENU_END_OF_INPUT);
        CHECK(holds(&s, 0, "Enter: yes; any other key: no."));
        free(s.text);
    }
}

/* A menu opened by noise on the line ends by itself, also from a page below it; but not after work.
 */
static void test_left_alone(void)
{
    static const struct {
        const char *keys;
        enum menu_end end;
    } cases[] = {{"", MENU_LEFT_ALONE}, {"7", MENU_LEFT_ALONE}, {"1 9\r", MENU_POWER_OFF}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = two_disks_and_a_stick();
        struct menu menu = {.idle_seconds = 1, .idle_words = "the qualification begins"};
        int ends[2];
        CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
        type(ends[1], cases[i].keys);
        struct shown s = run_with(&m, &menu, ends[0]);
        CHECK_INT(s.end, cases[i].end);
        CHECK(holds(&s, 0,
                    "After 1 minutes without a key the qualification begins by itself.\r\nKey: "));
        free(s.text);
        close(ends[0]);
        close(ends[1]);
    }
}

static void test_qualify(void)
{
    struct machine m = two_disks_and_a_stick();
    struct shown s = play(&m, "331 8 9\r");
    CHECK_INT(s.end, MENU_POWER_OFF);
    CHECK(holds(&s, 1, "[strict]"));
    CHECK(holds(&s, 2, "[quick]"));
    CHECK(holds(&s, 3, "the qualification speaks"));
    CHECK(holds(&s, 4, "Press a key for the menu."));
    CHECK_INT(m.order_count, 1);
    CHECK_INT(m.orders[0].name_count, 0);
    CHECK_STR(m.orders[0].preset, "quick");
    CHECK_STR(m.orders[0].destroy, "");
    CHECK_INT(m.keeps, 1);
    CHECK(holds(&s, 4, "the verdict"));
    CHECK(holds(&s, 4, "d: all details."));
    /* The drawn screen is not part of the log; the output of the work is. */
    CHECK_STR(s.log, "the qualification speaks\nreport: kept\n");
    free(s.text);
}

/* From the verdict to all details, and back. */
static void test_details(void)
{
    struct machine m = two_disks_and_a_stick();
    m.text_lines = 30;
    struct shown s = play(&m, "1dq 9\r");
    CHECK(holds(&s, 2, "the verdict"));
    CHECK(holds(&s, 3, "-- Results, lines 1 to 22 of 30"));
    CHECK(holds(&s, 4, "the verdict"));
    CHECK(holds(&s, 5, "Key: "));
    CHECK_INT(s.end, MENU_POWER_OFF);
    free(s.text);
    s = play(&m, "1d"); /* the input ends in the pager */
    CHECK_INT(s.end, MENU_END_OF_INPUT);
    free(s.text);
}

static void test_choose_disks(void)
{
    struct machine m = two_disks_and_a_stick();
    struct shown s = play(&m, "22\r\r1 9\r");
    CHECK(holds(&s, 1, "  1 [x] nvme0n1      SAMSUNG MZWLR7T6HBLA     S6EUNA0R500123"));
    CHECK(holds(&s, 1, "    stick sdb"));
    CHECK(holds(&s, 2, "  2 [ ] sda"));
    CHECK(holds(&s, 3, "[3 of 4 disks]"));
    CHECK_STR(m.orders[0].names, "nvme0n1 vda sdc");
    CHECK_STR(m.orders[0].destroy, "");
    free(s.text);

    m = two_disks_and_a_stick();
    s = play(&m, "2n\r2\r\r1 2a\r\r1 9\r"); /* only the second disk, then all */
    CHECK_STR(m.orders[0].names, "sda");
    CHECK_INT(m.orders[1].name_count, 0);
    free(s.text);

    m = two_disks_and_a_stick();
    /* the stick cannot be chosen, and the others do not exist */
    s = play(&m, "2n,1 3 77 x\r\r1 9\r");
    CHECK_STR(m.orders[0].names, "nvme0n1");
    free(s.text);

    m = two_disks_and_a_stick();
    s = play(&m, "2n\r\r1 9\r"); /* none is not all */
    CHECK(holds(&s, 3, "[0 of 4 disks]"));
    CHECK(holds(&s, 4, "No disk is chosen."));
    CHECK_INT(m.order_count, 0);
    free(s.text);
}

static void test_many_disks(void)
{
    struct machine m = {.disk_count = 40};
    for (size_t i = 0; i < m.disk_count; i++) {
        snprintf(m.disks[i].name, sizeof m.disks[i].name, "nvme%zun1", i);
        snprintf(m.disks[i].serial, sizeof m.disks[i].serial, "SERIAL%zu", i);
    }
    struct shown s = play(&m, "2+\r+\r+\r-\r40\r\r4+\r+\r40\rSERIAL39\r 9\r");
    CHECK(holds(&s, 1, "1 to 16 of 40 disks"));
    CHECK(holds(&s, 2, " 17 [x] nvme16n1"));
    CHECK(holds(&s, 3, "33 to 40 of 40 disks"));
    CHECK(holds(&s, 4, "33 to 40 of 40 disks"));
    CHECK(holds(&s, 5, "17 to 32 of 40 disks"));
    CHECK(holds(&s, 7, "[39 of 40 disks]"));
    CHECK_INT(m.order_count, 1);
    CHECK_STR(m.orders[0].names, "nvme39n1");
    CHECK_STR(m.orders[0].destroy, "SERIAL39");
    free(s.text);
}

static void test_write_test(void)
{
    struct machine m = two_disks_and_a_stick();
    struct shown s = play(&m, "34"
                              "1\r"
                              "S6EUNA0R500123\r"
                              " 9\r");
    CHECK(holds(&s, 2, "everything on the disk will be lost"));
    CHECK(holds(&s, 2, "        1 nvme0n1"));
    CHECK(holds(&s, 2, "    stick sdb"));
    CHECK(holds(&s, 2, "no serial vda"));
    CHECK(holds(&s, 2, "   in use sdc"));
    CHECK(holds(&s, 3, "ALL DATA ON THIS DISK WILL BE DESTROYED"));
    CHECK(holds(&s, 3, "model           SAMSUNG MZWLR7T6HBLA"));
    CHECK(holds(&s, 3, "serial number   S6EUNA0R500123"));
    CHECK(holds(&s, 3, "size            6.99 TiB"));
    CHECK_INT(m.order_count, 1);
    CHECK_STR(m.orders[0].names, "nvme0n1");
    CHECK_INT(m.orders[0].name_count, 1);
    CHECK_STR(m.orders[0].destroy, "S6EUNA0R500123");
    CHECK_STR(m.orders[0].preset, "strict");
    free(s.text);
}

/* Only exactly that serial number begins a write test. */
static void test_wrong_serial(void)
{
    static const char *const keys[] = {
        "41\rS6EUNA0R500124\r 9\r",  /* one letter differs */
        "41\rS6EUNA0R50012\r 9\r",   /* one is missing */
        "41\rS6EUNA0R5001233\r 9\r", /* one too many */
        "41\rs6euna0r500123\r 9\r",  /* lower case */
        "41\r S6EUNA0R500123\r 9\r", /* with a blank before and after it */
        "41\rS6EUNA0R500123 \r 9\r", /* */
        "41\rZA1\r 9\r",             /* the serial number of another disk */
        "41\rnvme0n1\r 9\r",         /* its name */
        "41\r1\r 9\r",               /* its number */
        "41\ry\r 9\r",
        "41\r\r9\r",                  /* nothing */
        "41\rS6EUNA0R500123\033x9\r", /* it, but escape */
        "41\rS6EUNA0R500123\0039\r",  /* it, but Ctrl-C */
        "43\r\r9\r",                  /* the stick */
        "43\r4C53\r\r9\r",            /* the stick, whose serial number is not accepted */
        "44\r\r\r9\r",                /* a disk without a serial number */
        "45\rR1\r\r9\r",              /* a disk in use */
        "46\r0\r-1\rx\r\r9\r",        /* no such disk */
        "4\0339\r",                   /* back at once */
        "41\rS6EUNA0R500123",         /* input ends before Enter */
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct machine m = two_disks_and_a_stick();
        struct shown s = play(&m, keys[i]);
        if (!check_that(m.order_count == 0, __FILE__, __LINE__, "no write test"))
            fprintf(stderr, "    keys %zu\n", i);
        free(s.text);
    }
    struct machine m = two_disks_and_a_stick();
    struct shown s = play(&m, "41\rZA1\r 9\r");
    CHECK(holds(&s, 2, "That is not this disk's serial number. Nothing was written."));
    CHECK_INT(s.end, MENU_POWER_OFF);
    free(s.text);
}

static void test_pager(void)
{
    struct machine m = {.text_lines = 50};
    struct shown s = play(&m, "5\033[6~\033[6~\033[A\033[5~q6 b\rq9\r");
    CHECK(holds(&s, 1, "One moment"));
    CHECK(holds(&s, 2, "machine line 1\r\n"));
    CHECK(holds(&s, 2, "machine line 22\r\n"));
    CHECK(holds(&s, 2, "-- The machine, lines 1 to 22 of 50"));
    CHECK(holds(&s, 3, "lines 23 to 44 of 50"));
    CHECK(holds(&s, 4, "lines 29 to 50 of 50"));
    CHECK(holds(&s, 5, "lines 28 to 49 of 50"));
    CHECK(holds(&s, 6, "lines 6 to 27 of 50"));
    CHECK(holds(&s, 9, "result line 1\r\n"));
    CHECK(holds(&s, 10, "lines 23 to 44 of 50"));
    CHECK(holds(&s, 11, "lines 1 to 22 of 50"));
    CHECK_INT(s.end, MENU_POWER_OFF);
    free(s.text);
    m.text_lines = 0;
    s = play(&m, "6q9\r");
    CHECK(holds(&s, 2, "There is nothing to show."));
    free(s.text);
}

static void test_log(void)
{
    struct machine m = {.text_lines = 30};
    struct shown s = play(&m, "7kkq9\r");
    CHECK(holds(&s, 1, "log line 30"));
    CHECK(holds(&s, 1, "lines 9 to 30 of 30"));
    CHECK(holds(&s, 1, "k: the kernel's messages"));
    CHECK(holds(&s, 2, "kernel line 30"));
    CHECK(holds(&s, 2, "k: the log"));
    CHECK(holds(&s, 3, "log line 30"));
    CHECK_INT(s.end, MENU_POWER_OFF);
    free(s.text);
}

/* Lines longer than the screen continue below, and none is lost. */
static void test_long_lines(void)
{
    struct machine m = {0};
    struct text text = {0};
    struct err e;
    int ends[2], out = memfd_create("screen", MFD_CLOEXEC);
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    CHECK_INT(console_open_on(&m.console, ends[0], out, &e), 0);
    struct menu menu = {.console = m.console};
    text_addf(&text, "%0200d\nshort\n%080d\nlast", 1, 2);
    type(ends[1], "q");
    CHECK_INT(menu_pager(&menu, "long", &text, false, CONSOLE_NONE, ""), 'q');
    console_close(m.console);
    struct shown s = {.text = read_back(out)};
    split_screens(&s);
    CHECK(holds(&s, 0, "\r\n0000000000000000000000000000000000000001\r\nshort\r\n"));
    CHECK(holds(&s, 0, "2\r\nlast\r\n"));
    CHECK(holds(&s, 0, "lines 1 to 6 of 6"));
    text_free(&text);
    free(s.text);
    close(ends[0]);
    close(ends[1]);
    close(out);
}

/* A disk that appears while nobody types is shown, and chosen disks stay chosen. */
static void test_disk_comes(void)
{
    struct machine m = two_disks_and_a_stick();
    struct menu menu = {0};
    int ends[2];
    m.disk_count = 2;
    m.disks_later = 3;
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    type(ends[1], "21\r\r");
    pid_t typist = fork();
    if (typist == 0) {
        close(ends[0]);
        usleep(1600000);
        ssize_t written = write(ends[1], "9\r", 2);
        _exit(written == 2 ? 0 : 1);
    }
    close(ends[1]);
    struct shown s = run_with(&m, &menu, ends[0]);
    close(ends[0]);
    waitpid(typist, NULL, 0);
    CHECK_INT(s.end, MENU_POWER_OFF);
    CHECK(m.looks > 0);
    CHECK(holds(&s, 3, "[1 of 2 disks]"));
    CHECK(holds(&s, 4, "[3 of 4 disks]"));
    CHECK(!menu.disks[0].chosen);
    CHECK(!menu.disks[2].chosen);
    CHECK(menu.disks[3].chosen);
    free(s.text);
}

int main(void)
{
    test_first_screen_and_ends();
    test_unconfirmed_ends();
    test_left_alone();
    test_qualify();
    test_details();
    test_choose_disks();
    test_many_disks();
    test_write_test();
    test_wrong_serial();
    test_pager();
    test_log();
    test_long_lines();
    test_disk_comes();
    return check_result();
}
