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
set(KIN_HEADERS_LEFT_OUT)
if(NOT KIN_APISERVER)
    set(KIN_HEADERS_LEFT_OUT PATTERN apiserver.h EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" ${KIN_HEADERS_LEFT_OUT})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The command, which finds the libraries from where it lies.
if(KIN_CLIENT)
    file(RELATIVE_PATH KIN_BIN_TO_LIB
        "/prefix/${CMAKE_INSTALL_BINDIR}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
    set_target_properties(kinform_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${KIN_BIN_TO_LIB}")
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
set(KIN_PC_CLIENT_LIBS "")
if(KIN_CLIENT)
    set(KIN_PC_CLIENT_LIBS " -lcurl -lz")
endif()
set(KIN_PC_SNAPSHOT_LIBS "")
if(KIN_SNAPSHOT)
    set(KIN_PC_SNAPSHOT_LIBS " -lzstd")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/kinform.pc.in ${PROJECT_BINARY_DIR}/kinform.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kinform.pc DESTINATION ${KIN_PKGCONFIG_DIR})
if(KIN_APISERVER)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/kinform-apiserver.pc.in
        ${PROJECT_BINARY_DIR}/kinform-apiserver.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/kinform-apiserver.pc DESTINATION ${KIN_PKGCONFIG_DIR})
endif()
