/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the limits of a data path: raises the rate at the target until links are full, and goes
 * on as long as other legs can take more.
 */
#include "hw/path/internal.h"

#include <math.h>
#include <string.h>

#include "hw/link/link_limit.h"

/* ---- how volumes, arrays and bonds divide data among their members: one row per rule ---- */

enum spread_kind {
    /* data take any legs (parts that follow this one), as long as the legs are below their
       limits */
    SPREAD_FREE,
    /* each leg gets the share copies / (legs - parity) of the data; all data if copies is 0 */
    SPREAD_FIXED,
    SPREAD_FIRST, /* only the first leg: the active member of a bond */
};

struct spread {
    enum spread_kind kind;
    unsigned copies, parity;
};

enum division { FREE, FIRST, STRIPE, MIRROR, TWO_COPIES, ONE_PARITY, TWO_PARITIES };

static const struct spread spreads[] = {
    [FREE] = {SPREAD_FREE, 0, 0},          [FIRST] = {SPREAD_FIRST, 0, 0},
    [STRIPE] = {SPREAD_FIXED, 1, 0},       [MIRROR] = {SPREAD_FIXED, 0, 0},
    [TWO_COPIES] = {SPREAD_FIXED, 2, 0},   [ONE_PARITY] = {SPREAD_FIXED, 1, 1},
    [TWO_PARITIES] = {SPREAD_FIXED, 1, 2},
};

/*
 * Every rule is an upper bound: the best that the scheme allows, with full stripes and many
 * requests.
 *
 * Volumes of the device mapper have no row. /sys does not distinguish a linear volume from a
 * striped one. Requests to all parts of either keep all its legs busy at once, as with several ways
 * to one disk, so the legs add up (FREE).
 */
static const struct rule {
    enum node_kind kind;
    const char *key, *value;
    enum division read, write;
} rules[] = {
    /* A request lies on one member, or its chunks on all members in turn: every member has the same
       share. */
    {NODE_RAID, "level", "raid0", STRIPE, STRIPE},
    /* The members' blocks follow one another: the offset of the data decides which member holds
       them. */
    {NODE_RAID, "level", "linear", FREE, FREE},
    /* Either copy can be read, and md chooses the less busy member; both are written. */
    {NODE_RAID, "level", "raid1", FREE, MIRROR},
    /* Two copies (near 2, the default) of each chunk, spread over all members. */
    {NODE_RAID, "level", "raid10", FREE, TWO_COPIES},
    /* One member of each stripe holds parity: written data take n / (n - 1) of their size. The
       parity of raid5 rotates, so all n members are read. The parity member of raid4 is not read,
       but which one it is is not known, so n members are the upper bound. */
    {NODE_RAID, "level", "raid4", STRIPE, ONE_PARITY},
    {NODE_RAID, "level", "raid5", STRIPE, ONE_PARITY},
    /* raid6 is like raid5 with two parity members. */
    {NODE_RAID, "level", "raid6", STRIPE, TWO_PARITIES},
    /* Linux bonding uses one member at a time; in the modes without a row members add up over many
       connections. */
    {NODE_BOND, "mode", "active-backup", FIRST, FIRST},
    /* Every member sends all packets; the receiver uses one copy. */
    {NODE_BOND, "mode", "broadcast", FREE, MIRROR},
    /* Only sending is balanced: the active member receives all packets. */
    {NODE_BOND, "mode", "balance-tlb", FIRST, FREE},
};

/* ---- the graph ---- */

struct graph {
    const struct inventory *v;
    const struct data_path *path;
    size_t first_edge[DATA_PATH_PARTS], legs[DATA_PATH_PARTS];
    int order[DATA_PATH_PARTS]; /* [part_count], sorted so that every part comes before its legs */
    struct spread spread[DATA_PATH_PARTS];
    /* number of an array's members that are missing, or not rebuilt yet */
    unsigned missing[DATA_PATH_PARTS];
    bool write;                /* direction of the data: written, not read */
    int link[DATA_PATH_PARTS]; /* first part with the same link; usually the part itself */
    /* part whose data this part passes on; usually the part itself */
    int source[DATA_PATH_PARTS];
};

