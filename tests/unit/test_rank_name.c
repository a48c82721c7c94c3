/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names by rank: letters, digits, refusals. */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/launch/rank_name.h"

static struct launcher rank_of(uint32_t rank, uint32_t size)
{
    return (struct launcher){
        .name = "Slurm", .rank = rank, .size = size, .local_rank = -1, .host = "node-7"};
}

static void expands(void)
{
    static const struct {
        const char *text;
        uint32_t rank, size;
        const char *name;
    } cases[] = {
        {"run1/%h-%r", 3, 8, "run1/node-7-3"},
        {"%r", 3, 10, "3"},
        {"%r", 3, 11, "03"},
        {"%r", 99, 100, "99"},
        {"%r of %n", 7, 1000, "007 of 1000"},
        {"100%%", 0, 1, "100%"},
        {"%%r", 0, 4, "%r"},
        {"plain", 0, 4, "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct launcher l = rank_of(cases[i].rank, cases[i].size);
        struct err e = {0};
        char name[64];
        CHECK_INT(rank_name_expand(cases[i].text, &l, "-o", name, sizeof name, &e), 0);
        CHECK_STR(name, cases[i].name);
    }
    struct launcher l = rank_of(0, 1);
    char name[64], process[64];
    CHECK_INT(rank_name_expand("%p", &l, "-o", name, sizeof name, NULL), 0);
    snprintf(process, sizeof process, "%ld", (long)getpid());
    CHECK_STR(name, process);
}

static void is_template(void)
{
    CHECK(rank_name_is_template("a%r"));
    CHECK(rank_name_is_template("%%%h"));
    CHECK(!rank_name_is_template("a%%r"));
    CHECK(!rank_name_is_template("%20b%"));
    CHECK(!rank_name_is_template(""));
    CHECK(rank_name_has("%h/%r", 'r'));
    CHECK(!rank_name_has("%h/%n", 'r'));
}

static void refuses(void)
{
    struct launcher l = rank_of(1, 2), unknown = rank_of(1, 0);
    struct err e = {0};
    char name[12] = "untouched";
    CHECK_INT(rank_name_expand("a%x", &l, "-o", name, sizeof name, &e), -1);
    CHECK(e.code == ERR_USAGE && strstr(e.msg, "after %"));
    CHECK_INT(rank_name_expand("a%", &l, "-o", name, sizeof name, &e), -1);
    CHECK_INT(rank_name_expand("1234567890%r", &l, "-o", name, sizeof name, &e), 0);
    CHECK_STR(name, "12345678901");
    CHECK_INT(rank_name_expand("12345678901%r", &l, "-o", name, sizeof name, &e), -1);
    CHECK(strstr(e.msg, "longer than 11"));
    CHECK_INT(rank_name_expand("%n", &unknown, "-o", name, sizeof name, &e), -1);
    CHECK(strstr(e.msg, "CUPEL_SIZE"));
    CHECK_INT(rank_name_expand("%r", &unknown, "-o", name, sizeof name, &e), 0);
    CHECK_STR(name, "1");
}

static int folder_of(const char *text, const struct launcher *l, char folder[64], struct err *e)
{
    snprintf(folder, 64, "%s", text);
    return rank_name_folder(folder, 64, l, e);
}

static void folders(void)
{
    struct launcher alone = rank_of(0, 1), many = rank_of(1, 4), second = rank_of(1, 4);
    struct err e = {0};
    char folder[64];
    alone.name = "";
    second.local_rank = 1;
    CHECK_INT(folder_of("result", &alone, folder, &e), 0);
    CHECK_INT(folder_of("", &many, folder, &e), 0);
    CHECK_INT(folder_of("result", &many, folder, &e), -1);
    CHECK(strstr(e.msg, "result/%h-%r"));
    CHECK_INT(folder_of("%n", &many, folder, &e), -1);
    CHECK_INT(folder_of("%h", &many, folder, &e), 0);
    CHECK_STR(folder, "node-7");
    CHECK_INT(folder_of("%h", &second, folder, &e), -1);
    CHECK(strstr(e.msg, "several ranks on node-7"));
    CHECK_INT(folder_of("%h-%r", &second, folder, &e), 0);
    CHECK_STR(folder, "node-7-1");
}

static void parents(void)
{
    char top[] = "/tmp/cupel-test-rank-XXXXXX", path[200];
    struct err e = {0};
    CHECK(mkdtemp(top) != NULL);
    snprintf(path, sizeof path, "%s/run1/a-0/", top);
    CHECK_INT(rank_name_make_parent(path, &e), 0);
    CHECK_INT(rank_name_make_parent(path, &e), 0);
    snprintf(path, sizeof path, "%s/run1", top);
    CHECK(access(path, W_OK) == 0);
    snprintf(path, sizeof path, "%s/run1/a-0", top);
    CHECK(access(path, F_OK) != 0);
    snprintf(path, sizeof path, "%s/none/none/a", top);
    CHECK_INT(rank_name_make_parent(path, &e), -1);
    CHECK(strstr(e.msg, "none/none"));
    CHECK_INT(rank_name_make_parent("a-0", &e), 0);
    snprintf(path, sizeof path, "%s/run1", top);
    rmdir(path);
    rmdir(top);
}

int main(void)
{
    expands();
    is_template();
    refuses();
    folders();
    parents();
    return check_result();
}
