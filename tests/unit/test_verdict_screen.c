/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The screen on which a qualification ends, at the sizes of consoles: the verdict large and last,
 * in colour and without, nothing beyond the last column but one, and as many lines as there are
 * rows. Then the same on pseudo terminals of these sizes, with names that would steer them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "appliance/menu/internal.h"
#include "appliance/menu/verdict_screen.h"
#include "check.h"
#include "golden.h"
#include "qualification_fixture.h"
#include "report/layout/large_letters.h"
#include "report/qualify/qualification.h"

static struct qualified f;
static char line[2048];

static void fail(int device, const char *what, const char *found, enum grade grade)
{
    struct qualification_check *check = qualification_add(&f.q, device, grade, what);
    snprintf(check->found, sizeof check->found, "%s", found);
}

/* Makes that many drives; `worst` of them, from the third on, have that grade. */
static void make_machine(int disks, int worst, enum grade grade)
{
    qualified_begin(&f);
    snprintf(f.q.expectations, sizeof f.q.expectations, "expect.txt");
    for (int i = 0; i < disks; i++)
        qualified_good_drive(&f, i);
    judge_state(&f.q);
    for (int i = 2; i < 2 + worst; i++)
        fail(i % (disks ? disks : 1), "firmware", "EPK9CB5Q", grade);
    if (disks == 0)
        fail(-1, "disks", "none", GRADE_FAIL);
    qualification_line(&f.q, line, sizeof line);
}

static void make_screen(const struct console_screen *screen, struct text *to)
{
    const struct report_style style = verdict_screen_style(screen);
    struct text page = {0};
    qualification_print_screen(&f.q, &style, verdict_screen_lines(screen, line), "key d", &page);
    const struct verdict_screen v = {
        .line = line,
        .page = page.data,
        .feet = {"report: kept on the stick as 2026-11-20-SN0000001", ""},
        .prompt = "Press a key for the menu. d: all details."};
    verdict_screen_add(&v, screen, to);
    text_free(&page);
}

/* Without the colours. */
static void add_plain(struct text *to, const char *from)
{
    for (; *from; from++) {
        if (*from == '\033')
            from += strcspn(from, "m");
        else
            text_add_bytes(to, from, 1);
    }
}

static void check_bounds(const struct text *t, const struct console_screen *screen)
{
    size_t column = 0, rows = 1, longest = 0;
    for (size_t i = 0; i < t->length; i++) {
        CHECK(t->data[i] == '\n' || (t->data[i] >= ' ' && t->data[i] < 127));
        rows += t->data[i] == '\n';
        column = t->data[i] == '\n' ? 0 : column + 1;
        longest = column > longest ? column : longest;
    }
    CHECK(longest < screen->columns);
    CHECK_INT(rows, screen->rows);
}

/* Compared with the golden file, which has no colours; colours apply to the letters. */
static void check_golden(const char *name, size_t columns, size_t rows, const char *colour)
{
    const struct console_screen screen = {columns, rows, false}, font = {columns, rows, true};
    struct text coloured = {0}, plain = {0}, bare = {0}, blocks = {0};
    char path[80];
    unsetenv("NO_COLOR");
    make_screen(&screen, &coloured);
    make_screen(&font, &blocks);
    setenv("NO_COLOR", "1", 1);
    make_screen(&screen, &bare);
    unsetenv("NO_COLOR");
    add_plain(&plain, coloured.data);
    CHECK(bare.data && plain.data && !strcmp(bare.data, plain.data));
    check_bounds(&plain, &screen);
    text_add(&plain, "\n");
    snprintf(path, sizeof path, "verdict_screen/%s_%zux%zu.txt", name, columns, rows);
    golden_check(path, &plain);
    CHECK(strstr(coloured.data, colour) != NULL);
    CHECK(strstr(bare.data, "\033") == NULL);
    CHECK(!strstr(colour, "#") == !strstr(blocks.data, "█"));
    text_free(&coloured);
    text_free(&plain);
    text_free(&bare);
    text_free(&blocks);
}

