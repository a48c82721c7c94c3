/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data paths of several targets as one graph: shared parts, and which part limits. */
#include "check.h"

#include "many/together/together.h"
#include "report/document/document.h"
#include "report/together/internal.h"

#define TARGETS 4

static struct result results[TARGETS];
static struct result_target targets[TARGETS];
static struct result_targets all;

static void add(struct result *r, const char *name, enum node_kind kind, double limit, double used)
{
    struct result_part *p = &r->parts[r->part_count++];
    *p = (struct result_part){.kind = kind,
                              .on_path = true,
                              .limit_read = limit,
                              .limit_write = limit,
                              .used_read = used,
                              .used_write = 0};
    snprintf(p->name, sizeof p->name, "%s", name);
}

/* A disk of its own, a port, and the bridge and socket above it. */
static void begin(const char *const disks[], const char *const ports[], const double used[],
                  size_t count)
{
    memset(results, 0, sizeof results);
    for (size_t i = 0; i < count; i++) {
        add(&results[i], disks[i], NODE_DISK, 3e9, used[i]);
        add(&results[i], ports[i], NODE_OTHER, 4e9, used[i]);
        add(&results[i], "package0", NODE_CPU_PACKAGE, 40e9, used[i]);
        snprintf(targets[i].name, sizeof targets[i].name, "target%zu", i);
        targets[i].result = &results[i];
    }
    all = (struct result_targets){.targets = targets, .count = count};
    shared_parts_find(&all);
}

static void test_one_port_limits(void)
{
    begin((const char *const[]){"a", "b", "c", "d"},
          (const char *const[]){"port0", "port0", "port1", "port1"},
          (const double[]){1.9e9, 1.8e9, 1e9, 1e9}, 4);
    CHECK_INT(all.shared_count, 3);
    CHECK_STR(all.shared[0].name, "port0");
    CHECK_NEAR(all.shared[0].used_read, 3.7e9, 1e-9);
    CHECK_NEAR(all.shared[0].utilisation, 3.7 / 4, 1e-9);
    CHECK_INT(all.shared[0].targets, 2);
    CHECK(all.shared[0].limits);
    CHECK_STR(all.shared[1].name, "port1");
    CHECK(!all.shared[1].limits);
    CHECK_STR(all.shared[2].name, "package0");
    CHECK_INT(all.shared[2].targets, 4);
}

/* Two files on one disk: the disk's counters show the bytes of both. */
static void test_one_disk(void)
{
    begin((const char *const[]){"a", "a", "b"}, (const char *const[]){"port0", "port0", "port0"},
          (const double[]){1e9, 1.1e9, 5e8}, 3);
    CHECK_INT(all.shared_count, 3);
    for (size_t i = 0; i < all.shared_count; i++)
        CHECK_NEAR(all.shared[i].used_read, strcmp(all.shared[i].name, "a") ? 1.6e9 : 1.1e9, 1e-9);
}

/* An array of two disks, with a file on each of the three, in every order: the array's counters
   show them all. */
static void test_array_of_both(void)
{
    for (size_t array = 0; array < 3; array++) {
        static const char *const disks[] = {"a", "b"};
        static const double used[] = {1e9, 5e8};
        memset(results, 0, sizeof results);
        for (size_t i = 0, next = 0; i < 3; i++) {
            add(&results[i], disks[i == array ? 0 : next], NODE_DISK, 3e9, used[0]);
            if (i == array)
                add(&results[i], disks[1], NODE_DISK, 3e9, used[1]);
            add(&results[i], "port0", NODE_OTHER, 4e9, i == array ? used[0] + used[1] : used[next]);
            next += i != array;
            targets[i].result = &results[i];
        }
        all = (struct result_targets){.targets = targets, .count = 3};
        shared_parts_find(&all);
        for (size_t i = 0; i < all.shared_count; i++)
            if (!strcmp(all.shared[i].name, "port0"))
                CHECK_NEAR(all.shared[i].used_read, 1.5e9, 1e-9);
        CHECK_INT(all.shared_count, 3);
    }
}

static void test_nothing_shared(void)
{
    begin((const char *const[]){"a"}, (const char *const[]){"port0"}, (const double[]){1e9}, 1);
    CHECK_INT(all.shared_count, 0);
}

static void test_unknown(void)
{
    begin((const char *const[]){"a", "b"}, (const char *const[]){"port0", "port0"},
          (const double[]){NAN, NAN}, 2);
    CHECK_INT(all.shared_count, 2);
    CHECK(isnan(all.shared[0].used_read));
    CHECK(!all.shared[0].limits);
}

/* More parts than fit: those used most are kept, in any order, and the others are counted. */
/* Returns the paragraphs about shared parts as text, which the caller frees. */
static struct text shared_as_text(void)
{
    const struct report_style style = {.full = true};
    struct document d = document_for(&style);
    struct text page = {0};
    targets_add_shared(&all, &d);
    document_print_text(&d, &page);
    document_free(&d);
    return page;
}

static void test_many(void)
{
    enum { MORE = 5, PARTS = RESULT_SHARED_MAX + MORE };
    memset(results, 0, sizeof results);
    for (size_t i = 0; i < 2; i++) {
        add(&results[i], i ? "a" : "b", NODE_DISK, 3e9, 1e9);
        for (int k = 0; k < PARTS; k++) {
            char name[16];
            snprintf(name, sizeof name, "port%d", k);
            add(&results[i], name, NODE_OTHER, 4e9, 1e9 + k * 1e6);
        }
        targets[i].result = &results[i];
    }
    all = (struct result_targets){.targets = targets, .count = 2};
    shared_parts_find(&all);
    CHECK_INT(all.shared_count, RESULT_SHARED_MAX);
    CHECK_INT(all.shared_left_out, MORE);
    CHECK_STR(all.shared[0].name, "port68");
    CHECK_STR(all.shared[RESULT_SHARED_MAX - 1].name, "port5");
    struct text page = shared_as_text();
    CHECK(page.data && strstr(page.data, "        and 61 more shared parts, in use less\n"));
    text_free(&page);

    results[0].part_count = results[1].part_count = RESULT_SHARED_MAX + 1;
    shared_parts_find(&all);
    CHECK_INT(all.shared_left_out, 0);
    results[0].part_count = results[1].part_count = 9;
    shared_parts_find(&all);
    page = shared_as_text();
    CHECK(page.data && !strstr(page.data, "more shared"));
    text_free(&page);
}

int main(void)
{
    test_one_port_limits();
    test_one_disk();
    test_array_of_both();
    test_nothing_shared();
    test_unknown();
    test_many();
    return check_result();
}
