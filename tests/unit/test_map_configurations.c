/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables and configurations: cells, levels, statistics of runs, factors without information. */
#include "check.h"

#include <unistd.h>

#include "base/table/table.h"
#include "stat/map/design.h"

static char file_path[64];

static void put(const char *text)
{
    FILE *f = fopen(file_path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static void test_cells(void)
{
    struct table t;
    struct err e = {0};
    char room[TEXT_NUMBER];
    put("\xef\xbb\xbf# a comment\nname, \"size, \"\"x\"\"\" ,n\n\n a "
        ",4k,1.50\n\"b\"\"\",NA,-2e3\r\n");
    CHECK_INT(table_open(&t, file_path, &e), 0);
    CHECK_INT(t.column_count, 3);
    CHECK_STR(t.columns[1].name, "size, \"x\"");
    CHECK(table_has_column(&t, "n") && !table_has_column(&t, "m"));
    for (size_t i = 0; i < 3; i++)
        t.columns[i].kept = true;
    CHECK_INT(table_read(&t, &e), 0);
    CHECK_INT(t.rows, 2);
    CHECK_INT(t.line[0], 4);
    CHECK_STR(table_cell(&t, 0, 0, room), "a");
    CHECK_STR(table_cell(&t, 0, 1, room), "b\"");
    CHECK(table_is_number(&t, 1, 0) && t.columns[1].number[0] == 4096);
    CHECK_STR(table_cell(&t, 1, 0, room), "4096");
    CHECK(table_is_missing(&t, 1, 1) && !table_is_missing(&t, 1, 0));
    CHECK_STR(table_cell(&t, 2, 0, room), "1.5");
    CHECK(t.columns[2].number[1] == -2000);
    CHECK(!t.last_line_open);
    table_free(&t);
}

/* Cells of a query are printed unchanged. */
static void test_verbatim(void)
{
    struct table t;
    struct err e = {0};
    char room[TEXT_NUMBER];
    put("a,b\n1.50,4k\n,x");
    CHECK_INT(table_open(&t, file_path, &e), 0);
    t.verbatim = t.columns[0].kept = t.columns[1].kept = true;
    CHECK_INT(table_read(&t, &e), 0);
    CHECK_STR(table_cell(&t, 0, 0, room), "1.50");
    CHECK_STR(table_cell(&t, 1, 0, room), "4k");
    CHECK_STR(table_cell(&t, 0, 1, room), "");
    CHECK(table_is_missing(&t, 0, 1) && !table_is_missing(&t, 1, 1));
    CHECK(t.last_line_open);
    table_free(&t);
}

static bool read_configurations(struct configurations *c, const char *const factors[],
                                const char *const maps_by[], const char *response)
{
    struct err e = {0};
    struct configurations_request request = {
        .factors = factors, .maps_by = maps_by, .response = response, .seed = 1};
    CHECK_INT(configurations_read(c, file_path, &request, &e), 0);
    CHECK_STR(e.msg, "");
    return e.code == ERR_NONE;
}

static void test_runs(void)
{
    struct configurations c;
    put("b,mode,run,v\n2,w,1,5\n1,r,1,10\n1,r,2,14\n2,r,1,1\n2,r,2,1\n1,r,3,12\n2,w,2,9\n");
    if (!read_configurations(&c, (const char *const[]){"mode", "b", NULL}, NULL, "sd"))
        return;
    CHECK_INT(c.n, 3);
    CHECK_INT(c.factors[0].level_count, 2);
    CHECK_STR(c.factors[0].words[0], "w"); /* in the order of their first occurrence */
    CHECK(!c.factors[1].is_text && c.factors[1].number[1] == 2);
    CHECK_STR(c.factors[1].words[0], "1");
    /* w 2; r 1; r 2 */
    CHECK_NEAR(c.value[0], sqrt(8), 1e-12);
    CHECK_NEAR(c.value[1], 2, 1e-12);
    CHECK_NEAR(c.value[2], 0, 1e-12);
    CHECK(c.run_count[1] == 3 && c.runs[c.run_begin[1]] == 10 && c.runs[c.run_begin[1] + 2] == 14);
    CHECK(c.noise[1] > 0 && c.noise[1] < 1 && c.mean_noise > 0);
    configurations_free(&c);
}

static void test_maps(void)
{
    struct configurations c;
    put("a,s,m,y\n1,x,1,1\n2,x,1,2\n1,x,2,3\n1,y,1,4\n2,y,1,5\n");
    if (!read_configurations(&c, (const char *const[]){"a", NULL},
                             (const char *const[]){"s", "m", NULL}, "y"))
        return;
    CHECK_INT(c.n, 5);
    CHECK_INT(c.map_count, 3);
    CHECK_INT(c.map_factor_count, 2);
    size_t of_map[3] = {0};
    for (size_t i = 0; i < c.n; i++)
        of_map[c.map[i]]++;
    CHECK_INT(of_map[0] * of_map[1] * of_map[2], 4); /* 2, 1 and 2 */
    configurations_free(&c);
}

/* Constant factors, and those that depend linearly on others, are left out; a place off that line
   is detected. */
static void test_axes(void)
{
    struct configurations c;
    struct design d;
    struct err e = {0};
    struct text notes = {0};
    size_t members[6];
    double at[MODEL_MAX_DIMENSIONS];
    put("a,b,same,c,t,y\n1,2,7,3,u,1\n2,4,7,3,v,2\n4,8,7,1,w,3\n1,2,7,8,u,4\n2,4,7,9,w,5\n4,8,7,2,"
        "v,6\n");
    if (!read_configurations(&c, (const char *const[]){"a", "b", "same", "c", "t", NULL}, NULL,
                             "y"))
        return;
    for (size_t i = 0; i < 6; i++)
        members[i] = i;
    CHECK_INT(design_make(&d, &c, members, c.n, true, &notes, &e), 0);
    CHECK_INT(d.dimensions, 4); /* a, c and two indicators */
    CHECK_INT(d.axis_count, 6);
    CHECK(strstr(notes.data, "same is constant") && strstr(notes.data, "b follows"));
    struct design_place place = design_place_of(&c, 2);
    CHECK(design_coordinates(&d, &place, at));
    place.number[1] *= 1.01;
    CHECK(!design_coordinates(&d, &place, at));
    place = design_place_of(&c, 2);
    place.number[2] = 8;
    CHECK(!design_coordinates(&d, &place, at));
    place = (struct design_place){.number = {3, 6, 7, 2}, .level = {0, 0, 0, 0, 2}};
    CHECK(design_coordinates(&d, &place, at));
    CHECK(at[0] == 3 && at[1] == 2 && at[2] + at[3] == 1);
    design_free(&d);
    text_free(&notes);
    configurations_free(&c);
}

int main(void)
{
    snprintf(file_path, sizeof file_path, "map-%ld.csv", (long)getpid());
    test_cells();
    test_verbatim();
    test_runs();
    test_maps();
    test_axes();
    remove(file_path);
    return check_result();
}
