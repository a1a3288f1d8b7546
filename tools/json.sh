# Writes JSON. Sourced by the scripts of this folder.

# quoted TEXT: prints a text as a string of JSON (RFC 8259, section 7). Control characters other than tab and line feed become
# spaces.
quoted() {
  local text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\t'/\\t}
  text=${text//$'\n'/\\n}
  text=${text//[[:cntrl:]]/ }
  printf '"%s"' "$text"
}
