/* Handlers of the program, called through one of ours, which calls the hooks first.

   The kernel's table of actions is the only one: it holds the address of one of two functions
   here instead of the program's handler, and everything else as the program set it.  So masks,
   flags, SA_RESETHAND, fork and exec are left to the kernel, and a change of handlers is as
   atomic as the kernel makes it.  Two functions, because the slot of a new handler must not be
   the one that the kernel still uses.

   Which hook a signal interrupted is read from the stack: the glue that called it has recorded its
   address in a table.  It costs hooks nothing, and a longjmp leaves nothing to clean up. */
#include "process.h"
#include "calls.h"
#include "countdown.h"
#include "segments.h"

#include <asm/signal.h>
#include <inst/handlers.h>
#include <return_address.h>

#pragma weak signalhook
#pragma weak signalhook_special
#pragma weak inst_signal_returned
#pragma weak inst_record_registers

enum { DEEPEST = 32 };
#define signals inst_recorder.signals

/* The words in traces for a signal that came while a hook ran, by the hook's number. */
static const char words[][28] = {
#define HOOK(NAME, TEXT) [NAME] = "signal in " TEXT
    "signal",
    HOOK(INST_LDBHOOK, "ldbhook"),         HOOK(INST_LDHHOOK, "ldhhook"),
    HOOK(INST_LDWHOOK, "ldwhook"),         HOOK(INST_LDDHOOK, "lddhook"),
    HOOK(INST_LDQHOOK, "ldqhook"),         HOOK(INST_STBHOOK, "stbhook"),
    HOOK(INST_STHHOOK, "sthhook"),         HOOK(INST_STWHOOK, "stwhook"),
    HOOK(INST_STDHOOK, "stdhook"),         HOOK(INST_STQHOOK, "stqhook"),
    HOOK(INST_LLHOOK, "llhook"),           HOOK(INST_STBLOCKHOOK, "stblockhook"),
    HOOK(INST_WINDOWHOOK, "windowhook"),   HOOK(INST_RESTOREHOOK, "restorehook"),
    HOOK(INST_SYSTEMHOOK, "systemhook"),   HOOK(INST_LDSYSHOOK, "ldsyshook"),
    HOOK(INST_STSYSHOOK, "stsyshook"),     HOOK(INST_BARRIERHOOK, "barrierhook"),
    HOOK(INST_HINTHOOK, "hinthook"),       HOOK(INST_LOCKHOOK, "lockhook"),
    HOOK(INST_TRYLOCKHOOK, "trylockhook"), HOOK(INST_UNLOCKHOOK, "unlockhook"),
    HOOK(INST_MEMINITHOOK, "meminithook"), HOOK(INST_MEMFREEHOOK, "memfreehook"),
    HOOK(INST_MEMSETHOOK, "memsethook"),   HOOK(INST_TLBIHOOK, "tlbihook"),
    HOOK(INST_SYSREGHOOK, "sysreghook"),   HOOK(INST_ALLOCHOOK, "allochook"),
    HOOK(INST_RELEASEHOOK, "releasehook"), HOOK(INST_KEEPHOOK, "keephook"),
    HOOK(INST_THREADHOOK, "threadhook"),   HOOK(INST_THREADENDHOOK, "threadendhook"),
    HOOK(INST_SYSTEMRESULTHOOK, "systemresulthook"),
    HOOK(INST_ENTERHOOK, "enterhook"),     HOOK(INST_LEAVEHOOK, "leavehook"),
#undef HOOK
};

/* Readers of signals' actions: a library, and a sigaction that is not our wrapper. */
void newterm(void) __attribute__((weak, visibility("default")));
void own_sigaction(void) __asm__("inst.wrap.sigaction") __attribute__((weak));
__asm__("\t.hidden\tinst.wrap.sigaction");     /* gcc does not hide a weak reference */
#pragma weak inst_sigaction_is_wrapped

long inst_change_action(int number, const unsigned long *action, unsigned long *before,
                        uintptr_t restorer)
{
    return INST_SET_ACTION(number, action, before, restorer);
}

