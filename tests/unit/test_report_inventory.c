/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory as text, CSV and JSON: golden output of a made-up server, parts that are combined
   into one line, and hostile facts. */
#include "report/inventory/inventory.h"
#include "report/inventory/inventory_sections.h"
#include "tests/unit/check.h"
#include "tests/unit/golden.h"
#include "tests/unit/page.h"
#include "tests/unit/path_fixture.h"
#include "tests/unit/report_fixture.h"

static const struct report_style ascii = {.width = 80};
static const struct report_style unicode = {.unicode = true, .width = 80};

#define OK(key, value, unit)                                                                       \
    {                                                                                              \
        key, value, unit, FACT_OK                                                                  \
    }
#define MISSING(key, status)                                                                       \
    {                                                                                              \
        key, "", "", status                                                                        \
    }

static int add(struct inventory *v, enum node_kind kind, const char *name, const char *parent,
               const struct fixture_fact facts[])
{
    return fixture_node(v, kind, name, *parent ? inventory_find(v, parent) : INVENTORY_NONE, facts);
}

static void add_machine(struct inventory *v)
{
    add(v, NODE_MACHINE, "machine", "",
        FIXTURE_FACTS(OK("product", "Supermicro SYS-620U-TNR", ""), OK("on_battery", "no", "")));
    add(v, NODE_BOARD, "board", "machine",
        FIXTURE_FACTS(OK("board_name", "X12DPU-6", ""), OK("bios_version", "1.4", ""),
                      OK("bios_date", "07/11/2022", "")));
    add(v, NODE_KERNEL, "kernel", "machine", FIXTURE_FACTS(OK("kernel", "6.1.0-18", "")));
    add(v, NODE_CPU, "cpu", "machine",
        FIXTURE_FACTS(OK("model", "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", ""),
                      OK("sockets", "1", ""), OK("cores", "4", ""), OK("online", "4", ""),
                      OK("governor", "performance on 3 of 4 processors", ""),
                      OK("package_throttle_count", "17", "")));
    add(v, NODE_CPU_PACKAGE, "package0", "cpu",
        FIXTURE_FACTS(OK("cores", "4", ""), OK("threads", "4", ""), OK("cpus", "0-3", "")));
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "cpu%d", i);
        add(v, NODE_CPU_CORE, name, "package0",
            FIXTURE_FACTS(OK("frequency", "2000000000", "Hz"), OK("governor", "performance", "")));
    }
    add(v, NODE_MEMORY, "memory", "machine",
        FIXTURE_FACTS(OK("size", "270046314496", "bytes"), OK("edac_correctable", "3", "")));
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "node%d", i);
        add(v, NODE_NUMA, name, "machine",
            FIXTURE_FACTS(OK("cpus", i ? "2-3" : "0-1", ""),
                          OK("memory", "135023157248", "bytes")));
    }
}

