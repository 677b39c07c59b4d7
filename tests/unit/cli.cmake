# SPDX-License-Identifier: Apache-2.0
#
# The command's parts. The command itself is run by tests/integration/cli.
foreach(name IN ITEMS columns condition demo_figures demo_summary demo_view escape jsonpath memory options text unified
        watch_event)
    kin_add_test(NAME unit.cli.${name} SOURCES cli/test_${name}.c
                 LIBS kinform_cli_parts kinform_internal LABELS unit)
endforeach()
