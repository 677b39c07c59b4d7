/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

int main(void)
{
    return 0;
}
