/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include <math.h>

#include "alloc.h"
#include "base/buf.h"
#include "kinform/editor.h"
#include "kinform/path.h"
#include "object/path.h"
#include "oom.h"

/* An editor over a document that only it refers to. */
static kin_editor *editor(const char *text)
{
    kin_editor *ed = NULL;
    const kin_object *base = text ? doc(text) : NULL;

    assert_code(kin_editor_new(&ed, base, NULL), 0);
    kin_object_unref(base);
    return ed;
}

/* What the editor makes. */
static void check_made(kin_editor *ed, const char *text)
{
    const kin_object *made = NULL;

    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    check_doc(made, text);
}

static void check_made_and_free(kin_editor *ed, const char *text)
{
    check_made(ed, text);
    kin_editor_free(ed);
}

static int set_int(kin_editor *ed, const char *path, int64_t value)
{
    return kin_editor_set_int64(ed, kin_str_of(path), value, NULL);
}

static int set_json(kin_editor *ed, const char *path, const char *text)
{
    char *json = quoted(text);
    int code = kin_editor_set_json(ed, kin_str_of(path), kin_str_of(json), NULL);

    free(json);
    return code;
}

static int remove_at(kin_editor *ed, const char *path)
{
    return kin_editor_remove(ed, kin_str_of(path), NULL);
}

/* --- beginning and finishing --- */

static void nothing_makes_an_empty_document(void **state)
{
    (void)state;
    check_made_and_free(editor(NULL), "{}");
}

static void an_unchanged_document_is_the_same_object(void **state)
{
    const kin_object *base = doc("{'a':1}");
    const kin_object *made = NULL;
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_editor_new(&ed, base, NULL), 0);
    assert_code(set_int(ed, "a.b", 1), KIN_ETYPE); /* a failure is no change */
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    assert_ptr_equal(made, base);
    kin_editor_free(ed);
    kin_object_unref(made);
    kin_object_unref(base);
}

static void the_old_object_stays_as_it_was(void **state)
{
    const kin_object *base = doc("{'a':{'b':1},'c':[1,2]}");
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_editor_new(&ed, base, NULL), 0);
    assert_code(set_int(ed, "a.b", 2), 0);
    assert_code(remove_at(ed, "c[0]"), 0);
    check_made_and_free(ed, "{'a':{'b':2},'c':[2]}");
    check_doc(base, "{'a':{'b':1},'c':[1,2]}");
}

static void editing_goes_on_after_finishing(void **state)
{
    kin_editor *ed = editor("{'a':1}");
    const kin_object *first = NULL;
    const kin_object *again = NULL;

    (void)state;
    assert_code(set_int(ed, "b", 2), 0);
    assert_code(kin_editor_finish(ed, &first, NULL), 0);
    assert_code(kin_editor_finish(ed, &again, NULL), 0);
    assert_ptr_equal(first, again);
    kin_object_unref(again);
    assert_code(set_json(ed, "c", "[3]"), 0);
    assert_code(remove_at(ed, "a"), 0);
    check_made(ed, "{'b':2,'c':[3]}");
    check_doc(first, "{'a':1,'b':2}");
    assert_code(set_int(ed, "c[1]", 4), 0);
    check_made_and_free(ed, "{'b':2,'c':[3,4]}");
}

static void the_editor_keeps_its_base_alive(void **state)
{
    kin_editor *ed = editor("{'a':{'long':'a text that is too long to be inline anywhere at all, "
                            "and that nobody else has'}}");

    (void)state;
    assert_code(set_int(ed, "b", 1), 0);
    check_made_and_free(ed, "{'a':{'long':'a text that is too long to be inline anywhere at all, "
                            "and that nobody else has'},'b':1}");
}

static void only_documents_can_be_edited(void **state)
{
    const kin_object *key = NULL;
    kin_editor *ed = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("a/b"), NULL), 0);
    assert_code(kin_editor_new(&ed, key, &err), KIN_ETYPE);
    assert_int_equal(err.code, KIN_ETYPE);
    assert_null(ed);
    kin_object_unref(key);
}

