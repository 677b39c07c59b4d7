/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain text and brackets, as a machine without vector instructions of ours finds them: the same
 * cases, with KIN__SCAN_PORTABLE defined for this file and for json_skip.c.
 */
#include "json_scan_cases.h"

#ifndef KIN__SCAN_PORTABLE
#error "this is the test of the portable half"
#endif

int main(void)
{
    return run_scan_cases();
}