static int leg_of(const struct graph *g, int part, size_t leg)
{
    return g->path->edges[g->first_edge[part] + leg].to;
}

/* Returns true if data in this direction use the leg. */
static bool is_taken(const struct graph *g, int part, size_t leg)
{
    return g->write || !g->path->edges[g->first_edge[part] + leg].writes_only;
}

static size_t count_taken(const struct graph *g, int part)
{
    size_t count = 0;
    for (size_t leg = 0; leg < g->legs[part]; leg++)
        count += is_taken(g, part, leg);
    return count;
}

/* Sets the direction and its rules. md counts members that are being rebuilt as missing, but they
   are written. */
static void set_direction(struct graph *g, bool write)
{
    g->write = false;
    for (size_t p = 0; p < g->path->part_count; p++) {
        int node = g->path->parts[p].node;
        double missing = inventory_number(g->v, node, "degraded_members");
        if (write)
            missing -= (double)(g->legs[p] - count_taken(g, (int)p));
        g->spread[p] = spreads[FREE];
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
            const char *value = inventory_value(g->v, node, rules[i].key);
            if (rules[i].kind == g->v->nodes[node].kind && value && !strcmp(value, rules[i].value))
                g->spread[p] = spreads[write ? rules[i].write : rules[i].read];
        }
        g->missing[p] = missing > 0 && missing < DATA_PATH_PARTS ? (unsigned)missing : 0;
    }
    g->write = write;
}

/* Returns true if two parts share a link: a PCI Express port has one link, which each function of
   the card below it reports. */
static bool share_link(const struct graph *g, size_t a, size_t b)
{
    const struct data_path_part *parts = g->path->parts;
    const struct inventory_node *x = &g->v->nodes[parts[a].node];
    const struct inventory_node *y = &g->v->nodes[parts[b].node];
    return parts[a].limit_read > 0 && parts[b].limit_read > 0 && x->kind == NODE_PCI_DEVICE &&
           y->kind == NODE_PCI_DEVICE && x->parent == y->parent && x->parent != INVENTORY_NONE &&
           g->v->nodes[x->parent].kind == NODE_PCI_BRIDGE;
}

/* ---- the flow ---- */

struct flow {
    const struct graph *graph;
    double limit[DATA_PATH_PARTS]; /* bytes/s; INFINITY when there is no limit */
    double used[DATA_PATH_PARTS];  /* part of the limit used so far, bytes/s */
    /* share of a rate added at the target that passes through this part */
    double share[DATA_PATH_PARTS];
    /* sum of the shares on the part's link, kept at the part that graph.link names */
    double load[DATA_PATH_PARTS];
    bool full[DATA_PATH_PARTS];    /* the link is full */
    bool blocked[DATA_PATH_PARTS]; /* no more data can pass through the part */
};

static void find_blocked(struct flow *f)
{
    const struct graph *g = f->graph;
    for (size_t i = g->path->part_count; i-- > 0;) {
        int part = g->order[i];
        size_t count = count_taken(g, part), blocked = 0;
        for (size_t leg = 0; leg < g->legs[part]; leg++)
            blocked += is_taken(g, part, leg) && f->blocked[leg_of(g, part, leg)];
        bool legs_block = count && blocked == count;
        if (g->spread[part].kind == SPREAD_FIRST)
            legs_block = count && f->blocked[leg_of(g, part, 0)];
        else if (g->spread[part].kind == SPREAD_FIXED)
            legs_block = blocked;
        f->blocked[part] = f->full[g->link[part]] || legs_block;
    }
}

static double fixed_share(const struct graph *g, int part)
{
    const struct spread *s = &g->spread[part];
    size_t members = count_taken(g, part) + g->missing[part];
    size_t data = members > s->parity ? members - s->parity : 1;
    return s->copies ? fmin(1, (double)s->copies / (double)data) : 1;
}

