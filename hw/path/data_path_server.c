/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continues the path beyond the network: puts the parts of the server between its storage and its
 * network interface, after the remote storage and before the interface of this machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/path/data_path.h"
#include "hw/path/internal.h"

struct joining {
    struct data_path *path;
    struct inventory *v;
    const struct data_path_server *server;
    int remote;                  /* index of the part of the remote storage */
    struct data_path to_memory;  /* path in the server from its storage to its memory */
    struct data_path to_network; /* path in the server from its network interface to its memory */
    /* indexed by node of the server: index of its copy in `v`, plus 1; 0: no copy yet */
    int *copies;
    struct data_path joined;
};

static int refuse_full(struct err *e)
{
    return err_set(e, ERR_MACHINE, "the data path has more parts than fit");
}

/* ---- the server's target ---- */

/* Returns the path on the server, from the source "server:/export/home" of a mounted filesystem, or
   NULL. */
static const char *exported_path(const struct joining *j)
{
    for (size_t i = 0; i < j->path->edge_count; i++) {
        const struct data_path_edge *edge = &j->path->edges[i];
        const char *source = inventory_value(j->v, j->path->parts[edge->from].node, "device");
        const char *path = source ? strstr(source, ":/") : NULL;
        if (edge->to == j->remote && path)
            return path + 1;
    }
    return NULL;
}

/* Returns true for a host without storage, which sends from its memory and receives into it
   (remote_host). */
static bool is_host(const struct joining *j)
{
    const char *protocol = inventory_value(j->v, j->path->parts[j->remote].node, "protocol");
    return protocol && !strcmp(protocol, DATA_PATH_HOST);
}

static int find_storage(struct joining *j, struct err *e)
{
    const struct data_path_server *s = j->server;
    const char *exported = exported_path(j), *target = s->target[0] ? s->target : exported;
    if (!target)
        return err_set(e, ERR_USAGE,
                       "which disk of the server holds the data does not show here: name it, as in "
                       "--remote-target nvme0n1");
    if (target[0] == '/' && strncmp(target, "/dev/", 5) != 0)
        data_path_find(&j->to_memory, s->root, s->inventory, 0, target);
    else
        data_path_of_name(&j->to_memory, s->root, s->inventory, target);
    return j->to_memory.part_count
               ? 0
               : err_set(e, ERR_USAGE,
                         "the server has no %.200s: name what holds the data with "
                         "--remote-target",
                         target);
}

/* Finds the server's interface to the network of the server's address. Without it the way from the
   server's memory into the network is not known. */
static void find_interface(struct joining *j)
{
    const struct data_path_server *s = j->server;
    const char *address = inventory_value(j->v, j->path->parts[j->remote].node, "address");
    char interface[32];
    if (address && route_find(s->root, address, interface, sizeof interface))
        data_path_of_name(&j->to_network, s->root, s->inventory, interface);
}

/* ---- nodes ---- */

/* Copies a node and its facts to a place below the remote storage. The copy has no folder on this
   machine. */
static int copy_node(struct joining *j, int node)
{
    const struct inventory *from = j->server->inventory;
    const struct inventory_node *n = &from->nodes[node];
    char name[96];
    if (j->copies[node])
        return j->copies[node] - 1;
    snprintf(name, sizeof name, DATA_PATH_SERVER "%s", n->name);
    int parent = n->parent != INVENTORY_NONE && (data_path_part(&j->to_memory, n->parent) >= 0 ||
                                                 data_path_part(&j->to_network, n->parent) >= 0)
                     ? copy_node(j, n->parent)
                     : j->path->parts[j->remote].node;
    int copy = inventory_add_node(j->v, n->kind, name, NULL, parent);
    for (int i = n->first_fact; i != INVENTORY_NONE && copy != INVENTORY_NONE;
         i = from->facts[i].next) {
        const struct inventory_fact *fact = &from->facts[i];
        inventory_add(j->v, copy, fact->key, fact->value, fact->unit, fact->source, fact->status);
    }
    j->copies[node] = copy + 1;
    return copy;
}

/* Returns the part of the joined path for a node of the server; -1: the path is full. */
static int server_part(struct joining *j, int node)
{
    int copy = copy_node(j, node), part = data_path_part(&j->joined, copy);
    if (copy == INVENTORY_NONE || part >= 0 || j->joined.part_count == DATA_PATH_PARTS)
        return part;
    j->joined.parts[j->joined.part_count] = (struct data_path_part){.node = copy};
    return (int)j->joined.part_count++;
}

/* ---- edges ---- */

