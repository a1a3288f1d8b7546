# The flags of a hardened build, and the runtime that its programs load. Sourced by tools/install, tools/package and
# tools/check-binaries, in the folder of the package.

# SwiftPM writes the traits of a package into its commands in the order of a set, which differs from process to process:
# without the fixed seed most further builds compile every module of this package again.
export SWIFT_DETERMINISTIC_HASHING=1

# Where programs look for the Swift runtime: /usr/bin/tap in /usr/lib/contactless.
runtime_path='$ORIGIN/../lib/contactless'

# Names of sources and of their folder do not belong into a program; line tables go into the files of symbols. The debugger's
# references to modules of C headers have numbers that differ from build to build.
hardened=(
  -c release --disable-index-store
  -Xswiftc -use-ld=lld -Xswiftc -gline-tables-only -Xcc -gline-tables-only
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs
  -Xlinker -z -Xlinker now -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker separate-code -Xlinker --build-id=sha1
  --disable-local-rpath -Xswiftc -no-toolchain-stdlib-rpath -Xlinker -rpath -Xlinker "$runtime_path"
  -Xswiftc -Xfrontend -Xswiftc -enable-stack-protector -Xcc -fstack-protector-strong -Xcc -D_FORTIFY_SOURCE=2
  -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
)

# split_symbols FILE DESTINATION SYMBOLS: copies a program or library without its symbols, which go into a file of their own.
split_symbols() {
  install -D "$1" "$2"
  mkdir -p "$(dirname "$3")"
  objcopy --only-keep-debug --compress-debug-sections "$1" "$3"
  chmod 644 "$3"
  strip --strip-unneeded --remove-section=.comment "$2"
  objcopy --add-gnu-debuglink="$3" "$2"
  # A library has no place for it. Writes the digest of the text into a program, which it checks while it runs.
  case "$2" in *.so) ;; *) tools/seal "$2" >&2 ;; esac
}

# runtime_libraries FILE...: lists the libraries of the toolchain that these files load, also through each other.
runtime_libraries() {
  local folder
  folder=$(swiftc -print-target-info | sed -n '/"runtimeLibraryPaths"/,/]/ s/^ *"\(\/.*\)".*/\1/p' | head -n 1)
  LD_LIBRARY_PATH=$folder ldd "$@" | awk -v folder="$folder/" 'index($3, folder) == 1 { print $3 }' | sort -u
}
