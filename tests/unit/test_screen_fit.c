/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a screen that are cut: dots replace the omitted text and make no line longer. */
#include "report/layout/screen_fit.h"
#include "tests/unit/check.h"

static void check_cut(const char *whole, const char *cut)
{
    struct text out = {0};
    struct screen_part part = {.lines_max = 2};
    text_add(&part.text, whole);
    screen_fit(&part, 1, 0);
    screen_join(&part, 1, &out);
    CHECK_STR(out.data, cut);
    text_free(&out);
}

int main(void)
{
    check_cut("one\ntwo words\n", "one\ntwo words\n");
    check_cut("one\ntwo words here\nthree\n", "one\ntwo words ...\n");
    check_cut("one\nsix of a b c\nthree\n", "one\nsix of a ...\n");
    check_cut("one\nword\nthree\n", "one\nword ...\n");
    check_cut("one\nwhite \033[31mred and more\033[0m\nthree\n",
              "one\nwhite \033[31mred and more\033[0m ...\n");
    return check_result();
}
