import ArgumentParser

/// The completion script for bash. bash ends a word at a colon, but a reader has one.
enum BashCompletion {
  /// Whether the arguments ask for the script.
  static func isAsked(_ arguments: [String]) -> Bool {
    arguments == ["--generate-completion-script", "bash"] || arguments == ["--generate-completion-script=bash"]
  }

  /// The script of a program, with a function that joins words at their colons.
  static func script(of program: any ParsableCommand.Type) -> String {
    program.completionScript(for: .bash).replacing("-F _tap tap", with: "-F _tap_with_colons tap") + joining
  }

  private static let joining = #"""

    # Joins the words at their colons, and offers what follows the last colon, which is what bash replaces.
    _tap_with_colons() {
        local -a words=()
        local -i index current=0
        for index in "${!COMP_WORDS[@]}"; do
            if ((${#words[@]})) && [[ "${COMP_WORDS[index]}" == :* || "${words[-1]}" == *: ]]; then
                words[-1]+="${COMP_WORDS[index]}"
            else
                words+=("${COMP_WORDS[index]}")
            fi
            ((index == COMP_CWORD)) && current=$((${#words[@]} - 1))
        done
        COMP_WORDS=("${words[@]}")
        COMP_CWORD="${current}"
        local -r typed="${words[current]}"
        _tap "${1}" "${typed}" "${words[current - 1]}"
        if [[ "${typed}" == *:* && "${COMP_WORDBREAKS}" == *:* ]]; then
            COMPREPLY=("${COMPREPLY[@]#"${typed%"${typed##*:}"}"}")
        fi
    }
    """#
}