/* Adds an edge. The edges of one part are consecutive; an edge that exists is not added again. */
static int join(struct joining *j, int from, int to, bool writes_only, struct err *e)
{
    struct data_path *path = &j->joined;
    size_t at = path->edge_count;
    if (from < 0 || to < 0)
        return refuse_full(e);
    for (size_t i = 0; i < path->edge_count; i++)
        if (path->edges[i].from == from && path->edges[i].to == to)
            return 0;
    if (path->edge_count == DATA_PATH_EDGES)
        return refuse_full(e);
    for (; at > 0 && path->edges[at - 1].from > from; at--)
        path->edges[at] = path->edges[at - 1];
    path->edges[at] = (struct data_path_edge){from, to, writes_only};
    path->edge_count++;
    return 0;
}

static bool is_end(const struct data_path *path, int part)
{
    for (size_t i = 0; i < path->edge_count; i++)
        if (path->edges[i].from == part)
            return false;
    return true;
}

/* Adds the edges from the server's storage to its memory. */
static int join_storage(struct joining *j, struct err *e)
{
    const struct data_path *a = &j->to_memory;
    int status = join(j, j->remote, server_part(j, a->parts[0].node), false, e);
    for (size_t i = 0; i < a->edge_count && !status; i++)
        status = join(j, server_part(j, a->parts[a->edges[i].from].node),
                      server_part(j, a->parts[a->edges[i].to].node), a->edges[i].writes_only, e);
    return status;
}

/* Adds the edges from the server's memory to the network. The path was found in the opposite
   direction, so the edges are reversed. Parts that the storage uses as well are left out. */
static int join_from_memory(struct joining *j, int memory, struct err *e)
{
    const struct data_path *a = &j->to_memory, *b = &j->to_network;
    int status = 0;
    for (size_t i = 0; i < b->edge_count && !status; i++) {
        int from = b->parts[b->edges[i].from].node, to = b->parts[b->edges[i].to].node;
        if (data_path_part(a, from) >= 0)
            continue;
        status = join(j, data_path_part(a, to) >= 0 ? memory : server_part(j, to),
                      server_part(j, from), false, e);
    }
    return status;
}

/* Continues the path of a host without storage from the host's memory, which is the end of the way
   from its network interface. */
static int join_memory(struct joining *j, struct err *e)
{
    const struct data_path *b = &j->to_network;
    if (!b->part_count)
        return err_set(e, ERR_USAGE, "the server has no interface to the address of the target");
    for (size_t i = 0; i < b->part_count; i++)
        if (is_end(b, (int)i) && join(j, j->remote, server_part(j, b->parts[i].node), false, e))
            return -1;
    return join_from_memory(j, -1, e);
}

/* Lets the parts of this machine that followed the remote storage follow `part` instead. */
static int join_client(struct joining *j, int part, struct err *e)
{
    int status = 0;
    for (size_t i = 0; i < j->path->edge_count && !status; i++)
        if (j->path->edges[i].from == j->remote)
            status = join(j, part, j->path->edges[i].to, false, e);
    return status;
}

static int join_all(struct joining *j, struct err *e)
{
    const struct data_path *a = &j->to_memory, *b = &j->to_network;
    bool by_network = b->part_count && data_path_part(a, b->parts[0].node) < 0;
    j->joined = *j->path;
    j->joined.edge_count = 0;
    j->joined.complete = j->path->complete && a->complete && b->part_count && b->complete;
    for (size_t i = 0; i < j->path->edge_count; i++) {
        const struct data_path_edge *edge = &j->path->edges[i];
        if (edge->from != j->remote && join(j, edge->from, edge->to, edge->writes_only, e))
            return -1;
    }
    if (is_host(j) ? join_memory(j, e) : join_storage(j, e))
        return -1;
    for (size_t i = 0; i < a->part_count; i++) {
        int memory = server_part(j, a->parts[i].node);
        if (is_end(a, (int)i) &&
            (by_network ? join_from_memory(j, memory, e) : join_client(j, memory, e)))
            return -1;
    }
    return by_network ? join_client(j, server_part(j, b->parts[0].node), e) : 0;
}

int data_path_continue(struct data_path *path, struct inventory *v,
                       const struct data_path_server *server, struct err *e)
{
    struct joining j = {.path = path, .v = v, .server = server, .remote = -1};
    for (size_t i = 0; i < path->part_count && j.remote < 0; i++)
        if (v->nodes[path->parts[i].node].kind == NODE_REMOTE)
            j.remote = (int)i;
    if (j.remote < 0)
        return err_set(e, ERR_USAGE,
                       "the data path does not leave this machine: a server is part of that of "
                       "NFS, SMB, iSCSI and NVMe over Fabrics");
    j.to_memory.complete = is_host(&j);
    if (!is_host(&j) && find_storage(&j, e))
        return -1;
    find_interface(&j);
    j.copies = calloc((size_t)server->inventory->node_count, sizeof *j.copies);
    if (!j.copies)
        return err_no_memory(e, "the server's parts");
    int status = join_all(&j, e);
    free(j.copies);
    if (!status && v->failed)
        status = err_no_memory(e, "the server's parts");
    if (status)
        return -1;
    *path = j.joined;
    data_path_depths(path);
    data_path_limits(path, v);
    return 0;
}
