/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND, KIND NAME…, KIND/NAME…: taken apart or refused. What is wanted has a kind, and a name if one was given;
 * written as pairs it is the same.
 */
#include "cli/base/text.h"
#include "cli/cluster.h"
#include "fuzz_show.h"

enum { WORDS_MAX = 16 };

static void check_wanted(const struct wanted_list *list, bool has_pairs)
{
    FUZZ_CHECK(list->len > 0);
    for (size_t i = 0; i < list->len; i++) {
        FUZZ_CHECK(list->items[i].kind[0] && !strchr(list->items[i].kind, '/'));
        FUZZ_CHECK(has_pairs || !strchr(list->items[i].kind, ','));
        FUZZ_CHECK(!has_pairs || list->items[i].name[0]);
        FUZZ_CHECK(!list->items[i].is_optional || !list->items[i].name);
    }
}

/* `pods web-0` as `pods/web-0`. */
static void check_pairs(const struct wanted_list *list)
{
    struct text pairs[WORDS_MAX * 4] = {0};
    const char *words[WORDS_MAX * 4];
    struct arguments arguments = {words, 0, NULL, false};
    struct wanted_list again = {NULL, 0};
    size_t n = 0;

    if (list->len > sizeof(words) / sizeof(words[0]))
        return;
    for (; n < list->len && list->items[n].name && list->items[n].name[0]; n++) {
        text_format(&pairs[n], "%s/%s", list->items[n].kind, list->items[n].name);
        words[n] = pairs[n].data;
    }
    arguments.len = n;
    if (n > 0 && n == list->len) {
        FUZZ_CHECK(wanted_parse(&again, &arguments, NULL) == 0 && again.len == n);
        for (size_t i = 0; i < n; i++) {
            FUZZ_CHECK(strcmp(again.items[i].kind, list->items[i].kind) == 0);
            FUZZ_CHECK(strcmp(again.items[i].name, list->items[i].name) == 0);
        }
    }
    wanted_done(&again);
    while (n-- > 0)
        text_done(&pairs[n]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    char *text = fuzz_text(&in);
    const char *words[WORDS_MAX];
    struct arguments arguments = {words, 0, NULL, false};
    struct wanted_list list = {NULL, 0};
    kin_error err = KIN_ERROR_INIT;

    char *rest = NULL;
    for (char *word = strtok_r(text, "\n", &rest); word && arguments.len < WORDS_MAX;
         word = strtok_r(NULL, "\n", &rest))
        words[arguments.len++] = word;
    int code = wanted_parse(&list, &arguments, &err);
    FUZZ_CHECK(code == 0 || (code == KIN_EINVAL && err.message[0]));
    if (code == 0) {
        check_wanted(&list, strchr(arguments.items[0], '/'));
        check_pairs(&list);
        wanted_remove(&list, list.len / 2);
    }
    wanted_done(&list);
    free(text);
    return 0;
}