static long change_action(int number, const unsigned long *action, unsigned long *before)
{
    return inst_change_action(number, action, before, 0);
}

/* The description of a member of glue: its distance from the first word. */
struct entry {
    int32_t start;
    uint32_t size, hook;        /* 0: the thread knows */
};

/* Glue whose hook is not known: it decodes the access first. */
enum { DECODING = -1 };

/* Return the hook that glue at this address calls, DECODING, or 0 where there is no glue. */
static int hook_at(uintptr_t pc)
{
    for (const struct inst_module *module = inst_recorder.modules; module; module = module->next)
        for (const struct entry *one = module->entries; one < (const struct entry *)module->entries_end;
             one++)
            if (pc - ((uintptr_t)&one->start + one->start) < one->size)
                return one->hook ? (int)one->hook : inst_thread.hook ? inst_thread.hook : DECODING;
    return 0;
}

/* Return the hook that was interrupted, DECODING, or 0. */
static int find_hook(struct inst_context context)
{
    int hook = hook_at(context.pc);
    if (!hook)
        hook = inst_hook_of_moved_link(&context, hook_at);
    if (!hook && hook_at(context.link) && !inst_returns_to_glue(&context, hook_at))
        context.link = 0;
    for (int depth = 0; !hook && depth < DEEPEST; depth++) {
        if (inst_thread.hook && context.stack == inst_thread.hook_stack)
            return inst_thread.hook;
        hook = hook_at(context.link);
        if (!inst_to_caller(&context))
            return hook;
    }
    return hook;
}

/* Return whether an address of the program is at a site, between an access and the call of its
   entry. */
static int is_at_site(uintptr_t pc)
{
    enum { BEFORE = 8, AFTER = 8, PAGE_BYTES = 4096 };
    uintptr_t from = pc - BEFORE;
    if (pc % 4 || pc < PAGE_BYTES || !inst_is_readable((const void *)from, BEFORE + AFTER + 4))
        return 0;
    for (const uint32_t *at = (const uint32_t *)from; (uintptr_t)at <= pc + AFTER; at++)
        if (inst_is_call(*at) && hook_at(inst_call_target(at)))
            return 1;
    return 0;
}

static void call_hooks(int number, int hook)
{
    struct inst_thread_state *thread = &inst_thread;
    thread->flag = hook;
    if (hook && signalhook_special)
        ((void (*)(int, int, int))signalhook_special)(hook, inst_getsic(), number);
    else if (signalhook)
        ((void (*)(int, int))signalhook)(inst_getsic(), number);
    thread->flag = 0;
}

static void record_registers(const uintptr_t *registers, uintptr_t frame, const uint32_t *floats)
{
    enum { BYTES = 32 * 8 };
    int are_known = floats && inst_is_readable(floats, BYTES);
    inst_record_registers(registers, (const uintptr_t *)frame, are_known ? floats : 0);
}

/* Call the hooks; return whether the handler may run between an access and its event.  That includes
   all signals in a hook, so that the word in the trace determines which have a record of return; and
   all signals of a recording, which may come in a segment. */
static __attribute__((noinline)) int report_signal(int number, int with_information,
                                                   const uintptr_t *registers, uintptr_t frame)
{
    struct inst_context context = inst_interrupted(registers, frame);
    uint32_t mask[2];
    inst_block_signals(mask);
    int found = find_hook(context), hook = found == DECODING ? 0 : found;
    int at_site = !found && is_at_site(context.pc);
    int busy = found == DECODING || inst_thread.in_operation || inst_is_busy(&inst_thread);
    int may_split = (at_site || INST_RECORDS) && !inst_thread.paused;
    inst_thread.signal_place = may_split ? context.pc : 0;
    inst_thread.signal_in_event = !hook && busy;
    if (may_split && !found && !busy && INST_IS_EXECUTED && inst_record_registers)
        record_registers(registers, frame, inst_interrupted_floats(with_information, registers));
    call_hooks(number, hook);
    inst_unblock_signals(mask);
    return at_site || busy || hook || INST_RECORDS;
}

