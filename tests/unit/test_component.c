/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's components: their file and its mistakes, their place in a path, files and commands. */
#include "machine.h"

#include <signal.h>
#include <time.h>

#include "hw/component/internal.h"
#include "hw/monitor/monitor.h"

static struct components all;

static int parse(const char *text, struct err *e)
{
    *e = (struct err){0};
    return components_parse(&all, "my.graph", (struct span){text, strlen(text)}, e);
}

/* ---- the file ---- */

static void test_file(void)
{
    struct err e;
    CHECK_INT(parse("\xef\xbb\xbf# mine\r\n"
                    "[component backplane]  # slots 0 to 7\r\n"
                    "between = nvme0 .. 0000:00:1c.0\n"
                    "limit = 12 GB/s\n"
                    "counter = /sys/backplane/sectors\n"
                    "scale = 512\nkey = total\ncolumn = 2\nevery = 2s\n"
                    "[component queue of the card]\n"
                    "limit=64\nlevel_command = card --queue '#3' | tail -n 1\ntimeout=100ms\n",
                    &e),
              0);
    CHECK_STR(e.msg, "");
    CHECK_INT(all.count, 2);
    const struct component *c = &all.list[0];
    CHECK_STR(c->name, "backplane");
    CHECK_INT(c->line, 2);
    CHECK_STR(c->ends[0], "nvme0");
    CHECK_STR(c->ends[1], "0000:00:1c.0");
    CHECK_NEAR(c->limit, 12e9, 1e-12);
    CHECK(c->bytes && c->grows && !c->is_command);
    CHECK_STR(c->source, "/sys/backplane/sectors");
    CHECK_STR(c->unit, "bytes");
    CHECK_STR(c->key, "total");
    CHECK_INT(c->column, 2);
    CHECK_NEAR(c->scale, 512, 1e-12);
    CHECK_NEAR(c->every_seconds, 2, 1e-12);
    c = &all.list[1];
    CHECK_STR(c->name, "queue of the card");
    CHECK_STR(c->ends[0], "");
    CHECK(!c->bytes && !c->grows && c->is_command);
    CHECK_STR(c->unit, "");
    CHECK_NEAR(c->limit, 64, 1e-12);
    CHECK_NEAR(c->every_seconds, 1, 1e-12);
    CHECK_NEAR(c->timeout_seconds, 0.1, 1e-12);
    CHECK_STR(c->source, "card --queue '#3' | tail -n 1");
}

