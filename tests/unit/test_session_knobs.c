/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which devices of a data path get the requested I/O scheduler. */
#include "check.h"
#include "run/session/running.h"
#include "tree.h"

#define LEVELS 60 /* levels of two parts each, with 2^60 paths through all of them */

static struct session s;
static struct knobs own;

static void begin(struct tree *t)
{
    tree_begin(t);
    memset(&s, 0, sizeof s);
    memset(&own, 0, sizeof own);
    s.own[SESSION_PART_KNOBS] = &own;
    s.root = &t->root;
    snprintf(s.contents.plan.settings.scheduler, sizeof s.contents.plan.settings.scheduler, "none");
    snprintf(s.target.path, sizeof s.target.path, "/data");
}

static void end(struct tree *t)
{
    part_knobs.end(&s);
    inventory_free(&s.contents.hardware);
    tree_end(t);
}

static int add_part(const struct tree *t, const char *name, bool scheduler)
{
    struct inventory *v = &s.contents.hardware;
    char path[96];
    int node = inventory_add_node(v, NODE_DISK, name, NULL, INVENTORY_NONE);
    if (scheduler) {
        inventory_add(v, node, "scheduler", "mq-deadline", "", "", FACT_OK);
        snprintf(path, sizeof path, "/sys/block/%s/queue/scheduler", name);
        tree_file(t, path, "none [mq-deadline]\n");
    }
    s.path.parts[s.path.part_count] = (struct data_path_part){.node = node};
    return (int)s.path.part_count++;
}

static void add_edge(int from, int to)
{
    struct data_path_part *part = &s.path.parts[to];
    CHECK(s.path.edge_count < DATA_PATH_EDGES);
    if (!part->depth)
        part->depth = s.path.parts[from].depth + 1;
    s.path.edges[s.path.edge_count++] = (struct data_path_edge){.from = from, .to = to};
}

static void check_set(const char *const *names, size_t count)
{
    struct err e = {0};
    char path[96];
    if (part_knobs.prepare[AT_MACHINE](&s, &e) || part_knobs.prepare[AT_BEGIN](&s, &e))
        CHECK_STR(e.msg, "");
    CHECK_INT(own.change_count, count);
    CHECK_INT(s.contents.settings.count, count);
    for (size_t i = 0; i < count && i < own.change_count; i++) {
        snprintf(path, sizeof path, "/sys/block/%s/queue/scheduler", names[i]);
        CHECK_STR(own.changes[i].path, path);
        CHECK(facts_find(&s.contents.settings, "knob", path) != NULL);
    }
}

/* An array, its members, and the disk of one of them, which is found by its other path first. */
static void nearest_only(void)
{
    struct tree t;
    begin(&t);
    int array = add_part(&t, "md0", false);
    int direct = add_part(&t, "sda", true);
    int loop = add_part(&t, "loop0", true);
    int bridge = add_part(&t, "bridge", false);
    int filesystem = add_part(&t, "filesystem", false);
    int below = add_part(&t, "sdb", true);
    add_edge(array, direct);
    add_edge(array, loop);
    add_edge(direct, bridge);
    add_edge(array, below);
    add_edge(below, bridge);
    add_edge(loop, filesystem);
    add_edge(filesystem, below);
    const char *const expected[] = {"sda", "loop0"};
    check_set(expected, 2);
    end(&t);
}

/* As many joins as a path has room for: each part is visited once, not once per path. */
static void many_meetings(void)
{
    struct tree t;
    char name[32];
    begin(&t);
    int above[2] = {0}, part[2];
    above[0] = above[1] = add_part(&t, "md0", false);
    for (int level = 0; level < LEVELS; level++) {
        for (int leg = 0; leg < 2; leg++) {
            snprintf(name, sizeof name, "dm-%d", 2 * level + leg);
            part[leg] = add_part(&t, name, false);
            add_edge(above[0], part[leg]);
            if (level)
                add_edge(above[1], part[leg]);
        }
        memcpy(above, part, sizeof above);
    }
    int disk = add_part(&t, "sda", true);
    add_edge(above[0], disk);
    add_edge(above[1], disk);
    add_edge(disk, add_part(&t, "sdb", true));
    const char *const expected[] = {"sda"};
    check_set(expected, 1);
    end(&t);
}

static void no_scheduler(void)
{
    struct tree t;
    struct err e = {0};
    begin(&t);
    add_part(&t, "md0", false);
    CHECK_INT(part_knobs.prepare[AT_MACHINE](&s, &e), -1);
    CHECK_INT(e.code, ERR_MACHINE);
    CHECK_STR(e.msg, "--scheduler: /data lies on no device with a scheduler");
    end(&t);
}

int main(void)
{
    nearest_only();
    many_meetings();
    no_scheduler();
    return check_result();
}
