/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors: the table, the struct as an ABI, and the message.
 */
#include "kin_test.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/error.h"

#define MESSAGE_MAX (sizeof(((kin_error *)NULL)->message) - 1)

/* --- the table --- */

/*
 * What programs out there have compiled in. Append to it when a code is added; a change
 * of any other kind breaks them.
 */
static const struct {
    int code;
    int value;
    unsigned flags;
    const char *name;
    const char *description;
} pinned[] = {
    {KIN_EINVAL, -1, KIN_ERROR_FATAL, "KIN_EINVAL", "invalid argument"},
    {KIN_ENOMEM, -2, KIN_ERROR_RETRIABLE, "KIN_ENOMEM", "out of memory"},
    {KIN_ELIMIT, -3, KIN_ERROR_FATAL, "KIN_ELIMIT", "a limit was exceeded"},
    {KIN_EPARSE, -4, KIN_ERROR_FATAL, "KIN_EPARSE", "malformed input"},
    {KIN_EBUSY, -5, KIN_ERROR_RETRIABLE, "KIN_EBUSY", "in use"},
    {KIN_ETIMEOUT, -6, KIN_ERROR_RETRIABLE, "KIN_ETIMEOUT", "timed out"},
    {KIN_ECLOSED, -7, KIN_ERROR_FATAL, "KIN_ECLOSED", "closed"},
    {KIN_EFORKED, -8, KIN_ERROR_FATAL, "KIN_EFORKED", "made before a fork, unusable in the child"},
    {KIN_ESYSTEM, -9, KIN_ERROR_RETRIABLE, "KIN_ESYSTEM", "the operating system refused"},
    {KIN_ENOTFOUND, -10, KIN_ERROR_FATAL, "KIN_ENOTFOUND", "not found"},
    {KIN_ETYPE, -11, KIN_ERROR_FATAL, "KIN_ETYPE", "a value of another type"},
    {KIN_ERANGE, -12, KIN_ERROR_FATAL, "KIN_ERANGE", "out of range"},
    {KIN_EMISMATCH, -13, KIN_ERROR_FATAL, "KIN_EMISMATCH", "the test of a patch failed"},
    {KIN_EREQUEUE, -14, KIN_ERROR_RETRIABLE, "KIN_EREQUEUE", "to be processed again"},
    {KIN_ECANCELED, -15, KIN_ERROR_FATAL, "KIN_ECANCELED", "cancelled"},
    {KIN_ECONNECT, -16, KIN_ERROR_RETRIABLE, "KIN_ECONNECT", "no connection, or it was lost"},
    {KIN_ETLS, -17, KIN_ERROR_FATAL, "KIN_ETLS", "no secure connection"},
    {KIN_EDENIED, -18, KIN_ERROR_FATAL, "KIN_EDENIED", "not allowed"},
    {KIN_ECONFLICT, -19, KIN_ERROR_FATAL, "KIN_ECONFLICT", "somebody else has changed it"},
    {KIN_EEXISTS, -20, KIN_ERROR_FATAL, "KIN_EEXISTS", "it exists already"},
    {KIN_EEXPIRED, -21, KIN_ERROR_FATAL, "KIN_EEXPIRED", "a version that is too old"},
    {KIN_ESERVER, -22, KIN_ERROR_RETRIABLE, "KIN_ESERVER", "the server failed"},
    {KIN_EREFUSED, -23, KIN_ERROR_FATAL, "KIN_EREFUSED", "the server refused the request"},
    {KIN_EPROTOCOL, -24, KIN_ERROR_RETRIABLE, "KIN_EPROTOCOL", "an answer that makes no sense"},
};

static const struct {
    int value;
    unsigned flags;
    const char *name;
    const char *description;
} mapped[] = {
#define ROW(name, value, flags, description) {(value), (flags), #name, description},
    KIN_ERROR_MAP(ROW)
#undef ROW
};

static void every_code_is_pinned(void **state)
{
    (void)state;
    assert_int_equal(kin__array_len(pinned), kin__array_len(mapped));
}

