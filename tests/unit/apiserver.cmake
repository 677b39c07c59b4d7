# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/apiserver; what several of them share is a library of its own.
add_library(kin_test_state STATIC apiserver/state_support.c)
target_include_directories(kin_test_state PUBLIC apiserver)
target_link_libraries(kin_test_state
    PUBLIC kinform_apiserver_internal kin_test_support PRIVATE kin_compile)

function(kin_state_tests)
    foreach(name IN LISTS ARGN)
        kin_add_test(NAME unit.apiserver.${name} SOURCES apiserver/test_${name}.c
                     LIBS kin_test_state LABELS unit)
    endforeach()
endfunction()

kin_state_tests(
    sorted state state_model state_write storage_faults storage_sqlite watcher)

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

# An API without a server.
add_library(kin_test_api STATIC apiserver/api_support.c apiserver/replayer.c)
target_link_libraries(kin_test_api PUBLIC kin_test_state PRIVATE kin_compile)

function(kin_api_tests)
    foreach(name IN LISTS ARGN)
        kin_add_test(NAME unit.apiserver.${name} SOURCES apiserver/test_${name}.c
                     LIBS kin_test_api LABELS unit)
    endforeach()
endfunction()

kin_api_tests(
    api api_ends api_model api_oom api_read api_storage api_watch api_write continue_token
    schedule)
