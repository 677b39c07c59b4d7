# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/client; what several of them share is a library of its own.
function(kin_client_tests support) # LIBS libraries TESTS names
    cmake_parse_arguments(arg "" "" "LIBS;TESTS" ${ARGN})
    add_library(kin_test_${support} STATIC client/${support}_support.c)
    target_include_directories(kin_test_${support} PUBLIC client)
    target_link_libraries(kin_test_${support}
        PUBLIC ${arg_LIBS} kinform_internal kin_test_support PRIVATE kin_compile)
    kin_unit_tests(client ${arg_TESTS})
    foreach(name IN LISTS arg_TESTS)
        target_link_libraries(unit.client.${name} PRIVATE kin_test_${support})
    endforeach()
endfunction()

kin_unit_tests(client
    answer base64 catalog catalog_resolve curl_error curl_words endpoint gunzip kubeconfig kubeconfig_errors pem
    resource retry secret server_url status url)
kin_client_tests(config TESTS config config_load config_override files)
kin_client_tests(credentials
    TESTS certificates credentials credentials_check credentials_plugin credentials_threads exec_credential
          exec_plugin secret_file)
kin_client_tests(transport LIBS kin_test_http
    TESTS liveness transport transport_end transport_pause transport_time transport_tls)
kin_client_tests(client LIBS kin_test_http
    TESTS client client_async client_answers client_end client_limits client_oom client_plugin client_protobuf client_retry
          client_wipe discovery example list_watch pager privileged retry_watch trust watch_gzip)
foreach(name IN ITEMS client_protobuf pager watch_gzip)
    target_link_libraries(unit.client.${name} PRIVATE kin_test_protobuf)
endforeach()
target_compile_definitions(unit.client.example PRIVATE
    KIN_TEST_EXAMPLE="$<TARGET_FILE:kinform-client>")
add_dependencies(unit.client.example kinform-client)

# Functions that these tests put their own in the place of.
target_link_options(unit.client.certificates PRIVATE -Wl,--wrap=kin__secret_file_read)
target_link_options(unit.client.exec_plugin PRIVATE -Wl,--wrap=syscall)
target_link_options(unit.client.trust PRIVATE -Wl,--wrap=curl_easy_init)
target_link_options(unit.client.privileged PRIVATE -Wl,--wrap=getauxval)
