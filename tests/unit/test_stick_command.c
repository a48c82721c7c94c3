/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that begin by themselves: how they are split into words, and which of them may not
   begin. */
#include "check.h"

#include "appliance/menu/internal.h"
#include <stdlib.h>
#include <unistd.h>

static struct stick_commands all;

/* ---- words ---- */

/* Returns all commands of `line`: words joined by '|', commands by '/'. "!" at the end stands for
   -1. */
static const char *taken_apart(const char *line)
{
    static char shown[1024];
    char room[1024], *to = room, *words[STICK_WORDS + 1];
    int count;
    shown[0] = '\0';
    while ((count = command_words(&line, &to, words, STICK_WORDS)) > 0) {
        CHECK(words[count] == NULL);
        for (int i = 0; i < count; i++) {
            strcat(shown, words[i]);
            strcat(shown, i + 1 < count ? "|" : "/");
        }
    }
    return strcat(shown, count < 0 ? "!" : "");
}

static void test_words(void)
{
    CHECK_STR(taken_apart(""), "");
    CHECK_STR(taken_apart(" ; ;"), "");
    CHECK_STR(taken_apart("probe"), "probe/");
    CHECK_STR(taken_apart(" run /dev/sda  --limit 5s;probe --all ; "),
              "run|/dev/sda|--limit|5s/probe|--all/");
    CHECK_STR(taken_apart("run --null-script '1s@const:1us;const:2us' \"a b\";probe"),
              "run|--null-script|1s@const:1us;const:2us|a b/probe/");
    CHECK_STR(taken_apart("a'b c'\"d;e\"f ''"), "ab cd;ef|/");
    CHECK_STR(taken_apart("probe; run 'no end"), "probe/!");
    char many[400] = "";
    for (int i = 0; i < STICK_WORDS; i++)
        strcat(many, "w ");
    CHECK_INT(strlen(taken_apart(many)), 2 * STICK_WORDS);
    strcat(many, "w");
    CHECK_STR(taken_apart(many), "!");
}

/* ---- what may begin ---- */

static void check_reads(const char *line, size_t count)
{
    struct err e = {0};
    if (stick_commands_read(&all, line, &e))
        CHECK_STR(e.msg, "");
    CHECK_INT(all.count, count);
    CHECK(!stick_commands_write(&all));
}

static void check_writes(const char *line, const char *serial)
{
    struct err e = {0};
    if (stick_commands_read(&all, line, &e))
        CHECK_STR(e.msg, "");
    CHECK(stick_commands_write(&all));
    if (!stick_commands_write(&all))
        return;
    const struct command_effect *effect = &all.list[all.count - 1].effect;
    CHECK_INT(effect->serial_count, 1);
    CHECK_STR(effect->serials[0], serial);
}

static void check_refused(const char *line, enum err_code code, const char *words)
{
    struct err e = {0};
    int status = stick_commands_read(&all, line, &e);
    CHECK_INT(status, -1);
    CHECK_INT(e.code, code);
    CHECK_INT(all.count, 0);
    if (status == 0 || !strstr(e.msg, words))
        fprintf(stderr, "  %s: %s\n", line, e.msg);
    CHECK(strstr(e.msg, words) != NULL);
}

static void test_reading(void)
{
    check_reads("", 0);
    check_reads("probe; run /dev/nvme0n1 --limit 30s -o nvme0n1; cupel qualify", 3);
    check_reads("run /dev/sda --rw 'read'; run --ioengine null --rw write", 2);
    check_reads("run /dev/sda --rw rw --rwmixread 100", 1);
    check_reads("replay trace /dev/sda; report record.cupel; analyze numbers.csv; help run", 4);
    check_reads("record --device /dev/sda --for 1s -o trace", 1);
    check_reads("run --help", 1);
}

/* In every spelling the plan says that it writes. */
static const char *const writing[] = {
    "run /dev/sda --rw write",
    "run /dev/sda --rw=write",
    "run --rw \"write\" /dev/sda",
    "run /dev/sda --rw 'wri''te'",
    "run /dev/sda\t--rw\trandwrite",
    "\"run\" /dev/sda \"--rw\" write",
    "cupel run /dev/sda '--rw=randrw'",
    "run /dev/sda --rw rw",
    "run /dev/sda --rw read --rw write",
    "run /dev/sda --rw randrw --rwmixread 99",
    "run --rw write -- /dev/sda",
    "run /dev/sda --rate_iops 10 --rw write",
    "run --rw write",
    "run /dev/sda --profile backup",
    "run /dev/sda --prof'ile' jesd219 --rate_iops 100",
    "run /sys/class/nvme/nvme0/reset_controller --direct 0 --rw write",
    "probe; ; run /dev/sda --rw write; probe",
    "replay trace /dev/sda --allow-writes",
    "replay trace /dev/sda '--allow'-writes --speed asap",
};