/* Adds NVMe drive `i` behind a root port of its own; the second drive trained at half its width. */
static void add_drive(struct inventory *v, int i)
{
    char port[16], card[16], controller[16], disk[16];
    snprintf(port, sizeof port, "0000:16:0%d.0", i + 2);
    snprintf(card, sizeof card, "0000:%d:00.0", 17 + i);
    snprintf(controller, sizeof controller, "nvme%d", i);
    snprintf(disk, sizeof disk, "nvme%dn1", i);
    add(v, NODE_PCI_BRIDGE, port, "pci0000:16", FIXTURE_FACTS(OK("aer_correctable", "0", "")));
    add(v, NODE_PCI_DEVICE, card, port,
        FIXTURE_FACTS(
            OK("device_name", "Samsung Electronics Co Ltd NVMe SSD Controller PM173X", ""),
            OK("capable", "16.0 GT/s x4", ""),
            OK("negotiated", i ? "16.0 GT/s x2" : "16.0 GT/s x4", ""),
            OK("limit", i ? "3545000000" : "7090000000", "bytes/s"),
            OK("limit_capable", "7090000000", "bytes/s"), OK("degraded", i ? "yes" : "no", ""),
            OK("aer_correctable", i ? "12" : "0", "")));
    if (i)
        inventory_add(v, inventory_find(v, card), "degraded_reason",
                      "two of the card's lanes did not come up", "", "", FACT_OK);
    add(v, NODE_NVME, controller, card,
        FIXTURE_FACTS(OK("model", "SAMSUNG MZWLR3T8HBLS", ""), OK("firmware", "MPK92B5Q", ""),
                      OK("state", "live", ""),
                      OK("health", i ? "spare low, reliability degraded" : "good", ""),
                      OK("temperature", i ? "71" : "41", "C"), OK("temperature_warning", "70", "C"),
                      OK("temperature_critical", "84", "C")));
    add(v, NODE_DISK, disk, controller,
        FIXTURE_FACTS(OK("model", "SAMSUNG MZWLR3T8HBLS", ""), OK("size", "3840755982336", "bytes"),
                      OK("scheduler", "none", ""), OK("write_cache", "write through", ""),
                      MISSING("lba_formats", FACT_DENIED)));
    snprintf(port, sizeof port, "%.10sp1", disk);
    add(v, NODE_PARTITION, port, disk, FIXTURE_FACTS(OK("size", "1073741824", "bytes")));
    add(v, NODE_SENSOR, i ? "nvme-pci-1200" : "nvme-pci-1100", controller,
        FIXTURE_FACTS(OK("temp1", i ? "70.85" : "40.85", "C"), OK("temp1_label", "Composite", ""),
                      OK("temp1_max", "69.85", "C"), OK("in0", "1.1", "V"),
                      OK("temperature", i ? "70.85" : "40.85", "C"),
                      OK("temperature_max", "69.85", "C")));
}

static void add_devices(struct inventory *v)
{
    add(v, NODE_PCI_HOST, "pci0000:16", "node0", NULL);
    add_drive(v, 0);
    add_drive(v, 1);
    add(v, NODE_PCI_DEVICE, "0000:16:00.1", "pci0000:16", NULL);
    add(v, NODE_PCI_DEVICE, "0000:16:00.2", "pci0000:16", NULL);
    add(v, NODE_PCI_HOST, "pci0000:97", "node1", NULL);
    add(v, NODE_PCI_BRIDGE, "0000:97:02.0", "pci0000:97", NULL);
    add(v, NODE_PCI_DEVICE, "0000:98:00.0", "0000:97:02.0",
        FIXTURE_FACTS(OK("capable", "8.0 GT/s x8", ""), OK("negotiated", "8.0 GT/s x8", ""),
                      OK("limit", "7090000000", "bytes/s"), OK("degraded", "no", ""),
                      OK("limited_by", "the port: 8.0 GT/s x8, the card can 16.0 GT/s x8", "")));
    add(v, NODE_NETWORK, "eth0", "0000:98:00.0",
        FIXTURE_FACTS(OK("driver", "mlx5_core", ""), OK("negotiated", "25 Gbit/s", ""),
                      OK("limit", "2970000000", "bytes/s"), OK("duplex", "full", ""),
                      MISSING("temperature", FACT_ABSENT)));
    add(v, NODE_NETWORK, "eth1", "0000:98:00.0",
        FIXTURE_FACTS(OK("driver", "mlx5_core", ""), MISSING("temperature", FACT_ABSENT)));
    add(v, NODE_PCI_HOST, "pci0000:fe", "machine", NULL);
    add(v, NODE_PCI_DEVICE, "0000:fe:00.0", "pci0000:fe", NULL);
    add(v, NODE_RAID, "md0", "machine",
        FIXTURE_FACTS(OK("level", "raid1", ""), OK("members", "nvme0n1, nvme1n1", ""),
                      OK("size", "3840755982336", "bytes"), OK("state", "clean", ""),
                      OK("degraded_members", "1", ""), MISSING("sync_action", FACT_INVALID)));
    add(v, NODE_NETWORK, "docker0", "machine", NULL);
    add(v, NODE_SENSOR, "coretemp-isa-0000", "package0",
        FIXTURE_FACTS(OK("temp1", "101", "C"), OK("temp1_label", "Package id 0", ""),
                      OK("temp1_critical", "100", "C"), OK("fan1", "1200", "rpm"),
                      OK("temperature", "101", "C"), OK("temperature_max", "90", "C"),
                      OK("temperature_critical", "100", "C")));
}

