/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

static bool set(const struct kin_bench_option *option, const char *value)
{
    if (option->text) {
        *option->text = value;
    } else if (option->number) {
        *option->number = kin_bench_number(value, option->max);
    } else if (option->yes) {
        *option->flag = strcmp(value, option->yes) == 0;
        return *option->flag || strcmp(value, option->no) == 0;
    } else {
        *option->flag = true;
    }
    return true;
}

static struct option *as_getopt_has_them(const struct kin_bench_option *options, size_t n)
{
    struct option *longs = kin_bench_alloc(n + 1, sizeof(*longs));

    for (size_t i = 0; i < n; i++) {
        bool is_bare = options[i].flag && !options[i].yes;

        longs[i].name = options[i].name;
        longs[i].has_arg = is_bare ? no_argument : required_argument;
    }
    return longs;
}

const char *kin_bench_parse(const struct kin_bench_option *options, size_t n, int argc, char **argv)
{
    struct option *longs = as_getopt_has_them(options, n);
    bool is_right = true;
    int which = 0;

    while (is_right) {
        int found = getopt_long(argc, argv, "", longs, &which);

        if (found < 0)
            break;
        is_right = found == 0 && set(&options[which], optarg);
    }
    free(longs);
    return is_right && optind + 1 == argc ? argv[optind] : NULL;
}
