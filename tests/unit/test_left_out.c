/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists with a fixed size: entries without room are counted in the last row, which records and
   reports show. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "facts/fact.h"
#include "facts/option_values.h"

static struct facts facts;
static struct option_values values;

static void check_facts(void)
{
    char key[40];
    for (int i = 0; i < FACTS_MAX; i++) {
        snprintf(key, sizeof key, "key%d", i);
        facts_add(&facts, "node", key, "value", "", "", FACT_OK);
    }
    CHECK_STR(facts.rows[FACTS_MAX - 1].key, "key127");
    facts_add(&facts, "node", "one more", "value", "", "", FACT_OK);
    facts_add(&facts, "node", "another", "value", "", "", FACT_OK);
    CHECK_INT(facts.count, FACTS_MAX);
    CHECK_STR(facts.rows[FACTS_MAX - 2].key, "key126");
    CHECK_STR(facts_find(&facts, NULL, "left out"), "3 facts: there is no room for them");
}

static void check_options(void)
{
    const size_t max = sizeof values.rows / sizeof *values.rows;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct option_value *value = option_values_add(&values, "long", "");
    option_value_set_text(&values, value, text, OPTION_VALUE_TEXT);
    CHECK_INT(strlen(values.text + value->is.text), sizeof text - 1);
    value = option_values_add(&values, "too-long", "");
    option_value_set_text(&values, value, text, OPTION_VALUE_LIST);
    CHECK_INT(value->kind, OPTION_VALUE_TEXT);
    CHECK_STR(values.text + value->is.text, "(no room)");
    while (values.count < max)
        option_values_add(&values, "flag", "")->kind = OPTION_VALUE_FLAG;
    CHECK_STR(values.rows[max - 1].name, "flag");
    for (int i = 0; i < 2; i++) {
        value = option_values_add(&values, "one-more", "");
        option_value_set_text(&values, value, "short", OPTION_VALUE_TEXT);
    }
    CHECK_INT(values.count, max);
    CHECK_STR(values.rows[max - 1].name, "left_out");
    CHECK_INT(values.rows[max - 1].is.count, 3);
    CHECK_STR(values.rows[max - 2].name, "flag");
}

int main(void)
{
    check_facts();
    check_options();
    return check_result();
}
