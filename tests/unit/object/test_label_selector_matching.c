/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label selectors: what they match, what can be read of them, and who may share them. Random ones
 * are matched against a plain reading of the rules.
 */
#include "label_selector_support.h"

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "rng.h"

/* --- matching --- */

static void selectors_match_as_kubernetes_says(void **state)
{
    static const struct {
        const char *selector;
        const char *labels;
        bool expected;
    } rows[] = {
        {"", "", true},
        {"", "x=a", true},
        {"x=a", "x=a", true},
        {"x=a", "x=b", false},
        {"x=a", "x=", false},
        {"x=a", "", false},
        {"x==a", "x=a", true},
        {"x==a", "y=a", false},
        {"x=", "x=", true},
        {"x=", "", false}, /* empty is not absent */
        {"x!=a", "x=a", false},
        {"x!=a", "x=b", true},
        {"x!=a", "", true},
        {"x!=", "", true},
        {"x!=", "x=", false},
        {"x", "x=", true},
        {"x", "x=a", true},
        {"x", "y=a", false},
        {"!x", "x=", false},
        {"!x", "y=a", true},
        {"!x", "", true},
        {"x in (a,b)", "x=a", true},
        {"x in (a,b)", "x=b", true},
        {"x in (a,b)", "x=c", false},
        {"x in (a,b)", "x=", false},
        {"x in (a,b)", "", false},
        {"x in (a,b)", "x=ab", false},
        {"x in ()", "x=", true},
        {"x in ()", "", false},
        {"x in (,a)", "x=", true},
        {"x notin (a,b)", "x=a", false},
        {"x notin (a,b)", "x=c", true},
        {"x notin (a,b)", "", true},
        {"x notin ()", "x=", false},
        {"x notin ()", "x=a", true},
        {"x>5", "x=6", true},
        {"x>5", "x=5", false},
        {"x>5", "x=4", false},
        {"x>5", "x=10", true}, /* as numbers, not as texts */
        {"x>5", "x=006", true},
        {"x>5", "x=+6", true},
        {"x>5", "x=-6", false},
        {"x>5", "x=", false},
        {"x>5", "x=a", false},
        {"x>5", "x=6a", false},
        {"x>5", "x=6.5", false},
        {"x>5", "x=+", false},
        {"x>5", "x=+-6", false},
        {"x>5", "x=++6", false},
        {"x>5", "", false},
        {"x>5", "x=9223372036854775807", true},
        {"x>5", "x=9223372036854775808", false},
        {"x>5", "x=+9223372036854775807", true},
        {"x>5", "x=+9223372036854775808", false},
        {"x<5", "x=4", true},
        {"x<5", "x=5", false},
        {"x<5", "x=-9223372036854775808", true},
        {"x<5", "x=-9223372036854775809", false},
        {"x<5", "", false},
        {"x<0", "x=-1", true},
        {"x>9223372036854775806", "x=9223372036854775807", true},
        {"x>1,x<5", "x=3", true},
        {"x>1,x<5", "x=5", false},
        {"x=a,y=b", "x=a,y=b", true},
        {"x=a,y=b", "y=b,x=a,z=c", true},
        {"x=a,y=b", "x=a", false},
        {"x=a,y=b", "y=b", false},
        {"x=a,x=b", "x=a", false},
        {"x,!x", "x=a", false},
        {"X=a", "x=a", false},
        {"x=A", "x=a", false},
        {"in in (in)", "in=in", true},
        {"a.b/c=d", "a.b/c=d", true},
        {"x=a,!y,z in (1,2),w notin (3),v>7", "x=a,z=2,w=4,v=8", true},
        {"x=a,!y,z in (1,2),w notin (3),v>7", "x=a,z=2,w=4,v=8,y=", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].selector);

        if (matches(sel, rows[i].labels) != rows[i].expected)
            fail_msg("\"%s\" and \"%s\"", rows[i].selector, rows[i].labels);
        kin_label_selector_unref(sel);
    }
}