/* Run a handler whose signal interrupted an update: it finds a complete state, and the interrupted
   code does not undo its changes. */
static __attribute__((noinline)) void call_in_the_middle(inst_handler handler, int number,
                                                         void *second, void *third,
                                                         uintptr_t *registers, int32_t before,
                                                         int in_access,
                                                         struct inst_arrival arrival)
{
    uint32_t exchange = inst_thread.mark & INST_EXCHANGE;
    int in_operation = inst_thread.in_operation;
    if (INST_RECORDS)
        inst_segments_leave();
    inst_thread.mark &= ~INST_EXCHANGE;
    inst_thread.in_operation = 0;
    handler(number, second, third);
    inst_thread.mark |= exchange;
    inst_thread.in_operation = in_operation;
    if (inst_in_count_step(registers))
        registers[INST_COUNT_IN] += *inst_counter_left() - before;
    if (in_access && inst_signal_returned) {
        uint32_t mask[2];       /* the kernel sets the old one when the handler is over */
        inst_block_signals(mask);
        if (INST_RECORDS)
            inst_segments_turn_back(arrival);
        inst_signal_returned(number);
        if (INST_RECORDS)
            inst_segments_return(registers, arrival);
    }
}

/* Call the hooks, then jump to the program's handler: its caller is the kernel, except in the middle
   of an update.  The interrupted hook's value in the thread's mark is hidden from it. */
#define ARRIVE(NAME, SLOT)                                                              \
    void NAME(int number, void *second, void *third)                                    \
    {                                                                                   \
        inst_handler handler = signals.slots[SLOT][number].handler;                     \
        int with_information = signals.slots[SLOT][number].with_information;            \
        uintptr_t *registers = inst_interrupted_registers(with_information, second, third); \
        int32_t left = *inst_counter_left();                                            \
        int in_access = 0;                                                              \
        struct inst_arrival arrival = { 0, 0, 0, 0 };                                      \
        if (INST_RECORDS)                                                               \
            arrival = inst_segments_arrive(&(struct inst_code){ registers,              \
                (uintptr_t)__builtin_frame_address(0),                                  \
                inst_interrupted_floats(with_information, registers) });                \
        if (signalhook || signalhook_special)                                           \
            in_access = report_signal(number, with_information, registers,              \
                                      (uintptr_t)__builtin_frame_address(0));           \
        if (inst_unlikely(in_access || inst_thread.mark & INST_EXCHANGE                 \
                          || inst_in_count_step(registers)))                            \
            return call_in_the_middle(handler, number, second, third, registers, left,  \
                                      in_access, arrival);                              \
        handler(number, second, third);                                                 \
    }
ARRIVE(inst_first_arrival, 0)
ARRIVE(inst_second_arrival, 1)

/* Signals that end the process where the program has set no handler come here: exithook is called,
   then the process ends by the same signal.  The program finds SIG_DFL in our place. */
static __attribute__((noreturn)) void die(int number)
{
    /* All zeros is SIG_DFL, whatever the order of members. */
    unsigned long nothing[8] = { 0 }, set[8 / sizeof(long)] = { 0 };
    set[(number - 1) / (8 * sizeof(long))] = 1ul << (number - 1) % (8 * sizeof(long));
    change_action(number, nothing, 0);
    inst_syscall(__NR_tgkill, inst_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0),
                 inst_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0), number, 0, 0, 0);
    inst_syscall(__NR_rt_sigprocmask, SIG_UNBLOCK, (long)set, 0, 8, 0, 0);
    for (;;)
        inst_syscall(__NR_exit_group, 128 + number, 0, 0, 0, 0, 0);
}

