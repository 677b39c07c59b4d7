# SPDX-License-Identifier: Apache-2.0
#
# The interpreter that scripts are run by: itself, not a shell script in front of it that looks for one
# each time (pyenv has such), which takes longer than most of our scripts do.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
    OUTPUT_VARIABLE kin_python OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(kin_python)
    set(Python3_EXECUTABLE ${kin_python})
    set_property(TARGET Python3::Interpreter PROPERTY IMPORTED_LOCATION ${kin_python})
endif()

# Of tests that are scripts: they find what they share, and leave nothing in the source tree.
set(KIN_PYTHON_ENVIRONMENT PYTHONDONTWRITEBYTECODE=1
    PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support)