/* An object of a program's own. */
struct labeled {
    kin_object base;
    const char *labels;
};

static kin_str labeled_key(const kin_object *object)
{
    (void)object;
    return kin_str_of("labeled");
}

static bool labeled_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    const struct labeled *labeled = (const struct labeled *)object;
    kin_str value;

    if (!lookup(key, &value, (void *)(uintptr_t)labeled->labels))
        return false;
    if (ret_value)
        *ret_value = value;
    return true;
}

static void labeled_destroy(kin_object *object)
{
    (void)object; /* lives on the stack */
}

static void objects_are_matched_by_their_labels(void **state)
{
    static const kin_object_class class_ = {
        .size = sizeof(class_),
        .name = "labeled",
        .key = labeled_key,
        .label = labeled_label,
        .destroy = labeled_destroy,
    };
    struct labeled pod = {.labels = "x=b,y=7"};
    const kin_label_selector *yes = parse("x in (a,b),y>6,!z");
    const kin_label_selector *no = parse("x in (a,b),y>7");

    (void)state;
    assert_code(kin_object_init(&pod.base, &class_, NULL), 0);
    assert_true(kin_label_selector_matches(yes, &pod.base));
    assert_false(kin_label_selector_matches(no, &pod.base));
    assert_true(kin_label_selector_matches(kin_label_selector_everything(), &pod.base));
    assert_false(kin_label_selector_matches(kin_label_selector_nothing(), &pod.base));
    kin_object_unref(&pod.base);
    kin_label_selector_unref(no);
    kin_label_selector_unref(yes);
}

static void documents_are_matched_by_their_labels(void **state)
{
    static const char text[] = "{\"metadata\":{\"name\":\"web-1\",\"labels\":{"
                               "\"app\":\"web\",\"n.io/tier\":\"3\",\"empty\":\"\"}}}";
    static const struct {
        const char *selector;
        bool expected;
    } rows[] = {
        {"", true},      {"app=web", true},  {"app in (api,web),n.io/tier>2", true},
        {"empty", true}, {"empty=", true},   {"!absent,absent!=x", true},
        {"!app", false}, {"app=api", false}, {"name=web-1", false},
    };
    const kin_object *pod = NULL;

    (void)state;
    assert_code(kin_object_from_json(&pod, kin_str_of(text), NULL, NULL), 0);
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].selector);

        if (kin_label_selector_matches(sel, pod) != rows[i].expected)
            fail_msg("\"%s\"", rows[i].selector);
        kin_label_selector_unref(sel);
    }
    kin_object_unref(pod);
}

struct calls {
    unsigned n;
    unsigned found_at;
};

static bool count_calls(kin_str key, kin_str *ret_value, void *arg)
{
    struct calls *calls = arg;

    (void)key;
    (void)ret_value; /* never set: an absent label has no value */
    return ++calls->n == calls->found_at;
}

static void looking_up_ends_at_the_first_that_is_not_met(void **state)
{
    const kin_label_selector *sel = parse("!a,!b,!c,!d");
    struct calls none = {0, 0};
    struct calls second = {0, 2};

    (void)state;
    assert_true(kin_label_selector_matches_fn(sel, count_calls, &none));
    assert_int_equal(none.n, 4);
    assert_false(kin_label_selector_matches_fn(sel, count_calls, &second));
    assert_int_equal(second.n, 2);
    kin_label_selector_unref(sel);

    none.n = 0;
    assert_true(kin_label_selector_matches_fn(kin_label_selector_everything(), count_calls, &none));
    assert_false(kin_label_selector_matches_fn(kin_label_selector_nothing(), count_calls, &none));
    assert_int_equal(none.n, 0);
}

/* --- everything, nothing, looking into it --- */