static void codes_never_change(void **state)
{
    (void)state;
    assert_int_equal(KIN_OK, 0);
    for (size_t i = 0; i < kin__array_len(pinned); i++) {
        assert_int_equal(pinned[i].code, pinned[i].value);
        assert_string_equal(kin_error_name(pinned[i].value), pinned[i].name);
        assert_string_equal(kin_error_string(pinned[i].value), pinned[i].description);
    }
}

static void flags_are_the_defaults_of_the_code(void **state)
{
    (void)state;
    assert_int_equal(KIN_ERROR_RETRIABLE, 1);
    assert_int_equal(KIN_ERROR_FATAL, 2);
    for (size_t i = 0; i < kin__array_len(pinned); i++) {
        kin_error err = KIN_ERROR_INIT;

        err.flags = ~0u;
        assert_code(kin_error_set(&err, pinned[i].code, "x"), pinned[i].code);
        assert_int_equal(err.code, pinned[i].value);
        assert_int_equal(err.flags, pinned[i].flags);
    }
}

static void codes_are_negative_and_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(mapped); i++) {
        assert_true(mapped[i].value < 0);
        assert_true(mapped[i].description[0] != '\0');
        assert_int_equal(mapped[i].name[0], 'E');
        /* Either waiting helps or it does not. */
        assert_true(mapped[i].flags == KIN_ERROR_RETRIABLE || mapped[i].flags == KIN_ERROR_FATAL);
    }
}

static void codes_names_and_descriptions_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(mapped); i++) {
        for (size_t j = 0; j < i; j++) {
            assert_int_not_equal(mapped[i].value, mapped[j].value);
            assert_string_not_equal(mapped[i].name, mapped[j].name);
            assert_string_not_equal(mapped[i].description, mapped[j].description);
        }
    }
}

static void success_has_a_name_too(void **state)
{
    (void)state;
    assert_string_equal(kin_error_name(0), "KIN_OK");
    assert_string_equal(kin_error_string(0), "success");
}

static void unknown_codes_have_a_placeholder(void **state)
{
    static const int unknown[] = {1, -500, -1000, INT_MAX, INT_MIN};

    (void)state;
    for (size_t i = 0; i < kin__array_len(unknown); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_string_equal(kin_error_name(unknown[i]), "KIN_E?");
        assert_string_equal(kin_error_string(unknown[i]), "unknown error");
        err.flags = ~0u;
        assert_code(kin_error_set(&err, unknown[i], "x"), unknown[i]);
        assert_int_equal(err.code, unknown[i]);
        assert_int_equal(err.flags, 0);
    }
}

/* --- the struct --- */

static void init_is_empty(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin_error zero;

    (void)state;
    memset(&zero, 0, sizeof(zero));
    zero.size = sizeof(kin_error);
    assert_memory_equal(&err, &zero, sizeof(err));
}

/* Programs have these numbers compiled in. */
static void layout_never_changes(void **state)
{
    (void)state;
    assert_int_equal(offsetof(kin_error, size), 0);
    assert_int_equal(offsetof(kin_error, code), sizeof(size_t));
    assert_int_equal(offsetof(kin_error, flags), sizeof(size_t) + 4);
    assert_int_equal(offsetof(kin_error, os_error), sizeof(size_t) + 8);
    assert_int_equal(offsetof(kin_error, http_status), sizeof(size_t) + 12);
    assert_int_equal(offsetof(kin_error, retry_after_ms), sizeof(size_t) + 16);
    assert_int_equal(offsetof(kin_error, reason), sizeof(size_t) + 24);
    assert_int_equal(offsetof(kin_error, message), sizeof(size_t) + 88);
    assert_int_equal(MESSAGE_MAX, 511);
    assert_int_equal(offsetof(kin_error, offset), sizeof(size_t) + 600);
}

/* All details set, as after a failed request. */
static void fill(kin_error *err)
{
    err->code = KIN_EBUSY;
    err->flags = ~0u;
    err->os_error = EIO;
    err->http_status = 429;
    err->retry_after_ms = 1500;
    snprintf(err->reason, sizeof(err->reason), "TooManyRequests");
    snprintf(err->message, sizeof(err->message), "slow down");
    err->offset = 17;
}

