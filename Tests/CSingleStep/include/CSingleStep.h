#ifndef CONTACTLESS_CSINGLESTEP_H
#define CONTACTLESS_CSINGLESTEP_H

#include <stdint.h>
#include <sys/types.h>

// One thread of another process, stepped with ptrace(2), which is variadic and which Swift therefore does not import. All calls
// for a thread come from the thread that has seized it. Each function returns 0 or an error number, unless its comment names
// another result; ESRCH when the process has ended.

/// The place of a stopped thread.
struct step_place {
  /// The address of the next instruction.
  uint64_t address;
  /// The number of the system call that the next instruction makes; -1 for another instruction.
  long call;
  /// The first argument of that call.
  uint64_t argument;
};

/// Lets the programs that this one starts have the same addresses in each run.
int step_fix_addresses(void);
/// Returns the number of the calling thread.
pid_t step_this_thread(void);
/// Takes control of a thread and stops it. A system call in which it waits begins again later.
int step_seize(pid_t thread);
/// Runs a stopped thread to the beginning of a system call with a first argument, which it has not made then.
int step_to_call(pid_t thread, long call, uint64_t argument);
/// Lets a thread that is at the beginning of a system call make it.
int step_over_call(pid_t thread);
/// Executes instructions of a stopped thread. A system call is one instruction.
///
/// `descriptor`: where the response arrives; not many instructions are executed after that.
/// Returns how many were executed: fewer than `count` only when the response has arrived or the process has ended.
long step(pid_t thread, long count, int descriptor);
/// Reads where a stopped thread is.
int step_where(pid_t thread, struct step_place *place);
/// Lets a stopped thread run. `step_watch` must follow while it is needed.
int step_continue(pid_t thread);
/// Lets a thread go on that has stopped for a signal or with its process, without waiting for it.
int step_watch(pid_t thread);
/// The numbers of two system calls.
long step_call_read(void);
long step_call_write(void);
/// Gives up the control of a thread, also of one that runs.
int step_release(pid_t thread);

/// Lets a thread, and the threads that it starts, run on one processor of those that the first caller may use.
///
/// `thread`: 0 for the calling thread.
void step_use_processor(pid_t thread, int number);

/// Takes control of all threads of a process that leads its own process group.
int step_trace(pid_t process);
/// Takes the ends of all threads of a process that was killed, among them those that ptrace has stopped.
void step_reap(pid_t process);
/// Runs a process that `step_trace` has stopped, and kills it at the beginning of a system call that writes: to a file, the
/// list of files or another process.
///
/// `count`: how many such calls it may make. `reply`: the descriptor on which it replies; it is killed before its reply.
/// Returns how many calls it has made, or a negative error number.
long step_kill_at_write(pid_t process, long count, int reply);

#endif
