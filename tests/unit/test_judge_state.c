/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of a machine without expectations and without measurements, and the choice of disks to
   qualify. */
#include "check.h"
#include "machine/memory/memory_burn.h"
#include "machine/processors/processors.h"
#include "machine/qualify/internal.h"
#include "machine/qualify/measure_disk.h"
#include "qualification_fixture.h"
#include "tree.h"

static struct qualified f, after;

/* ---- checks without measurements ---- */

static int node_of(const char *name)
{
    return inventory_find(&f.hardware, name);
}

static void check_good_drive(void)
{
    qualified_begin(&f);
    qualified_good_drive(&f, 0);
    judge_state(&f.q);
    judge_temperatures(&f.q);
    CHECK_STR(grade_name(f.q.grade), "pass");
    qualified_expect(&f.q, 0, "link", GRADE_PASS, "16.0 GT/s x4", "");
    qualified_expect(&f.q, 0, "health", GRADE_PASS, "good, 0 % used, spare 100 %", "");
    qualified_expect(&f.q, 0, "temperature", GRADE_PASS, "58 C at most, 38 C before", "70 C");
    CHECK_STR(f.devices[0].slot, "slot 20");
    CHECK_STR(f.devices[0].kind, "nvme");
    CHECK_STR(f.devices[0].model, "SAMSUNG MZWLR7T6HBLA-00007");
    qualified_end(&f);
}

static void check_bad_states(void)
{
    qualified_begin(&f);
    struct inventory *v = &f.hardware;
    qualified_device(&f, qualified_add_nvme(&f, 0, "8.0 GT/s x4"));
    qualified_good_drive(&f, 1);
    qualified_good_drive(&f, 2);
    fact_add(v, node_of("0000:42:00.0"), "limited_by", "the port: 16.0 GT/s x4, the card can more");
    fact_add(v, node_of("0000:43:00.0"), "limited_by", "the card: 16.0 GT/s x4, the port can more");
    fact_add(v, node_of("0000:43:00.0"), "aer_fatal", "1");
    fact_add(v, node_of("0000:43:00.0"), "aer_correctable", "875");
    int nic = inventory_add_node(v, NODE_PCI_DEVICE, "0000:61:00.0", NULL, 0);
    fact_add(v, nic, "negotiated", "8.0 GT/s x8");
    fact_add(v, nic, "capable", "16.0 GT/s x8");
    fact_add(v, nic, "degraded", "yes");
    fact_add(v, node_of("memory"), "edac_correctable", "3");
    fact_add(v, node_of("memory"), "channels_empty", "socket 2 channel C");
    fact_add(v, node_of("cpu"), "package_throttle_count", "0");
    judge_state(&f.q);
    qualified_expect(&f.q, 0, "link", GRADE_FAIL, "8.0 GT/s x4", "both ends can 16.0 GT/s x4");
    qualified_expect(&f.q, 1, "link", GRADE_WARN, "16.0 GT/s x4", "limited by the port");
    qualified_expect(&f.q, -1, "link of 0000:61:00.0", GRADE_FAIL, "8.0 GT/s x8", "16.0 GT/s x8");
    qualified_expect(&f.q, 2, "link", GRADE_PASS, "16.0 GT/s x4", "");
    qualified_expect(&f.q, 2, "PCIe errors", GRADE_FAIL, "1", "fatal");
    qualified_expect(&f.q, -1, "memory errors", GRADE_WARN, "3", "corrected");
    qualified_expect(&f.q, -1, "memory channels", GRADE_WARN, "socket 2 channel C",
                     "without a module");
    CHECK(qualified_find(&f.q, -1, "throttling") == NULL);
    CHECK_STR(grade_name(f.devices[1].grade), "warn");
    CHECK_STR(grade_name(f.q.grade), "fail");
    qualified_end(&f);
}

/* A drive of another kind, or with another answer to the health query. */
static void check_health(const char *bus, const char *health, enum fact_status status,
                         enum grade grade, const char *found, const char *note)
{
    qualified_begin(&f);
    struct inventory *v = &f.hardware;
    int disk = inventory_add_node(v, NODE_DISK, "disk", NULL, 0);
    fact_add(v, disk, "bus", bus);
    fact_add(v, disk, "size", "1000000000");
    if (health)
        inventory_add(v, disk, "health", health, "", "asleep", status);
    qualified_device(&f, disk);
    judge_state(&f.q);
    qualified_expect(&f.q, 0, "health", grade, found, note);
    qualified_end(&f);
}