static void everything_and_nothing_are_two_selectors(void **state)
{
    const kin_label_selector *all = kin_label_selector_everything();
    const kin_label_selector *none = kin_label_selector_nothing();

    (void)state;
    assert_true(kin_label_selector_is_empty(all));
    assert_false(kin_label_selector_is_nothing(all));
    assert_false(kin_label_selector_is_empty(none));
    assert_true(kin_label_selector_is_nothing(none));
    assert_true(matches(all, ""));
    assert_true(matches(all, "x=a"));
    assert_false(matches(none, ""));
    assert_false(matches(none, "x=a"));
    assert_printed(all, "");
    assert_printed(none, "");
    assert_int_equal(kin_label_selector_count(all), 0);
    assert_int_equal(kin_label_selector_count(none), 0);
    assert_null(kin_label_selector_get_requirement(none, 0));

    /* Not counted. */
    kin_label_selector_unref(all);
    kin_label_selector_unref(none);
    assert_ptr_equal(kin_label_selector_ref(all), all);
    assert_null(kin_label_selector_ref(NULL));
    assert_ptr_equal(kin_label_selector_ref(none), none);
    kin_label_selector_unref(NULL);
    assert_true(kin_label_selector_is_empty(kin_label_selector_everything()));
}

static void a_parsed_empty_selector_is_everything(void **state)
{
    const kin_label_selector *sel = parse("  ");
    const kin_label_selector *other = parse("x");

    (void)state;
    assert_true(kin_label_selector_is_empty(sel));
    assert_false(kin_label_selector_is_nothing(sel));
    assert_false(kin_label_selector_is_empty(other));
    assert_false(kin_label_selector_is_nothing(other));
    kin_label_selector_unref(other);
    kin_label_selector_unref(sel);
}

static void the_view_without_data_is_everything(void **state)
{
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(kin_label_selector_parse(&sel, kin_str_make(NULL, 0), NULL), 0);
    assert_true(kin_label_selector_is_empty(sel));
    kin_label_selector_unref(sel);
}

static void requirements_can_be_read(void **state)
{
    const kin_label_selector *sel = parse("e>5,d!=x,a in (z,y),!c,b,f==g,h notin (),i<3,j=k");
    static const struct {
        const char *key;
        kin_selector_op op;
        size_t n_values;
        const char *first;
    } rows[] = {
        {"a", KIN_SELECTOR_IN, 2, "y"},
        {"b", KIN_SELECTOR_EXISTS, 0, ""},
        {"c", KIN_SELECTOR_DOES_NOT_EXIST, 0, ""},
        {"d", KIN_SELECTOR_NOT_EQUALS, 1, "x"},
        {"e", KIN_SELECTOR_GREATER_THAN, 1, "5"},
        {"f", KIN_SELECTOR_DOUBLE_EQUALS, 1, "g"},
        {"h", KIN_SELECTOR_NOT_IN, 1, ""},
        {"i", KIN_SELECTOR_LESS_THAN, 1, "3"},
        {"j", KIN_SELECTOR_EQUALS, 1, "k"},
    };

    (void)state;
    assert_int_equal(kin_label_selector_count(sel), kin__array_len(rows));
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_requirement *r = kin_label_selector_get_requirement(sel, i);

        assert_view(r->key, rows[i].key);
        assert_int_equal(r->op, rows[i].op);
        assert_int_equal(r->n_values, rows[i].n_values);
        if (r->n_values)
            assert_view(r->values[0], rows[i].first);
    }
    assert_view(kin_label_selector_get_requirement(sel, 0)->values[1], "z");
    assert_null(kin_label_selector_get_requirement(sel, kin__array_len(rows)));
    assert_null(kin_label_selector_get_requirement(sel, SIZE_MAX));
    kin_label_selector_unref(sel);
}

