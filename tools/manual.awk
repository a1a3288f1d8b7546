# Corrects a page that generate-manual of swift-argument-parser wrote, so that whatis, apropos and "man tap accept" find it:
# in NAME its name is one word (tap-accept) and its description is not quoted, and its references name the renamed files.
# Run: awk -f tools/manual.awk PAGE

/^\.Sh / { section = $2 }
/^\.Dt / || /^\.Xr / { gsub(/\./, "-", $2) }

section == "NAME" && /^\.Nm / {
  name = substr($0, 5)
  gsub(/"/, "", name)
  page = name
  gsub(/ /, "-", page)
  $0 = ".Nm " page
}

section == "NAME" && /^\.Nd / {
  sub(/^\.Nd "/, ".Nd ")
  sub(/"$/, "")
  # The description is no sentence and has no full stop.
  sub(/\.$/, "")
}

section == "SYNOPSIS" && $0 == ".Nm" { $0 = ".Nm \"" name "\"" }

# A paragraph before a list item has no effect.
{
  if (paragraph && !/^\.It/) print ".Pp"
  paragraph = $0 == ".Pp"
  if (paragraph) next
}

# Each sentence begins a line.
!/^\./ {
  while (match($0, /[.?!] +[A-Z]/)) {
    print substr($0, 1, RSTART)
    $0 = substr($0, RSTART + RLENGTH - 1)
  }
}

{ print }