static void check_healths(void)
{
    check_health("nvme", "spare low, media read-only", FACT_OK, GRADE_FAIL, "media read-only", "");
    check_health("nvme", "", FACT_DENIED, GRADE_WARN, "not known", "not permitted");
    check_health("nvme", NULL, FACT_OK, GRADE_WARN, "not known", "did not report");
    check_health("sata", NULL, FACT_OK, GRADE_NONE, "not known", "a sata disk was not");
    check_health("virtio", NULL, FACT_OK, GRADE_NONE, "not known", "a virtio disk was not");
    check_health("sata", "good", FACT_OK, GRADE_PASS, "good", "");
    check_health("sata", "", FACT_DENIED, GRADE_WARN, "not known", "not permitted");
    check_health("scsi", "", FACT_ABSENT, GRADE_NONE, "not known", "asleep");
    check_health("nvme", "", FACT_ABSENT, GRADE_WARN, "not known", "did not report");
    check_health("sas", "failure predicted", FACT_OK, GRADE_FAIL, "failure predicted", "");
}

static void make_three(struct qualified *q)
{
    qualified_begin(q);
    for (int i = 0; i < 3; i++) {
        qualified_good_drive(q, i);
        inventory_add(&q->hardware, inventory_find(&q->hardware, i == 0 ? "nvme0" : "nvme1"),
                      "throttled_light", i == 0 && q == &after ? "4" : "0", "", "", FACT_OK);
    }
    inventory_add_node(&q->hardware, NODE_NETWORK, q == &after ? "eth1" : "eth0", NULL, 0);
}

static void check_changes(void)
{
    make_three(&f);
    make_three(&after);
    judge_changes(&f.q, &after.hardware);
    qualified_expect(&f.q, 0, "throttling", GRADE_WARN, "", "while measuring: nvme0: the drive");
    CHECK_INT(f.q.check_count, 1); /* an interface that appears or disappears does not matter */
    qualified_end(&after);

    qualified_begin(&after);
    qualified_add_nvme(&after, 0, "8.0 GT/s x4");
    qualified_add_nvme(&after, 1, "16.0 GT/s x4");
    f.q.check_count = 0;
    judge_changes(&f.q, &after.hardware);
    qualified_expect(&f.q, 0, "link", GRADE_FAIL, "",
                     "trained again: from 16.0 GT/s x4 to 8.0 GT/s");
    qualified_expect(&f.q, 2, "device", GRADE_FAIL, "", "no longer there");
    CHECK(qualified_find(&f.q, 1, "device") == NULL);
    qualified_end(&after);

    f.devices[1].temperature_max = 71;
    judge_temperatures(&f.q);
    qualified_expect(&f.q, 1, "temperature", GRADE_WARN, "71 C at most", "70 C");
    f.devices[2].temperature_max = NAN;
    f.q.check_count = 0;
    judge_temperatures(&f.q);
    qualified_expect(&f.q, 2, "temperature", GRADE_NONE, "not known", "no sensor");
    qualified_end(&f);
}

/* Graphics cards and sleeping devices lower their link speed until there is work; drives may do so,
   too. */
static void check_idle_links(void)
{
    qualified_begin(&f);
    struct inventory *v = &f.hardware;
    static const char *const facts[][2] = {
        {"class", "3D controller"}, {"power_state", "D3hot"}, {"class", "Ethernet controller"}};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "0000:a%d:00.0", i);
        int bridge =
            inventory_add_node(v, NODE_PCI_DEVICE, i == 0 ? "0000:a8:00.0" : "other", NULL, 0);
        int card = inventory_add_node(v, NODE_PCI_DEVICE, name, NULL, i == 0 ? bridge : 0);
        fact_add(v, card, facts[i][0], facts[i][1]);
        for (int k = 0; k < 2; k++) {
            int node = k ? card : bridge;
            if (!k && i > 0)
                continue;
            fact_add(v, node, "negotiated", "2.5 GT/s x16");
            fact_add(v, node, "capable", "16.0 GT/s x16");
            fact_add(v, node, "degraded", "yes");
        }
    }
    qualified_device(&f, qualified_add_nvme(&f, 0, "2.5 GT/s x4"));
    judge_state(&f.q);
    qualified_expect(&f.q, -1, "link of 0000:a8:00.0", GRADE_NONE, "2.5 GT/s x16", "idle");
    qualified_expect(&f.q, -1, "link of 0000:a0:00.0", GRADE_NONE, "2.5 GT/s x16", "idle");
    qualified_expect(&f.q, -1, "link of 0000:a1:00.0", GRADE_NONE, "2.5 GT/s x16", "idle");
    qualified_expect(&f.q, -1, "link of 0000:a2:00.0", GRADE_FAIL, "2.5 GT/s x16", "both ends");
    qualified_expect(&f.q, 0, "link", GRADE_FAIL, "2.5 GT/s x4", "both ends");

    qualified_begin(&after);
    qualified_add_nvme(&after, 0, "16.0 GT/s x4");
    judge_changes(&f.q, &after.hardware);
    qualified_expect(&f.q, 0, "link", GRADE_PASS, "16.0 GT/s x4", "2.5 GT/s x4 before");
    CHECK_STR(f.devices[0].link, "16.0 GT/s x4");
    CHECK_STR(grade_name(f.devices[0].grade), "pass");
    qualified_end(&after);
    qualified_end(&f);
}

