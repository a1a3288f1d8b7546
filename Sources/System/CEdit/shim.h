#ifndef CONTACTLESS_CEDIT_H
#define CONTACTLESS_CEDIT_H

// It needs FILE and includes nothing.
#include <stdio.h>
#include <editline/readline.h>

// The library would show the prompt first, and lose a Ctrl-D that is typed before the terminal is in raw mode.
static inline int contactless_edit_prepare(void) {
  rl_prep_terminal(1);
  return 0;
}

// Swift does not read and write the library's global variables: they are shared and mutable.
// The library takes the source of characters when it starts, and never again.
static inline void contactless_edit_start(
    char **(*complete)(const char *, int, int), int (*next)(FILE *), int catch_signals) {
  rl_catch_signals = catch_signals;
  rl_readline_name = "tap";
  rl_attempted_completion_function = complete;
  rl_getc_function = next;
  rl_pre_input_hook = contactless_edit_prepare;
  using_history();
}

static inline const char *contactless_edit_line(void) { return rl_line_buffer; }

// Without it the library completes file names where there is no match.
static inline void contactless_edit_end_completion(void) { rl_attempted_completion_over = 1; }

#endif
