/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: members are renamed. An editor does it, which keeps everything that is not touched.
 *
 * The real server drops members that a form does not know. So do we with those whose name belongs
 * to the other form: an event of events.k8s.io with a "message" would otherwise have two.
 */
#include "apiserver/protocol/event_conversion.h"

#include "base/compiler.h"
#include "kinform/editor.h"
#include "kinform/metadata.h"

static const char *const names[][2] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

static const char *const api_versions[] = {"v1", "events.k8s.io/v1"};

static enum kin__event_form form_of(const kin_object *event)
{
    kin_scratch scratch;
    kin_str api_version = kin_object_api_version(event, &scratch);

    return kin_str_equal(api_version, kin_str_of(api_versions[KIN__EVENT_EVENTS]))
               ? KIN__EVENT_EVENTS
               : KIN__EVENT_CORE;
}

static int remove_member(kin_editor *ed, const char *name, kin_error *err)
{
    int code = kin_editor_remove(ed, kin_str_of(name), err);

    return code == KIN_ENOTFOUND ? 0 : code;
}

/* What stands under one name, under the other. */
static int rename_member(kin_editor *ed, kin_value root, const char *from, const char *to,
                         kin_error *err)
{
    kin_value value = kin_value_get(root, kin_str_of(from));
    int code = remove_member(ed, to, err);

    if (code < 0 || kin_value_type(value) == KIN_NONE)
        return code;
    code = kin_editor_set_value(ed, kin_str_of(to), value, err);
    return code < 0 ? code : remove_member(ed, from, err);
}

static int edit(kin_editor *ed, const kin_object *event, enum kin__event_form to, kin_error *err)
{
    kin_value root = kin_object_root(event);
    int code =
        kin_editor_set_string(ed, kin_str_of("apiVersion"), kin_str_of(api_versions[to]), err);

    for (size_t i = 0; code == 0 && i < kin__array_len(names); i++)
        code = rename_member(ed, root, names[i][to == KIN__EVENT_CORE], names[i][to], err);
    return code;
}

int kin__event_convert(const kin_object **ret, const kin_object *event, enum kin__event_form to,
                       kin_error *err)
{
    kin_editor *ed = NULL;
    int code;

    if (form_of(event) == to) {
        *ret = kin_object_ref(event);
        return 0;
    }
    code = kin_editor_new(&ed, event, err);
    if (code == 0)
        code = edit(ed, event, to, err);
    if (code == 0)
        code = kin_editor_finish(ed, ret, err);
    kin_editor_free(ed);
    return code;
}
