/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of several targets and the graph of what they share: for any names, any number of
   targets, and any graph. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "many/together/together.h"
#include "report/path/shared_graph.h"
#include "report/together/targets.h"

#define TARGETS 64
#define SLICES  2000
#define MARKUP  "<img src=x onerror=alert(1)>\033[31m"

static struct result *results[TARGETS + 1];
static struct result_target targets[TARGETS];
static struct result_targets all;
static double values[SLICES];
static struct shared_graph graph;

static size_t add_part(struct result *r, const char *name, enum node_kind kind, double limit,
                       double used)
{
    struct result_part *p = &r->parts[r->part_count];
    *p = (struct result_part){.kind = kind,
                              .on_path = true,
                              .depth = (unsigned)r->part_count,
                              .limit_read = limit,
                              .limit_write = NAN,
                              .used_read = used,
                              .utilisation = used / limit};
    snprintf(p->name, sizeof p->name, "%s", name);
    if (r->part_count > 0)
        r->edges[r->edge_count++] =
            (struct result_edge){(unsigned)r->part_count - 1, (unsigned)r->part_count};
    return r->part_count++;
}

static void add_numbers(struct result *r, double iops)
{
    static const enum metric_id metrics[] = {METRIC_IOPS, METRIC_BANDWIDTH, METRIC_LATENCY_P50,
                                             METRIC_LATENCY_P99};
    const double of[] = {iops, iops * 131072, 1e9 / iops, 4e9 / iops};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        struct result_row *row = result_add(r, metrics[i], "read", of[i]);
        result_set_interval(row, .98 * of[i], 1.02 * of[i]);
    }
    snprintf(r->headline_op, sizeof r->headline_op, "read");
    r->verdict = VERDICT_MEASURED;
    r->goal = GOAL_RUNTIME;
    r->series[r->series_count++] = (struct result_series){.name = "bandwidth",
                                                          .unit = "B/s",
                                                          .kind = METRIC_KIND_BYTE_RATE,
                                                          .values = values,
                                                          .count = SLICES,
                                                          .slice_seconds = .01,
                                                          .stable_end = SLICES};
}

/* Half of the targets are below the switch of each of two root ports; the first port is fully used.
 */
static void begin(size_t count, const char *name)
{
    for (size_t i = 0; i < SLICES; i++)
        values[i] = 1e9 + 1e5 * (double)(i % 97);
    for (size_t i = 0; i <= count; i++) {
        results[i] = calloc(1, sizeof **results);
        CHECK(results[i] != NULL);
        if (!results[i])
            exit(1);
        add_numbers(results[i], i == count ? 8e3 * (double)count : 8e3);
    }
    const size_t half = (count + 1) / 2;
    for (size_t i = 0; i < count; i++) {
        const char *const switches[] = {"0000:01:00.0", "0000:41:00.0"};
        const char *const ports[] = {"0000:00:03.0", "0000:00:04.0"};
        const size_t side = i >= half;
        const double used = 1.0e9, limit = side ? 1e11 : 1.05e9 * (double)half;
        struct result *r = results[i];
        snprintf(targets[i].name, sizeof targets[i].name, "%s%zu", name, i);
        targets[i].result = r;
        add_part(r, targets[i].name, NODE_DISK, 3.9e9, used);
        add_part(r, switches[side], NODE_PCI_BRIDGE, NAN, used);
        add_part(r, ports[side], NODE_PCI_BRIDGE, limit, used);
        add_part(r, "pci0000:00", NODE_PCI_HOST, NAN, used);
        add_part(r, "package0", NODE_CPU_PACKAGE, 2e11, used);
        add_part(r, "machine", NODE_MACHINE, 0, used);
    }
    all = (struct result_targets){
        .targets = targets, .count = count, .all = results[count], .seconds = 20};
    shared_parts_find(&all);
}

static void end(void)
{
    for (size_t i = 0; i <= all.count; i++)
        free(results[i]);
}

static size_t count_of(const struct text *page, const char *words)
{
    size_t count = 0;
    for (const char *at = page->data; at && (at = strstr(at, words)); at++)
        count++;
    return count;
}

/* The folder CUPEL_PAGES, if set, keeps the pages to look at. */
static struct text page_of(const char *name)
{
    struct text page = {0};
    char path[512];
    const char *folder = getenv("CUPEL_PAGES");
    report_print(&targets_report, &all, "html", &(struct report_style){0}, &page);
    CHECK(!page.failed && page.data);
    snprintf(path, sizeof path, "%.400s/%.60s.html", folder ? folder : "", name);
    FILE *file = folder ? fopen(path, "w") : NULL;
    if (file) {
        fwrite(page.data, 1, page.length, file);
        fclose(file);
    }
    return page;
}

static void test_page(void)
{
    begin(8, "nvme");
    struct text page = page_of("eight");
    CHECK_INT(count_of(&page, ">DONE:"), 1);
    CHECK_INT(count_of(&page, ">limits them<"), 1);
    CHECK_INT(count_of(&page, "class=\"part full\""), 1);
    CHECK_INT(count_of(&page, "class=\"frame\""), 1);
    CHECK_INT(count_of(&page, "class=\"part tested\""), 8);
    /* Two switches, two ports, a host bridge and a socket, but not the machine. */
    CHECK_INT(count_of(&page, "class=\"part\""), 5);
    CHECK_INT(count_of(&page, ">machine<"), 0);
    CHECK(count_of(&page, "of 4.20 GB/s") >= 1);
    for (size_t i = 0; i < 8; i++) {
        char strip[64];
        snprintf(strip, sizeof strip, "<figcaption><b>nvme%zu</b>", i);
        CHECK_INT(count_of(&page, strip), 1);
    }
    text_free(&page);
    end();
}

