/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content types of bodies, and the words for those that are not known.
 */
#include "apiserver_support.h"

#include "apiserver/content_type.h"
#include "base/compiler.h"

#define REFUSED (-1)
#define OBJECT_WORDS                                                                               \
    "the body of the request was in an unknown format - accepted media types include: "            \
    "application/json, application/yaml, application/vnd.kubernetes.protobuf"
#define CUSTOM_PATCH_WORDS                                                                         \
    "the body of the request was in an unknown format - accepted media types include: "            \
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
#define ROUTER_WORDS "415: Unsupported Media Type"

static void reads_types(void **state)
{
    static const struct {
        const char *type;
        enum kin__verb verb;
        int builtin_form;
        int custom_form;
    } cases[] = {
        {"", KIN__VERB_CREATE, KIN__BODY_JSON, KIN__BODY_JSON},
        {"application/json", KIN__VERB_CREATE, KIN__BODY_JSON, KIN__BODY_JSON},
        {"Application/JSON ; charset=utf-8", KIN__VERB_UPDATE, KIN__BODY_JSON, KIN__BODY_JSON},
        {"application/yaml", KIN__VERB_CREATE, KIN__BODY_YAML, KIN__BODY_YAML},
        {"application/vnd.kubernetes.protobuf", KIN__VERB_CREATE, REFUSED, REFUSED},
        {"text/plain", KIN__VERB_DELETE, REFUSED, REFUSED},
        {";", KIN__VERB_CREATE, REFUSED, REFUSED},
        {"application/merge-patch+json", KIN__VERB_CREATE, REFUSED, REFUSED},
        {"application/json-patch+json", KIN__VERB_PATCH, KIN__BODY_JSON_PATCH,
         KIN__BODY_JSON_PATCH},
        {"application/merge-patch+json;x=y", KIN__VERB_PATCH, KIN__BODY_MERGE_PATCH,
         KIN__BODY_MERGE_PATCH},
        {"application/apply-patch+yaml", KIN__VERB_PATCH, KIN__BODY_APPLY, KIN__BODY_APPLY},
        {"application/strategic-merge-patch+json", KIN__VERB_PATCH, KIN__BODY_STRATEGIC_PATCH,
         REFUSED},
        {"application/json", KIN__VERB_PATCH, REFUSED, REFUSED},
        {"", KIN__VERB_PATCH, REFUSED, REFUSED},
    };
    const kin__kind custom = {.group = "example.com", .kind = "Widget", .custom = true};

    (void)state;
    for (size_t i = 0; i < 2 * kin__array_len(cases); i++) {
        size_t at = i / 2;
        bool is_custom = i % 2 == 1;
        int expected = is_custom ? cases[at].custom_form : cases[at].builtin_form;
        const char *patch_words = is_custom ? CUSTOM_PATCH_WORDS : ROUTER_WORDS;
        enum kin__body_form form = KIN__BODY_JSON;
        kin__failure failure;
        bool ok = kin__content_type_read(kin_str_of(cases[at].type),
                                         is_custom ? &custom : builtin("", "pods"), cases[at].verb,
                                         &form, &failure);

        if ((ok ? (int)form : REFUSED) != expected)
            fail_msg("%s: %d", cases[at].type, ok ? (int)form : REFUSED);
        if (!ok)
            assert_failure(&failure, 415, "UnsupportedMediaType",
                           cases[at].verb == KIN__VERB_PATCH ? patch_words : OBJECT_WORDS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