static void a_tombstone_is_its_last_state(void **state)
{
    const kin_object *last = doc("{'a':1}");
    const kin_object *tombstone = NULL;
    const kin_object *empty = NULL;
    const kin_object *made = NULL;
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("k"), last, NULL), 0);
    assert_code(kin_editor_new(&ed, tombstone, NULL), 0);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    assert_ptr_equal(made, last);
    kin_object_unref(made);
    kin_editor_free(ed);
    ed = NULL;
    assert_code(kin_tombstone_new(&empty, kin_str_of("k"), NULL, NULL), 0);
    assert_code(kin_editor_new(&ed, empty, NULL), KIN_ETYPE);
    assert_null(ed);
    kin_object_unref(empty);
    kin_object_unref(tombstone);
    kin_object_unref(last);
}

static void changes_can_be_forgotten(void **state)
{
    kin_editor *ed = editor("{'a':1}");

    (void)state;
    assert_code(set_json(ed, "b.c[0].d", "{'x':[1,2,3]}"), 0);
    kin_editor_free(ed);
    kin_editor_free(NULL);
}

/* --- setting --- */

static void every_kind_of_value_can_be_set(void **state)
{
    kin_editor *ed = editor(NULL);
    const kin_object *other = doc("{'from':{'elsewhere':[null]}}");
    kin_time t = {1769860800, 123456789};

    (void)state;
    assert_code(kin_editor_set_string(ed, kin_str_of("string"), kin_str_of("a\"b"), NULL), 0);
    assert_code(kin_editor_set_string(ed, kin_str_of("empty"), kin_str_make(NULL, 0), NULL), 0);
    assert_code(kin_editor_set_int64(ed, kin_str_of("int"), INT64_MIN, NULL), 0);
    assert_code(kin_editor_set_double(ed, kin_str_of("double"), 0.1, NULL), 0);
    assert_code(kin_editor_set_double(ed, kin_str_of("whole"), 5.0, NULL), 0);
    assert_code(kin_editor_set_double(ed, kin_str_of("large"), 1e300, NULL), 0);
    assert_code(kin_editor_set_bool(ed, kin_str_of("yes"), true, NULL), 0);
    assert_code(kin_editor_set_bool(ed, kin_str_of("no"), false, NULL), 0);
    assert_code(kin_editor_set_null(ed, kin_str_of("null"), NULL), 0);
    assert_code(kin_editor_set_time(ed, kin_str_of("time"), t, 0, NULL), 0);
    assert_code(kin_editor_set_time(ed, kin_str_of("micro"), t, 6, NULL), 0);
    assert_code(kin_editor_set_value(ed, kin_str_of("value"), kin_object_find(other, "from"), NULL),
                0);
    assert_code(set_json(ed, "json", "[1, {'a' : 2}]"), 0);
    kin_object_unref(other); /* copied */
    check_made_and_free(ed, "{'string':'a\\'b','empty':'','int':-9223372036854775808,"
                            "'double':0.1,'whole':5,'large':1e+300,'yes':true,'no':false,"
                            "'null':null,'time':'2026-01-31T12:00:00Z',"
                            "'micro':'2026-01-31T12:00:00.123456Z',"
                            "'value':{'elsewhere':[null]},'json':[1,{'a':2}]}");
}

/* 5.0 is read back as the integer it is written as. */
static void whole_doubles_are_integers(void **state)
{
    kin_editor *ed = editor(NULL);
    const kin_object *made = NULL;
    int64_t i = 0;

    (void)state;
    assert_code(kin_editor_set_double(ed, kin_str_of("a"), -5.0, NULL), 0);
    assert_code(kin_editor_set_double(ed, kin_str_of("b"), -0.0, NULL), 0);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    assert_code(kin_value_int64(&i, kin_object_find(made, "a")), 0);
    assert_int_equal(i, -5);
    assert_int_equal(kin_value_type(kin_object_find(made, "a")), KIN_INTEGER);
    kin_editor_free(ed);
    check_doc(made, "{'a':-5,'b':-0}");
}

static void setting_replaces_in_place(void **state)
{
    kin_editor *ed = editor("{'a':1,'b':{'x':1},'c':[1,{'y':2},3]}");

    (void)state;
    assert_code(set_int(ed, "b", 2), 0);
    assert_code(set_int(ed, "c[1]", 20), 0);
    assert_code(set_json(ed, "a", "{'new':true}"), 0);
    check_made_and_free(ed, "{'a':{'new':true},'b':2,'c':[1,20,3]}");
}

