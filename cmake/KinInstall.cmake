# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` puts where: the command with its man page and completions, libraries, headers, kinform.pc, and a CMake package
# with the targets kinform::kinform (shared) and kinform::kinform_static; the same of the API server,
# where it is built: kinform-apiserver.pc, kinform::apiserver and kinform::apiserver_static.
#
# All of it finds its way from where it lies, so that `cmake --install --prefix DIR` and a
# moved tree work: nothing remembers the prefix of the configuration.
include(CMakePackageConfigHelpers)

set(KIN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kinform)
set(KIN_PKGCONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(KIN_APISERVER_TARGETS)
if(KIN_APISERVER)
    set(KIN_APISERVER_TARGETS kinform_apiserver kinform_apiserver_static)
endif()
install(TARGETS kinform kinform_static ${KIN_APISERVER_TARGETS}
    EXPORT kinformTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(KIN_INSTALLED kinform kinform_static ${KIN_APISERVER_TARGETS})
if(KIN_APISERVER)
    # The two libraries are in one folder, built and installed.
    set_target_properties(kinform_apiserver PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
endif()

# The headers of what is built. A function that is declared is there, so the header that includes the others is made
# without those that are left out.
set(KIN_HEADERS_LEFT_OUT)
if(NOT KIN_APISERVER)
    list(APPEND KIN_HEADERS_LEFT_OUT apiserver)
endif()
if(NOT KIN_CLIENT)
    list(APPEND KIN_HEADERS_LEFT_OUT call client config controller factory fake_source handler informer list_watch queue
        reconciler reflector resource retry retry_watch status)
endif()
if(NOT KIN_SNAPSHOT)
    list(APPEND KIN_HEADERS_LEFT_OUT snapshot)
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/kinform.h)
file(READ ${PROJECT_SOURCE_DIR}/include/kinform.h KIN_UMBRELLA)
set(KIN_HEADER_PATTERNS)
foreach(name IN LISTS KIN_HEADERS_LEFT_OUT)
    list(APPEND KIN_HEADER_PATTERNS PATTERN ${name}.h EXCLUDE)
    string(REPLACE "#include <kinform/${name}.h>\n" "" KIN_UMBRELLA "${KIN_UMBRELLA}")
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/installed/kinform.h CONTENT "${KIN_UMBRELLA}")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kinform
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" ${KIN_HEADER_PATTERNS})
install(FILES ${PROJECT_BINARY_DIR}/installed/kinform.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Documents in the folders of the source tree, so that they find each other. Of bench there is what README speaks of: how
# figures were had, and all of them.
file(GLOB KIN_DOCUMENTS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/man/*.1
    ${PROJECT_SOURCE_DIR}/examples/*.[ch] ${PROJECT_SOURCE_DIR}/bench/README.md
    ${PROJECT_SOURCE_DIR}/bench/results/*.md ${PROJECT_SOURCE_DIR}/bench/results/*.txt)
foreach(document IN LISTS KIN_DOCUMENTS)
    cmake_path(GET document PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The command, which finds the libraries from where it lies.
if(KIN_CLIENT)
    file(RELATIVE_PATH KIN_BIN_TO_LIB
        "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
    # The same search path in the build tree, whose libraries are in ../lib: CMake ends a path that it has to
    # replace with a colon, and that means the current directory.
    set(KIN_RPATH "$ORIGIN/${KIN_BIN_TO_LIB}" "$ORIGIN/../lib")
    list(REMOVE_DUPLICATES KIN_RPATH)
    set_target_properties(kinform_cli PROPERTIES INSTALL_RPATH "${KIN_RPATH}" BUILD_WITH_INSTALL_RPATH ON)
    install(TARGETS kinform_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(FILES ${PROJECT_SOURCE_DIR}/docs/man/kinform.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    list(APPEND KIN_INSTALLED kinform_cli)
endif()

# Completions come from the command itself, which must be able to run here.
if(KIN_CLIENT AND NOT CMAKE_CROSSCOMPILING)
    set(KIN_COMPLETIONS ${PROJECT_BINARY_DIR}/completions)
    add_custom_command(OUTPUT
            ${KIN_COMPLETIONS}/bash/kinform ${KIN_COMPLETIONS}/zsh/_kinform ${KIN_COMPLETIONS}/fish/kinform.fish
        COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:kinform_cli> -DFOLDER=${KIN_COMPLETIONS}
                -P ${PROJECT_SOURCE_DIR}/cmake/KinCompletion.cmake
        DEPENDS kinform_cli ${PROJECT_SOURCE_DIR}/cmake/KinCompletion.cmake
        VERBATIM)
    add_custom_target(kinform_completions ALL DEPENDS ${KIN_COMPLETIONS}/bash/kinform)
    install(FILES ${KIN_COMPLETIONS}/bash/kinform
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${KIN_COMPLETIONS}/zsh/_kinform
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${KIN_COMPLETIONS}/fish/kinform.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    list(APPEND KIN_INSTALLED kinform_completions)
endif()

# What an installation needs, and nothing else: `make install` builds no tests.
add_custom_target(kinform_installed)
add_dependencies(kinform_installed ${KIN_INSTALLED})

# The CMake package.
install(EXPORT kinformTargets
    NAMESPACE kinform::
    DESTINATION ${KIN_CMAKE_DIR})
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/kinformConfig.cmake.in
    ${PROJECT_BINARY_DIR}/kinformConfig.cmake
    INSTALL_DESTINATION ${KIN_CMAKE_DIR})
# Before 1.0 a new minor version may break what used the one before.
write_basic_package_version_file(
    ${PROJECT_BINARY_DIR}/kinformConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/kinformConfig.cmake
    ${PROJECT_BINARY_DIR}/kinformConfigVersion.cmake
    DESTINATION ${KIN_CMAKE_DIR})

# pkg-config. Directories that were given absolute are taken as they are.
file(RELATIVE_PATH KIN_PC_TO_PREFIX "/${KIN_PKGCONFIG_DIR}" "/")
string(REGEX REPLACE "/$" "" KIN_PC_TO_PREFIX "${KIN_PC_TO_PREFIX}")
set(KIN_PC_PREFIX "\${pcfiledir}/${KIN_PC_TO_PREFIX}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(KIN_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
endif()
foreach(dir IN ITEMS LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(KIN_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(KIN_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
# What others bring belongs to Requires.private: --static asks each of them what it needs itself. pkg-config reads these
# also for --cflags, so that who builds with kinform.pc has the others' development files, as who built kinform had. A library
# that came without a .pc is named to the linker instead.
find_package(PkgConfig QUIET)
function(kin_pc_needs prefix) # PACKAGE=LIBRARY...: sets ${prefix}_REQUIRES and ${prefix}_LIBS
    set(requires)
    set(libs)
    foreach(pair IN LISTS ARGN)
        string(REGEX MATCH "^(.*)=(.*)$" pair "${pair}")
        set(package ${CMAKE_MATCH_1})
        set(library ${CMAKE_MATCH_2})
        set(status 1)
        if(PKG_CONFIG_EXECUTABLE)
            execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --exists ${package} RESULT_VARIABLE status)
        endif()
        if(status EQUAL 0)
            list(APPEND requires ${package})
        else()
            list(APPEND libs "-l${library}")
        endif()
    endforeach()
    list(APPEND libs -pthread)
    list(JOIN requires ", " requires)
    list(JOIN libs " " libs)
    set(${prefix}_REQUIRES "${requires}" PARENT_SCOPE)
    set(${prefix}_LIBS "${libs}" PARENT_SCOPE)
endfunction()
set(needs yaml-0.1=yaml)
if(KIN_CLIENT)
    list(APPEND needs libcurl=curl zlib=z)
endif()
if(KIN_SNAPSHOT)
    list(APPEND needs libzstd=zstd)
endif()
kin_pc_needs(KIN_PC ${needs})
kin_pc_needs(KIN_PC_APISERVER libmicrohttpd=microhttpd gnutls=gnutls sqlite3=sqlite3 zlib=z)
configure_file(${PROJECT_SOURCE_DIR}/cmake/kinform.pc.in ${PROJECT_BINARY_DIR}/kinform.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kinform.pc DESTINATION ${KIN_PKGCONFIG_DIR})
if(KIN_APISERVER)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/kinform-apiserver.pc.in
        ${PROJECT_BINARY_DIR}/kinform-apiserver.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kinform-apiserver.pc DESTINATION ${KIN_PKGCONFIG_DIR})
endif()

# Last, when the libraries are there.
install(CODE "set(KIN_LOADER_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/KinLoader.cmake)
