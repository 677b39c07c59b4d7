# SPDX-License-Identifier: Apache-2.0
#
# Tests of src/runtime, over informers whose source does what a test says.
add_library(kin_test_reconciler STATIC runtime/reconciler_support.c)
target_include_directories(kin_test_reconciler PUBLIC runtime)
target_link_libraries(kin_test_reconciler PUBLIC kin_test_shared_informer PRIVATE kin_compile)
set(reconciler_tests reconciler reconciler_gate reconciler_life reconciler_oom reconciler_threads)
kin_unit_tests(runtime ${reconciler_tests})
foreach(name IN LISTS reconciler_tests)
    target_link_libraries(unit.runtime.${name} PRIVATE kin_test_reconciler)
endforeach()
target_link_options(unit.runtime.reconciler_threads PRIVATE -Wl,--wrap=pthread_create)
