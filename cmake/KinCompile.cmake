# SPDX-License-Identifier: Apache-2.0
#
# How every C file of the project is compiled. `kin_compile` is an interface
# target that the library, the tests and the benchmarks all link, so that there
# is one list of warnings and one place for the sanitizers.

add_library(kin_compile INTERFACE)
target_compile_definitions(kin_compile INTERFACE _GNU_SOURCE)
target_compile_options(kin_compile INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2
    -Wimplicit-fallthrough -fno-common)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(kin_compile INTERFACE -Wlogical-op -Wduplicated-cond -Wnull-dereference)
elseif(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # clang's -Wpedantic-adjacent warning about the GNU `, ##__VA_ARGS__` form is
    # moot: we don't use it. -Wthread-safety checks docs/locking.md at compile time.
    target_compile_options(kin_compile INTERFACE -Wthread-safety)
endif()
if(KIN_WERROR)
    target_compile_options(kin_compile INTERFACE -Werror)
endif()

if(KIN_DEBUG_CHECKS)
    target_compile_definitions(kin_compile INTERFACE KIN_DEBUG_CHECKS=1)
else()
    target_compile_definitions(kin_compile INTERFACE KIN_DEBUG_CHECKS=0)
endif()

if(KIN_SANITIZE)
    # A sanitizer's report must end the test: nothing recovers.
    target_compile_options(kin_compile INTERFACE
        -fsanitize=${KIN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(kin_compile INTERFACE -fsanitize=${KIN_SANITIZE})
else()
    set(optimized $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
    target_compile_options(kin_compile INTERFACE
        -fstack-protector-strong $<${optimized}:-U_FORTIFY_SOURCE> $<${optimized}:-D_FORTIFY_SOURCE=2>)
endif()

# Hardening of the installed files: the libraries and the command link this target, the tests do not.
# Each flag is used if compiler and linker know it. CET is marked in a linked file only if the C
# library's start files support it, too; tests/api/test_hardening.py checks the object files.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
add_library(kin_harden INTERFACE)
set(KIN_HARDEN_COMPILE)
foreach(flag IN ITEMS -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "KIN_HAS${flag}" has_flag)
    # With -Werror, so that a flag that is ignored with a warning counts as unknown.
    set(CMAKE_REQUIRED_FLAGS -Werror)
    check_c_compiler_flag(${flag} ${has_flag})
    unset(CMAKE_REQUIRED_FLAGS)
    if(${has_flag} AND NOT KIN_SANITIZE)
        list(APPEND KIN_HARDEN_COMPILE ${flag})
    endif()
endforeach()
target_compile_options(kin_harden INTERFACE ${KIN_HARDEN_COMPILE})
foreach(flag IN ITEMS relro now noexecstack)
    check_linker_flag(C LINKER:-z,${flag} KIN_HAS_Z_${flag})
    if(KIN_HAS_Z_${flag})
        target_link_options(kin_harden INTERFACE LINKER:-z,${flag})
    endif()
endforeach()

if(KIN_BUILD_FUZZERS)
    # The library itself is instrumented too: the fuzzer sees which branches an input takes.
    target_compile_options(kin_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()

if(KIN_COVERAGE)
    target_compile_options(kin_compile INTERFACE --coverage -fprofile-update=atomic)
    target_compile_definitions(kin_compile INTERFACE KIN_COVERAGE)
    target_link_options(kin_compile INTERFACE --coverage)
endif()
