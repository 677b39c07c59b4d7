# SPDX-License-Identifier: Apache-2.0
#
# The last step of `cmake --install`: the loader is told of the libraries, if it looks where they are.
# KIN_LOADER_LIBDIR is the folder, CMAKE_INSTALL_LIBDIR of the build.
#
# Nothing is done below DESTDIR: a package's own script calls ldconfig where it is unpacked.
if(NOT "$ENV{DESTDIR}" STREQUAL "")
    return()
endif()
cmake_path(ABSOLUTE_PATH KIN_LOADER_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
# Not in everybody's PATH.
find_program(KIN_LDCONFIG ldconfig PATHS /sbin /usr/sbin NO_CACHE)
if(NOT KIN_LDCONFIG)
    return() # musl's loader has no list to bring up to date
endif()

# Which folders those are, is what it says itself: "/usr/local/lib: (from /etc/ld.so.conf.d/libc.conf:2)".
execute_process(COMMAND ${KIN_LDCONFIG} -N -X -v OUTPUT_VARIABLE kin_loader_says ERROR_QUIET)
string(REGEX MATCHALL "(^|\n)/[^:\n]*:" kin_loader_folders "${kin_loader_says}")
file(REAL_PATH "${KIN_LOADER_LIBDIR}" kin_loader_wanted)
set(kin_loader_looks OFF)
foreach(folder IN LISTS kin_loader_folders)
    string(REGEX REPLACE "^\n|:$" "" folder "${folder}")
    file(REAL_PATH "${folder}" folder)
    if(folder STREQUAL kin_loader_wanted)
        set(kin_loader_looks ON)
    endif()
endforeach()

if(NOT kin_loader_looks)
    message(STATUS "The loader does not look into ${KIN_LOADER_LIBDIR}: programs need LD_LIBRARY_PATH or an rpath")
    return()
endif()
execute_process(COMMAND ${KIN_LDCONFIG} RESULT_VARIABLE kin_loader_status OUTPUT_QUIET ERROR_QUIET)
if(kin_loader_status EQUAL 0)
    message(STATUS "The loader has been told of ${KIN_LOADER_LIBDIR} (ldconfig)")
else()
    message(STATUS "The loader has not been told of ${KIN_LOADER_LIBDIR}: type ldconfig as root")
endif()
