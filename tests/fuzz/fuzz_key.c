/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and resource versions from any bytes, against plain counting.
 */
#include <string.h>

#include "fuzz.h"
#include "kinform/key.h"
#include "kinform/resource_version.h"

static void check_split(kin_str key)
{
    kin_namespaced_name parts = {{"?", 1}, {"?", 1}};
    kin_error err = KIN_ERROR_INIT;
    size_t slashes = 0;
    size_t second = 0;

    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] == '/' && ++slashes == 2)
            second = i;
    }
    int code = kin_namespaced_name_parse(&parts, key, &err);
    if (slashes > 1) {
        FUZZ_CHECK(code == KIN_EPARSE && err.offset == second && parts.name.len == 1);
        return;
    }
    FUZZ_CHECK(code == 0 && parts.namespace_.len + slashes + parts.name.len == key.len);

    /* Together again it is the key, but for a slash with no namespace before it. */
    bool bare = slashes && parts.namespace_.len == 0;
    char *again = NULL;
    FUZZ_CHECK(kin_key_new(&again, parts.namespace_, parts.name, NULL) == 0);
    FUZZ_CHECK(key.len == 0 || memcmp(again, key.data + bare, key.len - bare) == 0);
    FUZZ_CHECK(again[key.len - bare] == '\0');
    kin_free(again);
}

static void check_format(kin_str namespace_, kin_str name, size_t size)
{
    char *whole = NULL;
    char *cut = malloc(size ? size : 1);
    size_t len = namespace_.len ? namespace_.len + 1 + name.len : name.len;

    FUZZ_CHECK(cut && kin_key_new(&whole, namespace_, name, NULL) == 0);
    FUZZ_CHECK(kin_key_format(cut, size, namespace_, name) == len);
    if (size) {
        size_t kept = len < size ? len : size - 1;

        FUZZ_CHECK(memcmp(cut, whole, kept) == 0 && cut[kept] == '\0');
    }
    free(cut);
    kin_free(whole);
}

static void check_name_order(kin_namespaced_name a, kin_namespaced_name b)
{
    int ab = kin_namespaced_name_compare(a, b);

    FUZZ_CHECK(ab >= -1 && ab <= 1 && kin_namespaced_name_compare(b, a) == -ab);
    FUZZ_CHECK((ab == 0) == kin_namespaced_name_equal(a, b));
}

static bool is_version(kin_str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
    }
    return s.len > 0 && s.data[0] != '0';
}

/* Digit by digit from the right, as one subtracts on paper. */
static int order_of(kin_str a, kin_str b)
{
    size_t len = a.len > b.len ? a.len : b.len;
    int order = 0;

    for (size_t i = 1; i <= len; i++) {
        int x = i <= a.len ? a.data[a.len - i] - '0' : 0;
        int y = i <= b.len ? b.data[b.len - i] - '0' : 0;

        if (x != y)
            order = x < y ? -1 : 1;
    }
    return order;
}

static void check_versions(kin_str a, kin_str b)
{
    kin_error err = KIN_ERROR_INIT;
    int order = 42;
    int code = kin_resource_version_compare(&order, a, b, &err);

    FUZZ_CHECK((kin_resource_version_validate(a, NULL) == 0) == is_version(a));
    if (is_version(a) && is_version(b))
        FUZZ_CHECK(code == 0 && order == order_of(a, b));
    else
        FUZZ_CHECK(code == KIN_EPARSE && order == 42 &&
                   err.offset <= (is_version(a) ? b.len : a.len));
}

/* The same bytes as digits, so that versions are compared and not only refused. */
static kin_str as_digits(kin_str s, char *buf)
{
    for (size_t i = 0; i < s.len; i++)
        buf[i] = (char)('0' + (uint8_t)s.data[i] % 10);
    return kin_str_make(buf, s.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    size_t room = fuzz_byte(&in);
    kin_str a = fuzz_str(&in);
    kin_str b = fuzz_str(&in);
    char digits_a[256];
    char digits_b[256];

    check_split(a);
    check_format(a, b, room);
    check_name_order((kin_namespaced_name){a, b}, (kin_namespaced_name){b, a});
    check_name_order((kin_namespaced_name){a, b}, (kin_namespaced_name){a, a});
    check_versions(a, b);
    check_versions(as_digits(a, digits_a), as_digits(b, digits_b));
    return 0;
}
