/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler checks templates: every conversion with its argument, as C11 and as C++11. With
 * KIN_WRONG one argument does not fit, and this must not compile.
 */
#include <inttypes.h>
#include <kinform.h>

int make_all(const kin_object **ret, kin_editor *ed, kin_error *err, const kin_object *object,
             kin_str view, bool yes);

int make_all(const kin_object **ret, kin_editor *ed, kin_error *err, const kin_object *object,
             kin_str view, bool yes)
{
    kin_value value = kin_object_find(object, "spec");
    int code = kin_object_make(ret, err, "{a: [%s, %.*s, %" KIN_STR_FMT ", %%]}", "x", 1, "x",
                               KIN_STR_ARG(view));

    if (code == 0)
        code = kin_object_make(ret, err, "{a: [%d, %i, %u, %hd, %ld, %llu, %jd, %zu, %td]}", 1, 2,
                               3u, (short)4, 5l, 6ull, (intmax_t)7, sizeof(view), (ptrdiff_t)9);
    if (code == 0)
        code = kin_object_make(ret, err, "{a: [%" PRId64 ", %" PRIu64 "], b: %hhd, c: %g}",
                               INT64_MIN, UINT64_MAX, yes, 0.5);
    if (code == 0)
        code = kin_editor_make(ed, "a", err, "[%pV, %pV, %pO]", KIN_VALUE_ARG(value),
                               KIN_VALUE_ARG(kin_value_get(value, kin_str_of("x"))),
                               KIN_OBJECT_ARG(object));
#if KIN_WRONG == 1
    code = kin_object_make(ret, err, "{a: %s}", 1);
#elif KIN_WRONG == 2
    code = kin_object_make(ret, err, "{a: %d, b: %d}", 1);
#elif KIN_WRONG == 3
    code = kin_object_make(ret, err, "{a: %pV}", KIN_VALUE_ARG(object));
#elif KIN_WRONG == 4
    code = kin_editor_make(ed, "a", err, "%pO", KIN_OBJECT_ARG(&value));
#elif KIN_WRONG == 5
    code = kin_editor_make(ed, "a", err, "%" PRId64, 1);
#endif
    return code;
}