static void missing_maps_and_arrays_are_made(void **state)
{
    kin_editor *ed = editor("{'kind':'Pod'}");

    (void)state;
    assert_code(set_int(ed, "a.b.c", 1), 0);
    assert_code(set_int(ed, "a.b.d", 2), 0);
    assert_code(set_int(ed, "list[0].x[0][0]", 3), 0);
    assert_code(set_int(ed, "list[1]", 4), 0);
    assert_code(set_int(ed, "labels['app.kubernetes.io/name']['']", 5), 0);
    check_made_and_free(ed, "{'kind':'Pod','a':{'b':{'c':1,'d':2}},'list':[{'x':[[3]]},4],"
                            "'labels':{'app.kubernetes.io/name':{'':5}}}");
}

static void a_null_on_the_way_counts_as_missing(void **state)
{
    kin_editor *ed = editor("{'a':null,'b':[null],'c':null}");

    (void)state;
    assert_code(set_int(ed, "a.x", 1), 0);
    assert_code(set_int(ed, "b[0].y[0]", 2), 0);
    assert_code(set_int(ed, "c[0]", 3), 0);
    assert_code(kin_editor_set_null(ed, kin_str_of("d"), NULL), 0);
    assert_code(set_int(ed, "d.z", 4), 0);
    check_made_and_free(ed, "{'a':{'x':1},'b':[{'y':[2]}],'c':[3],'d':{'z':4}}");
}

static void an_index_may_be_one_behind_the_last(void **state)
{
    kin_editor *ed = editor("{'a':[1]}");

    (void)state;
    assert_code(set_int(ed, "a[1]", 2), 0);
    assert_code(set_int(ed, "a[2].x", 3), 0);
    assert_code(set_int(ed, "a[4]", 5), KIN_ERANGE);
    check_made_and_free(ed, "{'a':[1,2,{'x':3}]}");
}

static void the_root_can_be_replaced_by_a_map(void **state)
{
    kin_editor *ed = editor("{'a':[1]}");
    const kin_object *other = doc("{'b':{'c':1}}");

    (void)state;
    assert_code(set_json(ed, "", "{'x':1}"), 0);
    assert_code(set_int(ed, "y", 2), 0);
    check_made(ed, "{'x':1,'y':2}");
    assert_code(kin_editor_set_value(ed, kin_str_of(""), kin_object_root(other), NULL), 0);
    kin_object_unref(other);
    assert_code(set_int(ed, "b.d", 2), 0);
    check_made_and_free(ed, "{'b':{'c':1,'d':2}}");
}

/* Many members: no quadratic search, and order is kept. */
/* The editor holds what is in its tree, and nothing that has been in it. */
static void what_was_replaced_or_removed_is_released(void **state)
{
    kin_editor *ed = editor("{'a':1}");
    const kin_object *value = doc("{'x':[1,{'y':2}]}");

    (void)state;
    assert_code(set_json(ed, "v", "{\"x\":[1,{\"y\":2}]}"), 0);
    assert_code(kin_editor_set_value(ed, kin_str_of("w"), kin_object_root(value), NULL), 0);

    size_t live = kin_test_alloc_live();

    for (int i = 0; i < 100; i++) {
        assert_code(set_json(ed, "v", "{\"x\":[1,{\"y\":2}]}"), 0);
        assert_code(kin_editor_set_value(ed, kin_str_of("w"), kin_object_root(value), NULL), 0);
        assert_code(set_json(ed, "gone", "[1]"), 0);
        assert_code(remove_at(ed, "gone"), 0);
    }
    assert_int_equal(kin_test_alloc_live(), live);
    /* Also if it was opened meanwhile, and parts of it replaced. */
    for (int i = 0; i < 100; i++) {
        assert_code(set_json(ed, "v.x[1]", "{\"z\":[]}"), 0);
        assert_code(set_json(ed, "v.x[1].z[0]", "[[]]"), 0);
        assert_code(set_json(ed, "v", "{\"x\":[1,{\"y\":2}]}"), 0);
    }
    assert_int_equal(kin_test_alloc_live(), live);
    kin_object_unref(value);
    check_made(ed, "{'a':1,'v':{'x':[1,{'y':2}]},'w':{'x':[1,{'y':2}]}}");
    /* The whole document. */
    assert_code(set_json(ed, "", "{\"r\":1}"), 0);
    live = kin_test_alloc_live();
    assert_code(set_json(ed, "", "{\"r\":2}"), 0);
    assert_int_equal(kin_test_alloc_live(), live);
    check_made_and_free(ed, "{'r':2}");
}

