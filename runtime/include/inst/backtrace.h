/* Call stacks for hooks: a backtrace made from the entries and exits of functions.

   The program's code has to be compiled with --inst-functions.  A library calls
   inst_backtrace_enter from its enterhook and inst_backtrace_leave from its leavehook; then
   inst_backtrace returns in any hook which calls of the same thread are running.  It reads only
   what the two have recorded: it cannot fault, needs no frames or unwinding tables, and is right
   in functions without a frame and in the middle of prologues too.

   What longjmp and exceptions end is detected by the stack pointer at the next entry or exit.  The
   functions that are reported are those that were compiled so, and the INST_BACKTRACE_MOST
   outermost ones that run in a thread.  A signal handler on a stack of its own, or code that changes
   stacks by hand, may end what runs on a lower stack. */
#ifndef INST_BACKTRACE_H
#define INST_BACKTRACE_H

#include <inst/hooks.h>

#ifndef INST_BACKTRACE_MOST
#define INST_BACKTRACE_MOST 512
#endif

struct inst_backtrace_call {
    inst_address function, back, stack;
};

static __thread struct {
    struct inst_backtrace_call calls[INST_BACKTRACE_MOST];
    int depth;
} inst_backtrace_of_thread;

/* A function is entered: calls with no higher stack are over. */
static inline void inst_backtrace_enter(inst_address function, inst_address back,
                                        inst_address stack)
{
    struct inst_backtrace_call *calls = inst_backtrace_of_thread.calls;
    int depth = inst_backtrace_of_thread.depth;
    while (depth && calls[depth - 1].stack <= stack)
        depth--;
    if (depth < INST_BACKTRACE_MOST) {
        calls[depth].function = function;
        calls[depth].back = back;
        calls[depth++].stack = stack;
    }
    inst_backtrace_of_thread.depth = depth;
}

/* A function is left: calls with a lower stack are over, and its own. */
static inline void inst_backtrace_leave(inst_address function, inst_address stack)
{
    struct inst_backtrace_call *calls = inst_backtrace_of_thread.calls;
    int depth = inst_backtrace_of_thread.depth;
    while (depth && calls[depth - 1].stack < stack)
        depth--;
    if (depth && calls[depth - 1].stack == stack && calls[depth - 1].function == function)
        depth--;
    inst_backtrace_of_thread.depth = depth;
}

/* Store the return addresses of the calls that are running in buffer, the innermost first, and
   return how many there are, or limit if that is less. */
static inline int inst_backtrace(inst_address *buffer, int limit)
{
    int depth = inst_backtrace_of_thread.depth, count = 0;
    while (count < limit && count < depth) {
        buffer[count] = inst_backtrace_of_thread.calls[depth - 1 - count].back;
        count++;
    }
    return count;
}

/* Return the function that runs after so many calls outwards, 0 being the innermost; 0: none. */
static inline inst_address inst_backtrace_function(int outwards)
{
    int depth = inst_backtrace_of_thread.depth;
    return outwards >= 0 && outwards < depth
               ? inst_backtrace_of_thread.calls[depth - 1 - outwards].function
               : 0;
}

#endif
