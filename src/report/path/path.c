/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data paths: the view of a result, and JSON. */
#include "report/path/path.h"

static int part_or_none(const struct result *r, int part)
{
    return part >= 0 && (size_t)part < r->part_count ? part : -1;
}

struct path_view path_of_result(const struct result *r)
{
    return (struct path_view){.target = r->target,
                              .inventory = r->hardware,
                              .parts = r->parts,
                              .part_count = r->part_count,
                              .edges = r->edges,
                              .edge_count = r->edge_count,
                              .limit_read = r->path_limit_read,
                              .limit_write = r->path_limit_write,
                              .limiting_read = part_or_none(r, r->limiting_read),
                              .limiting_write = part_or_none(r, r->limiting_write),
                              .complete = r->path_complete,
                              .measured = true};
}

bool path_is_known(const struct path_view *p)
{
    return p->part_count > 0 && (p->parts[0].on_path || !p->measured);
}

int path_above(const struct path_view *p, size_t part)
{
    for (size_t i = 0; i < p->edge_count; i++)
        if (p->edges[i].to == part)
            return (int)p->edges[i].from;
    return -1;
}

static void add_part(const struct path_view *p, const struct result_part *part, struct json *j)
{
    json_begin_object(j, NULL);
    json_string(j, "name", part->name);
    json_string(j, "kind", node_kind_name(part->kind));
    json_bool(j, "on_path", part->on_path);
    json_bool(j, "under_test", part->under_test);
    json_unsigned(j, "depth", part->depth);
    json_number(j, "limit_read", part->limit_read);
    json_number(j, "limit_write", part->limit_write);
    if (p->measured) {
        json_number(j, "used_read", part->used_read);
        json_number(j, "used_write", part->used_write);
        json_number(j, "utilisation", part->utilisation);
        json_number(j, "peak", part->peak);
        json_string(j, "measure", part->measure);
        json_bool(j, "bottleneck", part->bottleneck);
    }
    json_end_object(j);
}

static const char *name_of(const struct path_view *p, int part)
{
    return part < 0 ? "" : p->parts[part].name;
}

void path_add_json(const struct path_view *p, struct json *j)
{
    json_bool(j, "path_complete", p->complete);
    json_number(j, "path_limit_read", p->limit_read);
    json_number(j, "path_limit_write", p->limit_write);
    json_string(j, "limiting_read", name_of(p, p->limiting_read));
    json_string(j, "limiting_write", name_of(p, p->limiting_write));
    json_begin_array(j, "parts");
    for (size_t i = 0; i < p->part_count; i++)
        add_part(p, &p->parts[i], j);
    json_end_array(j);
    json_begin_array(j, "edges");
    for (size_t i = 0; i < p->edge_count; i++) {
        json_begin_object(j, NULL);
        json_string(j, "from", name_of(p, (int)p->edges[i].from));
        json_string(j, "to", name_of(p, (int)p->edges[i].to));
        json_end_object(j);
    }
    json_end_array(j);
}