static void find_shares(struct flow *f)
{
    const struct graph *g = f->graph;
    memset(f->share, 0, sizeof f->share);
    memset(f->load, 0, sizeof f->load);
    f->share[0] = 1;
    for (size_t i = 0; i < g->path->part_count; i++) {
        int part = g->order[i];
        size_t count = g->legs[part], open = 0;
        for (size_t leg = 0; leg < count; leg++)
            open += is_taken(g, part, leg) && !f->blocked[leg_of(g, part, leg)];
        for (size_t leg = 0; leg < count; leg++) {
            int to = leg_of(g, part, leg);
            double share = 0;
            if (!is_taken(g, part, leg))
                continue;
            if (g->spread[part].kind == SPREAD_FIXED)
                share = fixed_share(g, part);
            else if (g->spread[part].kind == SPREAD_FIRST)
                share = leg == 0;
            else if (!f->blocked[to])
                share = 1.0 / (double)open;
            f->share[to] += share * f->share[g->source[part]];
        }
    }
    for (size_t p = 0; p < g->path->part_count; p++)
        f->load[g->link[p]] += f->share[p];
}

static double room(const struct flow *f, size_t part)
{
    return f->load[part] > 0 ? (f->limit[part] - f->used[part]) / f->load[part] : INFINITY;
}

static double find_limit(const struct graph *g, bool write, int *limiting)
{
    struct flow f = {.graph = g};
    double total = 0;
    for (size_t p = 0; p < g->path->part_count; p++) {
        const struct data_path_part *part = &g->path->parts[p];
        double limit = write ? part->limit_write : part->limit_read;
        f.limit[p] = limit >= 0 ? limit : INFINITY;
    }
    /* Each iteration raises the rate at the target until at least one more part is full. The loop
       ends when the target is blocked, or no part limits the rate. */
    for (find_blocked(&f); !f.blocked[0]; find_blocked(&f)) {
        double step = INFINITY;
        *limiting = -1;
        find_shares(&f);
        for (size_t p = 0; p < g->path->part_count; p++)
            step = fmin(step, room(&f, p));
        for (size_t p = 0; p < g->path->part_count && isfinite(step); p++) {
            /* Parts with equal limits are full at the same time, despite rounding. */
            if (room(&f, p) <= step * (1 + 1e-9)) {
                f.full[p] = true;
                /* the full part that is nearest to the target */
                *limiting = *limiting < 0 ? (int)p : *limiting;
            }
            f.used[p] += step * f.load[p];
        }
        total += step;
        if (*limiting < 0)
            return (double)NAN;
    }
    return total;
}

/* ---- the parts ---- */

/* Properties that parts pass on to their legs. */
struct passed_on {
    /* true below a hypervisor's device, whose PCI link limits nothing; false again from the guest's
       memory on */
    bool made_up;
    bool over_tcp;
};

static void set_part_limits(const struct graph *g, struct data_path *path)
{
    struct passed_on above[DATA_PATH_PARTS] = {{false, false}};
    for (size_t i = 0; i < path->part_count; i++) {
        int p = g->order[i];
        struct data_path_part *part = &path->parts[p];
        const char *protocol = inventory_value(g->v, part->node, "protocol");
        bool remote = g->v->nodes[part->node].kind == NODE_REMOTE;
        above[p].made_up |= g->v->nodes[part->node].kind == NODE_VIRTIO ||
                            strstr(g->v->nodes[part->node].path, "/virtio");
        above[p].over_tcp |= remote && protocol && !strstr(protocol, "/rdma");
        /* The limit of the part's link, without TCP/IP headers when data go through a network. A
           bond has no link: its members are parts themselves. */
        double limit = inventory_number(g->v, part->node, "limit");
        double speed = inventory_number(g->v, part->node, "speed");
        double mtu = inventory_number(g->v, part->node, "mtu");
        enum node_kind kind = g->v->nodes[part->node].kind;
        if ((above[p].made_up && kind != NODE_COMPONENT) || !(limit > 0) || isinf(limit) ||
            kind == NODE_BOND)
            limit = (double)NAN;
        else if (above[p].over_tcp && kind == NODE_NETWORK && mtu > 0 && mtu < 1e6)
            limit = fmin(limit, limit_tcp(speed / 1e6, (unsigned)mtu).payload);
        part->limit_read = part->limit_write = limit;
        for (size_t leg = 0; leg < g->legs[p]; leg++) {
            above[leg_of(g, p, leg)].made_up |= above[p].made_up && kind != NODE_MACHINE;
            above[leg_of(g, p, leg)].over_tcp |= above[p].over_tcp;
        }
        path->complete &= !above[p].made_up;
    }
}

