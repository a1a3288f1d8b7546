# Sourced, in the folder of the package.

# precompile FOLDER OPTION...: precompiles those headers of the C++ library that BoringSSL reads, with the options of the
# C++ compiler in a build, and sets `precompiled` to the options of a build that uses them. Two packages of others carry
# BoringSSL, 529 files of C++: compiling most of these takes half of the time or less.
precompile() {
  local folder=$PWD/$1 compiler headers options header
  # The compiler of the toolchain, which another package of the system may hide.
  compiler=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)\/lib\/swift".*/\1/p')/bin/clang++
  headers=$(printf '#include <%s>\n' algorithm array atomic functional iterator limits memory optional string string_view \
    tuple utility variant assert.h ctype.h errno.h fcntl.h inttypes.h pthread.h stdarg.h stddef.h stdio.h stdlib.h string.h \
    sys/types.h time.h unistd.h)
  options=(-x c++-header -std=c++17 -fPIC -fblocks "${@:2}" -)
  # Another compiler, option or C++ library gives another file.
  header=$folder/$({ "$compiler" --version; "$compiler" -E "${options[@]}" <<< "$headers"; } | sha256sum | cut -c -16).pch
  if [ ! -e "$header" ]; then
    mkdir -p "$folder"
    # Without the times of the headers, which an update can change without changing a header.
    "$compiler" "${options[@]}" -fpch-instantiate-templates -Xclang -fno-pch-timestamp -o "$header.new" <<< "$headers"
    mv "$header.new" "$header"
  fi
  precompiled=(-Xcxx -include-pch -Xcxx "$header")
}
