/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inventory as text when there is much of something: findings of one kind, missing facts,
   functions of one card; and how its time grows. */
#include <time.h>

#include "report/inventory/inventory_sections.h"
#include "tests/unit/check.h"
#include "tests/unit/page.h"
#include "tests/unit/report_fixture.h"

static const struct report_style ascii = {.full = true, .width = 80};

#define OK(key, value, unit)                                                                       \
    {                                                                                              \
        key, value, unit, FACT_OK                                                                  \
    }

static size_t count_in(const char *text, const char *words)
{
    size_t count = 0;
    for (; text && (text = strstr(text, words)); text += strlen(words))
        count++;
    return count;
}

static void add_worn_drives(struct inventory *v, int count)
{
    char name[16];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "nvme%d", i);
        fixture_node(v, NODE_NVME, name, INVENTORY_NONE,
                     FIXTURE_FACTS(OK("health", "read only", "")));
    }
}

/* A text longer than a screen repeats its verdict at the end. */
static void leave_out_repetition(struct text *page)
{
    char *again = page->data ? strstr(page->data, "\nIn short\n") : NULL;
    if (again)
        *again = '\0';
}

static void check_repetition(int lines, bool expected)
{
    const struct report_style style = {.width = 80, .lines = lines};
    struct inventory v = {0};
    struct text page = {0};
    add_worn_drives(&v, 20);
    report_print(&inventory_report, &(struct inventory_view){.inventory = &v, .all = true}, "text",
                 &style, &page);
    CHECK((page.data && strstr(page.data, "\nIn short\n") != NULL) == expected);
    text_free(&page);
    inventory_free(&v);
}

static void check_findings(int count, bool all, size_t told, const char *rest)
{
    struct inventory v = {0};
    struct text page = {0};
    add_worn_drives(&v, count);
    report_print(&inventory_report, &(struct inventory_view){.inventory = &v, .all = all}, "text",
                 &ascii, &page);
    page_check(&page);
    leave_out_repetition(&page);
    CHECK_INT(count_in(page.data, "HEALTH    nvme"), told);
    CHECK_INT(count_in(page.data, "more like it"), rest != NULL);
    CHECK(!rest || strstr(page.data, rest) != NULL);
    text_free(&page);
    inventory_free(&v);
}

static bool is_any(const void *context, const struct inventory *v, int node)
{
    return context && node < v->node_count;
}

/* For a run there is no option that lists the other findings; the total includes them. */
static void check_findings_of_run(void)
{
    struct inventory v = {0};
    struct text page = {0};
    add_worn_drives(&v, 20);
    const struct findings_view w = {.inventory = &v, .wanted = is_any, .context = &v, .rest = ""};
    PRINT_DOCUMENT(&ascii, &page, CHECK_INT(findings_print(&w, &d), 20));
    CHECK(strstr(page.data, "          and 8 more like it\n") != NULL);
    text_free(&page);
    inventory_free(&v);
}

/* Keys are in the order of their first occurrence, with the number of further nodes that lack them.
 */
static void check_missing(void)
{
    struct inventory v = {0};
    struct text page = {0};
    char key[16];
    for (int i = 0; i < 100; i++) {
        int node = fixture_node(&v, NODE_DISK, "d", INVENTORY_NONE, NULL);
        inventory_add(&v, node, "size", "1", "bytes", "", FACT_OK);
        snprintf(key, sizeof key, "own%d", i % 40);
        inventory_add(&v, node, key, "", "", "", FACT_ABSENT);
        inventory_add(&v, node, i < 50 ? "early" : "late", "", "", "", FACT_ABSENT);
        inventory_add(&v, node, "closed", "", "", "", i ? FACT_DENIED : FACT_INVALID);
    }
    PRINT_DOCUMENT(&ascii, &page, inventory_print_missing(&v, NULL, NULL, ": who knows", &d));
    page_check(&page);
    CHECK(
        strstr(page.data, "  not there: own0 of d and 2 others; early of d and 49 others; own1 "));
    CHECK(strstr(page.data, "; own20 of") != NULL);
    CHECK(strstr(page.data, "late of d#51") != NULL);
    CHECK(strstr(page.data, "  not permitted: closed of d#2 and 98 others: who knows\n"));
    CHECK(strstr(page.data, "  not understood: closed of d\n"));
    text_free(&page);

    /* none is wanted */
    PRINT_DOCUMENT(&ascii, &page, inventory_print_missing(&v, is_any, NULL, "", &d));
    CHECK_INT(page.length, 0);
    inventory_free(&v);
}