/* Returns the path of a mirror over two drives behind ports of the same host bridge. */
static struct path_view mirror_path(void)
{
    path_fixture = (struct result){0};
    unsigned file = path_fixture_part("/srv/data/file.bin", NODE_OTHER, NAN, NAN);
    unsigned md = path_fixture_part("md0", NODE_RAID, NAN, NAN);
    unsigned host = path_fixture_part("pci0000:16", NODE_PCI_HOST, NAN, NAN);
    unsigned node = path_fixture_part("node0", NODE_NUMA, NAN, NAN);
    path_fixture_edge(file, md);
    path_fixture_edge(host, node);
    for (int i = 0; i < 2; i++) {
        double limit = i ? 3545e6 : 7090e6;
        unsigned disk = path_fixture_part(i ? "nvme1n1" : "nvme0n1", NODE_DISK, NAN, NAN);
        unsigned card =
            path_fixture_part(i ? "0000:18:00.0" : "0000:17:00.0", NODE_PCI_DEVICE, limit, limit);
        path_fixture_edge(md, disk);
        path_fixture_edge(disk, card);
        path_fixture_edge(card, host);
    }
    return (struct path_view){.target = "/srv/data/file.bin",
                              .parts = path_fixture.parts,
                              .part_count = path_fixture.part_count,
                              .edges = path_fixture.edges,
                              .edge_count = path_fixture.edge_count,
                              .limit_read = 10635e6,
                              .limit_write = 3545e6,
                              .limiting_read = -1,
                              .limiting_write = 7,
                              .complete = true};
}

static void check_golden(const struct inventory_view *view, const char *format,
                         const struct report_style *style, const char *golden)
{
    struct text page = {0};
    report_print(&inventory_report, view, format, style, &page);
    if (!strcmp(format, "text"))
        page_check(&page);
    golden_check(golden, &page);
    text_free(&page);
}

static void check_server(void)
{
    struct inventory v = {0};
    add_machine(&v);
    add_devices(&v);
    CHECK(!v.failed);
    struct path_view path = mirror_path();
    struct inventory_view view = {.inventory = &v, .paths = &path, .path_count = 1};
    check_golden(&view, "text", &ascii, "report/probe.txt");
    check_golden(&view, "csv", &ascii, "report/probe.csv");
    check_golden(&view, "json", &ascii, "report/probe.json");
    view.path_count = 0;
    view.all = true;
    view.captured = true;
    check_golden(&view, "text", &unicode, "report/probe_all.txt");
    CHECK(!report_has_format(&inventory_report, "xml"));
    inventory_free(&v);
}

/* Checks that the text contains `words` if `expected`, and otherwise does not. */
static void check_holds(const struct inventory *v, bool expected, const char *words)
{
    const struct inventory_view view = {.inventory = v};
    struct text page = {0};
    report_print(&inventory_report, &view, "text", &ascii, &page);
    page_check(&page);
    if (!check_that((strstr(page.data, words) != NULL) == expected, __FILE__, __LINE__, words))
        fprintf(stderr, "%s", page.data);
    text_free(&page);
}

static void check_finding(enum node_kind kind, const char *key, const char *value,
                          const char *other_key, const char *other_value, const char *words)
{
    struct inventory v = {0};
    int node = add(&v, kind, "thing0", "", NULL);
    inventory_add(&v, node, key, value, "", "", FACT_OK);
    if (other_key)
        inventory_add(&v, node, other_key, other_value, "", "", FACT_OK);
    if (words)
        check_holds(&v, true, words);
    check_holds(&v, words == NULL, "nothing degraded");
    inventory_free(&v);
}

