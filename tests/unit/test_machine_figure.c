/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The drawing of a machine: its parts in their sockets, with the parts marked that a check names.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "qualification_fixture.h"
#include "report/qualify/internal.h"

static struct qualified f;

static void add_dimm(const char *name, const char *socket, const char *channel, const char *size)
{
    struct inventory *v = &f.hardware;
    const int node = inventory_add_node(v, NODE_DIMM, name, NULL, inventory_find(v, "memory"));
    fact_add(v, node, "socket", socket);
    fact_add(v, node, "channel", channel);
    fact_add(v, node, "size", size);
    if (strcmp(size, "0") != 0)
        fact_add(v, node, "speed", "4800");
}

static void add_package(const char *name, const char *numa)
{
    struct inventory *v = &f.hardware;
    const int node = inventory_add_node(v, NODE_CPU_PACKAGE, name, NULL, inventory_find(v, "cpu"));
    fact_add(v, node, "model", "AMD EPYC 9354 <32-Core>");
    fact_add(v, node, "cores", "32");
    fact_add(v, node, "numa_nodes", numa);
}

/* Returns the number of times that the words are in the text. */
static size_t count(const char *text, const char *words)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        n++;
    return n;
}

/* Returns the CSS class of the box before a name, in the wide drawing. */
static const char *class_of(const char *page, const char *name, char *to, size_t size)
{
    char words[80];
    const char *last = NULL;
    snprintf(words, sizeof words, ">%s<", name);
    const char *end = strstr(page, words);
    *to = '\0';
    for (const char *at = page; end && (at = strstr(at, "<rect")) != NULL && at < end; at++)
        last = at;
    const char *class = last ? strstr(last, "class=\"") : NULL;
    if (class)
        snprintf(to, size, "%.*s", (int)strcspn(class + 7, "\""), class + 7);
    return to;
}

#define CLASS_IS(name, expected) CHECK_STR(class_of(page.data, name, (char[32]){0}, 32), expected)

static void check_two_sockets(void)
{
    struct text page = {0};
    qualified_begin(&f);
    add_package("package0", "0");
    add_package("package1", "1");
    add_dimm("CPU1_A1", "1", "A", "34359738368");
    add_dimm("CPU1_A11", "1", "A", "34359738368");
    add_dimm("CPU2_A1", "2", "A", "34359738368");
    add_dimm("CPU2_B1", "2", "B", "0");
    add_dimm("CPU2_C1", "2", "C", "0");
    qualified_good_drive(&f, 0);
    qualified_device(&f, qualified_add_nvme(&f, 3, "8.0 GT/s x4"));
    snprintf(f.devices[0].place, sizeof f.devices[0].place, "NUMA node 1");
    fact_add(&f.hardware, inventory_add_node(&f.hardware, NODE_NETWORK, "eth0", NULL, 0), "state",
             "down");
    judge_state(&f.q);
    note_check(&f.q, -1, GRADE_WARN, "memory errors", "7", "corrected, CPU1_A11 (7)");
    note_check(&f.q, -1, GRADE_WARN, "memory channels", "socket 2 channel C (3 of 4 have modules)",
               "without a module");
    qualification_draw_machine(&f.q, &page);
    CHECK(!page.failed);
    CHECK_INT(count(page.data, "<svg"), 2); /* wide and narrow */
    CHECK_INT(count(page.data, "</svg>"), 2);
    CHECK_INT(count(page.data, "32 GiB 4800 MT/s"), 6);
    CHECK(strstr(page.data, "EPYC 9354 &lt;32-Core") && !strstr(page.data, "<32-Core"));
    CLASS_IS("CPU1_A1", "part");
    CLASS_IS("CPU1_A11", "frame");
    CLASS_IS("CPU2_B1", "part open");
    CLASS_IS("CPU2_C1", "frame");
    CLASS_IS("nvme0n1 slot 20", "part");
    CLASS_IS("nvme3n1 slot 23", "frame");
    CLASS_IS("eth0", "part open");
    /* nvme0n1 is a disk of the second socket, nvme3n1 one of the first. */
    CHECK(strstr(page.data, "socket 1:") < strstr(page.data, "nvme0n1 slot"));
    CHECK(strstr(page.data, "socket 1:") > strstr(page.data, "nvme3n1 slot"));
    text_free(&page);
    qualified_end(&f);
}

/* Without packages, modules and disks there is one empty socket. */
static void check_nothing(void)
{
    struct text page = {0};
    qualified_begin(&f);
    qualification_draw_machine(&f.q, &page);
    CHECK(!page.failed);
    CHECK_INT(count(page.data, "<rect"), 2);
    CHECK_INT(count(page.data, ">socket 0<"), 2);
    CHECK(!strstr(page.data, "nan"));
    text_free(&page);
    qualified_end(&f);
}

int main(void)
{
    check_two_sockets();
    check_nothing();
    return check_result();
}
