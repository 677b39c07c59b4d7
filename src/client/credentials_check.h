/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a configuration's credentials can be used at all, before anything is read or run.
 */
#ifndef KIN_CLIENT_CREDENTIALS_CHECK_H
#define KIN_CLIENT_CREDENTIALS_CHECK_H

#include "client/config.h"

/* 0, or KIN_EINVAL with a message that says what to change; KIN_ENOMEM. */
int kin__credentials_check(const kin_config *config, kin_error *err);

bool kin__uses_tls(const kin_config *config);
/* The plugin is run only if nothing else says who we are. */
bool kin__uses_plugin(const kin_config *config);

#endif
