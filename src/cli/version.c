/* SPDX-License-Identifier: Apache-2.0 */
/* kinform version */
#include "kinform/version.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/command.h"

struct settings {
    const char *output;
};

static const struct option options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(struct settings, output), "json", "print it for programs",
     "json", 0},
};
static const struct option_group groups[] = {
    {"Options", options, sizeof(options) / sizeof(options[0]), 0},
};

static int version_run(void *arg, const struct arguments *arguments)
{
    const struct settings *s = arg;

    if (arguments->len > 0)
        return report_usage("version", "version takes no arguments");
    if (s->output && strcmp(s->output, "json") != 0)
        return report_usage("version", "-o takes json, not %s", s->output);
    if (s->output)
        printf("{\"command\":\"%s\",\"library\":\"%s\"}\n", KIN_VERSION_STRING,
               kin_version_string());
    else if (strcmp(KIN_VERSION_STRING, kin_version_string()) == 0)
        printf("kinform %s\n", KIN_VERSION_STRING);
    else
        printf("kinform %s, with the library %s\n", KIN_VERSION_STRING, kin_version_string());
    return EXIT_OK;
}

const struct command command_version = {
    .name = "version",
    .summary = "Say which version this is",
    .usage = "[-o json]",
    .examples = "  kinform version\n",
    .groups = groups,
    .n_groups = sizeof(groups) / sizeof(groups[0]),
    .settings_size = sizeof(struct settings),
    .run = version_run,
};