static void test_sizes(void)
{
    make_machine(2, 0, GRADE_PASS);
    check_golden("pass", 80, 25, "\033[32;42m####");
    check_golden("pass", 200, 60, "\033[32;42m####");
    qualified_end(&f);
    make_machine(60, 3, GRADE_FAIL);
    check_golden("fail", 80, 25, "\033[31;41m####");
    check_golden("fail", 128, 48, "\033[31;41m####");
    check_golden("fail", 20, 24, "\033[31;41m####");
    check_golden("fail", 20, 5, "\033[1;31m*** FAIL ***");
    qualified_end(&f);
    make_machine(8, 2, GRADE_UNDECIDED);
    check_golden("undecided", 80, 24, "\033[33;43m#");
    check_golden("undecided", 40, 24, "\033[1;33m*** NOT DECIDED ***");
    qualified_end(&f);
    make_machine(24, 1, GRADE_WARN);
    check_golden("warn", 80, 25, "\033[33;43m##");
    qualified_end(&f);
    make_machine(0, 0, GRADE_FAIL);
    check_golden("none", 80, 25, "\033[31;41m####");
    qualified_end(&f);
}

/* The qualification crashed before it left a page; both lines on the report are long. */
static void test_no_page(void)
{
    const struct console_screen screen = {80, 25, false};
    struct text out = {0}, plain = {0};
    char foot[300];
    memset(foot, 'x', sizeof foot);
    foot[sizeof foot - 1] = '\0';
    const struct verdict_screen v = {.line = "FAIL: the qualification did not end by itself",
                                     .feet = {foot, foot},
                                     .prompt = "Press a key for the menu."};
    verdict_screen_add(&v, &screen, &out);
    add_plain(&plain, out.data);
    check_bounds(&plain, &screen);
    CHECK(!strncmp(plain.data, v.line, strlen(v.line)));
    text_free(&out);
    text_free(&plain);
}

/* ---- on a terminal of that size ---- */

/* Reads everything at once, as a terminal does. */
struct reader {
    int master, slave;
    pthread_t thread;
    struct text shown;
};

static void *read_shown(void *context)
{
    struct reader *r = context;
    char bytes[4096];
    ssize_t got;
    while ((got = read(r->master, bytes, sizeof bytes)) > 0)
        text_add_bytes(&r->shown, bytes, (size_t)got);
    return NULL;
}