static void set_fills_in_code_flags_and_message(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_error_set(&err, KIN_EPARSE, "line %d: no %s", 7, "colon"), KIN_EPARSE);
    assert_int_equal(err.size, sizeof(err));
    assert_code(err.code, KIN_EPARSE);
    assert_int_equal(err.flags, KIN_ERROR_FATAL);
    assert_string_equal(err.message, "line 7: no colon");
}

static void set_resets_all_other_details(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    fill(&err);
    kin_error_set(&err, KIN_ECLOSED, "closed");
    assert_int_equal(err.os_error, 0);
    assert_int_equal(err.http_status, 0);
    assert_int_equal(err.retry_after_ms, 0);
    assert_string_equal(err.reason, "");
    assert_string_equal(err.message, "closed");
    assert_int_equal(err.offset, 0);
}

static void input_errors_say_where(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__error_parse(&err, 42, "no %s", "colon"), KIN_EPARSE);
    assert_code(err.code, KIN_EPARSE);
    assert_int_equal(err.offset, 42);
    assert_string_equal(err.message, "no colon at byte 42");
    assert_code(kin__error_input(&err, KIN_ELIMIT, 7, "deeper than %d", 3), KIN_ELIMIT);
    assert_code(err.code, KIN_ELIMIT);
    assert_int_equal(err.offset, 7);
    assert_string_equal(err.message, "deeper than 3 at byte 7");
    assert_code(kin__error_parse(NULL, 42, "no colon"), KIN_EPARSE);
}

/* The place is worth more than the end of a long reason. */
static void input_errors_keep_the_place_of_a_long_reason(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char reason[600];
    const char *place = " at byte 18446744073709551615";

    (void)state;
    memset(reason, 'x', sizeof(reason) - 1);
    reason[sizeof(reason) - 1] = '\0';
    kin__error_parse(&err, UINT64_MAX, "%s", reason);
    assert_int_equal(strlen(err.message), MESSAGE_MAX);
    assert_string_equal(err.message + MESSAGE_MAX - strlen(place), place);
}

/* A program compiled before the field existed has none. */
static void input_errors_leave_what_an_older_struct_lacks(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    err.size = offsetof(kin_error, offset);
    err.offset = 99;
    kin__error_parse(&err, 42, "no colon");
    assert_int_equal(err.offset, 99);
    assert_string_equal(err.message, "no colon at byte 42");
}

static void clear_resets_to_init(void **state)
{
    static const kin_error empty = KIN_ERROR_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    memset((char *)&err + sizeof(err.size), 0xa5, sizeof(err) - sizeof(err.size));
    kin_error_clear(&err);
    assert_memory_equal(&err, &empty, sizeof(err));
}

static void a_null_error_is_allowed(void **state)
{
    (void)state;
    assert_code(kin_error_set(NULL, KIN_EINVAL, "%s", "nobody reads this"), KIN_EINVAL);
    assert_code(kin__error_system(NULL, ENOENT, "open"), KIN_ESYSTEM);
    assert_code(kin__error_system(NULL, ENOMEM, "mmap"), KIN_ENOMEM);
    assert_code(kin__error_no_memory(NULL), KIN_ENOMEM);
    kin_error_clear(NULL);
}

static void use_every_writer(kin_error *err)
{
    assert_code(kin_error_set(err, KIN_EINVAL, "%s", "text"), KIN_EINVAL);
    assert_code(kin__error_system(err, ENOENT, "open"), KIN_ESYSTEM);
    assert_code(kin__error_no_memory(err), KIN_ENOMEM);
    kin_error_clear(err);
}

/* `size` was never set, or is less than what the first release had: not a kin_error. */
static void a_size_that_is_too_small_leaves_the_struct_alone(void **state)
{
    (void)state;
    for (size_t size = 0; size < offsetof(kin_error, message) + MESSAGE_MAX + 1; size++) {
        /* No more memory than it claims, so that ASan sees a read or write behind it. */
        size_t bytes = size < sizeof(size_t) ? sizeof(size_t) : size;
        kin_error *err = malloc(bytes);
        unsigned char *before = malloc(bytes);

        assert_non_null(err);
        assert_non_null(before);
        memset(err, 0xa5, bytes);
        memcpy(err, &size, sizeof(size));
        memcpy(before, err, bytes);
        use_every_writer(err);
        assert_memory_equal(err, before, bytes);
        free(before);
        free(err);
    }
}

