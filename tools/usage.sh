# Answers --help with the comment at the head of a script, and refuses options. Sourced by the scripts of this folder, before they
# do anything.

script=$(dirname "${BASH_SOURCE[0]}")/$(basename "$0")

case " $* " in
  *' --help '* | *' -h '*)
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$script"
    exit 0 ;;
esac

# Ends with 64, the code of a wrong command line.
refuse() {
  echo "error: $1: no such option; $script --help lists them" >&2
  exit 64
}