static struct console *open_terminal(struct reader *r, unsigned short columns, unsigned short rows)
{
    const struct winsize size = {.ws_col = columns, .ws_row = rows};
    struct console *c = NULL;
    struct err e;
    *r = (struct reader){.master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    if (r->master < 0 || grantpt(r->master) || unlockpt(r->master))
        exit(1);
    r->slave = open(ptsname(r->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (r->slave < 0 || ioctl(r->slave, TIOCSWINSZ, &size) ||
        console_open_on(&c, r->slave, r->slave, &e) ||
        pthread_create(&r->thread, NULL, read_shown, r))
        exit(1);
    return c;
}

/* Now `shown` is complete. */
static void close_terminal(struct reader *r, struct console *c)
{
    console_close(c);
    close(r->slave);
    pthread_join(r->thread, NULL);
    close(r->master);
}

/* The output after the screen was cleared: lines within the terminal's columns and rows, without
   controls except colours. */
static void check_shown(const char *shown, size_t columns, size_t rows)
{
    static const char clear[] = "\033[2J\033[H";
    size_t column = 0, lines = 1;
    CHECK(!strncmp(shown, clear, strlen(clear)));
    for (const char *at = shown + strlen(clear); *at; at++) {
        if (*at == '\033') {
            CHECK(at[1] == '[');
            size_t digits = strspn(at + 2, "0123456789;");
            at += 2 + digits;
            CHECK(*at == 'm');
        } else if (*at == '\r') {
            column = 0;
        } else if (*at == '\n') {
            lines++;
        } else {
            CHECK(*at >= ' ' && *at < 127);
            column++;
        }
        CHECK(column <= columns);
    }
    CHECK(lines <= rows);
}

static void draw_hostile(void *context, unsigned terminal, const struct console_screen *screen,
                         struct text *to)
{
    const char *text = context;
    CHECK_INT(terminal, 0);
    CHECK(!screen->blocks);
    for (size_t i = 0; i < 2 * screen->rows; i++)
        text_addf(to, "%s\n", text);
}

/* For any page: colours pass, other controls do not, nor anything beyond the screen. */
static void test_console_filter(void)
{
    static const char *const texts[] = {"\033[31mred\033[0m",
                                        "\033[2Jgone",
                                        "\033]0;title\007",
                                        "\033[6n",
                                        "\302\2332J",
                                        "\033[1;31",
                                        "\x9b"
                                        "31m",
                                        "wide \xe6\xbc\xa2 \xe2\x96\x88",
                                        "\t\v\f\b\r",
                                        "\033[99999999999999999999m"};
    static const struct {
        unsigned short columns, rows;
        size_t as_columns, as_rows;
    } sizes[] = {
        {20, 5, 20, 5}, {80, 25, 80, 25}, {0, 0, 80, 24}, {3, 1, 20, 5}, {240, 67, 240, 67}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct reader r;
            char wide[1200];
            struct console *c = open_terminal(&r, sizes[i].columns, sizes[i].rows);
            snprintf(wide, sizeof wide, "%s%0300d", texts[k], 0);
            CHECK_INT(console_count(c), 1);
            CHECK_INT(console_screen_of(c, 0).columns, sizes[i].as_columns);
            CHECK_INT(console_screen_of_key(c).rows, sizes[i].as_rows);
            console_draw(c, draw_hostile, wide);
            close_terminal(&r, c);
            check_shown(layout_string(&r.shown), sizes[i].as_columns, sizes[i].as_rows);
            CHECK((strstr(layout_string(&r.shown), "\033[31m") != NULL) == (k == 0));
            text_free(&r.shown);
        }
}

/* The pager uses all rows, breaks lines between words, and loses nothing. */
static void test_pager(unsigned short columns, unsigned short rows)
{
    struct reader r;
    struct menu menu = {.console = open_terminal(&r, columns, rows)};
    struct text text = {0};
    char word[32], keys[201];
    size_t screens = 0, next = 0;
    for (int i = 0; i < 40; i++)
        text_addf(&text, "word%d and\tso on\033[2J until this line is as long as that\n", i);
    memset(keys, ' ', sizeof keys);
    keys[sizeof keys - 1] = 'q';
    CHECK_INT(write(r.master, keys, sizeof keys), sizeof keys);
    CHECK_INT(menu_pager(&menu, "text", &text, false, CONSOLE_NONE, ""), 'q');
    close_terminal(&r, menu.console);
    char *rest = r.shown.data;
    for (char *screen = rest; screen && *screen; screen = rest) {
        rest = strstr(screen + 1, "\033[2J\033[H");
        char *copy = strndup(screen, rest ? (size_t)(rest - screen) : strlen(screen));
        check_shown(copy, columns, rows);
        for (snprintf(word, sizeof word, "word%zu ", next); strstr(copy, word);
             snprintf(word, sizeof word, "word%zu ", next))
            next++;
        screens++;
        free(copy);
    }
    CHECK_INT(next, 40); /* each word, in order, whole */
    CHECK_INT(screens, sizeof keys);
    text_free(&text);
    text_free(&r.shown);
}

/* A hundred disks whose names, models and serial numbers would steer a terminal. */
static void test_hostile_machine(void)
{
    static const struct console_screen sizes[] = {
        {80, 25, false}, {20, 5, false}, {128, 48, false}};
    qualified_begin(&f);
    for (int i = 0; i < 100; i++) {
        struct qualification_device *d = qualified_good_drive(&f, i);
        snprintf(d->model, sizeof d->model, "\033[32;42mPASS\033[0m\033]0;x\007%020d", i);
        snprintf(d->serial, sizeof d->serial, "\033c%038d", i);
        fail(i, "firmware", "\033[1A\033[8mhidden", i % 2 ? GRADE_FAIL : GRADE_WARN);
    }
    qualification_line(&f.q, line, sizeof line);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct text out = {0}, plain = {0};
        make_screen(&sizes[i], &out);
        CHECK(strstr(out.data, "\033[32;42m") == NULL); /* the only colours are the page's own */
        CHECK(strstr(out.data, "\033c") == NULL && strstr(out.data, "\033[8m") == NULL);
        add_plain(&plain, out.data);
        check_bounds(&plain, &sizes[i]);
        text_free(&out);
        text_free(&plain);
    }
    qualified_end(&f);
}

int main(void)
{
    test_sizes();
    test_no_page();
    test_hostile_machine();
    test_console_filter();
    test_pager(80, 25);
    test_pager(200, 60);
    test_pager(20, 5);
    return check_result();
}