/* The first release's struct, which ends with `message`, must work for ever. */
static void the_first_release_s_struct_works(void **state)
{
    /* volatile: a compiler that knows the size objects to the smaller struct. */
    volatile size_t first_size = offsetof(kin_error, message) + MESSAGE_MAX + 1;
    size_t size = first_size;
    kin_error *err = malloc(size);

    (void)state;
    assert_non_null(err);
    memset(err, 0xa5, size);
    err->size = size;
    assert_code(kin__error_system(err, ENOENT, "open"), KIN_ESYSTEM);
    assert_int_equal(err->size, size);
    assert_int_equal(err->os_error, ENOENT);
    assert_string_equal(err->message, "open: No such file or directory");
    assert_code(kin__error_parse(err, 3, "no colon"), KIN_EPARSE);
    assert_string_equal(err->message, "no colon at byte 3");
    kin_error_clear(err);
    assert_int_equal(err->size, size);
    assert_code(err->code, 0);
    free(err);
}

/* A program compiled against a newer header: what we don't know is not ours. */
static void a_larger_struct_keeps_its_size_and_its_tail(void **state)
{
    struct {
        kin_error known;
        unsigned char unknown[64];
    } err;
    unsigned char untouched[sizeof(err.unknown)];

    (void)state;
    memset(&err, 0xa5, sizeof(err));
    memset(untouched, 0xa5, sizeof(untouched));
    err.known.size = sizeof(err);
    kin_error_set(&err.known, KIN_EPARSE, "text");
    assert_code(err.known.code, KIN_EPARSE);
    assert_string_equal(err.known.message, "text");
    assert_int_equal(err.known.size, sizeof(err));
    use_every_writer(&err.known);
    assert_int_equal(err.known.size, sizeof(err));
    assert_code(err.known.code, 0);
    assert_memory_equal(err.unknown, untouched, sizeof(untouched));
}

static void the_largest_size_is_a_size(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    err.size = SIZE_MAX;
    kin_error_set(&err, KIN_EINVAL, "text");
    assert_string_equal(err.message, "text");
    kin_error_clear(&err);
    assert_string_equal(err.message, "");
    assert_int_equal(err.size, SIZE_MAX);
}

/* --- the message --- */

static void a_message_up_to_the_limit_is_kept_whole(void **state)
{
    static const size_t lengths[] = {0, 1, MESSAGE_MAX - 1, MESSAGE_MAX};
    char text[MESSAGE_MAX + 1];

    (void)state;
    for (size_t i = 0; i < kin__array_len(lengths); i++) {
        kin_error err = KIN_ERROR_INIT;

        memset(text, 'x', lengths[i]);
        text[lengths[i]] = '\0';
        kin_error_set(&err, KIN_EINVAL, "%s", text);
        assert_string_equal(err.message, text);
    }
}

static void a_message_beyond_the_limit_is_cut(void **state)
{
    static const size_t lengths[] = {MESSAGE_MAX + 1, MESSAGE_MAX + 2, 5000};
    char text[5001];

    (void)state;
    for (size_t i = 0; i < kin__array_len(lengths); i++) {
        kin_error err = KIN_ERROR_INIT;

        memset(text, 'x', lengths[i]);
        text[lengths[i]] = '\0';
        kin_error_set(&err, KIN_EINVAL, "%s", text);
        assert_int_equal(strlen(err.message), MESSAGE_MAX);
        assert_memory_equal(err.message, text, MESSAGE_MAX);
    }
}

