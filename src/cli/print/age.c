/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print/age.h"

/* "3h12m", "3h" if there is nothing of the smaller unit. */
static void add_two(struct text *out, int64_t large, char large_unit, int64_t small,
                    char small_unit)
{
    text_format(out, "%lld%c", (long long)large, large_unit);
    if (small > 0)
        text_format(out, "%lld%c", (long long)small, small_unit);
}

void add_duration(struct text *out, int64_t seconds)
{
    int64_t minutes = seconds / 60;
    int64_t hours = seconds / 3600;
    int64_t days = hours / 24;

    if (seconds < -1)
        text_add_string(out, "<invalid>");
    else if (seconds < 120)
        text_format(out, "%llds", (long long)(seconds < 0 ? 0 : seconds));
    else if (minutes < 10)
        add_two(out, minutes, 'm', seconds % 60, 's');
    else if (minutes < 180)
        text_format(out, "%lldm", (long long)minutes);
    else if (hours < 8)
        add_two(out, hours, 'h', minutes % 60, 'm');
    else if (hours < 48)
        text_format(out, "%lldh", (long long)hours);
    else if (hours < 192)
        add_two(out, days, 'd', hours % 24, 'h');
    else if (days < 730)
        text_format(out, "%lldd", (long long)days);
    else if (days < 2920)
        add_two(out, days / 365, 'y', days % 365, 'd');
    else
        text_format(out, "%lldy", (long long)(days / 365));
}

void add_age(struct text *out, kin_value timestamp, int64_t now_unix_s)
{
    kin_time t;

    if (kin_value_time(&t, timestamp) < 0)
        text_add_string(out, "<unknown>");
    else
        add_duration(out, now_unix_s - t.seconds);
}
