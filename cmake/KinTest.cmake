# SPDX-License-Identifier: Apache-2.0
#
# kin_add_test(NAME name SOURCES file... [LIBS lib...] [LABELS label...] [ENVIRONMENT K=V...] [TIMEOUT s]
#              [CASES case...] [COST n])
#
# One executable per test file, run in its own process; with CASES once for each, which is its argument. All
# tests link cmocka and tests/support; what they test comes in through LIBS.
#
# COST, in seconds, is for tests that take long: CTest begins with them, so that none is left over at the
# end with a core that has nothing to do. It knows by itself what a test has taken, but not in a fresh clone.
function(kin_add_test)
    cmake_parse_arguments(T "" "NAME;TIMEOUT;COST" "SOURCES;LIBS;LABELS;ENVIRONMENT;CASES" ${ARGN})
    add_executable(${T_NAME} ${T_SOURCES})
    target_link_libraries(${T_NAME} PRIVATE ${T_LIBS} kin_test_support kin_compile)
    set_target_properties(${T_NAME} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    set(names ${T_NAME})
    if(T_CASES)
        list(TRANSFORM T_CASES PREPEND ${T_NAME}. OUTPUT_VARIABLE names)
    endif()
    foreach(name IN LISTS names)
        string(REPLACE ${T_NAME} "" argument ${name})
        string(REGEX REPLACE "^\\." "" argument "${argument}")
        add_test(NAME ${name} COMMAND ${T_NAME} ${argument}
            WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
        kin_test_properties(${name} "${T_LABELS}" "${T_ENVIRONMENT}" "${T_TIMEOUT}")
        if(T_COST)
            set_tests_properties(${name} PROPERTIES COST ${T_COST})
        endif()
    endforeach()
endfunction()

# What every test gets, also those that are scripts: labels and a deadline, so that
# a hang is a failure of one test and not of the whole run. It is for hangs alone: some tests take
# half a minute of a core with a sanitizer, and a machine may be ten times slower.
function(kin_test_properties name labels environment timeout)
    if(NOT timeout)
        set(timeout 600)
    endif()
    list(APPEND environment
        "ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1"
        "UBSAN_OPTIONS=print_stacktrace=1"
        "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:allocator_may_return_null=1")
    set_tests_properties(${name} PROPERTIES
        LABELS "${labels}" TIMEOUT ${timeout} ENVIRONMENT "${environment}")
endfunction()
