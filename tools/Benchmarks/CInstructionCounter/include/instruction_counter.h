// Marks in a program that runs under `valgrind --tool=callgrind`. Without valgrind they do nothing.

#ifndef INSTRUCTION_COUNTER_H
#define INSTRUCTION_COUNTER_H

// Whether the program runs under valgrind.
int instruction_counter_is_present(void);

// Sets the counts to zero.
void instruction_counter_reset(void);

// Writes the counts to the next file, under a name, and sets them to zero.
void instruction_counter_dump(const char *name);

#endif