/* Values that stand in several documents are shared between them; they are values as others. */
static void shared_values_can_be_set(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const kin_object *object = doc(
            "{'labels':{'b':'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv'}}");
        kin_value labels = kin_value_get(kin_object_root(object), kin_str_of("labels"));
        kin_editor *ed = editor(NULL);

        assert_code(kin_editor_set_value(ed, kin_str_of("m.labels"), labels, NULL), 0);
        assert_code(kin_editor_set_value(ed, kin_str_of("n"), labels, NULL), 0);
        kin_object_unref(object);
        check_made_and_free(
            ed, "{'m':{'labels':{'b':"
                "'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv'}},"
                "'n':{'b':'vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv'}}");
    }
}

static void large_maps_can_be_built(void **state)
{
    enum { N = 20000 };
    kin_editor *ed = editor(NULL);
    const kin_object *made = NULL;
    char path[32];

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(path, sizeof(path), "data.key-%d", i);
        assert_code(set_int(ed, path, i), 0);
    }
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    kin_iter it;
    kin_iter_init(&it, kin_object_find(made, "data"));
    for (int i = 0; i < N; i++) {
        int64_t value = -1;

        assert_true(kin_iter_next(&it));
        assert_code(kin_value_int64(&value, it.value), 0);
        assert_int_equal(value, i);
    }
    assert_false(kin_iter_next(&it));
    kin_object_unref(made);
    kin_editor_free(ed);
}

/* --- failures --- */

static const struct {
    const char *path;
    int code;
    uint64_t offset;
} refused[] = {
    {"a.", KIN_EPARSE, 2},
    {"[x]", KIN_EPARSE, 1},
    {"*", KIN_EPARSE, 0},
    {"a.b", KIN_ETYPE, 0},
    {"a[0]", KIN_ETYPE, 0},
    {"a.b.c.d", KIN_ETYPE, 0},
    {"s.x", KIN_ETYPE, 0},
    {"list.x", KIN_ETYPE, 0},
    {"list.x.y", KIN_ETYPE, 0},
    {"map[0]", KIN_ETYPE, 0},
    {"[0]", KIN_ETYPE, 0},
    {"list[3]", KIN_ERANGE, 0},
    {"list[3].x", KIN_ERANGE, 0},
    {"list[0].x", KIN_ETYPE, 0},
    {"new[1]", KIN_ERANGE, 0},
    {"new.new[0][1]", KIN_ERANGE, 0},
    {"none[7]", KIN_ERANGE, 0},
    {"", KIN_ETYPE, 0},
    {"list[4294967295]", KIN_ERANGE, 0},
};

static void what_is_refused_changes_nothing(void **state)
{
    static const char text[] = "{'a':1,'s':'x','list':[1,2],'map':{'x':1},'none':null}";

    (void)state;
    for (size_t i = 0; i < kin__array_len(refused); i++) {
        kin_editor *ed = editor(text);
        kin_str path = kin_str_of(refused[i].path);
        kin_error err = KIN_ERROR_INIT;
        const kin_object *other = doc("{'v':1}");
        kin_value value = kin_object_find(other, "v");
        kin_time t = {0, 0};

        assert_code(kin_editor_set_int64(ed, path, 1, &err), refused[i].code);
        assert_int_equal(err.code, refused[i].code);
        assert_int_equal(err.offset, refused[i].offset);
        assert_true(strlen(err.message) > 0);
        assert_code(kin_editor_set_string(ed, path, kin_str_of("x"), NULL), refused[i].code);
        assert_code(kin_editor_set_double(ed, path, 1, NULL), refused[i].code);
        assert_code(kin_editor_set_bool(ed, path, true, NULL), refused[i].code);
        assert_code(kin_editor_set_null(ed, path, NULL), refused[i].code);
        assert_code(kin_editor_set_time(ed, path, t, 0, NULL), refused[i].code);
        assert_code(kin_editor_set_value(ed, path, value, NULL), refused[i].code);
        assert_code(kin_editor_set_json(ed, path, kin_str_of("[1]"), NULL), refused[i].code);
        kin_object_unref(other);
        check_made_and_free(ed, text);
    }
}

