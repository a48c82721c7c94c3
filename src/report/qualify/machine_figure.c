/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a qualified machine: a frame for each socket, with its memory slots and the disks and cards
   on its links. Parts that a check names are marked by a double frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/html/svg.h"
#include "report/layout/layout.h"
#include "report/qualify/internal.h"

enum {
    SOCKETS_MAX = 16,
    LINE = 13,
    PAD = 6,
    GAP = 8,
    HEAD = LINE + GAP,
    BOX_WIDTH = 116,
    BOX_HEIGHT = 2 * LINE + PAD,
    LETTER = 6 /* mean width of a letter */
};

struct picture {
    const struct qualification *q;
    int sockets[SOCKETS_MAX]; /* nodes of the packages; INVENTORY_NONE: a package without a node */
    size_t socket_count;
    double x, y, width; /* place of the next box in its frame; width of the figure */
    struct text *out;   /* NULL: only compute the places, do not draw */
};

/* ---- which parts are marked ---- */

/* Returns true if the text contains the word with no letter or digit directly before or after
   it. */
static bool names(const char *text, const char *word)
{
    static const char of_name[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_#";
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at && length; at = strstr(at + 1, word)) {
        const bool begins = at == text || !strchr(of_name, at[-1]);
        if (begins && (!at[length] || !strchr(of_name, at[length])))
            return true;
    }
    return false;
}

/* Returns the worst grade of the machine's checks that name this part. */
static enum grade grade_of(const struct qualification *q, const char *name)
{
    enum grade worst = GRADE_NONE;
    for (size_t i = 0; i < q->check_count; i++) {
        const struct qualification_check *check = &q->checks[i];
        if (check->device < 0 && check->grade > worst &&
            (names(check->what, name) || names(check->found, name) || names(check->note, name)))
            worst = check->grade;
    }
    return worst;
}

/* ---- boxes ---- */

static void add_words(const struct picture *p, double x, double y, double width, const char *class,
                      const char *words)
{
    char cut[160];
    svg_add_words(p->out, x, y, class,
                  layout_shorten(cut, sizeof cut, words, (size_t)(width / LETTER)));
}

/* Adds a box with a name and words at the next place of its frame. The box of an empty slot is
   dashed. */
static void add_box(struct picture *p, const char *name, const char *words, enum grade grade,
                    bool empty)
{
    if (p->x + BOX_WIDTH + GAP > p->width) {
        p->x = GAP;
        p->y += BOX_HEIGHT + GAP;
    }
    if (p->out) {
        const bool bad = grade == GRADE_WARN || grade == GRADE_FAIL;
        svg_add_box(p->out, p->x, p->y, BOX_WIDTH, BOX_HEIGHT,
                    bad                                 ? "part full"
                    : empty || grade == GRADE_UNDECIDED ? "part open"
                                                        : "part");
        if (bad)
            svg_add_box(p->out, p->x - 3, p->y - 3, BOX_WIDTH + 6, BOX_HEIGHT + 6, "frame");
        add_words(p, p->x + PAD, p->y + LINE, BOX_WIDTH - 2 * PAD, "name", name);
        add_words(p, p->x + PAD, p->y + 2 * LINE, BOX_WIDTH - 2 * PAD, bad ? "name bold" : "",
                  words);
    }
    p->x += BOX_WIDTH + GAP;
}

/* Begins a new row of boxes, unless the present row is empty. */
static void next_row(struct picture *p)
{
    if (p->x > GAP)
        p->y += BOX_HEIGHT + GAP;
    p->x = GAP;
}

/* ---- the parts of a socket ---- */

/* Returns the socket of a memory module. Firmware numbers sockets from 0, from 1 or by letters. So
   the kth different name of a socket means the kth socket. */
static size_t socket_of_dimm(const struct picture *p, int dimm)
{
    const struct inventory *v = p->q->hardware;
    const char *own = inventory_value(v, dimm, "socket"), *seen[SOCKETS_MAX];
    size_t count = 0;
    for (int node = 0; own && node <= dimm; node++) {
        const char *socket =
            v->nodes[node].kind == NODE_DIMM ? inventory_value(v, node, "socket") : NULL;
        size_t k = 0;
        while (k < count && socket && strcmp(seen[k], socket) != 0)
            k++;
        if (socket && k == count && count < SOCKETS_MAX)
            seen[count++] = socket;
        if (node == dimm)
            return k < p->socket_count ? k : p->socket_count - 1;
    }
    return 0;
}

/* Returns the socket that has the NUMA node of a place ("NUMA node 1"), or else the first one. */
static size_t socket_of_place(const struct picture *p, const char *place)
{
    static const char prefix[] = "NUMA node ";
    if (strncmp(place, prefix, sizeof prefix - 1) != 0)
        return 0;
    for (size_t i = 0; i < p->socket_count; i++) {
        const char *nodes = p->sockets[i] == INVENTORY_NONE
                                ? NULL
                                : inventory_value(p->q->hardware, p->sockets[i], "numa_nodes");
        if (nodes && names(nodes, place + sizeof prefix - 1))
            return i;
    }
    return 0;
}

/* Returns the worst grade of checks that name the module or, for an empty slot, its channel. */
static enum grade grade_of_dimm(const struct qualification *q, int dimm, bool empty)
{
    const struct inventory *v = q->hardware;
    const char *socket = inventory_value(v, dimm, "socket"),
               *channel = inventory_value(v, dimm, "channel");
    char words[64];
    if (!empty || !channel)
        return grade_of(q, v->nodes[dimm].name);
    snprintf(words, sizeof words, "%s%.8s%s%.16s", socket ? "socket " : "", socket ? socket : "",
             socket ? " channel " : "", channel);
    return grade_of(q, words);
}