/* Temperatures count only for drives that were measured and so became warm. */
static void check_temperatures(void)
{
    qualified_begin(&f);
    qualified_good_drive(&f, 0)->tests[0].measured = false;
    f.devices[0].tests[1].measured = false;
    judge_temperatures(&f.q);
    qualified_expect(&f.q, 0, "temperature", GRADE_NONE, "58 C", "not measured under load");
    f.q.check_count = 0;
    f.devices[0].temperature_max = 71;
    judge_temperatures(&f.q);
    qualified_expect(&f.q, 0, "temperature", GRADE_WARN, "71 C", "70 C");
    qualified_end(&f);

    qualified_begin(&f);
    int disk = qualified_add_disk(&f, "sda", NODE_DISK, "1000", "sata");
    struct qualification_device *d = qualified_device(&f, disk);
    qualified_test(d, "read", 1 << 20, 500, 1, 2000000);
    d->temperature_begin = d->temperature_max = 80;
    judge_temperatures(&f.q);
    qualified_expect(&f.q, 0, "temperature", GRADE_NONE, "80 C", "its limit is not known");
    qualified_end(&f);
}

/* ---- the choice of disks ---- */

static void check_find(const char *name, const char *expected, const char *message)
{
    struct sysroot root;
    struct err e = {0};
    int node = INVENTORY_NONE;
    CHECK_INT(sysroot_open(&root, NULL, NULL), 0);
    int status = disk_find(&f.hardware, &root, name, &node, &e);
    CHECK_INT(status, expected ? 0 : -1);
    if (expected && node != INVENTORY_NONE)
        CHECK_STR(f.hardware.nodes[node].name, expected);
    if (!expected && !strstr(e.msg, message))
        CHECK_STR(e.msg, message);
    CHECK_INT(e.code, expected ? ERR_NONE : ERR_USAGE);
}

static void check_choice(void)
{
    qualified_begin(&f);
    int nvme = qualified_add_nvme(&f, 0, "16.0 GT/s x4");
    CHECK(disk_is_own(&f.hardware, nvme));
    CHECK(disk_is_own(&f.hardware, qualified_add_disk(&f, "sda", NODE_DISK, "1000", "sata")));
    CHECK(disk_is_own(&f.hardware, qualified_add_disk(&f, "vda", NODE_DISK, "1000", "")));
    CHECK(disk_is_own(&f.hardware,
                      qualified_add_disk(&f, "sdb", NODE_DISK, "0", "sas"))); /* a broken one */
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "sdc", NODE_DISK, "0", "usb")));
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "sdd", NODE_DISK, "1000", "iscsi")));
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "sr0", NODE_DISK, "1000", "sata")));
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "nbd0", NODE_DISK, "1000", "")));
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "mmcblk0boot0", NODE_DISK, "1000", "")));
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "loop0", NODE_LOOP, "1000", "")));
    CHECK(!disk_is_own(&f.hardware, qualified_add_disk(&f, "md0", NODE_RAID, "1000", "")));
    qualified_add_disk(&f, "sda1", NODE_PARTITION, "1000", "");
    check_find("nvme0n1", "nvme0n1", "");
    check_find("S6EXAMPLE00000", "nvme0n1", "");
    inventory_add(&f.hardware, qualified_add_disk(&f, "sde", NODE_DISK, "1000", "usb"),
                  "usb_serial", "STICK-7", "", "/sys", FACT_OK);
    check_find("STICK-7", "sde", "");
    check_find("loop0", "loop0", "");
    check_find("md0", "md0", "");
    check_find("sda1", NULL, "a partition");
    check_find("cpu", NULL, "no disk");
    check_find("sdz", NULL, "no disk of that name");
    check_find("/dev/does-not-exist", NULL, "no such disk");
    check_find("/dev/null", NULL, "no disk");
    CHECK_INT(disk_owner(&f.q, nvme), -1);
    qualified_device(&f, nvme);
    CHECK_INT(disk_owner(&f.q, inventory_find(&f.hardware, "nvme0")), 0);
    CHECK_INT(disk_owner(&f.q, inventory_find(&f.hardware, "0000:41:00.0")), 0);
    CHECK_INT(disk_owner(&f.q, 0), -1); /* the machine has many disks */
    qualified_end(&f);
}

