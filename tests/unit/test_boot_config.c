/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel.cfg and the kernel's command line: the keys that are read, the mistakes that are reported
   with their place, and that the file which documents the keys states the defaults. */
#include "check.h"

#include "cmd/options/boot_config.h"

static struct boot_config config;
static struct err e;

static int read_text(const char *text)
{
    boot_config_init(&config);
    e = (struct err){0};
    return boot_config_read(&config, text, strlen(text), "cupel.cfg", &e);
}

static int read_command_line(const char *line)
{
    boot_config_init(&config);
    e = (struct err){0};
    return boot_config_read_command_line(&config, line, &e);
}

/* Of two lines with one key the first counts, and the second is reported. */
static void check_repeated_key(void)
{
    CHECK_INT(read_text("countdown = 7\ncountdown = 9\n"), -1);
    CHECK_STR(e.msg,
              "cupel.cfg, line 2, column 1: countdown is set in line 1 already, which holds");
    CHECK_INT(config.countdown, 7);
}

static void check_defaults(const struct boot_config *c)
{
    CHECK_INT(c->start, 1);
    CHECK_INT(c->countdown, 10);
    CHECK_INT(c->after, BOOT_AFTER_MENU);
    CHECK_STR(c->preset, "normal");
    CHECK_NEAR(c->limit_seconds, 60, 0);
    CHECK_STR(c->devices, "");
    CHECK_STR(c->expect, "expect.txt");
    CHECK_STR(c->command, "");
    CHECK_STR(c->network, "dhcp");
    CHECK_STR(c->interface, "");
    CHECK_STR(c->collector, "");
    CHECK_NEAR(c->data_wait_seconds, 10, 0);
    CHECK_STR(c->data_disk, "");
    CHECK(!c->allow_unwritten);
    CHECK(!c->memory && !c->processors && !(c->burn_seconds > 0));
}

static void test_reads_every_key(void)
{
    CHECK_INT(read_text("start = menu\ncountdown=3\n after = power-off \npreset = quick\n"
                        "limit = 2m\ndevices = nvme0n1 S6EUNA0R500123\nexpect = rack7.txt\n"
                        "command = probe; run /dev/sda --limit 5s\nnetwork = 192.0.2.7/24\n"
                        "interface = eth1\ncollector = http://192.0.2.1:8080/in/\n"
                        "data-wait = 1.5s\ndata-disk = vda\nallow-unwritten = 1"),
              0);
    CHECK_INT(config.start, 0);
    CHECK_INT(config.countdown, 3);
    CHECK_INT(config.after, BOOT_AFTER_POWER_OFF);
    CHECK_STR(config.preset, "quick");
    CHECK_NEAR(config.limit_seconds, 120, 0);
    CHECK_STR(config.devices, "nvme0n1 S6EUNA0R500123");
    CHECK_STR(config.expect, "rack7.txt");
    CHECK_STR(config.command, "probe; run /dev/sda --limit 5s");
    CHECK_STR(config.network, "192.0.2.7/24");
    CHECK_STR(config.interface, "eth1");
    CHECK_STR(config.collector, "http://192.0.2.1:8080/in/");
    CHECK_NEAR(config.data_wait_seconds, 1.5, 1e-9);
    CHECK_STR(config.data_disk, "vda");
    CHECK(config.allow_unwritten);
}

/* Forms that editors give a file. */
static void test_forms(void)
{
    CHECK_INT(read_text(""), 0);
    check_defaults(&config);
    CHECK_INT(read_text("\xef\xbb\xbf"
                        "# from Notepad\r\n\r\ncountdown = 5\r\nstart=menu\r\n"),
              0);
    CHECK_INT(config.countdown, 5);
    CHECK_INT(config.start, 0);
    CHECK_INT(read_text("countdown = 7 # a comment\n#countdown = 8\n\t# another\n"), 0);
    CHECK_INT(config.countdown, 7);
    CHECK_INT(read_text("memory = 1\nprocessors = 1\nburn = 10m\n"), 0);
    CHECK(config.memory && config.processors);
    CHECK_NEAR(config.burn_seconds, 600, 1e-9);
    CHECK_INT(read_text("data_wait = 3\nallow_unwritten = 1\n"), 0);
    CHECK_NEAR(config.data_wait_seconds, 3, 0);
    CHECK(config.allow_unwritten);
    CHECK_INT(read_text("devices = \"A#1 # B\"  # quoted\n"), 0);
    CHECK_STR(config.devices, "A#1 # B");
    CHECK_INT(read_text("devices = A#1\n"), 0);
    CHECK_STR(config.devices, "A#1");
    CHECK_INT(read_text("countdown = 3\ncountdown =\ndevices = sda\ndevices = \"\"\n"), 0);
    CHECK_INT(config.countdown, 10);
    CHECK_STR(config.devices, "");
    CHECK_INT(read_text("command = run . --null-script '0.5s@const:1us' --size=4k\n"), 0);
    CHECK_STR(config.command, "run . --null-script '0.5s@const:1us' --size=4k");
}

