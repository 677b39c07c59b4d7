# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=kinform -DFOLDER=DIR -P KinCompletion.cmake
#
# What the command says itself to shells, as files of the names under which shells look for it.
foreach(pair IN ITEMS "bash;kinform" "zsh;_kinform" "fish;kinform.fish")
    list(GET pair 0 shell)
    list(GET pair 1 name)
    file(MAKE_DIRECTORY ${FOLDER}/${shell})
    execute_process(COMMAND ${PROGRAM} completion ${shell}
        OUTPUT_FILE ${FOLDER}/${shell}/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