static void check_findings(void)
{
    check_finding(NODE_PCI_DEVICE, "degraded", "no", NULL, NULL, NULL);
    check_finding(NODE_NETWORK, "degraded", "yes", NULL, NULL,
                  "DEGRADED  thing0: no link, both ends can more");
    check_finding(NODE_PCI_DEVICE, "limited_by", "the card: 8.0 GT/s x4, the port can more", NULL,
                  NULL, NULL);
    check_finding(NODE_USB, "limited_by", "the port: 480 Mbit/s, the device can more", NULL, NULL,
                  "LIMITED   thing0: the port: 480");
    check_finding(NODE_RAID, "degraded_members", "0", NULL, NULL, NULL);
    check_finding(NODE_RAID, "degraded_members", "2", NULL, NULL, "members missing: 2");
    check_finding(NODE_NVME, "health", "good", NULL, NULL, NULL);
    check_finding(NODE_NVME, "health", "read only", NULL, NULL, "HEALTH    thing0: health: read");
    check_finding(NODE_DISK, "health", "good", NULL, NULL, NULL);
    check_finding(NODE_DISK, "health", "failing: the drive predicts it (SMART)", NULL, NULL,
                  "HEALTH    thing0: health: failing");
    check_finding(NODE_DISK, "pending_sectors", "0", NULL, NULL, NULL);
    check_finding(NODE_DISK, "pending_sectors", "8", NULL, NULL, "waits to replace: 8");
    check_finding(NODE_DISK, "reported_uncorrectable", "2", NULL, NULL, "could not correct: 2");
    check_finding(NODE_DISK, "offline_uncorrectable", "3", NULL, NULL, "tests could not read: 3");
    check_finding(NODE_NVME, "state", "live", NULL, NULL, NULL);
    check_finding(NODE_NVME, "state", "dead", NULL, NULL, "controller state: dead");
    check_finding(NODE_SENSOR, "temperature", "69.9", "temperature_max", "70", NULL);
    check_finding(NODE_SENSOR, "temperature", "70", "temperature_max", "70", "HOT       thing0");
    check_finding(NODE_SENSOR, "temperature", "90", "temperature_critical", "85", "TOO HOT");
    check_finding(NODE_MACHINE, "on_battery", "yes", NULL, NULL, "thing0: runs on its battery,");
    check_finding(NODE_MEMORY, "edac_uncorrectable", "1", NULL, NULL, "memory errors: 1");
    check_finding(NODE_MEMORY, "channels_empty", "B (1 of 2 have modules)", NULL, NULL,
                  "LIMITED   thing0: channels without a memory module: B (1 of 2");
    check_finding(NODE_MEMORY, "interleaving", "off", NULL, NULL, "interleaving is off");
    check_finding(NODE_PCI_BRIDGE, "aer_fatal", "7", NULL, NULL, "fatal PCIe errors: 7");
    check_finding(NODE_SAS_PORT, "invalid_dword_count", "3", NULL, NULL, "SAS link: 3");
    check_finding(NODE_CPU, "core_throttle_count", "0", NULL, NULL, NULL);
    check_finding(NODE_NETWORK, "duplex", "half", NULL, NULL, "duplex is half");
}

/* Arrays being rebuilt or checked, fans, and named limits. */
static void check_more_findings(void)
{
    check_finding(NODE_RAID, "degraded_members", "1", "sync_action", "recover",
                  "members missing: 1; a rebuild runs, and takes its share");
    check_finding(NODE_RAID, "sync_action", "check", "sync_progress", "9.7",
                  "BUSY      thing0: a check runs, 9.7 done, and takes its share");
    check_finding(NODE_RAID, "sync_action", "idle", NULL, NULL, NULL);
    check_finding(NODE_RAID, "sync_action", "frozen", NULL, NULL, NULL);
    check_finding(NODE_BOND, "limited_by", "the members: eno2 has no link", NULL, NULL,
                  "LIMITED   thing0: the members: eno2 has");
    check_finding(NODE_SENSOR, "fan2", "0", "fan2_min", "300",
                  "FAN       thing0: fan2: 0, its minimum is 300");
    check_finding(NODE_SENSOR, "fan2", "300", "fan2_min", "300", NULL);
    check_finding(NODE_SENSOR, "fan2", "0", "fan2_max", "300", NULL);
    check_finding(NODE_SENSOR, "fan12_alarm", "yes", "fan12", "900",
                  "FAN       thing0: fan12: alarm; 900");
    check_finding(NODE_SENSOR, "fan12_alarm", "no", "fan12", "900", NULL);
    check_finding(NODE_SENSOR, "temperature", "90", "temperature_critical", "85",
                  "90, at or above its critical temperature of 85");
}

