/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selecting objects. Fields are looked up by what the kind's table says of them: elsewhere than
 * their name says, or with a value that absent ones have.
 */
#include "apiserver/protocol/selector.h"

#include "kinform/path.h"

/* --- reading --- */

static bool fail_selector(kin__failure *failure, int code, const kin_error *err, kin_str words)
{
    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    /* What apimachinery takes and we do not is told in our words: limits. */
    if (words.len == 0)
        words = kin_str_of(err->message);
    return kin__fail_bad_request(failure, "%" KIN_STR_FMT, KIN_STR_ARG(words));
}

bool kin__label_selector_read(const kin_label_selector **ret, kin_str text, kin__failure *failure)
{
    char words[4096];
    kin__cutline line;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_label_selector_parse(ret, text, &err);

    if (code == 0)
        return true;
    kin__cutline_init(&line, words, sizeof(words));
    if (code == KIN_EPARSE)
        kin__label_selector_words(text, &line);
    return fail_selector(failure, code, &err, kin_str_make(words, line.len));
}

bool kin__field_selector_read(const kin_field_selector **ret, kin_str text, kin__failure *failure)
{
    char words[4096];
    kin__cutline line;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_field_selector_parse(ret, text, &err);

    if (code == 0)
        return true;
    kin__cutline_init(&line, words, sizeof(words));
    if (code == KIN_EPARSE)
        kin__field_selector_words(text, &line);
    return fail_selector(failure, code, &err, kin_str_make(words, line.len));
}

/* --- fields --- */

static const kin__selectable_field *find_field(const kin__kind_version *version, kin_str name)
{
    const kin__selectable_field *field = version->fields;

    for (; field && field->name; field++)
        if (kin_str_equal(kin_str_of(field->name), name))
            return field;
    return NULL;
}

static bool is_selectable(const kin__kind *kind, const kin__kind_version *version, kin_str name)
{
    if (kin_str_equal(name, kin_str_of("metadata.name")))
        return true;
    if (kin_str_equal(name, kin_str_of("metadata.namespace")))
        return kind->namespaced || kind->field_words == KIN__FIELDS_UNKNOWN;
    return find_field(version, name) != NULL;
}

static bool fail_field(kin__failure *failure, const kin__kind *kind, kin_str name)
{
    char quoted[1024];
    kin__cutline line;

    kin__cutline_init(&line, quoted, sizeof(quoted));
    kin__cutline_append_quoted(&line, name);
    switch (kind->field_words) {
    case KIN__FIELDS_UNKNOWN:
        return kin__fail_bad_request(failure,
                                     "%s is not a known field selector: only \"metadata.name\", "
                                     "\"metadata.namespace\"",
                                     quoted);
    case KIN__FIELDS_JOB:
        return kin__fail_bad_request(failure, "field label %s not supported for Job", quoted);
    case KIN__FIELDS_NOT_SUPPORTED:
        break;
    }
    return kin__fail_bad_request(failure, "field label not supported: %" KIN_STR_FMT,
                                 KIN_STR_ARG(name));
}

bool kin__selector_for(kin__selector *ret, const kin__kind *kind, const kin__kind_version *version,
                       const kin_label_selector *labels, const kin_field_selector *fields,
                       kin__failure *failure)
{
    if (!labels)
        labels = kin_label_selector_everything();
    if (!fields)
        fields = kin_field_selector_everything();
    for (size_t i = 0; i < kin_field_selector_count(fields); i++) {
        kin_str name = kin_field_selector_get_requirement(fields, i)->field;

        if (!is_selectable(kind, version, name))
            return fail_field(failure, kind, name);
    }
    ret->version = version;
    ret->labels = kin_label_selector_ref(labels);
    ret->fields = kin_field_selector_ref(fields);
    return true;
}

void kin__selector_done(kin__selector *selector)
{
    kin_label_selector_unref(selector->labels);
    kin_field_selector_unref(selector->fields);
    memset(selector, 0, sizeof(*selector));
}

/* --- matching --- */

bool kin__selector_is_empty(const kin__selector *selector)
{
    return kin_label_selector_is_empty(selector->labels) &&
           kin_field_selector_is_empty(selector->fields);
}

bool kin__selector_name(const kin__selector *selector, kin_str *ret)
{
    return kin_field_selector_requires_exact_match(selector->fields, kin_str_of("metadata.name"),
                                                   ret);
}

struct lookup {
    const kin__kind_version *version;
    const kin_object *object;
    kin_scratch scratch;
};

/* A value as selectors compare it; false: there is none, or it has no text. */
static bool value_text(kin_value value, kin_scratch *scratch, kin_str *ret)
{
    bool flag;

    switch (kin_value_type(value)) {
    case KIN_STRING:
        return kin_value_string(ret, value, scratch) == 0;
    case KIN_INTEGER:
    case KIN_NUMBER:
        return kin_value_number(ret, value, scratch) == 0;
    case KIN_BOOL:
        kin_value_bool(&flag, value);
        *ret = kin_str_of(flag ? "true" : "false");
        return true;
    default:
        return false;
    }
}

static bool look_up(kin_str name, kin_str *ret_value, void *arg)
{
    struct lookup *lookup = arg;

    *ret_value = kin_str_of("");
    if (kin_str_equal(name, kin_str_of("metadata.name"))) {
        *ret_value = kin_object_name(lookup->object);
        return true;
    }
    if (kin_str_equal(name, kin_str_of("metadata.namespace"))) {
        *ret_value = kin_object_namespace(lookup->object);
        return true;
    }
    const kin__selectable_field *field = find_field(lookup->version, name);
    if (!field)
        return false;
    kin_value value = kin_object_find(lookup->object, field->path ? field->path : field->name);
    if (value_text(value, &lookup->scratch, ret_value) && ret_value->len > 0)
        return true;
    if (field->fallback) {
        value = kin_object_find(lookup->object, field->fallback);
        return value_text(value, &lookup->scratch, ret_value);
    }
    if (field->absent)
        *ret_value = kin_str_of(field->absent);
    return true;
}

bool kin__selector_matches(const kin__selector *selector, const kin_object *object)
{
    struct lookup lookup;

    if (!kin_label_selector_matches(selector->labels, object))
        return false;
    if (kin_field_selector_is_empty(selector->fields))
        return true;
    lookup.version = selector->version;
    lookup.object = object;
    return kin_field_selector_matches_fn(selector->fields, look_up, &lookup);
}

bool kin__selector_match(const kin_object *object, void *arg)
{
    return kin__selector_matches(arg, object);
}
