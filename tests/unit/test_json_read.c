/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values in JSON texts: by path, and one after the other. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "base/json/json_read.h"

static void finds(const char *text, const char *place, const char *value)
{
    struct span found = {0};
    char copy[64] = "";
    CHECK_INT(json_find(span_of(text), span_of(place), &found), JSON_FOUND);
    if (found.length < sizeof copy)
        span_copy(copy, found);
    CHECK_STR(copy, value);
}

static void lacks(const char *text, const char *place, enum json_found how)
{
    struct span found = {0};
    check_int(json_find(span_of(text), span_of(place), &found), how, __FILE__, __LINE__, text);
}

static void test_places(void)
{
    const char *nested = " {\"a\": [1, [2, {\"b.x\": {\"d\": -4.5e3}}], \"x\\\"]}\"], \"e\":{},\n"
                         "\t\"f\" : [ ] , \"g\" :7}";
    finds(nested, "a.0", "1");
    finds(nested, "a.1.0", "2");
    finds(nested, "a.1.1.b.x.d", "-4.5e3");
    finds(nested, "a.2", "x\\\"]}");
    finds(nested, "e", "{}");
    finds(nested, "f", "[ ]");
    finds(nested, "g", "7");
    finds("[1,2,3]", "2", "3");
    finds("{\"p\": {\"99.000000\": 12}}", "p.99.000000", "12");
    lacks(nested, "h", JSON_ABSENT);
    lacks(nested, "a.3", JSON_ABSENT);
    lacks(nested, "a.01", JSON_ABSENT);
    lacks(nested, "g.x", JSON_ABSENT);
    lacks(nested, "f.0", JSON_ABSENT);
    lacks("{\"a\": 1", "b", JSON_BROKEN);
    lacks("{\"a\" 1}", "a", JSON_BROKEN);
    lacks("{\"a\": }", "a", JSON_BROKEN);
    lacks("[1 2]", "1", JSON_BROKEN);
    lacks("{\"a", "a", JSON_BROKEN);
    lacks("", "a", JSON_BROKEN);

    /* Nesting that would exhaust the stack is refused. */
    static char deep[100001];
    memset(deep, '[', sizeof deep - 1);
    lacks(deep, "1", JSON_BROKEN);
}

/* Checks the names and values of a walk, as NAME=VALUE, and "broken" where the text has a fault. */
static void walks(const char *text, const char *expected)
{
    char got[200] = "";
    size_t at = 0;
    struct span name, value;
    struct json_walk w = json_walk_of(span_of(text));
    while (json_next(&w, &name, &value))
        at += (size_t)snprintf(got + at, sizeof got - at, "%.*s=%.*s;", (int)name.length, name.text,
                               (int)value.length, value.text);
    snprintf(got + at, sizeof got - at, "%s", w.broken ? "broken" : "");
    check_str(got, expected, __FILE__, __LINE__, text);
    CHECK(!json_next(&w, &name, &value));
}

static void test_walks(void)
{
    walks("{\"a\": 1, \"b\" :[2,{}] , \"a\":\"x\"}", "a=1;b=[2,{}];a=x;");
    walks(" [1 , [2], \"\"] ", "=1;=[2];=;");
    walks("{}", "");
    walks("[ ]", "");
    walks("7", "");
    walks("\"{}\"", "");
    walks("", "");
    walks("{\"a\": 1, \"b\" 2}", "a=1;broken");
    walks("{\"a\": 1 \"b\": 2}", "a=1;broken");
    walks("[1, ", "=1;broken");
    walks("[1", "=1;broken");
    walks("{,\"a\":1}", "broken");
    walks("[1,]", "=1;broken");
}

static void test_first(void)
{
    struct span value, after;
    CHECK(json_first(span_of(" {\"a\":[1]}\n{\"b\":2} tail"), &value, &after));
    CHECK(span_is(value, "{\"a\":[1]}"));
    CHECK(json_first(after, &value, &after));
    CHECK(span_is(value, "{\"b\":2}") && span_is(after, " tail"));
    CHECK(!json_first(span_of("{\"a\": [1, 2}"), &value, &after));
    CHECK(!json_first(span_of(" "), &value, &after));
}

int main(void)
{
    test_places();
    test_walks();
    test_first();
    return check_result();
}