static void exact_matches_are_found(void **state)
{
    static const struct {
        const char *selector;
        const char *key;
        const char *value; /* NULL: none */
    } rows[] = {
        {"", "x", NULL},
        {"x=a", "x", "a"},
        {"x=a", "y", NULL},
        {"x==a", "x", "a"},
        {"x=", "x", ""},
        {"x in (a)", "x", "a"},
        {"x in (a,a)", "x", "a"},
        {"x in (a,b)", "x", NULL},
        {"x in ()", "x", ""},
        {"x!=a", "x", NULL},
        {"x notin (a)", "x", NULL},
        {"x", "x", NULL},
        {"!x", "x", NULL},
        {"x>5", "x", NULL},
        {"x<5", "x", NULL},
        {"w=b,x=a,y=c", "y", "c"},
        {"x=a,x=b", "x", "a"},
        {"x=b,x=a", "x", "b"},
        /* The first with the key decides. */
        {"x,x=a", "x", NULL},
        {"x=a,x", "x", "a"},
        {"x!=b,x=a", "x", NULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].selector);
        kin_str value = kin_str_of("untouched");
        bool found = kin_label_selector_requires_exact_match(sel, kin_str_of(rows[i].key), &value);

        if (found != (rows[i].value != NULL))
            fail_msg("\"%s\" and %s", rows[i].selector, rows[i].key);
        assert_view(value, rows[i].value ? rows[i].value : "untouched");
        assert_int_equal(
            kin_label_selector_requires_exact_match(sel, kin_str_of(rows[i].key), NULL), found);
        kin_label_selector_unref(sel);
    }
    assert_false(kin_label_selector_requires_exact_match(kin_label_selector_nothing(),
                                                         kin_str_of("x"), NULL));
}

/* --- against a plain reading of the rules --- */

static const char *const model_keys[] = {"a", "b", "in", "n.io/c"};
static const char *const model_values[] = {"", "1", "2", "10", "x", "in"};

struct model {
    kin_label_requirement requirements[6];
    kin_str values[6][4];
    size_t n;
};

static bool model_has(const kin_label_requirement *r, const char *value)
{
    for (size_t i = 0; i < r->n_values; i++) {
        if (kin_str_equal(r->values[i], kin_str_of(value)))
            return true;
    }
    return false;
}

/* `value` is NULL for an absent label. */
static bool model_requirement_matches(const kin_label_requirement *r, const char *value)
{
    bool number = value && value[0] >= '0' && value[0] <= '9';

    switch (r->op) {
    case KIN_SELECTOR_EXISTS:
        return value != NULL;
    case KIN_SELECTOR_DOES_NOT_EXIST:
        return value == NULL;
    case KIN_SELECTOR_NOT_EQUALS:
    case KIN_SELECTOR_NOT_IN:
        return !value || !model_has(r, value);
    case KIN_SELECTOR_GREATER_THAN:
        return number && atoi(value) > atoi(r->values[0].data);
    case KIN_SELECTOR_LESS_THAN:
        return number && atoi(value) < atoi(r->values[0].data);
    default:
        return value && model_has(r, value);
    }
}

static void model_fill(struct model *m, kin_test_rng *rng)
{
    m->n = kin_test_below(rng, 7);
    for (size_t i = 0; i < m->n; i++) {
        kin_label_requirement *r = &m->requirements[i];

        r->key = kin_str_of(model_keys[kin_test_below(rng, kin__array_len(model_keys))]);
        r->op = (kin_selector_op)(1 + kin_test_below(rng, 9));
        r->values = m->values[i];
        r->n_values = 1;
        if (r->op == KIN_SELECTOR_EXISTS || r->op == KIN_SELECTOR_DOES_NOT_EXIST)
            r->n_values = 0;
        else if (r->op == KIN_SELECTOR_IN || r->op == KIN_SELECTOR_NOT_IN)
            r->n_values = 1 + kin_test_below(rng, 4);
        for (size_t j = 0; j < r->n_values; j++)
            m->values[i][j] =
                kin_str_of(model_values[kin_test_below(rng, kin__array_len(model_values))]);
        if (r->op == KIN_SELECTOR_GREATER_THAN || r->op == KIN_SELECTOR_LESS_THAN)
            m->values[i][0] = kin_str_of(model_values[1 + kin_test_below(rng, 3)]);
    }
}