static void test_units(void)
{
    static const struct {
        const char *text;
        double limit;
        bool bytes;
    } rows[] = {{"100 MB/s", 1e8, true},   {"2KiB/s", 2048, true},  {"10 Gbit/s", 1.25e9, true},
                {"1.5e3", 1500, false},    {"3 k", 3000, false},    {"95%", 0.95, false},
                {"1 TiB/s", 0x1p40, true}, {"8 kbit/s", 1000, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[120];
        struct err e;
        snprintf(text, sizeof text, "[component a]\nlimit = %s\ncounter = /a\n", rows[i].text);
        CHECK_INT(parse(text, &e), 0);
        CHECK_NEAR(all.list[0].limit, rows[i].limit, 1e-12);
        CHECK_INT(all.list[0].bytes, rows[i].bytes);
    }
    struct err e; /* a counter in bytes gives a rate of bytes */
    CHECK_INT(parse("[component a]\nlimit = 4k\nunit = bytes\ncounter = /a\n", &e), 0);
    CHECK(all.list[0].bytes);
    CHECK_INT(parse("[component a]\nlimit = 4k\nunit = bytes\nlevel = /a\n", &e), 0);
    CHECK(!all.list[0].bytes);
}

static void test_mistakes(void)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "my.graph:1:1: [component NAME] is expected"},
        {"limit = 3\n", "my.graph:1:1: limit belongs into a section"},
        {"[component a\n", "my.graph:1:1: [component NAME] is expected, as in [component "
                           "backplane]: the ] is missing"},
        {"\n  [part a]\n", "my.graph:2:4: [component NAME] is expected"},
        {"[component]\n", "my.graph:1:11: [component NAME] is expected"},
        {"[component a]\nlimit = 3\ncounter = /a\n[component a]\n",
         "my.graph:4:12: line 1 has a component of that name already"},
        {"[component a]\nlimi = 3\n", "my.graph:2:1: \"limi\" is no key of a component; is limit"},
        {"[component a]\nxyzzy = 3\n", "my.graph:2:1: \"xyzzy\" is no key of a component, as in"},
        {"[component a]\nlimit 3\n", "is no key of a component"},
        {"[component a]\nlimit =  # later\n", "my.graph:2:8: the value of limit is missing, as in "
                                              "limit = 12 GB/s"},
        {"[component a]\nlimit = 3\nlimit = 4\n", "my.graph:3:1: limit is given twice"},
        {"[component a]\nlimit = 3 GBs\n", "my.graph:2:11: a unit is B/s, kB/s"},
        {"[component a]\nlimit = 0 GB/s\n", "my.graph:2:9: a limit is a number above 0"},
        {"[component a]\nlimit = -1\n", "my.graph:2:9: a limit is a number above 0"},
        {"[component a]\nlimit = 1e999\n", "my.graph:2:9: a limit is a number above 0"},
        {"[component a]\ncounter = bytes\n", "my.graph:2:11: a file is given with its whole path"},
        {"[component a]\ncounter = /a\nlevel = /b\n", "my.graph:3:9: a component has one of"},
        {"[component a]\nbetween = nvme0\n", "my.graph:2:11: two parts of the data path"},
        {"[component a]\nbetween = x..x\n", "my.graph:2:14: both ends are the same part"},
        {"[component a]\ncolumn = 0\n", "my.graph:2:10: a column is a whole number from 1"},
        {"[component a]\nscale = no\n", "my.graph:2:9: a scale is a number above 0"},
        {"[component a]\nevery = 1us\n", "my.graph:2:9: a time from 100 ms to 60 s is expected"},
        {"[component a]\ntimeout = 2h\n", "my.graph:2:11: a time from 1 ms to 60 s is expected"},
        {"[component a]\nkey = two words\n", "my.graph:2:10: a key is one word"},
        {"[component a]\nunit = abcdefghijk\n", "my.graph:2:8: a unit has at most 9 bytes"},
        {"#\n[component a]\nunit = x\n", "my.graph:2:1: component a: it has neither a limit nor"},
        {"[component a]\nlimit = 3 MB/s\n", "my.graph:1:1: component a: beside the path it needs"},
        {"[component a]\nlimit = 3\nbetween = a..b\n", "my.graph:1:1: component a: without a "
                                                       "counter its limit is one of bytes/s"},
        {"[component a]\ncounter = /a\nunit = ops\nlimit = 3 MB/s\n[component b]\n",
         "my.graph:4:9: the limit is in bytes/s, and the unit is ops"},
        {"[component a]\nunit = \x01\n", "my.graph:2:1: this line is no text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e;
        CHECK_INT(parse(rows[i].text, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        if (!strstr(e.msg, rows[i].message))
            CHECK_STR(e.msg, rows[i].message);
    }
}

/* ---- numbers in texts ---- */

static void test_numbers(void)
{
    static const struct {
        const char *text, *key;
        unsigned column;
        double number; /* NaN: there is no number, for a reason that begins with `why` */
        const char *why;
    } rows[] = {
        {"4096\n", "", 1, 4096, ""},
        {"12.5 99.25\n", "", 2, 99.25, ""},
        {"  eth0: 77 1 0\n  lo: 5 6\n", "lo", 2, 6, ""},
        {"   8 0 sda 10 11 12\n   8 1 sda1 20 21\n", "sda1", 1, 20, ""},
        {"some avg10=0.00 total=123\nfull avg10=0.50 total=45\n", "total", 1, 123, ""},
        {"some avg10=0.00 total=123\nfull avg10=0.50 total=45\n", "full", 4, 45, ""},
        {"a,b,17", "b", 1, 17, ""},
        {"18446744073709551615", "", 1, 18446744073709551615.0, ""},
        {"", "", 1, NAN, "there is no column 1"},
        {"a 1\nb 2\n", "a", 2, NAN, "there is no column 2 after a"},
        {"a 1\n", "c", 1, NAN, "no line has the word c"},
        {"12kB\n", "", 1, NAN, "\"12kB\" in column 1 is no number"},
        {"nan", "", 1, NAN, "\"nan\" in column 1 is no number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct component c = {.column = rows[i].column, .scale = 2};
        char why[160] = "";
        double number = NAN;
        snprintf(c.key, sizeof c.key, "%s", rows[i].key);
        bool found = component_number(&c, rows[i].text, &number, why, sizeof why);
        CHECK_INT(found, !isnan(rows[i].number));
        if (found)
            CHECK_NEAR(number, 2 * rows[i].number, 1e-15);
        CHECK_STR(why, rows[i].why);
    }
}

/* ---- the data path ---- */

/* Two drives of 3000 MB/s, mirrored, on a bridge of 5000. */
static void add_mirror(struct machine *m)
{
    add_socket(m, "node0", "pci0000:00");
    add(m, NODE_PCI_BRIDGE, "0000:00:01.0", "pci0000:00", 5000);
    for (int i = 0; i < 2; i++) {
        char function[32], disk[32];
        snprintf(function, sizeof function, "0000:%02x:00.0", i + 1);
        snprintf(disk, sizeof disk, "sd%c", 'a' + i);
        add(m, NODE_PCI_BRIDGE, function, "0000:00:01.0", 3000);
        add(m, NODE_DISK, disk, function, 0);
    }
    add_volume(m, NODE_RAID, "md0", "sda,sdb");
    fact(m, "md0", "level", "raid1");
    CHECK(find(m, "md0"));
}

static int join(struct machine *m, const char *text, struct err *e)
{
    CHECK_INT(parse(text, e), 0);
    return components_join(&all, &m->v, &m->path, e);
}

static void test_join(void)
{
    struct machine m;
    struct err e = {0};
    begin(&m);
    add_mirror(&m);
    check_limits(&m, 5000, "0000:00:01.0", 2500, "0000:00:01.0");
    size_t parts = m.path.part_count;
    /* The cable carries both copies of writes and one of reads; its two ends may be given in any
       order. */
    CHECK_INT(
        join(&m, "[component backplane]\nbetween = 0000:00:01.0..md0\nlimit = 4000 MB/s\n", &e), 0);
    CHECK_INT(m.path.part_count, parts + 1);
    CHECK(has_edge(&m, "0000:01:00.0", "backplane") && has_edge(&m, "0000:02:00.0", "backplane"));
    CHECK(has_edge(&m, "backplane", "0000:00:01.0"));
    CHECK(!has_edge(&m, "0000:01:00.0", "0000:00:01.0"));
    CHECK_INT(m.path.parts[part(&m, "backplane")].depth, 3);
    CHECK_INT(m.path.parts[part(&m, "0000:00:01.0")].depth, 4);
    check_limits(&m, 4000, "backplane", 2000, "backplane");
    /* Only one half of the mirror. */
    CHECK_INT(join(&m, "[component cable]\nbetween = sda..0000:01:00.0\nlimit = 800 MB/s\n", &e),
              0);
    check_limits(&m, 3800, "0000:02:00.0", 800, "cable");
    int node = inventory_find(&m.v, "cable");
    CHECK_INT(m.v.nodes[node].kind, NODE_COMPONENT);
    CHECK_NEAR(inventory_number(&m.v, node, "limit"), 800e6, 1e-12);
    /* Beside the path. */
    parts = m.path.part_count;
    CHECK_INT(join(&m, "[component queue]\nlevel = /queue\nlimit = 9\n", &e), 0);
    CHECK_INT(m.path.part_count, parts);
    CHECK(inventory_find(&m.v, "queue") != INVENTORY_NONE);

    CHECK_INT(join(&m, "[component x]\nbetween = sda..sdz\nlimit = 1 MB/s\n", &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "my.graph:1: component x: the data path has no part sdz, but md0, sda, "));
    CHECK_INT(join(&m, "[component y]\nbetween = sda..sdb\nlimit = 1 MB/s\n", &e), -1);
    CHECK_STR(e.msg, "my.graph:1: component y: no data go from sda through sdb");
    CHECK_INT(join(&m, "[component sda]\nlevel = /queue\n", &e), -1);
    CHECK(strstr(e.msg, "this machine has a part of that name"));
    m.path.part_count = m.path.edge_count = 0;
    CHECK_INT(join(&m, "[component z]\nbetween = sda..sdb\nlimit = 1 MB/s\n", &e), -1);
    CHECK(strstr(e.msg, "no data path was found"));
    end(&m);
}

/* ---- counters ---- */

/* Changes the content of the same file, which is kept open. */
static void becomes(const struct tree *tree, const char *text)
{
    char full[TREE_PATH];
    int fd = open(tree_path(tree, full, "/count"), O_WRONLY | O_TRUNC);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static const struct gauge *gauge_of(const struct monitor *m, const char *key)
{
    for (size_t i = 0; i < m->gauge_count; i++)
        if (!strcmp(m->gauges[i].name, "a") && !strcmp(m->gauges[i].key, key))
            return &m->gauges[i];
    CHECK(false);
    static const struct gauge none = {.value = NAN};
    return &none;
}

/* Sample until a file has been read again, which it is no more than every 100 ms. */
static void sample_again(struct monitor *m, double seconds)
{
    nanosleep(&(struct timespec){.tv_nsec = 110000000}, NULL);
    monitor_sample(m, seconds);
}

/* The files are below the root; `kind` is counter or level. */
static void open_monitor(struct monitor *m, struct component_sources *sources,
                         const struct sysroot *root, struct arena *arena, const char *kind)
{
    static struct inventory nothing;
    static struct data_path no_path;
    char text[200];
    struct err e;
    snprintf(text, sizeof text, "[component a]\n%s = /count\nlimit = 20\nevery = 100ms\n", kind);
    CHECK_INT(parse(text, &e), 0);
    struct component_watch watch = {.components = &all, .root = root};
    CHECK_INT(component_sources_open(sources, &watch, &e), 0);
    struct monitor_request request = {
        .root = root, .inventory = &nothing, .path = &no_path, .components = sources};
    arena_reset(arena, 0);
    CHECK_INT(monitor_open(m, &request, arena, &e), 0);
}

static void test_gauges(void)
{
    struct tree tree;
    struct arena arena;
    struct monitor m;
    struct component_sources sources;
    struct err e = {0};
    char why[200];
    double seconds;
    tree_begin(&tree);
    tree_file(&tree, "/count", "5\n");
    CHECK_INT(arena_init(&arena, monitor_bytes() + 4096, &e), 0);

    open_monitor(&m, &sources, &tree.root, &arena, "level");
    monitor_sample(&m, 1);
    CHECK_NEAR(gauge_of(&m, "level")->value, 5, 1e-12);
    CHECK_NEAR(gauge_of(&m, "use")->value, 0.25, 1e-12);
    becomes(&tree, "18\n");
    sample_again(&m, 2);
    CHECK_NEAR(gauge_of(&m, "use")->value, 0.9, 1e-12);
    CHECK(!monitor_component_fault(&m, 0, &seconds, why, sizeof why));
    becomes(&tree, "");
    sample_again(&m, 3);
    CHECK(isnan(gauge_of(&m, "use")->value));
    CHECK(monitor_component_fault(&m, 0, &seconds, why, sizeof why));
    CHECK_NEAR(seconds, 3, 1e-12);
    CHECK_STR(why, "there is no column 1");
    monitor_close(&m);
    component_sources_close(&sources);

    becomes(&tree, "1000\n");
    open_monitor(&m, &sources, &tree.root, &arena, "counter");
    monitor_sample(&m, 1);
    CHECK(isnan(gauge_of(&m, "rate")->value));
    sample_again(&m, 2);
    CHECK_NEAR(gauge_of(&m, "rate")->value, 0, 1e-12);
    CHECK(monitor_component_fault(&m, 0, &seconds, why, sizeof why));
    CHECK(isnan(seconds));
    CHECK_STR(why, "it does not count: its number stayed the same");
    becomes(&tree, "2000\n");
    sample_again(&m, 3);
    double rate = gauge_of(&m, "rate")->value;
    CHECK(rate > 0 && rate <= 1000 / 0.1);
    CHECK_NEAR(gauge_of(&m, "use")->value, rate / 20, 1e-12);
    CHECK(!monitor_component_fault(&m, 0, &seconds, why, sizeof why));
    becomes(&tree, "7\n");
    sample_again(&m, 4);
    CHECK(isnan(gauge_of(&m, "rate")->value));
    CHECK(monitor_component_fault(&m, 0, &seconds, why, sizeof why));
    CHECK_STR(why, "it ran backwards, from 2000 to 7");
    monitor_close(&m);
    component_sources_close(&sources);
    arena_free(&arena);
    tree_end(&tree);
}

/* Opening these sources fails for a reason that contains the words. */
static void refuses(const char *text, const char *words)
{
    struct component_sources sources;
    struct sysroot machine;
    struct err e;
    CHECK_INT(sysroot_open(&machine, NULL, &e), 0);
    CHECK_INT(parse(text, &e), 0);
    struct component_watch watch = {.components = &all, .root = &machine};
    CHECK_INT(component_sources_open(&sources, &watch, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

static void test_refused_sources(void)
{
    refuses("[component a]\ncounter = /nowhere/at/all\n",
            "my.graph:1: component a: /nowhere/at/all: No such file");
    refuses("[component a]\ncounter = /dev/null\n", "/dev/null: it is no regular file");
    refuses("[component a]\ncounter = /proc/version\n", "\"Linux\" in column 1 is no number");
    refuses("[component a]\nlevel_command = exit 3\n", "component a: exit 3: its exit status is 3");
    refuses("[component a]\nlevel_command = kill -9 $$\n", "it was ended by signal 9");
    refuses("[component a]\nlevel_command = echo none\n", "\"none\" in column 1 is no number");
    refuses("[component a]\nlevel_command = cat\n", "there is no column 1"); /* nothing to read */
}

/* Processes that a command started are ended with it, and endless output delays nothing. */
static void test_endless_commands(void)
{
    struct tree tree;
    char text[700], full[TREE_PATH], number[32] = "";
    tree_begin(&tree);
    snprintf(text, sizeof text,
             "[component a]\ntimeout = 300ms\n"
             "level_command = sleep 1000 & echo $! >%s; wait\n",
             tree_path(&tree, full, "/pid"));
    refuses(text, "it took longer than 0.3 s and was ended");
    FILE *f = fopen(full, "r");
    CHECK(f && fgets(number, sizeof number, f));
    if (f)
        fclose(f);
    pid_t pid = (pid_t)strtol(number, NULL, 10);
    bool gone = false;
    for (int i = 0; i < 1000 && !gone && pid > 0; i++) {
        char state[64] = "", path[64];
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        f = fopen(path, "r");
        gone = !f || !fgets(state, sizeof state, f) || strstr(state, ") Z ");
        if (f)
            fclose(f);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    CHECK(gone);
    refuses("[component a]\ntimeout = 300ms\nlevel_command = yes 1\n",
            "it took longer than 0.3 s and was ended");
    tree_end(&tree);
}

/* A command runs repeatedly; reading its number never waits for it. */
static void test_commands(void)
{
    struct component_sources sources;
    struct component_reading first, second = {0};
    struct sysroot machine;
    struct err e;
    CHECK_INT(sysroot_open(&machine, NULL, &e), 0);
    CHECK_INT(parse("[component a]\ncounter_command = cut -d. -f1 /proc/uptime\nevery = 100ms\n"
                    "[component b]\nlevel = /proc/uptime\n"
                    "[component c]\nlevel_command = echo x: 4 5\nkey = x\ncolumn = 2\n",
                    &e),
              0);
    struct component_watch watch = {.components = &all, .root = &machine};
    CHECK_INT(component_sources_open(&sources, &watch, &e), 0);
    CHECK(component_read(&sources, 2, 0, &first));
    CHECK_NEAR(first.number, 5, 1e-12);
    CHECK(component_read(&sources, 1, 0, &first));
    CHECK(first.number > 0);
    CHECK(component_read(&sources, 0, 0, &first));
    for (int i = 0; i < 3000 && !(second.number > first.number); i++) {
        component_read(&sources, 0, first.seconds, &second);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    CHECK(second.number > first.number && second.seconds > first.seconds);
    component_sources_close(&sources);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* a command has the default action again */
    test_file();
    test_units();
    test_mistakes();
    test_numbers();
    test_join();
    test_gauges();
    test_refused_sources();
    test_endless_commands();
    test_commands();
    return check_result();
}
