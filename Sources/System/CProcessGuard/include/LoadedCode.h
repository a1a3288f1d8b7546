#ifndef CONTACTLESS_LOADEDCODE_H
#define CONTACTLESS_LOADEDCODE_H

#include <stddef.h>
#include <stdint.h>

// What the dynamic loader has in memory: the structures of elf(5) and dl_iterate_phdr(3). "Needed" is the program, and
// every library that a needed object names (DT_NEEDED): the list that the build of each object wrote.

/// Writes the paths of the needed libraries, each with a line feed. What does not fit is left out.
void cguard_needed_libraries(char *lines, size_t room);

/// Counts the imported functions of the needed objects whose slot points to no code of a needed object, and writes the
/// first eight.
///
/// `rejects_all`: whether every slot counts, as a control of the check.
long cguard_replaced_functions(char *lines, size_t room, int rejects_all);

/// Looks whether the code of the program and of the C library in memory is that of the files which they were loaded from, as
/// the kernel lists it in /proc/self/smaps.
///
/// Returns 0, 1 where a part was changed, or a negative error number; then `lines` has the path. `rejects_all`: whether every
/// part counts, as a control of the check.
long cguard_changed_text(char *lines, size_t room, int rejects_all);

/// A part of the memory of the program that its file fills and that it cannot write.
struct cguard_segment {
  const void *start;
  size_t count;
};

/// Writes the segments, in the order of the file, and returns their number.
int cguard_read_only_segments(struct cguard_segment *segments, int most);

/// Copies the digest of the read-only segments that `tools/seal` wrote into the program: 32 bytes, zeros without a seal.
void cguard_sealed_digest(uint8_t *digest);

#endif