/* Characters of each length, shifted so that the limit falls on each of their bytes. */
static void message_is_cut_at_a_character_boundary(void **state)
{
    static const char *const characters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    (void)state;
    for (size_t c = 0; c < kin__array_len(characters); c++) {
        size_t len = strlen(characters[c]);

        for (size_t shift = 0; shift < len; shift++) {
            char text[1024];
            size_t n = shift;
            kin_error err = KIN_ERROR_INIT;

            memset(text, '.', shift);
            for (; n + len < sizeof(text); n += len)
                memcpy(text + n, characters[c], len);
            text[n] = '\0';
            kin_error_set(&err, KIN_EINVAL, "%s", text);

            size_t expected = MESSAGE_MAX - (MESSAGE_MAX - shift) % len;
            assert_int_equal(strlen(err.message), expected);
            assert_memory_equal(err.message, text, expected);
        }
    }
}

/* Too long by as little as possible: the last character is there but for one byte. */
static void a_message_that_is_one_byte_too_long_loses_its_last_character(void **state)
{
    static const char *const characters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    (void)state;
    for (size_t c = 0; c < kin__array_len(characters); c++) {
        size_t len = strlen(characters[c]);
        char text[MESSAGE_MAX + 2];
        kin_error err = KIN_ERROR_INIT;

        memset(text, '.', MESSAGE_MAX + 1 - len);
        memcpy(text + MESSAGE_MAX + 1 - len, characters[c], len + 1);
        kin_error_set(&err, KIN_EINVAL, "%s", text);
        assert_int_equal(strlen(err.message), MESSAGE_MAX + 1 - len);
        assert_memory_equal(err.message, text, MESSAGE_MAX + 1 - len);
    }
}

/* What fits is not judged: its parts may be no UTF-8, as the names of files may. */
static void a_message_that_fits_is_not_cut_whatever_it_ends_with(void **state)
{
    static const char *const ends[] = {"\xe2\x82", "\xf0\x9f\x98", "\xc3", "\x80"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(ends); i++) {
        char text[MESSAGE_MAX + 1];
        kin_error err = KIN_ERROR_INIT;

        memset(text, '.', sizeof(text));
        memcpy(text + MESSAGE_MAX - strlen(ends[i]), ends[i], strlen(ends[i]) + 1);
        kin_error_set(&err, KIN_EINVAL, "%s", text);
        assert_string_equal(err.message, text);
    }
}

static void arguments_may_point_into_the_error(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    fill(&err);
    kin_error_set(&err, KIN_EPARSE, "reading x: %s (%s)", err.message, err.reason);
    assert_string_equal(err.message, "reading x: slow down (TooManyRequests)");
    kin_error_set(&err, KIN_EPARSE, "%s", err.message);
    assert_string_equal(err.message, "reading x: slow down (TooManyRequests)");
    kin_error_set(&err, KIN_EPARSE, "%s", err.message + 8);
    assert_string_equal(err.message, "x: slow down (TooManyRequests)");
    kin__error_system(&err, ENOENT, err.message);
    assert_string_equal(err.message, "x: slow down (TooManyRequests): No such file or directory");
}

static void a_full_message_can_be_wrapped_again(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    memset(err.message, 'x', MESSAGE_MAX);
    err.message[MESSAGE_MAX] = '\0';
    kin_error_set(&err, KIN_EPARSE, "ab%s", err.message);
    assert_int_equal(strlen(err.message), MESSAGE_MAX);
    assert_memory_equal(err.message, "abxxx", 5);
    assert_int_equal(err.message[MESSAGE_MAX - 1], 'x');
}

/* printf fails on characters that the C locale can't show: better a general text than none. */
static void an_unformattable_message_becomes_the_code_s_description(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char text[32];

    (void)state;
    assert_true(snprintf(text, sizeof(text), "%ls", L"\u20ac") < 0);
    assert_code(kin_error_set(&err, KIN_EPARSE, "at %ls", L"\u20ac"), KIN_EPARSE);
    assert_code(err.code, KIN_EPARSE);
    assert_int_equal(err.flags, KIN_ERROR_FATAL);
    assert_string_equal(err.message, "malformed input");
}

static void reporting_needs_no_memory(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin_error_set(&err, KIN_EINVAL, "%f %s", 0.5, "text");
    kin__error_system(&err, ENOENT, "open");
    kin__error_no_memory(&err);
    kin_test_alloc_disarm();
    assert_int_equal(kin_test_alloc_count(), 0);
}

