#include "instruction_counter.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

int instruction_counter_is_present(void) { return RUNNING_ON_VALGRIND != 0; }
void instruction_counter_reset(void) { CALLGRIND_ZERO_STATS; }
void instruction_counter_dump(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }
#else
int instruction_counter_is_present(void) { return 0; }
void instruction_counter_reset(void) {}
void instruction_counter_dump(const char *name) { (void)name; }
#endif