static void check_mistake(const char *text, const char *message)
{
    CHECK_INT(read_text(text), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_STR(e.msg, message);
}

static void test_mistakes(void)
{
    check_mistake("# one\n  countdwn = 3\n",
                  "cupel.cfg, line 2, column 3: there is no key \"countdwn\"; did you mean "
                  "countdown?");
    check_mistake("countdown = 99999\n",
                  "cupel.cfg, line 1, column 13: countdown 99999: it must be between 0 and 3600");
    check_mistake("start = now\r\n", "cupel.cfg, line 1, column 9: start now: it must be one of "
                                     "countdown, menu");
    check_mistake("\nstart\n",
                  "cupel.cfg, line 2, column 1: a line is KEY = VALUE, and here is no =");
    check_mistake("devices = \"sda\n", "cupel.cfg, line 1, column 11: the closing \" is missing");
    check_mistake("devices = \"sda\" sdb\n",
                  "cupel.cfg, line 1, column 11: there is something after the closing \"");
    check_mistake("preset = q\x01\n", "cupel.cfg, line 1, column 10: preset: its value is no text");
    check_mistake("\xff\xfe"
                  "a\n",
                  "cupel.cfg is UTF-16: save it as ANSI or UTF-8");
    check_mistake(
        "after = off\npreset = fast\n",
        "cupel.cfg, line 1, column 9: after off: it must be one of menu, power-off, "
        "reboot; line 2, column 10: preset fast: it must be one of quick, normal, strict");
}

/* Correct lines count, before a mistake and after it. */
static void test_mistakes_stop_nothing(void)
{
    CHECK_INT(read_text("countdown = 4\nnonsense\ndevices = sda\nlimit = long\nlimit\n"), -1);
    CHECK_INT(config.countdown, 4);
    CHECK_STR(config.devices, "sda");
    CHECK_NEAR(config.limit_seconds, 60, 0);
    CHECK(strstr(e.msg, "line 2") != NULL);
    CHECK(strstr(e.msg, "; line 4, column 9: limit long: ") != NULL);
    CHECK(strstr(e.msg, "; line 5, column 1: a line is KEY = VALUE") != NULL);
    CHECK_INT(read_text("a=1\nb=1\nc=1\nd=1\ne=1\nf=1\ng=1\nh=1\ni=1\nj=1\nk=1\nl=1\n"), -1);
    CHECK(strstr(e.msg, "; line 4, column 1: there is no key \"d\"") != NULL);
    CHECK(strstr(e.msg, " more mistakes)") != NULL);
    CHECK_INT(boot_config_read(&config, "x", 1, "cupel.cfg", NULL), -1);
}

/* A text of any length is refused, and never overflows the field. */
static void test_long_values(void)
{
    static char text[5000] = "devices = ";
    memset(text + 10, 'a', 511);
    CHECK_INT(read_text(text), 0);
    CHECK_INT(strlen(config.devices), 511);
    memset(text + 10, 'a', 512);
    CHECK_INT(read_text(text), -1);
    memset(text + 10, 'a', sizeof text - 11);
    CHECK_INT(read_text(text), -1);
    CHECK_STR(config.devices, "");
    static const char zero[] = "preset = quick\0\nstart = menu\n";
    boot_config_init(&config);
    CHECK_INT(boot_config_read(&config, zero, sizeof zero - 1, "cupel.cfg", &e), -1);
    CHECK_STR(config.preset, "normal");
    CHECK_INT(config.start, 0);
}

static void test_command_line(void)
{
    CHECK_INT(read_command_line("BOOT_IMAGE=/vmlinuz quiet console=ttyS0 cupel.countdown=0 "
                                "cupel.after=power-off nvme.poll_queues=2 "
                                "cupel.command=\"run /dev/nvme0n1 --bs 8k; probe\" "
                                "cupel.data_wait=0"),
              0);
    CHECK_INT(config.countdown, 0);
    CHECK_INT(config.after, BOOT_AFTER_POWER_OFF);
    CHECK_STR(config.command, "run /dev/nvme0n1 --bs 8k; probe");
    CHECK_NEAR(config.data_wait_seconds, 0, 0);
    CHECK_INT(read_command_line(NULL), 0);
    check_defaults(&config);
    CHECK_INT(read_command_line("cupel.countdown cupel.start=menu"), -1);
    CHECK_STR(e.msg, "kernel command line: countdown needs a value: cupel.countdown=SECONDS");
    CHECK_INT(config.start, 0);
    CHECK_INT(read_command_line("cupel.colector=http://192.0.2.1/"), -1);
    CHECK_STR(e.msg, "kernel command line: there is no key \"colector\"; did you mean collector?");
}

/* The file on a new stick: it has every key once, only comments, and at most 80 columns; with the
   comment marks removed from its settings it can be read. */
static void test_template(void)
{
    struct text file = {0};
    boot_config_write_template(&file);
    CHECK(!file.failed);
    CHECK_INT(read_text(file.data), 0);
    check_defaults(&config);
    for (const char *line = file.data; *line; line += strcspn(line, "\n") + 1) {
        CHECK(strcspn(line, "\n") <= 80);
        CHECK(line[0] == '#' || line[0] == '\n');
    }
    for (const struct option_row *row = boot_config_rows; row->name; row++) {
        char begin[64], setting[128];
        snprintf(begin, sizeof begin, "\n#%s = ", row->name);
        const char *found = strstr(file.data, begin);
        CHECK(found != NULL);
        if (!found || !row->value)
            continue;
        snprintf(setting, sizeof setting, "%.*s", (int)strcspn(found + 2, "\n"), found + 2);
        CHECK_INT(read_text(setting), 0);
        check_defaults(&config);
    }
    text_free(&file);
}

int main(void)
{
    check_repeated_key();
    boot_config_init(&config);
    check_defaults(&config);
    test_reads_every_key();
    test_forms();
    test_mistakes();
    test_mistakes_stop_nothing();
    test_long_values();
    test_command_line();
    test_template();
    return check_result();
}
