/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the appliance that do not need a machine: parsing commands, choosing disks, the kernel's
   messages, and keeping a report without harming an earlier one. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appliance/console/internal.h"
#include "appliance/menu/init.h"
#include "appliance/menu/internal.h"
#include "appliance/process/milliseconds.h"
#include "base/file/file.h"

/* ---- disks ---- */

static void check_choice(const char *words, const char *expected, const char *not_there)
{
    struct menu_disk disks[] = {{.name = "nvme0n1", .serial = "S6E"},
                                {.name = "sda", .serial = ""},
                                {.name = "sdb", .serial = "STICK", .skipped = true},
                                {.name = "sdc", .serial = "sda"}};
    struct text missing = {0};
    char marks[5] = "";
    size_t chosen = init_choose_disks(disks, 4, words, &missing), marked = 0;
    for (size_t i = 0; i < 4; i++) {
        marks[i] = disks[i].chosen ? 'x' : '.';
        marked += disks[i].chosen;
    }
    CHECK_STR(marks, expected);
    CHECK_INT(chosen, marked);
    CHECK_STR(missing.data ? missing.data : "", not_there);
    text_free(&missing);
}

static void test_choice(void)
{
    check_choice("", "xx.x", "");
    check_choice("nvme0n1", "x...", "");
    check_choice("S6E /dev/sdc", "x..x", "");
    /* a name with the serial number of another disk */
    check_choice("sda", ".x.x", "");
    check_choice("sdb STICK", "....", "sdb STICK"); /* the stick is never measured */
    check_choice("nvme1n1, S6E", "x...", "nvme1n1");
}

/* ---- the kernel's messages ---- */

static void test_kernel_log(void)
{
    static const char *const records[] = {
        "6,339,5140900,-;NET: Registered PF_INET protocol\n",
        "30,340,5690716,-;udevd[80]: starting\n SUBSYSTEM=x\n DEVICE=+x:y\n",
        "4,341,123456789012,c;a;b",
        "nonsense",
        "6;nonsense",
        ""};
    struct text out = {0};
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        kernel_log_add(&out, records[i], strlen(records[i]));
    CHECK_STR(out.data, "[    5.140900] NET: Registered PF_INET protocol\n"
                        "[    5.690716] udevd[80]: starting\n"
                        "[123456.789012] a;b\n");
    text_free(&out);
    kernel_log_read("/does/not/exist", &out);
    CHECK_STR(out.data, "cannot read /does/not/exist: No such file or directory\n");
    text_free(&out);
}

/* ---- keeping a report folder ---- */

static char top[] = "/tmp/cupel-keep-XXXXXX";

