/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Configurations: which API server, and who we are to it.
 */
#ifndef KINFORM_CONFIG_H
#define KINFORM_CONFIG_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** How to reach a server, and as whom. Const, SHARED. */
typedef struct kin_config kin_config;

KIN_END_DECLS

#endif
