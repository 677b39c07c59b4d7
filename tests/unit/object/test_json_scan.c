/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain text and brackets, as this machine finds them.
 */
#include "json_scan_cases.h"

int main(void)
{
    return run_scan_cases();
}