/* --- helpers of the library --- */

static void a_system_error_carries_errno_and_its_meaning(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    fill(&err);
    assert_code(kin__error_system(&err, EACCES, "opening /etc/x"), KIN_ESYSTEM);
    assert_code(err.code, KIN_ESYSTEM);
    assert_int_equal(err.flags, KIN_ERROR_RETRIABLE);
    assert_int_equal(err.os_error, EACCES);
    assert_int_equal(err.http_status, 0);
    assert_string_equal(err.message, "opening /etc/x: Permission denied");
}

static void enomem_is_out_of_memory(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__error_system(&err, ENOMEM, "pthread_create"), KIN_ENOMEM);
    assert_code(err.code, KIN_ENOMEM);
    assert_int_equal(err.os_error, ENOMEM);
    assert_string_equal(err.message, "pthread_create: Cannot allocate memory");
}

static void an_unknown_errno_is_reported_by_number(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__error_system(&err, 99999, "ioctl"), KIN_ESYSTEM);
    assert_int_equal(err.os_error, 99999);
    assert_memory_equal(err.message, "ioctl: ", 7);
    assert_non_null(strstr(err.message, "99999"));
}

/* A percent sign in a file's name must not be taken for a format. */
static void the_name_of_the_call_is_no_format(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin__error_system(&err, ENOENT, "open 100%s%n");
    assert_string_equal(err.message, "open 100%s%n: No such file or directory");
}

static void no_memory_is_reported_in_full(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    fill(&err);
    assert_code(kin__error_no_memory(&err), KIN_ENOMEM);
    assert_code(err.code, KIN_ENOMEM);
    assert_int_equal(err.flags, KIN_ERROR_RETRIABLE);
    assert_int_equal(err.os_error, 0);
    assert_string_equal(err.message, "out of memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_pinned),
        cmocka_unit_test(codes_never_change),
        cmocka_unit_test(flags_are_the_defaults_of_the_code),
        cmocka_unit_test(codes_are_negative_and_described),
        cmocka_unit_test(codes_names_and_descriptions_are_unique),
        cmocka_unit_test(success_has_a_name_too),
        cmocka_unit_test(unknown_codes_have_a_placeholder),
        cmocka_unit_test(init_is_empty),
        cmocka_unit_test(layout_never_changes),
        cmocka_unit_test(set_fills_in_code_flags_and_message),
        cmocka_unit_test(set_resets_all_other_details),
        cmocka_unit_test(input_errors_say_where),
        cmocka_unit_test(input_errors_keep_the_place_of_a_long_reason),
        cmocka_unit_test(input_errors_leave_what_an_older_struct_lacks),
        cmocka_unit_test(clear_resets_to_init),
        cmocka_unit_test(a_null_error_is_allowed),
        cmocka_unit_test(a_size_that_is_too_small_leaves_the_struct_alone),
        cmocka_unit_test(the_first_release_s_struct_works),
        cmocka_unit_test(a_larger_struct_keeps_its_size_and_its_tail),
        cmocka_unit_test(the_largest_size_is_a_size),
        cmocka_unit_test(a_message_up_to_the_limit_is_kept_whole),
        cmocka_unit_test(a_message_beyond_the_limit_is_cut),
        cmocka_unit_test(message_is_cut_at_a_character_boundary),
        cmocka_unit_test(a_message_that_is_one_byte_too_long_loses_its_last_character),
        cmocka_unit_test(a_message_that_fits_is_not_cut_whatever_it_ends_with),
        cmocka_unit_test(arguments_may_point_into_the_error),
        cmocka_unit_test(a_full_message_can_be_wrapped_again),
        cmocka_unit_test(an_unformattable_message_becomes_the_code_s_description),
        cmocka_unit_test(reporting_needs_no_memory),
        cmocka_unit_test(a_system_error_carries_errno_and_its_meaning),
        cmocka_unit_test(enomem_is_out_of_memory),
        cmocka_unit_test(an_unknown_errno_is_reported_by_number),
        cmocka_unit_test(the_name_of_the_call_is_no_format),
        cmocka_unit_test(no_memory_is_reported_in_full),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
