/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the keys of cupel.cfg. A new key needs a row here and a field in struct boot_config. */
#include "cmd/options/boot_config.h"

#include "tables/boot_image.h"

#define BOOT(member) OPTION_FIELD(struct boot_config, member)

const struct option_row boot_config_rows[] = {
    {.section = "What happens after the machine has started",
     .name = "start",
     .argument = "HOW",
     .kind = OPTION_CHOICE,
     BOOT(start),
     .value = "countdown",
     .choices = OPTION_CHOICES({"countdown", 1}, {"menu", 0}),
     .help = "countdown: the qualification, or the command below, begins by itself when the "
             "countdown is over; any key opens the menu instead, which goes on with it after 5 "
             "minutes without a key, unless the command destroys what a disk holds. menu: nothing "
             "begins before somebody chooses it."},
    {.name = "countdown",
     .argument = "SECONDS",
     .kind = OPTION_UNSIGNED,
     BOOT(countdown),
     .min = 0,
     .max = 3600,
     .value = "10",
     .help =
         "Seconds before it begins by itself. A command that destroys what a disk holds says so "
         "for at least 10 seconds, even if this value is smaller."},
    {.name = "after",
     .argument = "WHAT",
     .kind = OPTION_CHOICE,
     BOOT(after),
     .value = "menu",
     .choices = OPTION_CHOICES({"menu", BOOT_AFTER_MENU}, {"power-off", BOOT_AFTER_POWER_OFF},
                               {"reboot", BOOT_AFTER_REBOOT}),
     .help = "What comes when it is done. A machine whose report could be kept neither on the "
             "stick nor at the collector, though there is one, stays at the menu, because the "
             "report would be lost."},

    {.section = "The qualification",
     .name = "devices",
     .argument = "NAME...",
     .kind = OPTION_TEXT,
     BOOT(devices),
     .value_words = "all disks but the stick",
     .help = "Disks to be measured, by name (nvme0n1, sda) or serial number, with blanks between. "
             "One that is not there fails the machine."},
    {.name = "preset",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     BOOT(preset),
     .value = "normal",
     .choices = OPTION_CHOICES({"quick", 0}, {"normal", 0}, {"strict", 0}),
     .help = "How precise each measurement has to be: the interval of its mean is at most 20% "
             "(quick) or 10% (normal, strict) wide."},
    {.name = "limit",
     .argument = "TIME",
     .kind = OPTION_TIME,
     BOOT(limit_seconds),
     .min = 1,
     .max = 86400,
     .value = "60s",
     .help = "Longest time for each measurement of each disk: 30s, 5m, 1h. Reached before the "
             "precision, the result is a warning."},
    {.name = "expect",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     BOOT(expect),
     .value = EXPECT_FILE,
     .help = "What is expected of the machine, a file beside this one. Another name than the "
             "default must be there, or the machine fails. It is read when the stick is found."},
    {.name = "allow-unwritten",
     .argument = "0|1",
     .kind = OPTION_SWITCH,
     BOOT(allow_unwritten),
     .value = "0",
     .help = "1: measure disks as well that were never written, of which reading measures little. "
             "They are a warning all the same."},
    {.name = "memory",
     .argument = "0|1",
     .kind = OPTION_SWITCH,
     BOOT(memory),
     .value = "0",
     .help = "1: measure the memory, too, before the disks."},
    {.name = "processors",
     .argument = "0|1",
     .kind = OPTION_SWITCH,
     BOOT(processors),
     .value = "0",
     .help = "1: measure the processors, too, before the disks."},
    {.name = "burn",
     .argument = "TIME",
     .kind = OPTION_TIME,
     BOOT(burn_seconds),
     .min = 0,
     .max = 7 * 86400,
     .value = "0s",
     .help = "Test processors and memory for this time before the disks: 10m, 1h. 0s: not."},

    {.section = "Instead of the qualification",
     .name = "command",
     .argument = "COMMANDS",
     .kind = OPTION_TEXT,
     BOOT(command),
     .value_words = "none, the qualification is run",
     .help = "Commands of cupel, separated by semicolons: probe; run /dev/nvme0n1 --limit 30s -o "
             "nvme0n1. What they print is shown; files that they write go to the report's folder. "
             "A command that writes to a disk needs --destroy-serial with the disk's serial "
             "number: run /dev/nvme0n1 --rw write --destroy-serial S6EUNA0R500123. It destroys "
             "what that disk holds, after a countdown that says so, and writes to no other. "
             "--destroy and --overwrite are refused here, and so is record -- CMD. With a mistake "
             "anywhere in the configuration none of the commands is begun."},

    {.section = "The network, for a collector of reports",
     .name = "collector",
     .argument = "http://HOST[:PORT]/PATH/",
     .kind = OPTION_TEXT,
     BOOT(collector),
     .value_words = "none, nothing is sent",
     .help = "Every file of the report is sent there as well, by HTTP PUT to PATH/REPORT/FILE, "
             "without encryption. The name of the report then has the time of day as well."},
    {.name = "network",
     .argument = "HOW",
     .kind = OPTION_TEXT,
     BOOT(network),
     .value = "dhcp",
     .help = "How the machine gets an address when there is a collector: dhcp, an address of its "
             "own such as 192.0.2.7/24,192.0.2.1 (the gateway may be left out), or off."},
    {.name = "interface",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     BOOT(interface),
     .value_words = "each that has a carrier, the first that answers",
     .help = "The network interface, such as eth0."},

    {.section = "The stick itself",
     .name = "stick",
     .argument = "WHOSE",
     .kind = OPTION_CHOICE,
     BOOT(stick),
     .value = "reports",
     .choices = OPTION_CHOICES({"reports", BOOT_STICK_REPORTS}, {"own", BOOT_STICK_OWN},
                               {"any", BOOT_STICK_ANY}),
     .help =
         "Only for the kernel's command line and the cupel.cfg of an initrd. own: this file and "
         "the expectations are read from a stick of the image that the machine was started "
         "from; the boot menu on the stick says that. reports: nothing is read from a stick, "
         "and reports are kept on one of this image. any: sticks of other images are followed "
         "too, but for commands that write."},
    {.name = "data-wait",
     .argument = "TIME",
     .kind = OPTION_TIME,
     BOOT(data_wait_seconds),
     .min = 0,
     .max = 600,
     .value = "10s",
     .help = "How long the stick with this file is waited for before it begins without; only the "
             "kernel's command line can say that in time. 0 where there is none (network boot)."},
    {.name = "data-disk",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     BOOT(data_disk),
     .value_words = "none, only a USB disk is taken for the stick",
     .help = "The disk that is taken for the stick though it is no USB disk (vda), or any. It is "
             "looked at when data-wait is over and no USB disk was the stick; only the kernel's "
             "command line can say that in time."},
    {0},
};
