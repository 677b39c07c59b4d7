# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/apiserver; what several of them share is a library of its own.
function(kin_apiserver_tests libs) # names
    foreach(name IN LISTS ARGN)
        kin_add_test(NAME unit.apiserver.${name} SOURCES apiserver/test_${name}.c
                     LIBS ${libs} LABELS unit)
    endforeach()
endfunction()

add_library(kin_test_state STATIC apiserver/state_support.c)
target_include_directories(kin_test_state PUBLIC apiserver)
target_link_libraries(kin_test_state
    PUBLIC kinform_apiserver_internal kin_test_support PRIVATE kin_compile)

kin_apiserver_tests(kin_test_state
    sorted state state_model state_write storage_faults storage_sqlite watcher)

kin_apiserver_tests(kinform_apiserver_internal
    accept
    discovery
    event_conversion
    failure
    kind_crd
    kinds
    names
    origin
    query
    registry
    request_info
    selector
    validate)

target_compile_definitions(unit.apiserver.kinds PRIVATE
    KIN_SERVED_FILE="${CMAKE_CURRENT_SOURCE_DIR}/apiserver/served-1.36.txt")


# An API without a server.
add_library(kin_test_api STATIC apiserver/api_support.c apiserver/replayer.c)
target_link_libraries(kin_test_api PUBLIC kin_test_state PRIVATE kin_compile)

kin_apiserver_tests(kin_test_api
    api api_close api_ends api_evictions api_kinds api_model api_oom api_read api_steps api_storage api_watch api_write
    continue_token
    schedule)
foreach(name IN ITEMS api_protobuf api_protobuf_answers)
    kin_add_test(NAME unit.apiserver.${name} SOURCES apiserver/test_${name}.c
                 LIBS kin_test_api kin_test_protobuf LABELS unit)
endforeach()

kin_apiserver_tests(kinform_apiserver_internal
    faults
    request_log
    sources
    target
    tls
    tokens)

# A server whose answers the test decides, asked by bare sockets and by libcurl.
add_library(kin_test_server STATIC apiserver/server_support.c)
target_include_directories(kin_test_server PUBLIC apiserver)
target_link_libraries(kin_test_server
    PUBLIC kinform_apiserver_internal kin_test_http_client PRIVATE kin_compile)
kin_apiserver_tests(kin_test_server
    apiserver
    control
    http
    http_faults
    http_limits
    http_stop
    http_stream)

# A whole server that misbehaves, injected in both ways.
add_library(kin_test_faults STATIC apiserver/fault_support.c)
target_link_libraries(kin_test_faults PUBLIC kin_test_server PRIVATE kin_compile)
kin_apiserver_tests(kin_test_faults every_fault restart watch_faults)
if(KIN_CLIENT)
    kin_apiserver_tests(kinform_apiserver_internal client simulation)
endif()

# A sink in memory that others change too.
add_library(kin_test_simulator STATIC
    ../support/memory_sink.c
    apiserver/simulator_support.c)
target_include_directories(kin_test_simulator PUBLIC apiserver)
target_link_libraries(kin_test_simulator
    PUBLIC kinform_apiserver_internal kin_test_support PRIVATE kin_compile)
kin_apiserver_tests(kin_test_simulator simulator_thread)
# The others have one thread and much to do: there is nothing in them for ThreadSanitizer.
if(NOT KIN_SANITIZE STREQUAL "thread")
    kin_apiserver_tests(kin_test_simulator
        simulator
        simulator_churn
        simulator_model
        simulator_oom
        simulator_takeover)
    set_tests_properties(unit.apiserver.simulator_churn unit.apiserver.simulator_oom
        unit.apiserver.simulator_takeover PROPERTIES COST 10)
endif()
kin_apiserver_tests(kin_test_api api_sink)