/* One disk behind two cables, and two disks with the same made-up serial number. */
static void check_paths(void)
{
    static const char *const names[] = {"sda", "sdb", "sdc", "sdd"};
    static const char *const wwids[] = {"naa.5000c500a1b2c3d4", "naa.5000c500a1b2c3d4",
                                        "t10.ATA     DISK", "t10.ATA     DISK"};
    struct tree t;
    int nodes[4];
    qualified_begin(&f);
    tree_begin(&t);
    for (int i = 0; i < 4; i++) {
        char path[80], line[80];
        snprintf(path, sizeof path, "/sys/block/%s/device", names[i]);
        tree_folder(&t, path);
        snprintf(path, sizeof path, "/sys/block/%s/device/wwid", names[i]);
        snprintf(line, sizeof line, "%s\n", wwids[i]);
        tree_file(&t, path, line);
        nodes[i] = qualified_add_disk(&f, names[i], NODE_DISK, "1000", "sas");
        fact_add(&f.hardware, nodes[i], "serial", i < 2 ? "ZC11AAAA" : "SAME");
    }
    CHECK(disk_is_same(&f.hardware, &t.root, nodes[0], nodes[1]));
    CHECK(disk_is_same(&f.hardware, &t.root, nodes[2], nodes[2]));
    /* made up, not a worldwide name */
    CHECK(!disk_is_same(&f.hardware, &t.root, nodes[2], nodes[3]));
    CHECK(!disk_is_same(&f.hardware, &t.root, nodes[0], nodes[2]));
    CHECK_STR(disk_other_of_serial(&f.hardware, "SAME", "sdc"), "sdd");
    CHECK_STR(disk_other_of_serial(&f.hardware, "ZC11AAAA", "sda"), "sdb");
    qualified_add_disk(&f, "sde", NODE_DISK, "1000", "sas");
    fact_add(&f.hardware, inventory_find(&f.hardware, "sde"), "serial", "ALONE");
    CHECK(disk_other_of_serial(&f.hardware, "ALONE", "sde") == NULL);
    tree_end(&t);
    qualified_end(&f);
}

/* A test of the memory: each persistent error fails the machine, and its module is named; corrected
   errors are a warning, and less than a whole pass decides nothing. */
/* Processors with wrong results are named; heat is a warning if they throttled. */
static void check_processor_burn(void)
{
    f.q.check_count = 0;
    judge_processor_burn(&f.q, &(struct processor_burn){.pieces = 4000});
    qualified_expect(&f.q, -1, "processor test", GRADE_PASS, "0 of 4000", "");
    f.q.check_count = 0;
    judge_processor_burn(
        &f.q, &(struct processor_burn){.pieces = 4000, .wrong = 3, .cpus = {7, 71}, .kept = 2});
    qualified_expect(&f.q, -1, "processor test", GRADE_FAIL, "3 of 4000", "cpu7, cpu71");
    f.q.burn = (struct heat_history){.count = 2,
                                     .samples = {{1, 180, 60}, {2, 204, 91}},
                                     .watts = 192,
                                     .watts_limit = 205,
                                     .celsius = 91,
                                     .counts = true};
    judge_burn_heat(&f.q);
    qualified_expect(&f.q, -1, "processor heat", GRADE_PASS, "192 W (180 to 204) of 205 W, 91 C",
                     "not throttled");
    f.q.check_count = 0;
    f.q.burn.by_heat = 4;
    judge_burn_heat(&f.q);
    qualified_expect(&f.q, -1, "processor heat", GRADE_WARN, "", "4 events");
    f.q.check_count = 0;
    f.q.burn = (struct heat_history){
        .watts = NAN, .celsius = NAN, .watts_limit = NAN, .energy_denied = true};
    judge_burn_heat(&f.q);
    qualified_expect(&f.q, -1, "processor heat", GRADE_NONE, "not known", "only root");
    f.q.check_count = 0;
}