static void add_dimms(struct picture *p, size_t socket)
{
    const struct inventory *v = p->q->hardware;
    for (int node = 0; node < v->node_count; node++) {
        char words[64], bytes[UNITS_BUFFER];
        if (v->nodes[node].kind != NODE_DIMM || socket_of_dimm(p, node) != socket)
            continue;
        const double size = inventory_number(v, node, "size"),
                     speed = inventory_number(v, node, "speed");
        snprintf(words, sizeof words, "%s",
                 size > 0 ? format_size(bytes, sizeof bytes, size) : "empty");
        const size_t used = strlen(words);
        if (size > 0 && speed > 0)
            snprintf(words + used, sizeof words - used, " %.0f MT/s", speed);
        add_box(p, v->nodes[node].name, words, grade_of_dimm(p->q, node, !(size > 0)), !(size > 0));
    }
    next_row(p);
}

static void add_disks(struct picture *p, size_t socket)
{
    for (size_t i = 0; i < p->q->device_count; i++) {
        const struct qualification_device *d = &p->q->devices[i];
        char name[112];
        if (socket_of_place(p, d->place) != socket)
            continue;
        snprintf(name, sizeof name, "%s%s%s", d->name, d->slot[0] ? " " : "", d->slot);
        add_box(p, name, d->link[0] ? d->link : d->kind, d->grade, false);
    }
    next_row(p);
}

/* Adds network ports, and cards that a failed or doubtful check names, to the first socket. */
static void add_cards(struct picture *p, size_t socket)
{
    const struct inventory *v = p->q->hardware;
    for (int node = 0; node < v->node_count && socket == 0; node++) {
        const bool port = v->nodes[node].kind == NODE_NETWORK && inventory_value(v, node, "state");
        const enum grade grade = grade_of(p->q, v->nodes[node].name);
        char words[64];
        if (!port && (v->nodes[node].kind != NODE_PCI_DEVICE || grade < GRADE_WARN))
            continue;
        const char *link = inventory_value(v, node, port ? "state" : "negotiated");
        const double speed = port ? inventory_number(v, node, "speed") : NAN;
        if (speed > 0)
            snprintf(words, sizeof words, "%.4g Gbit/s", speed / 1e9);
        else
            snprintf(words, sizeof words, "%.60s", link ? link : "");
        add_box(p, v->nodes[node].name, words, grade, port && !(speed > 0));
    }
    next_row(p);
}

static void socket_words(const struct picture *p, size_t socket, char *to, size_t size)
{
    const struct inventory *v = p->q->hardware;
    const struct qualification_processors *m = &p->q->processors;
    const int node = p->sockets[socket];
    const char *model = node == INVENTORY_NONE ? NULL : inventory_value(v, node, "model"),
               *cores = node == INVENTORY_NONE ? NULL : inventory_value(v, node, "cores");
    size_t used = (size_t)snprintf(to, size, "socket %zu%s%.90s", socket, model ? ": " : "",
                                   model ? model : "");
    if (cores)
        used += (size_t)snprintf(to + used, size - used, ", %.8s cores", cores);
    if (m->measured)
        snprintf(to + used, size - used, ", %.2f GHz under load", m->clock.value / 1e9);
}

/* Returns the grade of the processors as a whole, for example of their clock. */
static enum grade grade_of_processors(const struct qualification *q)
{
    return qualification_part_judge(q, PART_PROCESSORS).grade;
}

/* Draws a socket from p->y on, and moves p->y below it. With p->out NULL it only moves p->y. */
static void draw_socket(struct picture *p, size_t socket)
{
    const double top = p->y;
    const enum grade grade = grade_of_processors(p->q);
    char words[160];
    if (p->out) {
        struct picture measured = *p;
        measured.out = NULL;
        draw_socket(&measured, socket);
        svg_add_box(p->out, 2, top, p->width - 4, measured.y - top - GAP,
                    grade >= GRADE_WARN && grade != GRADE_UNDECIDED ? "part full" : "part tested");
        socket_words(p, socket, words, sizeof words);
        add_words(p, GAP, top + LINE, p->width - (double)2 * GAP, "name", words);
    }
    p->x = GAP;
    p->y = top + HEAD;
    add_dimms(p, socket);
    add_disks(p, socket);
    add_cards(p, socket);
    p->y += GAP;
}

static void draw(const void *what, double width, struct text *out)
{
    struct picture p = *(const struct picture *)what;
    p.width = width;
    for (size_t i = 0; i < p.socket_count; i++)
        draw_socket(&p, i);
    const double height = p.y;
    p.y = 0;
    p.out = out;
    svg_begin(out, width, height, "The machine",
              "sockets with their memory slots, disks and cards; what a check names is marked");
    for (size_t i = 0; i < p.socket_count; i++)
        draw_socket(&p, i);
    text_add(out, "</svg>\n");
}

void qualification_draw_machine(const struct qualification *q, struct text *out)
{
    struct picture p = {.q = q};
    const struct inventory *v = q->hardware;
    for (int node = 0; node < v->node_count && p.socket_count < SOCKETS_MAX; node++)
        if (v->nodes[node].kind == NODE_CPU_PACKAGE)
            p.sockets[p.socket_count++] = node;
    if (!p.socket_count)
        p.sockets[p.socket_count++] = INVENTORY_NONE;
    figure_begin(out, "chart", "The machine",
                 "double frame: a check failed or warns; dashed: empty, or not decided");
    text_add(out, "</figcaption>\n");
    figure_draw(out, draw, &p);
    figure_end(out);
}
