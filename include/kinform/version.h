/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The library's version, at compile time and at run time.
 */
#ifndef KINFORM_VERSION_H
#define KINFORM_VERSION_H

#include <kinform/common.h>

KIN_BEGIN_DECLS

/** Version of the headers. */
#define KIN_VERSION_MAJOR 0
#define KIN_VERSION_MINOR 1
#define KIN_VERSION_PATCH 0
#define KIN_VERSION_STRING "0.1.0"
/** Comparable: 0x00MMmmpp. */
#define KIN_VERSION_NUMBER                                                                         \
    ((KIN_VERSION_MAJOR << 16) | (KIN_VERSION_MINOR << 8) | KIN_VERSION_PATCH)

/**
 * Version of the library that runs, which may be newer than the headers compiled against.
 *
 * @return KIN_VERSION_NUMBER of the library.
 * @thread any
 */
KIN_API int kin_version_number(void);

/**
 * The same as text, "0.1.0".
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_version_string(void);

KIN_END_DECLS

#endif