static char *below(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static void put(const char *name, const char *text)
{
    int fd = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK_INT(write(fd, text, strlen(text)), (long long)strlen(text));
    close(fd);
}

static void check_file(const char *name, const char *expected)
{
    char *text = NULL;
    CHECK_INT(file_read_all(below(name), 1 << 20, &text, NULL, NULL), 0);
    CHECK_STR(text, expected);
    free(text);
}

static bool is_there(const char *name)
{
    return access(below(name), F_OK) == 0;
}

static int note_file(void *context, const char *path, const char *name, struct err *e)
{
    char *names = context;
    CHECK(strstr(path, name) != NULL);
    strcat(strcat(names, name), " ");
    return strcmp(name, "sda-read/summary.csv") ? 0 : err_set(e, ERR_TARGET, "enough");
}

static void test_keep(void)
{
    struct err e;
    char names[200] = "";
    mkdir(below("report"), 0755);
    mkdir(below("report/nvme0n1-read"), 0755);
    mkdir(below("report/empty"), 0755);
    mkdir(below("stick"), 0755);
    put("report/qualification.txt", "PASS\n");
    put("report/nvme0n1-read/record.cupel", "record");
    put("stick/cupel.cfg", "# mine\n");
    mkdir(below("stick/monday.part"), 0755); /* power failed while it was written */
    put("stick/monday.part/half", "ha");
    mkdir(below("stick/2026-11-19-ABC.part"), 0755);
    put("stick/2026-11-19-ABC.part/half", "ha");
    mkdir(below("stick/2026-11-19-ABC"), 0755);
    mkdir(below("stick/my.part"), 0755);
    put("stick/2026-11-19-note.part", "a file is no report");
    remove_unfinished_folders(below("stick"));
    CHECK(!is_there("stick/2026-11-19-ABC.part"));
    CHECK(is_there("stick/2026-11-19-ABC") && is_there("stick/my.part"));
    CHECK(is_there("stick/2026-11-19-note.part"));

    CHECK_INT(keep_folder(below("report"), below("stick"), "monday", &e), 0);
    check_file("stick/monday/qualification.txt", "PASS\n");
    check_file("stick/monday/nvme0n1-read/record.cupel", "record");
    CHECK(is_there("stick/monday/empty"));
    CHECK(!is_there("stick/monday/half"));
    CHECK(!is_there("stick/monday.part"));
    check_file("stick/cupel.cfg", "# mine\n");

    /* Existing reports are never overwritten. */
    put("report/qualification.txt", "FAIL\n");
    CHECK_INT(keep_folder(below("report"), below("stick"), "monday", &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "exists already") != NULL);
    check_file("stick/monday/qualification.txt", "PASS\n");

    CHECK_INT(each_file(below("report"), note_file, names, &e), 0);
    CHECK_STR(names, "nvme0n1-read/record.cupel qualification.txt ");
    mkdir(below("report/sda-read"), 0755);
    put("report/sda-read/summary.csv", "");
    put("report/zzz", "");
    names[0] = '\0';
    CHECK_INT(each_file(below("report"), note_file, names, &e), -1);
    CHECK_STR(e.msg, "enough");
    CHECK_STR(names, "nvme0n1-read/record.cupel qualification.txt sda-read/summary.csv ");
}

/* No space, no permission, no folder: an error, no incomplete report, and earlier ones are intact.
 */
static void test_keep_fails(void)
{
    struct err e;
    CHECK_INT(keep_folder(below("report"), below("no-stick"), "tuesday", &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_INT(keep_folder(below("no-report"), below("stick"), "tuesday", &e), -1);
    CHECK(!is_there("stick/tuesday.part"));
    if (symlink("/dev/full", below("report/link")) == 0) { /* links are left out */
        CHECK_INT(keep_folder(below("report"), below("stick"), "tuesday", &e), 0);
        CHECK(!is_there("stick/tuesday/link"));
        unlink(below("report/link"));
    }
    check_file("stick/monday/qualification.txt", "PASS\n");
    char *name = calloc(1, 5000);
    memset(name, 'n', 4999);
    CHECK_INT(keep_folder(below("report"), below("stick"), name, &e), -1);
    free(name);
    remove_folder(below("never-there"));
    CHECK(is_there("stick"));
}

/* ---- problems and configuration ---- */

/* A problem that fails the machine is on its page, however many warnings come first. */
static void test_problems(void)
{
    static struct appliance a;
    int out = memfd_create("screen", MFD_CLOEXEC), in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK_INT(console_open_on(&a.console, in, out, NULL), 0);
    for (int i = 0; i < INIT_PROBLEMS + 1; i++)
        init_problem(&a, false, "warning %d", i);
    init_problem(&a, true, "it fails");
    CHECK_INT(a.problem_count, INIT_PROBLEMS);
    CHECK_INT(a.problems_left, 2);
    CHECK(!a.left_fails);
    CHECK_STR(a.problems[INIT_PROBLEMS - 1].text, "it fails");
    CHECK(a.problems[INIT_PROBLEMS - 1].fails);
    for (int i = 0; i < INIT_PROBLEMS; i++)
        init_problem(&a, true, "failure %d", i);
    CHECK_STR(a.problems[0].text, "failure 14");
    CHECK(a.left_fails);
    console_close(a.console);
    close(in);
    close(out);
}

static void set_command(struct appliance *a, const char *text, bool of_stick)
{
    snprintf(a->config.command, sizeof a->config.command, "%s", text);
    a->command_of_stick = of_stick;
    init_read_commands(a);
}

static void check_not_begun(struct appliance *a, const char *why)
{
    struct text statuses = {0};
    init_run_commands(a, &statuses);
    CHECK(statuses.data && strstr(statuses.data, " was not begun: ") != NULL);
    if (!statuses.data || !strstr(statuses.data, why))
        CHECK_STR(statuses.data ? statuses.data : "", why);
    text_free(&statuses);
}

static struct appliance *begin_appliance(int *out, int ends[2])
{
    static struct appliance a;
    a = (struct appliance){0};
    *out = memfd_create("screen", MFD_CLOEXEC);
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    CHECK_INT(console_open_on(&a.console, ends[0], *out, NULL), 0);
    boot_config_init(&a.config);
    return &a;
}

static void end_appliance(struct appliance *a, int out, const int ends[2])
{
    console_close(a->console);
    close(ends[0]);
    close(ends[1]);
    close(out);
}

/* After a mistake in the configuration no command begins by itself, nor after somebody stopped it.
 */
static void test_commands_refused(void)
{
    enum menu_end end = MENU_GO_ON;
    int out, ends[2];
    struct appliance *a = begin_appliance(&out, ends);
    CHECK_INT(write(ends[1], "xyz", 3), 3);
    CHECK(!init_countdown(a, &end));
    CHECK_INT(end, MENU_GO_ON);
    CHECK_INT(a->idle_seconds, 300);
    a->console->held_key = CONSOLE_RESTART;
    CHECK(!init_countdown(a, &end));
    CHECK_INT(end, MENU_REBOOT);
    set_command(a, "run /dev/sda --\"destroy\" --rw write", false);
    CHECK(!init_countdown(a, &end));
    CHECK_INT(a->idle_seconds, 0);
    check_not_begun(a, "--destroy is not taken from a configuration");
    set_command(a, "probe", false);
    a->mistaken = true;
    CHECK(!init_countdown(a, &end));
    CHECK_INT(a->idle_seconds, 0);
    check_not_begun(a, "there is a mistake in the configuration");
    end_appliance(a, out, ends);
}

/* Before a disk is destroyed there is a countdown with a page, however short it was set. The
   command must come from the stick that the machine was started from, and the disk must be there.
   */
static void test_destroying(void)
{
    static const char command[] = "run /dev/sda --rw write --destroy-serial NO-SUCH-SERIAL";
    static char screen[20000];
    enum menu_end end = MENU_GO_ON;
    int out, ends[2];
    struct appliance *a = begin_appliance(&out, ends);
    a->config.countdown = 0;
    a->config.data_wait_seconds = 0;
    a->config.stick = BOOT_STICK_OWN;
    set_command(a, command, true);
    CHECK_STR(a->command_refused, "");
    double begin = boot_seconds();
    a->console->held_key = 'x'; /* stops it, even with a countdown of 0 */
    CHECK(!init_countdown(a, &end));
    CHECK_INT(a->idle_seconds, 0);
    CHECK(boot_seconds() - begin < 10);
    ssize_t length = pread(out, screen, sizeof screen - 1, 0);
    screen[length > 0 ? length : 0] = '\0';
    CHECK(strstr(screen, "THIS DESTROYS ALL DATA ON A DISK") != NULL);
    CHECK(strstr(screen, "NO-SUCH-SERIAL") != NULL);
    CHECK(strstr(screen, "ANY KEY STOPS IT") != NULL);
    CHECK(strstr(screen, "cupel.cfg on the stick") != NULL);
    CHECK(strstr(screen, "DESTROYING ALL DATA on the disk above begins in 10 s") != NULL);
    check_not_begun(a, "no disk of this machine has the serial number NO-SUCH-SERIAL");

    /* A command that comes after the countdown, as from a late stick, has a countdown of its own.
     */
    CHECK(init_needs_countdown(a));
    snprintf(a->counted_down, sizeof a->counted_down, "%s", a->config.command);
    CHECK(!init_needs_countdown(a));
    check_not_begun(a, "no disk of this machine");
    CHECK(init_needs_countdown(a)); /* once only */
    a->idle_seconds = 300;
    init_menu_prepare(a);
    CHECK_INT(a->menu.idle_seconds, 0);
    set_command(a, "probe", true);
    CHECK(!init_needs_countdown(a));
    a->idle_seconds = 300;
    init_menu_prepare(a);
    CHECK_INT(a->menu.idle_seconds, 300);

    a->data.several = true;
    set_command(a, command, true);
    check_not_begun(a, "several sticks of this image");
    set_command(a, "probe", true); /* a command that writes nothing may come from any stick */
    CHECK_STR(a->command_refused, "");
    set_command(a, command, false);
    CHECK_STR(a->command_refused, "");
    a->data.several = false;
    for (int stick = BOOT_STICK_REPORTS; stick <= BOOT_STICK_ANY; stick++) {
        a->config.stick = stick;
        set_command(a, command, true);
        CHECK_INT(a->command_refused[0] == '\0', stick == BOOT_STICK_OWN);
        set_command(a, command, false);
        CHECK_STR(a->command_refused, "");
    }
    end_appliance(a, out, ends);
}

/* Expectations are read into memory as soon as the stick is there; an unreadable file is reported,
   and a missing one means that there are none. */
static void test_stick(void)
{
    static struct appliance a;
    int out = memfd_create("screen", MFD_CLOEXEC), in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK_INT(console_open_on(&a.console, in, out, NULL), 0);
    init_read_first_config(&a);
    CHECK_INT(a.config.stick, BOOT_STICK_REPORTS); /* the machine was not started from a stick */
    snprintf(a.data.folder, sizeof a.data.folder, "%s", below("stick"));
    put("stick/cupel.cfg", "countdown = 3\ncommand = probe\n");
    put("stick/expect.txt", "[disk]\ncount = 1\n");
    init_read_config_of_stick(&a);
    CHECK_INT(a.config.countdown, 10);
    CHECK(!a.config.command[0] && !a.expectation.text);
    unlink(below("stick/expect.txt"));
    a.config.stick = a.first_config.stick = BOOT_STICK_OWN;
    init_read_config_of_stick(&a);
    CHECK_STR(a.config.command, "probe");
    CHECK(a.command_of_stick);
    /* with another stick nothing of the first one is left */
    put("stick/cupel.cfg", "limit = 5s\n");
    init_read_config_of_stick(&a);
    CHECK_INT(a.config.countdown, 10);
    CHECK(!a.config.command[0] && !a.command_of_stick);
    put("stick/cupel.cfg", "countdown = 3\n");
    init_read_config_of_stick(&a);
    CHECK_INT(a.config.countdown, 3);
    CHECK(!a.mistaken && !a.expectation.text && !a.expectation.error[0]);
    put("stick/expect.txt", "[disk]\ncount = 1\n");
    put("stick/cupel.cfg", "start = Menu\n");
    init_read_config_of_stick(&a);
    CHECK(a.mistaken);
    a.mistaken = false;
    /* a stick cannot decide whether its configuration counts */
    put("stick/cupel.cfg", "stick = any\n");
    init_read_config_of_stick(&a);
    CHECK(a.mistaken);
    CHECK_INT(a.config.stick, BOOT_STICK_OWN);
    CHECK_STR(a.expectation.text, "[disk]\ncount = 1\n");
    unlink(below("stick/expect.txt"));
    mkdir(below("stick/expect.txt"), 0755); /* cannot be read, even by root */
    init_read_config_of_stick(&a);
    CHECK(!a.expectation.text && strstr(a.expectation.error, "expect.txt") != NULL);
    rmdir(below("stick/expect.txt"));
    console_close(a.console);
    close(in);
    close(out);
}

int main(void)
{
    CHECK(!init_is_initial_process("/init"));
    CHECK(!init_is_initial_process("cupel"));
    CHECK(!init_is_initial_process(NULL));
    test_choice();
    test_kernel_log();
    CHECK(mkdtemp(top) != NULL);
    test_keep();
    test_keep_fails();
    test_problems();
    test_commands_refused();
    test_destroying();
    test_stick();
    remove_folder(top);
    CHECK_INT(access(top, F_OK), -1);
    return check_result();
}