/* A page of 64 targets is small enough for mail, and its graph fits a sheet. */
static void test_many(void)
{
    begin(TARGETS, "nvme");
    struct text page = page_of("many");
    CHECK(page.length < 2000000);
    const char *figure = page.data ? strstr(page.data, "<figure class=\"broad\"") : NULL;
    figure = figure ? strstr(figure, "viewBox=\"0 0 ") : NULL;
    CHECK(figure != NULL);
    if (figure) {
        char *end_of_width;
        const double width = strtod(figure + strlen("viewBox=\"0 0 "), &end_of_width);
        CHECK(width > 0 && strtod(end_of_width, NULL) / width < 1.45);
    }
    text_free(&page);
    end();
}

static void test_hostile(void)
{
    begin(2, MARKUP);
    snprintf(results[0]->parts[1].name, sizeof results[0]->parts[1].name, "</svg><script>2");
    snprintf(results[1]->parts[1].name, sizeof results[1]->parts[1].name, "</svg><script>2");
    snprintf(results[0]->parts[2].name, sizeof results[0]->parts[2].name, "\" onload=\"3");
    snprintf(results[1]->parts[2].name, sizeof results[1]->parts[2].name, "\" onload=\"3");
    shared_parts_find(&all);
    struct text page = page_of("hostile");
    CHECK_INT(count_of(&page, "<img"), 0);
    CHECK_INT(count_of(&page, "<script>2"), 0);
    CHECK_INT(count_of(&page, "\" onload"), 0);
    CHECK_INT(count_of(&page, "\033"), 0);
    CHECK(count_of(&page, "&lt;img src=x") >= 4);
    CHECK(count_of(&page, "&lt;/svg&gt;&lt;") >= 1);
    text_free(&page);
    end();
}

/* Without common parts, without any measurement, and with one target. */
static void test_little(void)
{
    begin(2, "nvme");
    for (size_t i = 0; i < 3; i++) {
        results[i]->part_count = results[i]->edge_count = 0;
        results[i]->row_count = results[i]->series_count = 0;
        results[i]->verdict = VERDICT_FAILED;
        snprintf(results[i]->failure, sizeof results[i]->failure, "it vanished");
    }
    shared_parts_find(&all);
    struct text page = page_of("nothing");
    CHECK_INT(count_of(&page, "class=\"path\""), 0);
    CHECK(count_of(&page, "it vanished") >= 2);
    CHECK(count_of(&page, "FAILED") >= 1);
    text_free(&page);
    end();
    begin(1, "nvme");
    page = page_of("one");
    CHECK_INT(count_of(&page, "class=\"path\""), 0);
    text_free(&page);
    end();
}

static struct text printed(void)
{
    const struct report_style style = {.full = true};
    struct text out = {0};
    shared_graph_print(&graph, &style, &out);
    CHECK(!out.failed);
    return out;
}

static void test_tree(void)
{
    static const char *const names[] = {"a", "b", "c", "port", "other", "memory"};
    graph = (struct shared_graph){0};
    for (size_t i = 0; i < 6; i++)
        CHECK(shared_graph_add(&graph, names[i]) != NULL);
    graph.target_count = 3;
    graph.nodes[3].kind = "PCI bridge";
    graph.nodes[3].rates[0] = (struct shared_rate){"read", "", 3.1e9, 3.94e9};
    graph.nodes[3].utilisation = 3.1 / 3.94;
    graph.nodes[3].mark = "limits them";
    shared_graph_link(&graph, 0, 3);
    shared_graph_link(&graph, 1, 3);
    shared_graph_link(&graph, 1, 3); /* once */
    shared_graph_link(&graph, 1, 4); /* over two ports */
    shared_graph_link(&graph, 2, 4);
    shared_graph_link(&graph, 3, 5);
    shared_graph_link(&graph, 4, 5);
    CHECK_INT(graph.edge_count, 6);
    struct text out = printed();
    CHECK_STR(out.data, "  memory, limit not known\n"
                        "  |- port (PCI bridge), read 3.10 GB/s of 3.94 GB/s (79 %): limits them\n"
                        "  |  |- a\n"
                        "  |  `- b\n"
                        "  `- other, limit not known\n"
                        "     |- b, above\n"
                        "     `- c\n");
    text_free(&out);
}

/* No path has a circle, but a broken record may. */
static void test_circle(void)
{
    size_t layers[SHARED_NODES_MAX];
    graph = (struct shared_graph){0};
    for (size_t i = 0; i < 4; i++)
        shared_graph_add(&graph, "node");
    graph.target_count = 1;
    shared_graph_link(&graph, 0, 1);
    shared_graph_link(&graph, 1, 2);
    shared_graph_link(&graph, 2, 1);
    shared_graph_link(&graph, 3, 3);
    shared_graph_layers(&graph, layers);
    struct text out = printed();
    CHECK(out.length < 400);
    text_free(&out);
    shared_graph_draw(&graph, "", &out);
    text_free(&out);
    while (shared_graph_add(&graph, "full"))
        ;
    CHECK_INT(graph.node_count, SHARED_NODES_MAX);
    for (size_t i = 0; i < SHARED_NODES_MAX; i++)
        for (size_t k = 0; k < 8; k++)
            shared_graph_link(&graph, i, (i + k + 1) % SHARED_NODES_MAX);
    CHECK_INT(graph.edge_count, SHARED_EDGES_MAX);
    shared_graph_draw(&graph, "", &out);
    text_free(&out);
}

int main(void)
{
    test_page();
    test_many();
    test_hostile();
    test_little();
    test_tree();
    test_circle();
    return check_result();
}
