# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/apiserver; a library of its own has what several of them share. src/apiserver/http/tls.c is
# tested by apiserver/http/test_tls.c, as unit.apiserver.http.tls.
function(kin_apiserver_tests folder libs) # names
    string(REPLACE "/" "." prefix ${folder})
    foreach(name IN LISTS ARGN)
        kin_add_test(NAME unit.${prefix}.${name} SOURCES ${folder}/test_${name}.c
                     LIBS ${libs} LABELS unit)
        target_include_directories(unit.${prefix}.${name} PRIVATE apiserver)
    endforeach()
endfunction()

kin_apiserver_tests(apiserver/kinds kinform_apiserver_internal
    failure
    kind_crd
    kinds
    names
    registry
    validate)
target_compile_definitions(unit.apiserver.kinds.kinds PRIVATE
    KIN_SERVED_FILE="${CMAKE_CURRENT_SOURCE_DIR}/apiserver/kinds/served-1.36.txt")

kin_apiserver_tests(apiserver/protocol kinform_apiserver_internal
    accept
    continue_token
    discovery
    event_conversion
    query
    reply
    request_info
    selector
    target)

add_library(kin_test_state STATIC apiserver/state/state_support.c)
target_include_directories(kin_test_state PUBLIC apiserver/state)
target_link_libraries(kin_test_state
    PUBLIC kinform_apiserver_internal kin_test_support PRIVATE kin_compile)
kin_apiserver_tests(apiserver/state kin_test_state
    sorted state state_model state_write storage_faults storage_sqlite watcher)

kin_apiserver_tests(apiserver/faults kinform_apiserver_internal faults)

# An API without a server.
add_library(kin_test_api STATIC apiserver/verbs/api_support.c apiserver/verbs/replayer.c)
target_include_directories(kin_test_api PUBLIC apiserver/verbs)
target_link_libraries(kin_test_api PUBLIC kin_test_state PRIVATE kin_compile)
kin_apiserver_tests(apiserver/verbs kin_test_api
    api api_close api_ends api_evictions api_kinds api_model api_oom api_read api_steps api_storage api_watch api_write
    schedule)
kin_apiserver_tests(apiserver/verbs "kin_test_api;kin_test_protobuf" api_protobuf api_protobuf_answers)

# A server whose answers the test decides, asked by bare sockets and by libcurl.
add_library(kin_test_server STATIC apiserver/server_support.c)
target_include_directories(kin_test_server PUBLIC apiserver)
target_link_libraries(kin_test_server
    PUBLIC kinform_apiserver_internal kin_test_http_client PRIVATE kin_compile)
kin_apiserver_tests(apiserver/http kinform_apiserver_internal origin request_log sources tls tokens)
kin_apiserver_tests(apiserver/http kin_test_server http http_faults http_limits http_stop http_stream)
kin_apiserver_tests(apiserver kin_test_server apiserver control)

# A whole server that misbehaves, injected in both ways.
add_library(kin_test_faults STATIC apiserver/fault_support.c)
target_link_libraries(kin_test_faults PUBLIC kin_test_server PRIVATE kin_compile)
kin_apiserver_tests(apiserver kin_test_faults every_fault restart watch_faults)
if(KIN_CLIENT)
    kin_apiserver_tests(apiserver kinform_apiserver_internal client simulation)
endif()

# A sink in memory that others change too.
add_library(kin_test_simulator STATIC
    ../support/memory_sink.c
    apiserver/simulator/simulator_support.c)
target_link_libraries(kin_test_simulator
    PUBLIC kinform_apiserver_internal kin_test_support PRIVATE kin_compile)
kin_apiserver_tests(apiserver/simulator kin_test_simulator simulator_thread)
# The others have one thread and much to do: there is nothing in them for ThreadSanitizer.
if(NOT KIN_SANITIZE STREQUAL "thread")
    kin_apiserver_tests(apiserver/simulator kin_test_simulator
        simulator
        simulator_churn
        simulator_model
        simulator_oom
        simulator_takeover)
    set_tests_properties(unit.apiserver.simulator.simulator_churn unit.apiserver.simulator.simulator_oom
        unit.apiserver.simulator.simulator_takeover PROPERTIES COST 10)
endif()
kin_apiserver_tests(apiserver kin_test_api api_sink)
