/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform completion: scripts for shells. They know nothing themselves: at each Tab they ask
 * `kinform completion __complete`, complete.c, and hand over what it says in their shell's way.
 */
#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/command.h"
#include "cli/complete.h"

/*
 * bash takes words apart at = : and @. They are put together from the line, and what stands before the last of
 * the parts is taken off again, as only that one is replaced, with an @ before it. Nothing of bash-completion is needed; where it is
 * loaded, it completes the arguments of a program.
 */
static const char bash[] =
    "# kinform completion bash\n"
    "_kinform()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words=() part= before= first= i\n"
    "    for ((i = 0; i <= COMP_CWORD; i++)); do\n"
    "        part=${COMP_WORDS[i]}\n"
    "        if [[ $line == [[:space:]]* || $i == 0 ]]; then\n"
    "            line=${line#\"${line%%[![:space:]]*}\"}\n"
    "            words+=('') before=\n"
    "        fi\n"
    "        ((i < COMP_CWORD)) || part=$line\n"
    "        line=${line#\"$part\"}\n"
    "        ((i < COMP_CWORD)) && before+=$part\n"
    "        [[ $part == -- && -z $first ]] && first=$((i + 1))\n"
    "        words[${#words[@]}-1]+=$part\n"
    "    done\n"
    "    case $part in [=:]) before+=$part ;; esac\n"
    "    before=${before%@}\n"
    "    COMPREPLY=()\n"
    "    local kind list candidate\n"
    "    { IFS= read -r kind; mapfile -t list; } < <(\"${words[0]/#\\~/$HOME}\" completion __complete bash -- "
    "\"${words[@]:1}\" 2>/dev/null)\n"
    "    case $kind in\n"
    "    files*)\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        local prefix=${kind#files } word=${kind#*$'\\t'}\n"
    "        prefix=${prefix%%$'\\t'*}\n"
    "        mapfile -t list < <(compgen -f -- \"$word\")\n"
    "        list=(\"${list[@]/#/$prefix}\") ;;\n"
    "    program*)\n"
    "        if declare -F _command_offset >/dev/null; then\n"
    "            _command_offset \"$first\"\n"
    "            return\n"
    "        fi\n"
    "        if ((COMP_CWORD == first)); then\n"
    "            mapfile -t list < <(compgen -c -- \"$part\")\n"
    "        else\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            mapfile -t list < <(compgen -f -- \"$part\")\n"
    "        fi\n"
    "        COMPREPLY=(\"${list[@]}\")\n"
    "        return ;;\n"
    "    nospace)\n"
    "        compopt -o nospace 2>/dev/null ;;\n"
    "    esac\n"
    "    for candidate in \"${list[@]}\"; do\n"
    "        candidate=${candidate%%$'\\t'*}\n"
    "        [[ -n $candidate ]] && COMPREPLY+=(\"${candidate#\"$before\"}\")\n"
    "    done\n"
    "}\n"
    "complete -F _kinform kinform\n";

static const char zsh[] =
    "#compdef kinform\n"
    "# kinform completion zsh\n"
    "_kinform()\n"
    "{\n"
    "    local -a list shown\n"
    "    local kind line\n"
    "    list=(\"${(@f)$(${~words[1]} completion __complete zsh -- \"${(@Q)words[2,CURRENT-1]}\" "
    "\"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
    "    kind=$list[1]\n"
    "    shift list\n"
    "    case $kind in\n"
    "    files*)\n"
    "        compset -P \"${(b)${${kind#files }%%$'\\t'*}}\"\n"
    "        _files\n"
    "        return ;;\n"
    "    program*)\n"
    "        shift ${kind#program } words\n"
    "        ((CURRENT -= ${kind#program }))\n"
    "        _normal\n"
    "        return ;;\n"
    "    esac\n"
    "    for line in \"${list[@]}\"; do\n"
    "        [[ -n $line ]] && shown+=(\"${${line%%$'\\t'*}//:/\\\\:}${${(M)line%%$'\\t'*}:+:${line#*$'\\t'}}\")\n"
    "    done\n"
    "    if [[ $kind == nospace ]]; then\n"
    "        _describe -t words word shown -S ''\n"
    "    else\n"
    "        _describe -t words word shown\n"
    "    fi\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _kinform ]; then\n"
    "    _kinform \"$@\"\n"
    "else\n"
    "    compdef _kinform kinform\n"
    "fi\n";

static const char fish[] =
    "# kinform completion fish\n"
    "function __kinform_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l word (commandline -ct)\n"
    "    set -l list ($words[1] completion __complete fish -- $words[2..-1] \"$word\" 2>/dev/null)\n"
    "    set -l kind $list[1]\n"
    "    set -e list[1]\n"
    "    switch \"$kind\"\n"
    "        case 'files*'\n"
    "            set -l prefix (string replace -r '^files ([^\\t]*)\\t.*' '$1' -- $kind)\n"
    "            set -l rest (string sub -s (math (string length -- \"$prefix\") + 1) -- \"$word\")\n"
    "            for path in (__fish_complete_path \"$rest\")\n"
    "                printf '%s%s\\n' \"$prefix\" (string split -m1 -f1 \\t -- $path)\n"
    "            end\n"
    "        case 'program*'\n"
    "            set -l first (string replace 'program ' '' -- $kind)\n"
    "            complete -C (string join ' ' -- (string escape -- $words[(math $first + 1)..-1]) \"$word\")\n"
    "        case '*'\n"
    "            test -n \"$list\"; and printf '%s\\n' $list\n"
    "    end\n"
    "end\n"
    "complete -c kinform -f -a '(__kinform_complete)'\n";

static int completion_run(void *settings, const struct arguments *arguments)
{
    static const struct {
        const char *shell;
        const char *script;
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

    (void)settings;
    if (arguments->len >= 2 && strcmp(arguments->items[0], "__complete") == 0) {
        complete_words(arguments->items + 2, arguments->len - 2,
                       strcmp(arguments->items[1], "bash") == 0);
        return EXIT_OK;
    }
    for (size_t i = 0; arguments->len == 1 && i < sizeof(shells) / sizeof(shells[0]); i++) {
        if (strcmp(arguments->items[0], shells[i].shell) == 0) {
            return output_write(kin_str_of(shells[i].script));
        }
    }
    return report_usage("completion", "name a shell: bash, zsh or fish");
}

const struct command command_completion = {
    .name = "completion",
    .summary = "Print a script that completes words in a shell",
    .usage = "bash|zsh|fish",
    .details =
        "The script asks kinform itself at each Tab: for commands, options and files, and for\n"
        "what the cluster and the kubeconfig on the line have: kinds, names, namespaces, contexts.\n",
    .examples = "  source <(kinform completion bash)\n"
                "  kinform completion zsh > \"${fpath[1]}/_kinform\"\n"
                "  kinform completion fish > ~/.config/fish/completions/kinform.fish\n",
    .words = "bash zsh fish",
    .settings_size = 1,
    .run = completion_run,
};