static void check_shown(enum node_kind kind, const char *name, const char *key, const char *value,
                        const char *unit, const char *line)
{
    struct inventory v = {0};
    struct text page = {0};
    fixture_node(&v, kind, name, INVENTORY_NONE, FIXTURE_FACTS({key, value, unit, FACT_OK}));
    report_print(&inventory_report,
                 &(struct inventory_view){.inventory = &v, .all = unit[0] != '\0'}, "text", &ascii,
                 &page);
    if (!check_that(strstr(page.data, line) != NULL, __FILE__, __LINE__, line))
        fprintf(stderr, "%s", page.data);
    text_free(&page);
    inventory_free(&v);
}

/* Words that are in a name are not repeated; sizes that are no whole number of KiB are in bytes. */
static void check_words(void)
{
    check_shown(NODE_REMOTE, "NFS 10.20.0.5", "protocol", "NFS", "",
                "\n  NFS 10.20.0.5  remote host\n");
    check_shown(NODE_REMOTE, "NFS 10.20.0.5", "address", "10.20.0.5", "",
                "\n  NFS 10.20.0.5  remote host\n");
    check_shown(NODE_REMOTE, "NFS server", "address", "10.20.0.5", "",
                "\n  NFS server  remote host, 10.20.0.5\n");
    check_shown(NODE_NETWORK, "eth0", "mtu", "1400", "bytes", " mtu 1400 bytes\n");
    check_shown(NODE_NETWORK, "eth0", "mtu", "9000", "bytes", " mtu 9000 bytes\n");
    check_shown(NODE_NETWORK, "eth0", "mtu", "1", "bytes", " mtu 1 byte\n");
    check_shown(NODE_DISK, "sda", "block", "512", "bytes", " block 512 bytes\n");
    check_shown(NODE_DISK, "sda", "block", "4096", "bytes", " block 4 KiB\n");
    check_shown(NODE_DISK, "sda", "block", "10241", "bytes", " block 10 KiB\n");
}

/* ---- time ---- */

/* Adds disks, the second half of which lack facts that the first half has, and a card with as many
   functions. */
static void add_many(struct inventory *v, int count)
{
    char name[24];
    int port = fixture_node(v, NODE_PCI_BRIDGE, "port", INVENTORY_NONE, NULL);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "sd%d", i);
        int disk = fixture_node(v, NODE_DISK, name, INVENTORY_NONE,
                                FIXTURE_FACTS(OK("size", "1000000", "bytes")));
        for (int key = 0; key < 8; key++) {
            snprintf(name, sizeof name, "key%d", key);
            inventory_add(v, disk, name, "1", "", "", i < count / 2 ? FACT_OK : FACT_ABSENT);
        }
        snprintf(name, sizeof name, "card%d", i);
        fixture_node(v, NODE_PCI_DEVICE, name, port,
                     FIXTURE_FACTS(OK("capable", "8.0 GT/s x8", ""), OK("degraded", "yes", "")));
    }
}

static double seconds_for(int count)
{
    struct inventory v = {0};
    struct text page = {0};
    struct timespec begin, end;
    add_many(&v, count);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    report_print(&inventory_report, &(struct inventory_view){.inventory = &v}, "text", &ascii,
                 &page);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    leave_out_repetition(&page);
    CHECK(!page.failed && count_in(page.data, "\nDEGRADED") == 1);
    text_free(&page);
    inventory_free(&v);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* Sixteen times as much takes sixteen times as long, not 256 times. */
static void check_time(void)
{
    double few = seconds_for(1000), many = seconds_for(16000);
    printf("1000 disks: %.1f ms, 16000 disks: %.1f ms\n", few * 1e3, many * 1e3);
    CHECK(many < 64 * few + 0.05);
}

int main(void)
{
    check_repetition(24, true);
    check_repetition(0, true);
    check_repetition(200, false);
    check_findings(12, false, 12, NULL);
    check_findings(13, false, 12, "\n          and 1 more like it (see --all)\n");
    check_findings(301, false, 12, "\n          and 289 more like it (see --all)\n");
    check_findings(301, true, 301, NULL);
    check_findings_of_run();
    check_missing();
    check_words();
    check_time();
    return check_result();
}
