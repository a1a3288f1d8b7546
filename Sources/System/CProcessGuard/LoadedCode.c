#define _GNU_SOURCE
#include "LoadedCode.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { SLOT = R_X86_64_JUMP_SLOT, FUNCTION_OR_DATA = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { SLOT = R_AARCH64_JUMP_SLOT, FUNCTION_OR_DATA = R_AARCH64_GLOB_DAT };
#else
enum { SLOT = -1, FUNCTION_OR_DATA = -1 };
#endif

// In the data of the program: volatile, since `tools/seal` changes it after the compiler has seen its value.
// Programs that do not read it have a seal too.
__attribute__((used, retain)) static volatile struct {
  char mark[32];
  uint8_t digest[32];
} seal = {"contactless seal of code SHA-256", {0}};

void cguard_sealed_digest(uint8_t *digest) {
  for (int row = 0; row < 32; row++) digest[row] = seal.digest[row];
}

enum { MOST = 256 };

struct object {
  struct dl_phdr_info info;
  const ElfW(Dyn) *dynamic;
  int is_needed;
};

struct objects {
  int count;
  struct object all[MOST];
};

// The loader has made most addresses absolute.
static const void *address(const struct object *object, ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag != tag) continue;
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < object->info.dlpi_addr ? value + object->info.dlpi_addr : value);
  }
  return NULL;
}

static size_t number(const struct object *object, ElfW(Sxword) tag) {
  for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == tag) return entry->d_un.d_val;
  }
  return 0;
}

static int add(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct objects *objects = context;
  if (objects->count == MOST) return 1;
  struct object *object = &objects->all[objects->count];
  *object = (struct object){*info, NULL, objects->count == 0 || !strncmp(info->dlpi_name, "linux-vdso", 10)};
  objects->count++;
  for (int row = 0; row < info->dlpi_phnum; row++) {
    if (info->dlpi_phdr[row].p_type != PT_DYNAMIC) continue;
    object->dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[row].p_vaddr);
  }
  return 0;
}

static int has_name(const struct object *object, const char *name) {
  const char *strings = address(object, DT_STRTAB), *slash = strrchr(object->info.dlpi_name, '/');
  size_t own = number(object, DT_SONAME);
  return (strings && own && !strcmp(strings + own, name)) || !strcmp(slash ? slash + 1 : object->info.dlpi_name, name);
}

static int need(struct objects *objects, const char *name) {
  int changes = 0;
  for (int row = 0; row < objects->count; row++) {
    struct object *object = &objects->all[row];
    if (object->is_needed || !has_name(object, name)) continue;
    object->is_needed = changes = 1;
  }
  return changes;
}

static void close_over(struct objects *objects) {
  for (int changes = 1; changes;) {
    changes = 0;
    for (int row = 0; row < objects->count; row++) {
      const struct object *object = &objects->all[row];
      const char *strings = address(object, DT_STRTAB);
      if (!object->is_needed || !strings) continue;
      for (const ElfW(Dyn) *entry = object->dynamic; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_NEEDED) changes |= need(objects, strings + entry->d_un.d_val);
      }
    }
  }
}

struct work {
  void (*run)(const struct objects *, struct work *);
  char *lines;
  size_t room;
  int flag;
  long result;
};

// The loader holds its lock during a callback, also against dlclose, and the lock is recursive.
static int within_lock(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info, (void)size;
  struct work *work = context;
  struct objects objects;
  objects.count = 0;
  dl_iterate_phdr(add, &objects);
  close_over(&objects);
  work->run(&objects, work);
  return 1;
}

static void append(struct work *work, const char *first, const char *second) {
  int count = snprintf(work->lines, work->room, "%s%s\n", first, second);
  if (count < 0 || (size_t)count >= work->room) return;
  work->lines += count;
  work->room -= count;
}

static void list_needed(const struct objects *objects, struct work *work) {
  for (int row = 0; row < objects->count; row++) {
    const struct object *object = &objects->all[row];
    if (object->is_needed && object->info.dlpi_name[0]) append(work, object->info.dlpi_name, "");
  }
}

