/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version that was compiled into the library.
 */
#include "kinform/version.h"

int kin_version_number(void)
{
    return KIN_VERSION_NUMBER;
}

const char *kin_version_string(void)
{
    return KIN_VERSION_STRING;
}