static void random_selectors_match_as_the_model(void **state)
{
    kin_test_rng rng = {11};
    unsigned matched = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        const char *values[kin__array_len(model_keys)];
        char labels[128] = "";
        struct model m;
        const kin_label_selector *sel = NULL;
        bool expected = true;

        model_fill(&m, &rng);
        assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), m.requirements,
                                           m.n, NULL),
                    0);
        for (size_t i = 0; i < kin__array_len(model_keys); i++) {
            uint64_t pick = kin_test_below(&rng, kin__array_len(model_values) + 1);

            values[i] = pick < kin__array_len(model_values) ? model_values[pick] : NULL;
            if (values[i])
                snprintf(labels + strlen(labels), sizeof(labels) - strlen(labels), "%s%s=%s",
                         labels[0] ? "," : "", model_keys[i], values[i]);
        }
        for (size_t i = 0; i < m.n; i++) {
            size_t key = 0;

            while (!kin_str_equal(m.requirements[i].key, kin_str_of(model_keys[key])))
                key++;
            expected = expected && model_requirement_matches(&m.requirements[i], values[key]);
        }
        matched += expected;

        char *printed = NULL;
        assert_code(kin_label_selector_print(&printed, NULL, sel, NULL), 0);
        if (matches(sel, labels) != expected)
            fail_msg("\"%s\" and \"%s\"", printed, labels);
        const kin_label_selector *again = parse(printed);
        assert_same(sel, again);
        assert_printed(again, printed);
        kin_label_selector_unref(again);
        kin_label_selector_unref(sel);
        kin_free(printed);
    }
    assert_in_range(matched, 2000, 18000);
}

/* --- life --- */

static void a_selector_outlives_its_text_and_its_maker(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_label_selector *sel = parse("x in (a,b),y"); /* the text is gone already */
    const kin_label_selector *mine = kin_label_selector_ref(sel);

    (void)state;
    assert_ptr_equal(mine, sel);
    kin_label_selector_unref(sel);
    assert_true(matches(mine, "x=b,y="));
    kin_label_selector_unref(mine);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void a_selector_is_one_block(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_label_selector *sel = parse("x in (a,b),y,z=1,!w");

    (void)state;
    assert_int_equal(kin_test_alloc_live(), before + 1);
    kin_label_selector_unref(sel);
}

static void *use_shared(void *arg)
{
    const kin_label_selector *sel = arg;

    for (int i = 0; i < 2000; i++) {
        const kin_label_selector *mine = kin_label_selector_ref(sel);

        if (!matches(mine, "x=b,y=1"))
            return arg;
        kin_label_selector_unref(mine);
    }
    kin_label_selector_unref(sel);
    return NULL;
}

static void threads_share_a_selector(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_label_selector *sel = parse("x in (a,b),y");
    const void *refs[SHARERS];

    (void)state;
    for (size_t i = 0; i < SHARERS; i++)
        refs[i] = kin_label_selector_ref(sel);
    kin_label_selector_unref(sel);
    share_among_threads(use_shared, refs);
    assert_int_equal(kin_test_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selectors_match_as_kubernetes_says),
        cmocka_unit_test(objects_are_matched_by_their_labels),
        cmocka_unit_test(documents_are_matched_by_their_labels),
        cmocka_unit_test(looking_up_ends_at_the_first_that_is_not_met),
        cmocka_unit_test(everything_and_nothing_are_two_selectors),
        cmocka_unit_test(a_parsed_empty_selector_is_everything),
        cmocka_unit_test(the_view_without_data_is_everything),
        cmocka_unit_test(requirements_can_be_read),
        cmocka_unit_test(exact_matches_are_found),
        cmocka_unit_test(random_selectors_match_as_the_model),
        cmocka_unit_test(a_selector_outlives_its_text_and_its_maker),
        cmocka_unit_test(a_selector_is_one_block),
        cmocka_unit_test(threads_share_a_selector),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