static int is_code(const struct objects *objects, uintptr_t place) {
  for (int row = 0; row < objects->count; row++) {
    const struct object *object = &objects->all[row];
    for (int part = 0; object->is_needed && part < object->info.dlpi_phnum; part++) {
      const ElfW(Phdr) *segment = &object->info.dlpi_phdr[part];
      uintptr_t start = object->info.dlpi_addr + segment->p_vaddr;
      if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
      if (place >= start && place < start + segment->p_memsz) return 1;
    }
  }
  return 0;
}

static void check_slots(
  const struct objects *objects, const struct object *object, const ElfW(Rela) *slot, size_t size, struct work *work) {
  const ElfW(Sym) *symbols = address(object, DT_SYMTAB);
  const char *strings = address(object, DT_STRTAB);
  for (; symbols && strings && slot && size >= sizeof *slot; size -= sizeof *slot, slot++) {
    int kind = (int)ELF64_R_TYPE(slot->r_info);
    const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(slot->r_info)];
    int is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC || ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
    if (kind != SLOT && (kind != FUNCTION_OR_DATA || !is_function)) continue;
    uintptr_t place = *(const volatile uintptr_t *)(object->info.dlpi_addr + slot->r_offset);
    if (place == 0 || (!work->flag && is_code(objects, place))) continue;
    if (work->result++ < 8) append(work, "the function ", strings + symbol->st_name);
  }
}

static void check_all_slots(const struct objects *objects, struct work *work) {
  for (int row = 0; row < objects->count; row++) {
    const struct object *object = &objects->all[row];
    if (!object->is_needed) continue;
    check_slots(objects, object, address(object, DT_JMPREL), number(object, DT_PLTRELSZ), work);
    check_slots(objects, object, address(object, DT_RELA), number(object, DT_RELASZ), work);
  }
}

static int is_libc(const struct object *object) { return has_name(object, "libc.so.6"); }

static long first_change(const struct object *object, int file, int flips) {
  char slice[16384];
  for (int part = 0; part < object->info.dlpi_phnum; part++) {
    const ElfW(Phdr) *segment = &object->info.dlpi_phdr[part];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    const char *memory = (const char *)object->info.dlpi_addr + segment->p_vaddr;
    for (size_t done = 0; done < segment->p_filesz;) {
      size_t rest = segment->p_filesz - done;
      ssize_t count = pread(file, slice, rest < sizeof slice ? rest : sizeof slice, (off_t)(segment->p_offset + done));
      if (count <= 0) return count < 0 ? -errno : -ENODATA;
      if (flips) slice[0] ^= 1;
      if (memcmp(memory + done, slice, (size_t)count)) return (long)(segment->p_offset + done) + 1;
      done += (size_t)count;
    }
  }
  return 0;
}

static void compare_text(const struct objects *objects, struct work *work) {
  for (int row = 0; row < objects->count && !work->result; row++) {
    const struct object *object = &objects->all[row];
    if (row != 0 && !is_libc(object)) continue;
    const char *path = row == 0 ? "/proc/self/exe" : object->info.dlpi_name;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    work->result = file < 0 ? -errno : first_change(object, file, work->flag);
    if (file >= 0) close(file);
    if (work->result) append(work, path, "");
  }
}

static long run(void (*body)(const struct objects *, struct work *), char *lines, size_t room, int flag) {
  struct work work = {body, lines, room, flag, 0};
  if (room) lines[0] = 0;
  dl_iterate_phdr(within_lock, &work);
  return work.result;
}

void cguard_needed_libraries(char *lines, size_t room) { run(list_needed, lines, room, 0); }

long cguard_replaced_functions(char *lines, size_t room, int rejects_all) {
  return run(check_all_slots, lines, room, rejects_all);
}

long cguard_changed_text(char *lines, size_t room, int flips) { return run(compare_text, lines, room, flips); }

static void list_read_only(const struct objects *objects, struct work *work) {
  const struct dl_phdr_info *program = &objects->all[0].info;
  struct cguard_segment *next = (struct cguard_segment *)work->lines;
  for (int part = 0; part < program->dlpi_phnum && work->result < work->flag; part++) {
    const ElfW(Phdr) *segment = &program->dlpi_phdr[part];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
    next[work->result++] =
      (struct cguard_segment){(const void *)(program->dlpi_addr + segment->p_vaddr), segment->p_filesz};
  }
}

int cguard_read_only_segments(struct cguard_segment *segments, int most) {
  struct work work = {list_read_only, (char *)segments, 0, most, 0};
  dl_iterate_phdr(within_lock, &work);
  return (int)work.result;
}
