/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns for names: known matches, and agreement with the C library on random patterns. */
#include "check.h"

#include <fnmatch.h>
#include <stdint.h>

#include "base/glob.h"
#include "base/random.h"

static void said(void)
{
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"*", "", true},
        {"*", "any/.thing", true},
        {"temp*_input", "temp12_input", true},
        {"temp*_input", "temp12_max", false},
        {"*ab*ab", "abcabab", true},
        {"*ab*abc", "abcabab", false},
        {"??", "ab", true},
        {"??", "a", false},
        {"[a-c]x", "bx", true},
        {"[!a-c]x", "bx", false},
        {"[^a-c]x", "dx", true},
        {"[]a]", "]", true},
        {"[!]a]", "]", false},
        {"[a-]", "-", true},
        {"[a", "[a", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"[0-9][0-9]", "42", true},
        {"20[0-9][0-9]-[01][0-9]-[0-3][0-9]-*.part", "2026-11-20.part", false},
        {"20[0-9][0-9]-[01][0-9]-[0-3][0-9]-*.part", "2026-11-20-1.part", true},
        {"Samsung SSD *", "Samsung SSD 990 \xc3\xa9", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_INT(glob_matches(cases[i].pattern, cases[i].text), cases[i].matches);
}

static void agreement(void)
{
    struct random random;
    random_seed(&random, 1, 0);
    for (int i = 0; i < 200000; i++) {
        char pattern[8] = "", text[8] = "";
        for (uint64_t n = random_below(&random, 7), k = 0; k < n; k++)
            pattern[k] = "aab*?["[random_below(&random, 5)];
        for (uint64_t n = random_below(&random, 7), k = 0; k < n; k++)
            text[k] = "ab"[random_below(&random, 2)];
        if (glob_matches(pattern, text) != (fnmatch(pattern, text, 0) == 0)) {
            printf("%s and %s\n", pattern, text);
            CHECK(false);
        }
    }
}

int main(void)
{
    said();
    agreement();
    return check_result();
}
