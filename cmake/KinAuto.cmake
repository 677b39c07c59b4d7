# SPDX-License-Identifier: Apache-2.0
#
# AUTO of KIN_BUILD_TESTS and KIN_BUILD_BENCH becomes ON or OFF here, for this run of cmake only. `make run`, `make all`
# and `make install` use it: they need none of these libraries, and `make check` in the same folder asks for ON.

# Sets ${ret} to ON if everything in ARGN is true, else to OFF and says what is left out.
function(kin_auto ret what) # VARIABLE...
    foreach(variable IN LISTS ARGN)
        if(NOT ${variable})
            message(STATUS "Left out: ${what}, which need more than the library does (${variable}). `tools/setup check` installs it.")
            set(${ret} OFF PARENT_SCOPE)
            return()
        endif()
    endforeach()
    set(${ret} ON PARENT_SCOPE)
endfunction()

if(KIN_BUILD_TESTS STREQUAL "AUTO" OR KIN_BUILD_BENCH STREQUAL "AUTO")
    find_package(OpenSSL 3.0 QUIET)
endif()
if(KIN_BUILD_BENCH STREQUAL "AUTO")
    kin_auto(KIN_BUILD_BENCH "the benchmark programs" OPENSSL_FOUND)
endif()
if(KIN_BUILD_TESTS STREQUAL "AUTO")
    find_package(Python3 3.10 QUIET COMPONENTS Interpreter)
    find_path(CMOCKA_INCLUDE_DIR cmocka.h)
    find_library(CMOCKA_LIBRARY cmocka)
    find_path(JANSSON_INCLUDE_DIR jansson.h)
    find_library(JANSSON_LIBRARY jansson)
    kin_auto(KIN_BUILD_TESTS "the tests and examples"
        Python3_FOUND CMOCKA_INCLUDE_DIR CMOCKA_LIBRARY JANSSON_INCLUDE_DIR JANSSON_LIBRARY OPENSSL_FOUND)
endif()