static size_t count_in(const char *text, const char *words)
{
    size_t count = 0;
    while ((text = strstr(text, words))) {
        count++;
        text += strlen(words);
    }
    return count;
}

static void check_told(const struct inventory *v, const char *words, size_t expected)
{
    struct text page = {0};
    const struct findings_view few = {.inventory = v, .rest = " (see --all)"};
    PRINT_DOCUMENT(&ascii, &page, findings_print(&few, &d));
    page_check(&page);
    if (count_in(page.data, words) != expected)
        fprintf(stderr, "%s: %zu times expected in\n%s", words, expected, page.data);
    CHECK_INT(count_in(page.data, words), expected);
    text_free(&page);
}

/* A two-function card in a slot, whose link is degraded and counts errors at both ends; an
   overheated drive with its sensor chip; a fan with an alarm that is also slow: each fault is
   reported once. */
static void check_one_fault_once(void)
{
    struct inventory v = {0};
    add(&v, NODE_PCI_BRIDGE, "0000:00:01.0", "", FIXTURE_FACTS(OK("aer_correctable", "12", "")));
    for (int i = 0; i < 2; i++) {
        const char *card = i ? "0000:01:00.1" : "0000:01:00.0";
        add(&v, NODE_PCI_DEVICE, card, "0000:00:01.0",
            FIXTURE_FACTS(OK("capable", "8.0 GT/s x8", ""), OK("negotiated", "8.0 GT/s x4", ""),
                          OK("degraded", "yes", ""), OK("slot", "7", ""),
                          OK("aer_correctable", i ? "0" : "5", "")));
        add(&v, NODE_NETWORK, i ? "eth1" : "eth0", card, NULL);
    }
    check_told(&v, "DEGRADED", 1);
    check_told(&v, "DEGRADED  0000:01:00.0 (eth0, eth1) in slot 7: 8.0 GT/s x4", 1);
    check_told(&v, "ERRORS", 1);
    check_told(&v, "0000:01:00.0 (eth0) in slot 7: corrected PCIe errors: 5; its port", 1);
    inventory_add(&v, inventory_find(&v, "0000:01:00.0"), "degraded_reason",
                  "the card counted 5 correctable errors", "", "", FACT_OK);
    check_told(&v, "ERRORS", 0);

    add(&v, NODE_NVME, "nvme0", "",
        FIXTURE_FACTS(OK("temperature", "80", "C"), OK("temperature_warning", "70", "C")));
    add(&v, NODE_SENSOR, "nvme-pci-0100", "nvme0",
        FIXTURE_FACTS(OK("temperature", "80", "C"), OK("temperature_max", "70", "C")));
    check_told(&v, "HOT  ", 1);
    add(&v, NODE_SENSOR, "nct", "",
        FIXTURE_FACTS(OK("fan1", "10", "rpm"), OK("fan1_min", "300", "rpm"),
                      OK("fan1_label", "CPU", ""), OK("fan1_alarm", "yes", "")));
    check_told(&v, "FAN", 1);
    check_told(&v, "fan1 (CPU): 10 rpm, its minimum is 300 rpm", 1);
    inventory_free(&v);
}

static bool is_second_function(const void *context, const struct inventory *v, int node)
{
    return !strcmp(v->nodes[node].name, context);
}

