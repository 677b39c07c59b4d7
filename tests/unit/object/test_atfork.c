/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No handlers can be registered for forks: whatever needs them says so and makes nothing. The linker
 * puts refuse() in the place of pthread_atfork(), for the whole program.
 */
#include "kin_test.h"

#include <errno.h>
#include <string.h>

#include "alloc.h"
#include "kinform/clock.h"
#include "kinform/editor.h"
#include "kinform/log.h"
#include "kinform/stream.h"
#include "kinform/yaml.h"

int refuse(void (*prepare)(void), void (*parent)(void),
           void (*child)(void)) __asm__("__wrap_pthread_atfork");

int refuse(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    (void)prepare;
    (void)parent;
    (void)child;
    return EAGAIN; /* not ENOMEM, which is KIN_ENOMEM */
}

static kin_error err = KIN_ERROR_INIT;

static void check_refusal(const char *call, int code)
{
    if (code != KIN_ESYSTEM || err.code != code || !strstr(err.message, "pthread_atfork"))
        fail_msg("%s: %s, \"%s\"", call, kin_error_name(code), err.message);
    kin_error_clear(&err);
}

#define REFUSED(call) check_refusal(#call, (call))

static int keep_item(const kin_object *object, void *arg, kin_error *item_err)
{
    (void)object;
    (void)arg;
    (void)item_err;
    return 0;
}

static int keep_event(enum kin_watch_type type, const kin_object *object, void *arg,
                      kin_error *event_err)
{
    (void)type;
    return keep_item(object, arg, event_err);
}

static void documents_can_not_be_read(void **state)
{
    size_t live = kin_test_alloc_live();
    const kin_object *object = NULL;
    kin_decoder *decoder = NULL;
    kin_yaml_reader *reader = NULL;
    kin_list_decoder *list = NULL;
    kin_watch_decoder *watch = NULL;
    kin_str json = kin_str_of("{}");

    (void)state;
    REFUSED(kin_decoder_new(&decoder, NULL, &err));
    REFUSED(kin_decoder_new(&decoder, NULL, &err)); /* and again */
    REFUSED(kin_object_from_json(&object, json, NULL, &err));
    REFUSED(kin_yaml_reader_new(&reader, json, NULL, &err));
    REFUSED(kin_object_from_yaml(&object, json, NULL, &err));
    REFUSED(kin_list_decoder_new(&list, NULL, keep_item, NULL, NULL, &err));
    REFUSED(kin_watch_decoder_new(&watch, NULL, keep_event, NULL, NULL, &err));
    assert_null(object);
    assert_null(decoder);
    assert_null(reader);
    assert_null(list);
    assert_null(watch);
    assert_int_equal(kin_test_alloc_live(), live);
}

static void edited_documents_can_not_be_made(void **state)
{
    size_t live = kin_test_alloc_live();
    const kin_object *object = NULL;
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_editor_new(&ed, NULL, NULL), 0);
    assert_code(kin_editor_set_int64(ed, kin_str_of("a"), 1, NULL), 0);
    REFUSED(kin_editor_set_json(ed, kin_str_of("b"), kin_str_of("[1]"), &err));
    REFUSED(kin_editor_finish(ed, &object, &err));
    REFUSED(kin_editor_finish(ed, &object, &err));
    assert_null(object);
    kin_editor_free(ed);
    assert_int_equal(kin_test_alloc_live(), live);
}

static void what_has_locks_can_not_be_made(void **state)
{
    size_t live = kin_test_alloc_live();
    kin_clock *clock = NULL;

    (void)state;
    REFUSED(kin_clock_new_fake(&clock, 0, &err));
    REFUSED(kin_set_default_logger(NULL, &err));
    assert_null(clock);
    assert_int_equal(kin_test_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_can_not_be_read),
        cmocka_unit_test(edited_documents_can_not_be_made),
        cmocka_unit_test(what_has_locks_can_not_be_made),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