/* Returns true if disks and interfaces have a known limit on each of their ways to the machine. */
static bool ways_are_known(const struct graph *g)
{
    bool known[DATA_PATH_PARTS] = {false};
    for (size_t i = g->path->part_count; i-- > 0;) {
        int p = g->order[i];
        enum node_kind kind = g->v->nodes[g->path->parts[p].node].kind;
        bool legs_known = g->legs[p] > 0;
        for (size_t leg = 0; leg < g->legs[p]; leg++)
            legs_known &= known[leg_of(g, p, leg)];
        known[p] = g->path->parts[p].limit_read > 0 || legs_known;
        if (!known[p] && (kind == NODE_DISK || kind == NODE_NETWORK || kind == NODE_REMOTE))
            return false;
    }
    return true;
}

/* Sets the source of the server's memory to the remote storage: copies and parities that a server
   writes stay within the server, so the network carries only the data of the remote storage. */
static void find_sources(struct graph *g)
{
    int remote = -1;
    for (size_t i = 0; i < g->path->part_count; i++) {
        int p = g->order[i];
        enum node_kind kind = g->v->nodes[g->path->parts[p].node].kind;
        remote = kind == NODE_REMOTE ? p : remote;
        g->source[p] = kind == NODE_MACHINE && g->legs[p] && remote >= 0 ? remote : p;
    }
}

void data_path_limits(struct data_path *path, const struct inventory *v)
{
    struct graph graph = {.v = v, .path = path};
    path->limit_read = path->limit_write = (double)NAN;
    path->limiting_read = path->limiting_write = -1;
    if (!path->part_count)
        return;
    for (size_t e = graph.path->edge_count; e-- > 0;) {
        graph.first_edge[graph.path->edges[e].from] = e;
        graph.legs[graph.path->edges[e].from]++;
    }
    /* Sorts the parts: a part is placed when all parts before it have been placed (Kahn 1962). */
    unsigned above[DATA_PATH_PARTS] = {0};
    size_t placed = 0;
    for (size_t e = 0; e < graph.path->edge_count; e++)
        above[graph.path->edges[e].to]++;
    for (size_t p = 0; p < graph.path->part_count; p++)
        if (!above[p])
            graph.order[placed++] = (int)p;
    for (size_t i = 0; i < placed; i++)
        for (size_t leg = 0; leg < graph.legs[graph.order[i]]; leg++)
            if (!--above[leg_of(&graph, graph.order[i], leg)])
                graph.order[placed++] = leg_of(&graph, graph.order[i], leg);
    set_part_limits(&graph, path);
    for (size_t p = 0; p < graph.path->part_count; p++) {
        size_t first = 0;
        while (first < p && !share_link(&graph, first, p))
            first++;
        graph.link[p] = (int)first;
    }
    find_sources(&graph);
    path->complete &= ways_are_known(&graph);
    set_direction(&graph, false);
    path->limit_read = find_limit(&graph, false, &path->limiting_read);
    set_direction(&graph, true);
    path->limit_write = find_limit(&graph, true, &path->limiting_write);
}