static void judge_clock(double clock, double arm, double slowest, enum grade grade,
                        const char *words)
{
    struct qualification_processors *p = &f.q.processors;
    f.q.check_count = 0;
    p->clock = (struct qualification_number){clock, clock - arm, clock + arm, 0.95};
    p->slowest = (struct qualification_number){slowest, slowest - arm, slowest + arm, 0.95};
    judge_processors(&f.q);
    qualified_expect(&f.q, -1, "processor clock", grade, "GHz", words);
}

/* The clock compared with the base clock, the causes that are named, and the slowest processor. */
static void check_processors(void)
{
    f.q.processors = (struct qualification_processors){
        .base = 2.45e9,
        .base_of = "cpufreq",
        .slowest_name = "cpu77",
        .alike = true,
        .heat = {.watts = 204, .watts_limit = 205, .celsius = 71}};
    struct qualification_processors *p = &f.q.processors;
    judge_clock(3.2e9, 1e7, 3.19e9, GRADE_PASS,
                "reaches 2.45 GHz, its base clock by cpufreq; held");
    qualified_expect(&f.q, -1, "slowest processor", GRADE_PASS, "cpu77 3.19", "3.2 GHz");
    judge_clock(2.1e9, 1e7, 2.09e9, GRADE_WARN, "held by its power limit, 204 W of 205 W; 71 C");
    judge_clock(2.39e9, 1e8, 2.38e9, GRADE_UNDECIDED, "inside the interval");
    judge_clock(3.2e9, 1e7, 2.4e9, GRADE_PASS, "");
    qualified_expect(&f.q, -1, "slowest processor", GRADE_WARN, "cpu77 2.4", "");
    p->alike = false;
    judge_clock(3.2e9, 1e7, 2.4e9, GRADE_PASS, "");
    qualified_expect(&f.q, -1, "slowest processor", GRADE_NONE, "", "different clocks");
    p->alike = true;
    snprintf(p->disturbed, sizeof p->disturbed, "others used the processors");
    judge_clock(2.1e9, 1e7, 1.5e9, GRADE_UNDECIDED, "other programs");
    qualified_expect(&f.q, -1, "slowest processor", GRADE_UNDECIDED, "", "not decided");
    p->heat.by_heat = 3;
    judge_clock(3.2e9, 1e7, 3.2e9, GRADE_WARN, "throttled by heat, 3 events");
    p->heat = (struct heat_history){.watts = NAN, .watts_limit = NAN, .celsius = NAN};
    p->base = NAN;
    p->slowest_name[0] = '\0';
    judge_clock(3.2e9, 1e7, NAN, GRADE_NONE, "base clock is not known");
    CHECK(!qualified_find(&f.q, -1, "slowest processor"));
    f.q.check_count = 0;
}

static void check_burn(void)
{
    qualified_begin(&f);
    struct memory_burn burn = {.bytes = (uint64_t)3 << 30, .passes = 2};
    judge_burn(&f.q, &burn);
    qualified_expect(&f.q, -1, "memory test", GRADE_PASS, "0 errors in 3 GiB, 2 whole passes", "");
    f.q.check_count = 0;
    snprintf(burn.modules, sizeof burn.modules, "CPU0_DIMM_B1");
    judge_burn(&f.q, &burn);
    qualified_expect(&f.q, -1, "memory test", GRADE_WARN, "0 errors", "CPU0_DIMM_B1");
    f.q.check_count = 0;
    burn.error_count = burn.kept = 1;
    burn.errors[0] = (struct memory_error){
        .physical = 0x12345678, .node = 1, .expected = 2, .found = 3, .pattern = "walking one"};
    judge_burn(&f.q, &burn);
    qualified_expect(&f.q, -1, "memory test", GRADE_FAIL, "1 error in 3 GiB",
                     "node 1, address 0x12345678, 0x0000000000000003 in place of "
                     "0x0000000000000002 (walking one); new errors of CPU0_DIMM_B1");
    f.q.check_count = 0;
    judge_burn(&f.q, &(struct memory_burn){.bytes = 1 << 30});
    qualified_expect(&f.q, -1, "memory test", GRADE_UNDECIDED, "0 whole passes", "longer --burn");
    qualified_end(&f);
}

int main(void)
{
    check_good_drive();
    check_bad_states();
    check_healths();
    check_changes();
    check_idle_links();
    check_temperatures();
    check_burn();
    check_processors();
    check_processor_burn();
    check_choice();
    check_paths();
    return check_result();
}
