/* SPDX-License-Identifier: Apache-2.0 */
#include "listener_support.h"

#include <string.h>

#include "base/str.h"
#include "item.h"
#include "kin_test.h"

void kin_test_handler_init(kin_test_handler *handler)
{
    *handler = (kin_test_handler){.len = 0};
    pthread_mutex_init(&handler->lock, NULL);
    kin_test_latch_init(&handler->calls);
    kin_test_latch_init(&handler->entered);
    kin_test_latch_init(&handler->may_return);
    kin_test_latch_init(&handler->freed);
}

void kin_test_handler_done(kin_test_handler *handler)
{
    kin_test_latch_done(&handler->freed);
    kin_test_latch_done(&handler->may_return);
    kin_test_latch_done(&handler->entered);
    kin_test_latch_done(&handler->calls);
    pthread_mutex_destroy(&handler->lock);
}

static void note(kin_test_handler *handler, const kin_event *event)
{
    const kin_object *object = event->object;
    bool is_tombstone = kin_object_is_tombstone(object, &object);
    kin_str name = kin_object_name(event->object);
    kin_str version = {"0", 1};
    char old[32] = "";

    if (!is_tombstone)
        object = event->object;
    if (object)
        version = kin_object_resource_version(object);
    if (event->old_object)
        snprintf(old, sizeof(old), "%" KIN_STR_FMT ">",
                 KIN_STR_ARG(kin_object_resource_version(event->old_object)));
    pthread_mutex_lock(&handler->lock);
    handler->len += (size_t)snprintf(
        handler->text + handler->len, sizeof(handler->text) - handler->len,
        "%c%" KIN_STR_FMT "%s%" KIN_STR_FMT "%s%s%s ", " +~-"[event->type], KIN_STR_ARG(name), old,
        KIN_STR_ARG(version), event -> is_initial ? "!" : "", event->is_sync ? "=" : "",
        is_tombstone ? "?" : "");
    if (handler->len > sizeof(handler->text) - 64)
        handler->len = 0;
    pthread_mutex_unlock(&handler->lock);
}

void kin_test_handle(const kin_event *event, void *arg)
{
    kin_test_handler *handler = arg;
    unsigned n;

    kin_test_latch_raise(&handler->entered);
    /* Two registrations may have one. */
    pthread_mutex_lock(&handler->lock);
    n = ++handler->n_entered;
    pthread_mutex_unlock(&handler->lock);
    if (handler->is_held)
        kin_test_latch_wait(&handler->may_return, n);
    if (handler->during)
        handler->during(handler->during_arg);
    note(handler, event);
    kin_test_latch_raise(&handler->calls);
}

void kin_test_handler_freed(void *arg)
{
    kin_test_handler *handler = arg;

    kin_test_latch_raise(&handler->freed);
}

void kin_test_assert_told(kin_test_handler *handler, unsigned n, const char *expected)
{
    kin_test_latch_wait(&handler->calls, n);
    pthread_mutex_lock(&handler->lock);
    assert_string_equal(handler->text, expected);
    pthread_mutex_unlock(&handler->lock);
}

bool kin_test_was_told(kin_test_handler *handler, const char *text)
{
    pthread_mutex_lock(&handler->lock);
    bool was = strstr(handler->text, text) != NULL;
    pthread_mutex_unlock(&handler->lock);
    return was;
}

static void put_one(kin__listener *listener, kin__notice *notice, const char *key,
                    unsigned old_version, unsigned version)
{
    notice->object = kin_test_item(key, version, NULL);
    notice->key = kin_str_of(kin_object_key(notice->object));
    if (notice->type == KIN_EVENT_UPDATE)
        notice->old_object = kin_test_item(key, old_version, NULL);
    assert_code(kin__listener_reserve(listener, 1), 0);
    kin__listener_put(listener, notice, 1);
    kin__listener_unreserve(listener);
    kin_object_unref(notice->object);
    kin_object_unref(notice->old_object);
}

void kin_test_put(kin__listener *listener, kin_event_type type, const char *key,
                  unsigned old_version, unsigned version)
{
    kin__notice notice = {type, false, false, {NULL, 0}, NULL, NULL};

    put_one(listener, &notice, key, old_version, version);
}

void kin_test_put_initial(kin__listener *listener, const char *key, unsigned version)
{
    kin__notice notice = {KIN_EVENT_ADD, true, false, {NULL, 0}, NULL, NULL};

    put_one(listener, &notice, key, 0, version);
}
