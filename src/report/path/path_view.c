/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the view of a result's data path, and prints it as JSON. */
#include "report/path/path_view.h"

#include "report/layout/fields.h"

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

static const char *part_kind(const void *part)
{
    return node_kind_name(((const struct result_part *)part)->kind);
}

static const struct field part_fields[] = {
    FIELD_JSON(result_part, name),        FIELD_WORDS(part_kind, NULL, "kind"),
    FIELD_JSON(result_part, on_path),     FIELD_JSON(result_part, under_test),
    FIELD_JSON(result_part, depth),       FIELD_JSON(result_part, limit_read),
    FIELD_JSON(result_part, limit_write), FIELD_LAST,
};

static const struct field measured_fields[] = {
    FIELD_JSON(result_part, used_read),   FIELD_JSON(result_part, used_write),
    FIELD_JSON(result_part, utilisation), FIELD_JSON(result_part, peak),
    FIELD_JSON(result_part, measure),     FIELD_JSON(result_part, bottleneck),
    FIELD_JSON(result_part, saturated),   FIELD_LAST,
};

static const char *part_name(const struct path_view *p, int part)
{
    return part < 0 ? "" : p->parts[part].name;
}

void path_add_json(const struct path_view *p, struct json *j)
{
    json_bool(j, "path_complete", p->complete);
    json_number(j, "path_limit_read", p->limit_read);
    json_number(j, "path_limit_write", p->limit_write);
    json_string(j, "limiting_read", part_name(p, p->limiting_read));
    json_string(j, "limiting_write", part_name(p, p->limiting_write));
    json_begin_array(j, "parts");
    for (size_t i = 0; i < p->part_count; i++) {
        json_begin_object(j, NULL);
        json_fields(j, part_fields, &p->parts[i]);
        if (p->measured)
            json_fields(j, measured_fields, &p->parts[i]);
        json_end_object(j);
    }
    json_end_array(j);
    json_begin_array(j, "edges");
    for (size_t i = 0; i < p->edge_count; i++) {
        json_begin_object(j, NULL);
        json_string(j, "from", part_name(p, (int)p->edges[i].from));
        json_string(j, "to", part_name(p, (int)p->edges[i].to));
        json_end_object(j);
    }
    json_end_array(j);
}
