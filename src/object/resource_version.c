/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource versions as decimal texts. They are never made into numbers, so that any length
 * works: without leading zeros the longer one is the greater, and of two that are as long the
 * bytes decide.
 */
#include "kinform/resource_version.h"

#include "base/error.h"
#include "base/str.h"

static int check_version(kin_str version, const char *what, kin_error *err)
{
    if (version.len == 0)
        return kin__error_parse(err, 0, "%s: expected a digit, found its end", what);
    if (version.data[0] == '0')
        return kin__error_parse(err, 0, "%s: expected a positive integer, found a leading 0", what);
    for (size_t i = 0; i < version.len; i++) {
        unsigned char c = (unsigned char)version.data[i];

        if (c < '0' || c > '9')
            return kin__error_parse(err, i, "%s: expected a digit, found byte 0x%02x", what, c);
    }
    return 0;
}

int kin_resource_version_validate(kin_str version, kin_error *err)
{
    return check_version(version, "resource version", err);
}

int kin_resource_version_compare(int *ret, kin_str a, kin_str b, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");
    int code = check_version(a, "first resource version", err);
    if (code == 0)
        code = check_version(b, "second resource version", err);
    if (code < 0)
        return code;

    int order = kin__str_compare(a, b);
    if (a.len != b.len)
        *ret = a.len < b.len ? -1 : 1;
    else
        *ret = (order > 0) - (order < 0);
    return 0;
}
