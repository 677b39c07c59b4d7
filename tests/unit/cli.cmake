# SPDX-License-Identifier: Apache-2.0
#
# The command's parts. The command itself is run by tests/integration/cli.
function(kin_cli_tests folder) # names
    string(REPLACE "/" "." prefix ${folder})
    foreach(name IN LISTS ARGN)
        kin_add_test(NAME unit.${prefix}.${name} SOURCES ${folder}/test_${name}.c
                     LIBS kinform_cli_parts kinform_internal LABELS unit)
    endforeach()
endfunction()

kin_cli_tests(cli condition demo_figures demo_summary demo_view text unified watch_event)
kin_cli_tests(cli/base escape memory options)
kin_cli_tests(cli/jsonpath jsonpath)
kin_cli_tests(cli/print columns)