/* Hardware that was not probed hides no finding. */
static void check_wanted(void)
{
    struct inventory v = {0};
    struct text page = {0};
    add(&v, NODE_PCI_BRIDGE, "port", "", NULL);
    for (int i = 0; i < 2; i++)
        add(&v, NODE_PCI_DEVICE, i ? "b" : "a", "port",
            FIXTURE_FACTS(OK("capable", "8.0 GT/s x8", ""), OK("degraded", "yes", "")));
    const struct findings_view w = {
        .inventory = &v, .wanted = is_second_function, .context = "b", .rest = ""};
    PRINT_DOCUMENT(&ascii, &page, CHECK_INT(findings_print(&w, &d), 1));
    CHECK(strstr(page.data, "DEGRADED  b:") != NULL);
    text_free(&page);
    inventory_free(&v);
}

/* Long values are cut only in the text. */
static void check_long_values(void)
{
    struct inventory v = {0};
    char value[2001] = "";
    memset(value, 'z', sizeof value - 1);
    add(&v, NODE_KERNEL, "kernel", "", FIXTURE_FACTS(OK("kernel_command_line", value, "")));
    add(&v, NODE_NVME, "nvme0", "", FIXTURE_FACTS(OK("health", value, "")));
    struct inventory_view view = {.inventory = &v, .all = true};
    struct text page = {0}, csv = {0};
    report_print(&inventory_report, &view, "text", &ascii, &page);
    page_check(&page);
    CHECK(page.length < 1500);
    CHECK(count_in(page.data, "zzz...zzz") >= 2);
    report_print(&inventory_report, &view, "csv", &ascii, &csv);
    CHECK(strstr(csv.data, value) != NULL);
    text_free(&page);
    text_free(&csv);
    inventory_free(&v);
}

static void check_summaries(void)
{
    struct inventory v = {0};
    check_holds(&v, true, "nothing is known of this machine");
    add(&v, NODE_MACHINE, "machine", "", FIXTURE_FACTS(OK("product", "Board", "")));
    add(&v, NODE_CPU, "cpu", "machine",
        FIXTURE_FACTS(OK("model", "Fast", ""), OK("sockets", "2", ""), OK("cores", "1", "")));
    check_holds(&v, true, "Board, 2 x Fast\n");
    check_holds(&v, true, "Fast, 2 sockets, 1 core\n");
    for (int i = 0; i < 30; i++)
        add(&v, NODE_PCI_DEVICE, "0000:00:01.0", "machine",
            FIXTURE_FACTS(MISSING("driver", FACT_DENIED)));
    check_holds(&v, true, "and 30 other devices\n");
    check_holds(&v, true, "driver of 0000:00:01.0 and 29 others: try as root");
    inventory_free(&v);
}

/* Facts of a hostile machine: escapes, long words, a tree of maximum depth. */
static void check_hostile(void)
{
    struct inventory v = {0};
    char deep[32] = "machine", longest[300];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    add(&v, NODE_MACHINE, "machine", "", FIXTURE_FACTS(OK("product", longest, "")));
    for (int i = 0; i < 200; i++) {
        char name[32];
        snprintf(name, sizeof name, "bridge%d", i);
        add(&v, NODE_PCI_BRIDGE, name, deep, FIXTURE_FACTS(OK("device_name", longest, "")));
        snprintf(deep, sizeof deep, "%s", name);
    }
    add(&v, NODE_DISK, "\033[2Jsda\n\xc2\x9b", deep,
        FIXTURE_FACTS(OK("model", "\033]0;title\a\xff\xfe", ""), OK("size", "1e999", "bytes"),
                      OK("degraded", "yes", ""), OK("capable", longest, ""),
                      OK("limit", "not a number", "bytes/s")));
    inventory_add(&v, inventory_find(&v, deep), longest, "1", longest, longest, FACT_OK);
    inventory_add(&v, inventory_find(&v, deep), longest, "", "", "", FACT_DENIED);
    check_holds(&v, true, "?[2Jsda?");
    struct text page = {0};
    const struct inventory_view view = {.inventory = &v, .all = true};
    report_print(&inventory_report, &view, "text", &unicode, &page);
    page_check(&page);
    text_free(&page);
    inventory_free(&v);
}

int main(void)
{
    check_server();
    check_findings();
    check_more_findings();
    check_one_fault_once();
    check_wanted();
    check_long_values();
    check_summaries();
    check_hostile();
    return check_result();
}
