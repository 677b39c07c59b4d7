/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions: whatever the text, it is parsed or refused; what holds for an object does so each time and for
 * the same text parsed again, and != is what == is not.
 */
#include "cli/condition.h"
#include "fuzz_show.h"

static const char json[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\",\"labels\":{\"a.b\":\"c\"}},\"a\":[1,[2,{\"c\":null}],"
    "{\"x\":\"y\",\"n\":1.5,\"b\":true},{\"x\":\"512Mi\"}],\"e\":{},\"s\":\"\"}";

static bool holds(const char *text, const kin_object *object)
{
    struct condition *condition = NULL;

    FUZZ_CHECK(condition_parse(&condition, text, NULL) == 0);
    bool first = condition_holds(condition, object);
    FUZZ_CHECK(condition_holds(condition, object) == first);
    condition_free(condition);
    return first;
}

/*
 * What multiplies: each `..` all that there is, and a repetition in a regular expression what stands before
 * it, which regcomp() spells out. Both are the user's own time and memory.
 */
static bool is_cheap(const char *text)
{
    size_t n = 0;

    for (const char *at = strstr(text, ".."); at; at = strstr(at + 1, ".."))
        n++;
    return n <= 2 && strlen(text) < 300 && !(strstr(text, "=~") && strpbrk(text, "{*+?("));
}

/* The same with the other operator, if it is == or !=; it is the first that stands outside of brackets. */
static void check_negation(char *text, const kin_object *object, bool is_true)
{
    char *at = strpbrk(text, "=!<>[\\");

    if (!at || (*at != '=' && *at != '!') || at[1] != '=')
        return;
    *at = *at == '=' ? '!' : '=';
    struct condition *condition = NULL;
    /* Where the path makes no sense for the object, neither holds. */
    if (condition_parse(&condition, text, NULL) == 0 && is_true)
        FUZZ_CHECK(!condition_holds(condition, object));
    condition_free(condition);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const kin_object *object;
    fuzz_input in = {data, size};
    char *text = fuzz_text(&in);
    struct condition *condition = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (!object)
        FUZZ_CHECK(kin_object_from_json(&object, kin_str_of(json), NULL, NULL) == 0);
    if (is_cheap(text)) {
        int code = condition_parse(&condition, text, &err);

        FUZZ_CHECK(code == 0 || (code == KIN_EPARSE && err.message[0]));
        condition_free(condition);
        if (code == 0)
            check_negation(text, object, holds(text, object));
    }
    free(text);
    return 0;
}
