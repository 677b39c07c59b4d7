/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that need the embedded API server, in a build without it: they say so. */
#include "cli/command.h"

#define MISSING "the embedded API server (KIN_APISERVER=OFF)"

const struct command command_demo = {
    .name = "demo",
    .summary = "See informers at work on a simulated cluster",
    .usage = "[OPTION…]",
    .examples = "  kinform demo\n",
    .missing = MISSING,
};

const struct command command_serve = {
    .name = "serve",
    .summary = "Serve the Kubernetes API on a port of this machine",
    .usage = "[OPTION…] [-- PROGRAM [ARGUMENT…]]",
    .examples = "  kinform serve > kubeconfig\n",
    .missing = MISSING,
};