/* A permission without proof, at any place and for any command. */
static const char *const permitting[] = {
    "run /dev/sda --rw write --destroy",
    "run --destroy /dev/sda --rw write",
    "run /dev/sda --rw write --des\"troy\"",
    "run /dev/sda --rw write '--destroy'",
    "run /dev/sda --rw write -\"-destr\"oy",
    "run /dev/sda --destroy",
    "run /dev/sda --destroy --destroy-serial S1 --rw write",
    "run file --rw write --overwrite",
    "replay trace /dev/sda --allow-writes --destroy",
};

static void test_refusals(void)
{
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++)
        check_refused(writing[i], ERR_UNSAFE, "needs --destroy-serial SERIAL");
    for (size_t i = 0; i < sizeof permitting / sizeof *permitting; i++)
        check_refused(permitting[i], ERR_UNSAFE, "is not taken from a configuration");
    check_refused("record -- dd if=/dev/zero of=/dev/sda", ERR_UNSAFE, "starts no programs");
    check_refused("record -o trace '--' dd", ERR_UNSAFE, "starts no programs");
    check_refused("probe; record --report r -- sh", ERR_UNSAFE, "command \"record --report");

    /* An unknown command does not begin, nor do those before it. */
    check_refused("run /dev/sda --destr --rw write", ERR_USAGE, "unknown option --destr");
    check_refused("run /dev/sda --destroy=1 --rw write", ERR_USAGE, "takes no value");
    check_refused("run /dev/sda --rw wri\\te", ERR_USAGE, "--rw");
    check_refused("run /dev/sda --destroy-serial", ERR_USAGE, "--destroy-serial");
    check_refused("run /dev/sda --destroy-serial '' --rw write", ERR_USAGE, "it is empty");
    check_refused("probe; format /dev/sda", ERR_USAGE, "there is no command");
    check_refused("--version", ERR_USAGE, "a command comes first");
    check_refused("cupel", ERR_USAGE, "there is no command");
    check_refused("run 'no end", ERR_USAGE, "a quote has no end");
    check_refused("run a b c", ERR_USAGE, "several targets are measured by hand only");
    check_refused("run /dev/sda --profile no-such-profile", ERR_USAGE, "no-such-profile");
    char many[400] = "";
    for (int i = 0; i <= STICK_COMMANDS; i++)
        strcat(many, "probe;");
    check_refused(many, ERR_USAGE, "more than 32 commands");
}

static void test_writing(void)
{
    check_writes("run /dev/sda --rw write --destroy-serial S6E", "S6E");
    check_writes("run --destroy-serial='S6E 1' /dev/sda --rw \"write\"", "S6E 1");
    check_writes("replay trace /dev/sda --allow-writes --destroy-serial S6E", "S6E");
    check_writes("qualify --destroy-serial S6E", "S6E");
    CHECK_STR(all.list[0].effect.target, "");
    check_reads("run /dev/sda --destroy-serial S6E", 1);
}

/* Whether a profile writes is read from the profile. */
static void check_profile(const char *share, bool writes)
{
    char path[] = "/tmp/cupel-profile-XXXXXX", line[200];
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    dprintf(fd, "name p\n[stream s]\nkind closed\nconcurrency 1\nsize 4k\nwrite %s\n", share);
    close(fd);
    snprintf(line, sizeof line, "run /dev/sda --profile %s", path);
    if (writes)
        check_refused(line, ERR_UNSAFE, "needs --destroy-serial SERIAL");
    else
        check_reads(line, 1);
    snprintf(line, sizeof line, "run /dev/sda --destroy-serial S6E --profile=%s", path);
    if (writes)
        check_writes(line, "S6E");
    unlink(path);
}

static void test_profiles(void)
{
    check_profile("0%", false);
    check_profile("1%", true);
}

/* The command that is run is the one that was checked. */
static void test_same(void)
{
    struct err e = {0};
    CHECK_INT(stick_commands_read(&all, "probe; run '/dev/sd a' --rw=read -o x", &e), 0);
    const struct stick_command *c = &all.list[1];
    CHECK_STR(c->parsed.command->name, "run");
    CHECK_STR(c->parsed.set.operands[0], "/dev/sd a");
    CHECK_STR(options_given(&c->parsed.set, "rw"), "read");
    CHECK_INT(c->length, strlen("run '/dev/sd a' --rw=read -o x"));
}

int main(void)
{
    test_words();
    test_reading();
    test_refusals();
    test_writing();
    test_profiles();
    test_same();
    return check_result();
}
