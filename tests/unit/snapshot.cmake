# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/informer/snapshot*, which needs no client.
add_library(kin_test_snapshot STATIC informer/snapshot_support.c)
target_include_directories(kin_test_snapshot PUBLIC informer)
target_link_libraries(kin_test_snapshot PUBLIC kinform_internal kin_test_support PRIVATE kin_compile)
set(snapshot_tests snapshot snapshot_damage snapshot_file snapshot_memory)
kin_unit_tests(informer ${snapshot_tests})
foreach(name IN LISTS snapshot_tests)
    target_link_libraries(unit.informer.${name} PRIVATE kin_test_snapshot)
endforeach()
# Functions that this test puts its own in the place of.
foreach(call IN ITEMS open openat flock fchmod ftruncate write pwrite pread fsync renameat
        ZSTD_createCCtx ZSTD_createDCtx ZSTD_compress2)
    target_link_options(unit.informer.snapshot_file PRIVATE -Wl,--wrap=${call})
endforeach()
target_include_directories(unit.informer.snapshot_file SYSTEM PRIVATE ${ZSTD_INCLUDE_DIR})
