/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which exec plugins may be run, and where they are. Looks at the file system and at $PATH.
 */
#ifndef KIN_CLIENT_EXEC_POLICY_H
#define KIN_CLIENT_EXEC_POLICY_H

#include "kinform/config.h"

/* 0, KIN_EINVAL: the options' policy and list do not go together. */
int kin__exec_policy_check(const kin_config_options *options, kin_error *err);

/*
 * Whether a command may be run. *command is OWNED, a resolved path or a name, and may be replaced by
 * the path of what was found to be allowed: so nothing else is run. 0, KIN_EDENIED, KIN_ENOMEM; no
 * message.
 */
int kin__exec_policy_apply(const kin_config_options *options, char **command);

/*
 * Where $PATH leads to for a name without a slash. *ret is OWNED, NULL if nowhere. Folders that are
 * relative are passed over, as by Go: what lies in the working directory is not what anybody meant.
 * 0, KIN_ENOMEM.
 */
int kin__exec_find(char **ret, const char *name);

#endif