static void values_that_can_not_be_are_refused(void **state)
{
    kin_editor *ed = editor("{'a':1}");
    kin_value none = {NULL, NULL};
    kin_time far = {INT64_MAX, 0};
    kin_time t = {0, 0};
    kin_error err = KIN_ERROR_INIT;
    kin_str a = kin_str_of("a");

    (void)state;
    assert_code(kin_editor_set_string(ed, a, kin_str_of("\xc3\xa9x\xff"), &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_int_equal(err.offset, 3);
    assert_string_equal(err.message, "a text that is not UTF-8 at byte 3");
    assert_code(kin_editor_set_string(ed, a, kin_str_make("", (size_t)1 << 31), NULL), KIN_ELIMIT);
    assert_code(kin_editor_set_double(ed, a, INFINITY, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_double(ed, a, -INFINITY, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_double(ed, a, NAN, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_time(ed, a, far, 0, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_time(ed, a, t, 5, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_value(ed, a, none, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_json(ed, a, kin_str_of("[1,]"), &err), KIN_EPARSE);
    assert_int_equal(err.offset, 3);
    assert_code(kin_editor_set_json(ed, a, kin_str_of(""), NULL), KIN_EPARSE);
    assert_code(kin_editor_set_json(ed, kin_str_of(""), kin_str_of("[1]"), NULL), KIN_ETYPE);
    check_made_and_free(ed, "{'a':1}");
}

/* The value may be as deep as documents are, but not deeper where it stands. */
static void too_deep_is_refused_at_the_end(void **state)
{
    char json[2 * KIN_DEPTH_MAX + 1];
    kin_editor *ed = editor("{'a':1}");
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    memset(json, '[', KIN_DEPTH_MAX - 1);
    memset(json + KIN_DEPTH_MAX - 1, ']', KIN_DEPTH_MAX - 1);
    kin_str deep = kin_str_make(json, 2 * (KIN_DEPTH_MAX - 1));
    assert_code(kin_editor_set_json(ed, kin_str_of("deep"), deep, NULL), 0);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    kin_object_unref(made);
    made = NULL;
    assert_code(kin_editor_set_json(ed, kin_str_of("one.more"), deep, NULL), 0);
    assert_code(kin_editor_finish(ed, &made, &err), KIN_ELIMIT);
    assert_int_equal(err.code, KIN_ELIMIT);
    assert_null(made);
    /* The changes are still there, and can be made good. */
    assert_code(remove_at(ed, "one"), 0);
    assert_code(remove_at(ed, "deep"), 0);
    check_made_and_free(ed, "{'a':1}");
}

/* --- removing --- */

static void members_and_items_are_removed(void **state)
{
    kin_editor *ed = editor("{'a':{'b':1,'c':2},'l':[1,2,3],'n':null}");

    (void)state;
    assert_code(remove_at(ed, "a.b"), 0);
    assert_code(remove_at(ed, "l[1]"), 0);
    assert_code(remove_at(ed, "n"), 0);
    assert_code(remove_at(ed, "l[1]"), 0);
    check_made_and_free(ed, "{'a':{'c':2},'l':[1]}");
}

static void what_is_not_there_can_not_be_removed(void **state)
{
    static const char *const rows[] = {"x",    "a.x", "a.b.c", "l[3]", "l.x",
                                       "a[0]", "[0]", "n.x",   "x.y",  "l[0][0]"};
    static const char text[] = "{'a':{'b':1},'l':[1,2,3],'n':null}";
    kin_editor *ed = editor(text);
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error_clear(&err);
        assert_code(kin_editor_remove(ed, kin_str_of(rows[i]), &err), KIN_ENOTFOUND);
        assert_int_equal(err.code, KIN_ENOTFOUND);
        assert_non_null(strstr(err.message, rows[i])); /* all of these are printed as they are */
    }
    assert_code(kin_editor_remove(ed, kin_str_of("a["), &err), KIN_EPARSE);
    assert_int_equal(err.offset, 2);
    assert_code(remove_at(ed, ""), KIN_EINVAL);
    check_made_and_free(ed, text);
}

/* --- metadata --- */

static void labels_and_annotations(void **state)
{
    kin_editor *ed = editor("{'metadata':{'labels':{'app':'web','a.b/c':'x'}}}");
    kin_str dotted = kin_str_of("a.b/c");

    (void)state;
    assert_code(kin_editor_set_label(ed, kin_str_of("app"), kin_str_of("api"), NULL), 0);
    assert_code(kin_editor_set_label(ed, kin_str_of("x[0].y"), kin_str_of(""), NULL), 0);
    assert_code(kin_editor_remove_label(ed, dotted, NULL), 0);
    assert_code(kin_editor_remove_label(ed, dotted, NULL), KIN_ENOTFOUND);
    assert_code(kin_editor_remove_annotation(ed, dotted, NULL), KIN_ENOTFOUND);
    assert_code(kin_editor_set_annotation(ed, dotted, kin_str_of("{}"), NULL), 0);
    check_made(ed, "{'metadata':{'labels':{'app':'api','x[0].y':''},"
                   "'annotations':{'a.b/c':'{}'}}}");
    assert_code(kin_editor_remove_annotation(ed, dotted, NULL), 0);
    check_made_and_free(ed, "{'metadata':{'labels':{'app':'api','x[0].y':''},'annotations':{}}}");
}

static void labels_of_a_document_without_metadata(void **state)
{
    kin_editor *ed = editor(NULL);

    (void)state;
    assert_code(kin_editor_set_label(ed, kin_str_of("a"), kin_str_of("b"), NULL), 0);
    check_made_and_free(ed, "{'metadata':{'labels':{'a':'b'}}}");
    ed = editor("{'metadata':{'labels':null}}");
    assert_code(kin_editor_set_label(ed, kin_str_of("a"), kin_str_of("b"), NULL), 0);
    check_made_and_free(ed, "{'metadata':{'labels':{'a':'b'}}}");
}

static void labels_that_can_not_be_set(void **state)
{
    kin_editor *ed = editor("{'metadata':{'labels':[]}}");
    kin_str ok = kin_str_of("ok");
    kin_str bad = kin_str_of("\xff");
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_editor_set_label(ed, ok, ok, &err), KIN_ETYPE);
    assert_int_equal(err.code, KIN_ETYPE);
    assert_code(kin_editor_set_label(ed, bad, ok, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_label(ed, ok, bad, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_annotation(ed, bad, ok, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_annotation(ed, ok, bad, NULL), KIN_EINVAL);
    assert_code(kin_editor_set_label(ed, kin_str_make("", (size_t)1 << 31), ok, NULL), KIN_ELIMIT);
    assert_code(kin_editor_remove_label(ed, ok, &err), KIN_ENOTFOUND);
    check_made_and_free(ed, "{'metadata':{'labels':[]}}");
}

static void finalizers(void **state)
{
    kin_editor *ed = editor("{'metadata':{}}");
    kin_str a = kin_str_of("example.com/a");
    kin_str b = kin_str_of("example.com/b");

    (void)state;
    assert_code(kin_editor_add_finalizer(ed, a, NULL), 0);
    assert_code(kin_editor_add_finalizer(ed, b, NULL), 0);
    assert_code(kin_editor_add_finalizer(ed, a, NULL), 0);
    check_made(ed, "{'metadata':{'finalizers':['example.com/a','example.com/b']}}");
    assert_code(kin_editor_add_finalizer(ed, b, NULL), 0);
    assert_code(kin_editor_remove_finalizer(ed, a, NULL), 0);
    assert_code(kin_editor_remove_finalizer(ed, a, NULL), KIN_ENOTFOUND);
    check_made(ed, "{'metadata':{'finalizers':['example.com/b']}}");
    assert_code(kin_editor_remove_finalizer(ed, b, NULL), 0);
    check_made_and_free(ed, "{'metadata':{'finalizers':[]}}");
}

static void finalizers_that_are_there_twice(void **state)
{
    kin_editor *ed = editor("{'metadata':{'finalizers':['a',1,'b','a',['a'],'a']}}");

    (void)state;
    assert_code(kin_editor_remove_finalizer(ed, kin_str_of("a"), NULL), 0);
    check_made_and_free(ed, "{'metadata':{'finalizers':[1,'b',['a']]}}");
}

static void finalizers_that_are_no_array(void **state)
{
    static const struct {
        const char *before;
        int add;
        const char *after;
    } rows[] = {
        {"{'metadata':{'finalizers':null}}", 0, "{'metadata':{'finalizers':['f']}}"},
        {"{'metadata':null}", 0, "{'metadata':{'finalizers':['f']}}"},
        {"{}", 0, "{'metadata':{'finalizers':['f']}}"},
        {"{'metadata':{'finalizers':{}}}", KIN_ETYPE, "{'metadata':{'finalizers':{}}}"},
        {"{'metadata':{'finalizers':'f'}}", KIN_ETYPE, "{'metadata':{'finalizers':'f'}}"},
        {"{'metadata':7}", KIN_ETYPE, "{'metadata':7}"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_editor *ed = editor(rows[i].before);

        assert_code(kin_editor_remove_finalizer(ed, kin_str_of("f"), NULL), KIN_ENOTFOUND);
        assert_code(kin_editor_add_finalizer(ed, kin_str_of("f"), NULL), rows[i].add);
        assert_code(kin_editor_add_finalizer(ed, kin_str_of("\xff"), NULL), KIN_EINVAL);
        check_made_and_free(ed, rows[i].after);
    }
}

/* --- at random --- */

/* A random place in the reference, as a path; *ret_at is where in *ret_parent. */
static void random_place(kin_test_rng *rng, ref_value *root, kin__buf *path, ref_value **ret_parent,
                         size_t *ret_at, const char **ret_key)
{
    ref_value *r = root;

    for (;;) {
        size_t at = kin_test_below(rng, r->n_elements + 1);

        *ret_key =
            r->type == KIN_MAP ? at < r->n_elements ? r->elements[at]->key : random_key(rng) : NULL;
        if (r->type == KIN_MAP) {
            at = ref_find(r, *ret_key);
            kin__path_append_key(path, kin_str_of(*ret_key));
        } else {
            kin__path_append_index(path, at);
        }
        *ret_parent = r;
        *ret_at = at;
        if (at == r->n_elements || !ref_is_container(r->elements[at]) ||
            kin_test_below(rng, 3) == 0)
            return;
        r = r->elements[at];
    }
}

static void edit_at_random(kin_test_rng *rng, kin_editor *ed, ref_value *root)
{
    kin__buf path;
    ref_value *parent = NULL;
    const char *key = NULL;
    size_t at = 0;

    kin__buf_init(&path, 65536);
    random_place(rng, root, &path, &parent, &at, &key);
    if (kin_test_below(rng, 3) == 0) {
        assert_code(kin_editor_remove(ed, kin__buf_str(&path), NULL),
                    at < parent->n_elements ? 0 : KIN_ENOTFOUND);
        if (at < parent->n_elements)
            ref_free(ref_take(parent, at));
    } else {
        ref_value *value = random_ref(rng, 2, true);
        char *json = ref_json(value);

        assert_code(kin_editor_set_json(ed, kin__buf_str(&path), kin_str_of(json), NULL), 0);
        free(json);
        if (at < parent->n_elements)
            ref_replace(parent, at, value);
        else
            ref_insert(parent, at, key, value);
    }
    kin__buf_done(&path);
}

static void the_editor_behaves_like_the_reference(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        kin_test_rng rng = {seed};
        ref_value *r = random_map(&rng, 4, true);
        const kin_object *base = ref_doc(r);
        kin_editor *ed = NULL;

        assert_code(kin_editor_new(&ed, base, NULL), 0);
        kin_object_unref(base);
        for (int round = 0; round < 4; round++) {
            for (uint64_t n = kin_test_below(&rng, 8); n > 0; n--)
                edit_at_random(&rng, ed, r);
            const kin_object *made = NULL;
            char *json = ref_json(r);
            assert_code(kin_editor_finish(ed, &made, NULL), 0);
            assert_json(made, json);
            free(json);
            kin_object_unref(made);
        }
        kin_editor_free(ed);
        ref_free(r);
    }
}

/* --- without memory --- */

static int edit(kin_editor *ed, kin_value value, kin_error *err)
{
    int code = kin_editor_set_string(ed, kin_str_of("spec.a.b[0].c"), kin_str_of("x"), err);

    if (code == 0)
        code = kin_editor_set_json(ed, kin_str_of("spec.json"), kin_str_of("[1,{\"x\":2}]"), err);
    if (code == 0)
        code = kin_editor_set_value(ed, kin_str_of("spec.json[0]"), value, err);
    if (code == 0)
        code = kin_editor_set_double(ed, kin_str_of("spec.double"), 1.5, err);
    if (code == 0)
        code = kin_editor_set_label(ed, kin_str_of("app"), kin_str_of("web"), err);
    if (code == 0)
        code = kin_editor_add_finalizer(ed, kin_str_of("f"), err);
    if (code == 0)
        code = kin_editor_remove_finalizer(ed, kin_str_of("f"), err);
    if (code == 0)
        code = kin_editor_remove(ed, kin_str_of("status"), err);
    return code;
}

static int whole_life(void *arg, kin_error *err)
{
    const kin_object *base = arg;
    const kin_object *made = NULL;
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, base, err);

    if (code == 0)
        code = edit(ed, kin_object_root(base), err);
    if (code == 0)
        code = kin_editor_finish(ed, &made, err);
    kin_editor_free(ed);
    kin_object_unref(made);
    return code;
}

/* Removing is the first thing that an editor does: all on the way has yet to be expanded. */
static int only_remove(void *arg, kin_error *err)
{
    const kin_object *base = arg;
    const kin_object *made = NULL;
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, base, err);

    if (code == 0)
        code = kin_editor_remove_finalizer(ed, kin_str_of("x"), err);
    if (code == 0)
        code = kin_editor_remove(ed, kin_str_of("status.s[0]"), err);
    if (code == 0)
        code = kin_editor_finish(ed, &made, err);
    kin_editor_free(ed);
    kin_object_unref(made);
    return code;
}

static int only_add(void *arg, kin_error *err)
{
    const kin_object *base = arg;
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, base, err);

    if (code == 0)
        code = kin_editor_add_finalizer(ed, kin_str_of("y"), err);
    kin_editor_free(ed);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    const kin_object *base =
        doc("{'metadata':{'labels':{'a':'b'},'finalizers':['x']},'spec':{},'status':{'s':[1]}}");

    (void)state;
    kin_test_fail_each_allocation(whole_life, (void *)(uintptr_t)base);
    kin_test_fail_each_allocation(only_remove, (void *)(uintptr_t)base);
    kin_test_fail_each_allocation(only_add, (void *)(uintptr_t)base);
    kin_object_unref(base);
}

/* Whatever allocation of a call fails, the document is as before, or as the call makes it. */
static void without_memory_nothing_changes(void **state)
{
    static const char before[] = "{'a':{'b':[1]},'s':1}";

    (void)state;
    for (size_t n = 1;; n++) {
        kin_editor *ed = editor(before);

        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        int code = kin_editor_set_json(ed, kin_str_of("a.b[1].x.y"), kin_str_of("[2]"), NULL);
        bool failed = kin_test_alloc_disarm();
        if (code == 0) {
            check_made_and_free(ed, "{'a':{'b':[1,{'x':{'y':[2]}}]},'s':1}");
            if (!failed)
                break;
            continue;
        }
        assert_int_equal(code, KIN_ENOMEM);
        check_made_and_free(ed, before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_makes_an_empty_document),
        cmocka_unit_test(an_unchanged_document_is_the_same_object),
        cmocka_unit_test(the_old_object_stays_as_it_was),
        cmocka_unit_test(editing_goes_on_after_finishing),
        cmocka_unit_test(the_editor_keeps_its_base_alive),
        cmocka_unit_test(only_documents_can_be_edited),
        cmocka_unit_test(a_tombstone_is_its_last_state),
        cmocka_unit_test(changes_can_be_forgotten),
        cmocka_unit_test(every_kind_of_value_can_be_set),
        cmocka_unit_test(whole_doubles_are_integers),
        cmocka_unit_test(setting_replaces_in_place),
        cmocka_unit_test(missing_maps_and_arrays_are_made),
        cmocka_unit_test(a_null_on_the_way_counts_as_missing),
        cmocka_unit_test(an_index_may_be_one_behind_the_last),
        cmocka_unit_test(the_root_can_be_replaced_by_a_map),
        cmocka_unit_test(what_was_replaced_or_removed_is_released),
        cmocka_unit_test(shared_values_can_be_set),
        cmocka_unit_test(large_maps_can_be_built),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(values_that_can_not_be_are_refused),
        cmocka_unit_test(too_deep_is_refused_at_the_end),
        cmocka_unit_test(members_and_items_are_removed),
        cmocka_unit_test(what_is_not_there_can_not_be_removed),
        cmocka_unit_test(labels_and_annotations),
        cmocka_unit_test(labels_of_a_document_without_metadata),
        cmocka_unit_test(labels_that_can_not_be_set),
        cmocka_unit_test(finalizers),
        cmocka_unit_test(finalizers_that_are_there_twice),
        cmocka_unit_test(finalizers_that_are_no_array),
        cmocka_unit_test(the_editor_behaves_like_the_reference),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(without_memory_nothing_changes),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
