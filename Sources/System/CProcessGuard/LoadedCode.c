#define _GNU_SOURCE
#include "LoadedCode.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

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

// The code of the needed objects. Most of them have one segment of code.
struct code {
  int count, last;
  struct {
    uintptr_t start, end;
  } all[2 * MOST];
};

static void find_code(const struct objects *objects, struct code *code) {
  code->count = code->last = 0;
  for (int row = 0; row < objects->count; row++) {
    const struct object *object = &objects->all[row];
    for (int part = 0; object->is_needed && part < object->info.dlpi_phnum; part++) {
      const ElfW(Phdr) *segment = &object->info.dlpi_phdr[part];
      uintptr_t start = object->info.dlpi_addr + segment->p_vaddr;
      if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || code->count == 2 * MOST) continue;
      code->all[code->count].start = start;
      code->all[code->count++].end = start + segment->p_memsz;
    }
  }
}

// Neighbouring slots often lead to the same object.
static int is_code(struct code *code, uintptr_t place) {
  for (int row = 0, next = code->last; row < code->count; row++, next = next + 1 < code->count ? next + 1 : 0) {
    if (place < code->all[next].start || place >= code->all[next].end) continue;
    code->last = next;
    return 1;
  }
  return 0;
}

// The control ends with the first slot.
static void check_slots(
  struct code *code, const struct object *object, const ElfW(Rela) *slot, size_t size, struct work *work) {
  const ElfW(Sym) *symbols = address(object, DT_SYMTAB);
  const char *strings = address(object, DT_STRTAB);
  for (; symbols && strings && slot && size >= sizeof *slot; size -= sizeof *slot, slot++) {
    if (work->flag && work->result) return;
    int kind = (int)ELF64_R_TYPE(slot->r_info);
    const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(slot->r_info)];
    int is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC || ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
    if (kind != SLOT && (kind != FUNCTION_OR_DATA || !is_function)) continue;
    uintptr_t place = *(const volatile uintptr_t *)(object->info.dlpi_addr + slot->r_offset);
    if (place == 0 || (!work->flag && is_code(code, place))) continue;
    if (work->result++ < 8) append(work, "the function ", strings + symbol->st_name);
  }
}

static void check_all_slots(const struct objects *objects, struct work *work) {
  struct code code;
  find_code(objects, &code);
  for (int row = 0; row < objects->count; row++) {
    const struct object *object = &objects->all[row];
    if (!object->is_needed) continue;
    check_slots(&code, object, address(object, DT_JMPREL), number(object, DT_PLTRELSZ), work);
    // Relocations without a symbol come first.
    const ElfW(Rela) *relocations = address(object, DT_RELA);
    size_t size = number(object, DT_RELASZ), relative = number(object, DT_RELACOUNT);
    if (!relocations || relative > size / sizeof *relocations) relative = 0;
    check_slots(&code, object, relocations + relative, size - relative * sizeof *relocations, work);
  }
}

static int is_libc(const struct object *object) { return has_name(object, "libc.so.6"); }

// A segment of code, and the file of the headers of its object: its device and its number.
struct text {
  const char *path;
  uintptr_t headers, start, end, offset;
  unsigned long file[3];
};

struct mapping {
  unsigned long start, end, offset, file[3];
};

static void find_text(const struct object *object, const char *path, struct text *texts, int *count) {
  for (int part = 0; part < object->info.dlpi_phnum && *count < MOST; part++) {
    const ElfW(Phdr) *segment = &object->info.dlpi_phdr[part];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || !segment->p_filesz) continue;
    uintptr_t start = object->info.dlpi_addr + segment->p_vaddr, headers = (uintptr_t)object->info.dlpi_phdr;
    texts[(*count)++] = (struct text){path, headers, start, start + segment->p_filesz, segment->p_offset, {0}};
  }
}

// Finds the segment that goes on in a mapping. Returns -1 where the mapping is no part of its file at that place.
static int goes_on(const struct mapping *mapping, struct text *texts, int count, struct text **present) {
  *present = NULL;
  for (struct text *next = texts; next < texts + count; next++) {
    if (mapping->start <= next->headers && next->headers < mapping->end) {
      memcpy(next->file, mapping->file, sizeof next->file);
    }
    if (next->start < mapping->start || next->start >= mapping->end || next->start >= next->end) continue;
    *present = next;
    int is_file = !memcmp(next->file, mapping->file, sizeof next->file);
    if (!is_file || mapping->offset - mapping->start != next->offset - next->start) return -1;
    next->offset += mapping->end - next->start;
    next->start = mapping->end;
  }
  return 0;
}

// Where code that is mapped from a file was written, the kernel has given the process a page of its own (`Anonymous` in
// proc(5)); every other page is that of the file. The lines of a mapping begin with capital letters.
static const char *changed_text(FILE *list, struct text *texts, int count, const char *changed) {
  char line[4352];
  struct mapping mapping;
  struct text *present = NULL;
  while (fgets(line, sizeof line, list)) {
    unsigned long size = 0;
    if (line[0] >= 'A' && line[0] <= 'Z') {
      if (present && (sscanf(line, changed, &size) || sscanf(line, "Swap: %lu", &size)) && size) return present->path;
    } else if (
      sscanf(
        line, "%lx-%lx %*s %lx %lx:%lx %lu", &mapping.start, &mapping.end, &mapping.offset, &mapping.file[0],
        &mapping.file[1], &mapping.file[2]) == 6
      && goes_on(&mapping, texts, count, &present)) {
      return present->path;
    }
  }
  for (int row = 0; row < count; row++) {
    if (texts[row].start < texts[row].end) return texts[row].path;
  }
  return NULL;
}

// As a control, pages that are in memory count as changed: this code is one.
static void check_text(const struct objects *objects, struct work *work) {
  struct text texts[MOST];
  int count = 0;
  for (int row = 0; row < objects->count; row++) {
    const struct object *object = &objects->all[row];
    if (row == 0) find_text(object, "/proc/self/exe", texts, &count);
    else if (is_libc(object)) find_text(object, object->info.dlpi_name, texts, &count);
  }
  FILE *list = fopen("/proc/self/smaps", "re");
  const char *path = "/proc/self/smaps";
  work->result = list ? 0 : -errno;
  if (list) {
    path = changed_text(list, texts, count, work->flag ? "Rss: %lu" : "Anonymous: %lu");
    work->result = path != NULL;
    fclose(list);
  }
  if (path) append(work, path, "");
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

long cguard_changed_text(char *lines, size_t room, int rejects_all) { return run(check_text, lines, room, rejects_all); }

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