void inst_fatal_arrival(int number, void *second, void *third)
{
    uint32_t mask[2];
    int with_information = signals.fatal_information[number];
    uintptr_t *registers = inst_interrupted_registers(with_information, second, third);
    inst_block_signals(mask);
    if (inst_is_own_process()) {
        inst_thread.mark &= ~INST_EXCHANGE;
        if (INST_RECORDS)
            inst_segments_settle(&(struct inst_code){ registers,
                (uintptr_t)__builtin_frame_address(0),
                inst_interrupted_floats(with_information, registers) });
        if (signalhook || signalhook_special)
            report_signal(number, with_information, registers,
                          (uintptr_t)__builtin_frame_address(0));
        inst_process_ends();
    }
    die(number);
}

static int may_catch(int number)
{
    enum { FIRST_FREE = 35 };   /* C libraries reserve some of those above 31 */
    switch (number) {
    case SIGKILL: case SIGSTOP: case SIGCONT: case SIGCHLD: case SIGURG: case SIGWINCH:
    case SIGTSTP: case SIGTTIN: case SIGTTOU:
        return 0;
    case SIGINT: case SIGTERM:  /* which this library catches only where it finds SIG_DFL */
        return !newterm;
    }
    return number < SIGRTMIN || number >= FIRST_FREE;
}

/* Called with signals blocked.  A shared object may be unloaded together with its handlers; and an
   instrumented C library would show the program what it reads from the kernel. */
void inst_catch_fatal_signals(void)
{
    if (!inst_recorder.is_main || (own_sigaction && !inst_sigaction_is_wrapped))
        return;
    signals.catching = 1;
    for (int number = 1; number <= LAST_SIGNAL; number++) {
        unsigned long action[8] = { (uintptr_t)signals.fatal }, before[8] = { 0 };
        if (!may_catch(number) || change_action(number, 0, before) || before[0])
            continue;
        change_action(number, action, 0);
    }
}

static int slot_of(inst_handler handler)
{
    for (int slot = 0; slot < SIGNAL_SLOTS; slot++)
        if (handler == signals.arrivals[slot])
            return slot;
    return -1;
}

void inst_handlers_begin(uint32_t *mask)
{
    inst_join();
    inst_block_signals(mask);
    inst_lock_process();
}

void inst_handlers_end(const uint32_t *mask)
{
    inst_unlock_process();
    inst_unblock_signals(mask);
}

/* SIG_DFL, SIG_IGN, SIG_HOLD and SIG_ERR are not handlers. */
static int is_handler(inst_handler handler)
{
    return (uintptr_t)handler > 2 && (intptr_t)handler != -1 && slot_of(handler) < 0
           && handler != signals.fatal && handler != (inst_handler)signals.toggle;
}

inst_handler inst_hide_handler(int number, inst_handler handler, int with_information,
                               inst_handler current)
{
    if (!handler && number && number == signals.toggling)
        return (inst_handler)signals.toggle;
    if (!handler && signals.catching && number >= 1 && number <= LAST_SIGNAL && may_catch(number)) {
        signals.fatal_information[number] = with_information;
        return signals.fatal;
    }
    if (number < 1 || number > LAST_SIGNAL || !is_handler(handler))
        return handler;
    int free = slot_of(current) == 0;
    for (int slot = 0; slot < SIGNAL_SLOTS; slot++)
        if (signals.slots[slot][number].handler == handler
            && signals.slots[slot][number].with_information == with_information)
            free = slot;
    signals.slots[free][number].handler = handler;
    signals.slots[free][number].with_information = with_information;
    return signals.arrivals[free];
}

inst_handler inst_show_handler(int number, inst_handler handler)
{
    int slot = slot_of(handler);
    if (handler == signals.fatal || (handler && handler == (inst_handler)signals.toggle))
        return 0;
    if (slot < 0 || number < 1 || number > LAST_SIGNAL)
        return handler;
    return signals.slots[slot][number].handler;
}

uintptr_t inst_signal_place(void)
{
    return inst_thread.signal_place;
}

const char *inst_signal_word(int hook)
{
    if (!hook && inst_thread.signal_in_event)
        hook = -1;      /* one that was writing its event */
    int known = hook >= 0 && hook < (int)(sizeof words / sizeof *words) && *words[hook];
    return known ? words[hook] : "signal in a hook";
}
