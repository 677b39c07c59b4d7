/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain text and brackets, as a machine without vector instructions of ours finds them: the same cases, over
 * the portable half of the sources.
 */
#define KIN__SCAN_PORTABLE
#include "object/json_skip.c"

#include "json_scan_cases.h"

int main(void)
{
    return run_scan_cases();
}
