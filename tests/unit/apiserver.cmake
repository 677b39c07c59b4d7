# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/apiserver.
function(kin_apiserver_tests)
    foreach(name IN LISTS ARGN)
        kin_add_test(NAME unit.apiserver.${name} SOURCES apiserver/test_${name}.c
                     LIBS kinform_apiserver_internal LABELS unit)
    endforeach()
endfunction()

kin_apiserver_tests(
    accept
    discovery
    event_conversion
    failure
    kind_crd
    kinds
    names
    query
    registry
    request_info
    selector
    validate)
