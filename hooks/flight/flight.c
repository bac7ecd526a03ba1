/* Room for code that records inline without an operating system: see inst/flight.h.

   An interrupt may come between any two instructions, its handler may record, too, and it may go on with
   another task.  The cursor is moved by steps that begin again where they are interrupted
   (flight_restart), so a block belongs to one context alone; that fills it when it goes on, however
   late.  Until then its piece is not used again: there is a table of what is interrupted. */
#include "flight.h"

#define TEXT_OF(X) #X
#define TEXT(X) TEXT_OF(X)

/* C has no way to say that a section has no bytes in the file. */
__asm__(".section .inst_ring,\"aw\",@nobits\n"
        "\t.balign 64\n\t.globl inst_flight, inst.cursor\n\t.hidden inst_flight, inst.cursor\n"
        "\t.type inst_flight, @object\n"
        "inst_flight:\n\t.skip 28\n"
        "inst.cursor:\n\t.skip 36+" TEXT(INST_FLIGHT_PIECES) "*(8+" TEXT(INST_FLIGHT_PIECE) ")\n"
        "\t.size inst_flight, .-inst_flight\n"
        "\t.previous");
_Static_assert(__builtin_offsetof(struct inst_flight, cursor) == 28, "inst.cursor");

static struct inst_flight *const head = &inst_flight.head;
static struct inst_flight_piece *const pieces = inst_flight.at;

/* The start of the program clears them; a warm reset keeps the section. */
volatile uint32_t flight_limit;
static volatile uint32_t begun, unused;

/* Where code writes while recording pauses. */
static uint32_t nowhere[2 * ZONE / 4];

/* What is interrupted: the frames, and the cursors at which. */
enum { PINS = 64, FORGOTTEN = 0 };
static struct pin {
    volatile uint32_t frame;    /* 0: free */
    uint32_t cursor;            /* at the end of its last block; FORGOTTEN: its piece has been taken */
} pins[PINS];

/* The cursor when the present context went on, and at the end of its last block. */
static volatile struct {
    uint32_t cursor, block;
} resumed;

extern const char build[] __asm__("inst.build") __attribute__((visibility("hidden")));

/* The address of some segment of each file that records. */
extern const uint32_t __start_inst_code[] __attribute__((weak, visibility("hidden")));
extern const uint32_t __stop_inst_code[] __attribute__((weak, visibility("hidden")));

static uint32_t address(const volatile void *at)
{
    return (uintptr_t)at;
}

static uint32_t before(uint32_t piece)
{
    return address(inst_flight.words[piece]) - 4;
}

static int is_kept(void)
{
    static const char magic[] = "INSTFLGT";
    for (unsigned n = 0; n < sizeof head->magic; n++)
        if (head->magic[n] != magic[n])
            return 0;
    uint32_t cursor = head->paused ? head->paused : flight_cursor(head);
    return head->version == INST_FLIGHT_VERSION && head->build == address(build) && head->piece == PIECE
           && head->pieces == PIECES && head->first == address(inst_flight.words) && cursor % 4 == 0
           && flight_piece_of(cursor) < PIECES && pieces[flight_piece_of(cursor)].number;
}

/* Use the memory for the first time, unless a handler comes in between and does it. */
static void clear(void)
{
    head->magic[0] = 0;
    for (unsigned n = 0; n < PIECES && !begun; n++)
        pieces[n].number = n == 0;
    if (begun)
        return;
    head->version = INST_FLIGHT_VERSION;
    head->build = address(build);
    head->machine = FLIGHT_MACHINE;
    head->piece = PIECE;
    head->pieces = PIECES;
    head->first = address(inst_flight.words);
    head->starts = head->unreported = head->unpinned = head->paused = 0;
    inst_ordered();
    for (unsigned n = 0; n < sizeof head->magic; n++)
        head->magic[n] = "INSTFLGT"[n];
}

/* Begin to record: the program has just started. */
static void begin(void)
{
    uint32_t found = flight_cursor(head), cursor = before(0);
    if (is_kept())
        cursor = head->paused ? head->paused : found;
    else
        clear();
    if (begun)
        return;
    uint32_t starts = head->starts + 1;
    if (!flight_move(found, cursor, &begun, 1, &head->starts, starts))
        return;
    head->paused = 0;
    record(INST_RING_START, 0, 0, 0, starts);
}

/* Return the oldest piece in which nothing waits to be written; if there is none, the oldest. */
static uint32_t next_piece(uint32_t present)
{
    uint32_t pinned = 0;
    for (int n = 0; n < PINS; n++)
        if (pins[n].frame && pins[n].cursor != FORGOTTEN)
            pinned |= 1u << flight_piece_of(pins[n].cursor - 4);
    for (uint32_t n = 1; n < PIECES; n++) {
        uint32_t one = (present + n) % PIECES;
        if (!(pinned >> one & 1))
            return one;
    }
    uint32_t next = (present + 1) % PIECES;
    for (int n = 0; n < PINS; n++)
        if (pins[n].frame && flight_piece_of(pins[n].cursor - 4) == next)
            pins[n].cursor = FORGOTTEN;
    return next;
}

/* Set the limit, if the cursor is still `from`; return whether it was. */
static int set_limit(uint32_t from, uint32_t limit)
{
    return flight_move(from, from, &flight_limit, limit, &unused, 0);
}

/* Go on below the limit; return whether that was done, or something else has moved the cursor. */
static int make_room(uint32_t cursor)
{
    if (head->paused) {
        uint32_t start = address(nowhere), end = start + ZONE;
        if (cursor >= end)
            flight_move(cursor, start, &unused, 0, &unused, 0);
        return set_limit(cursor, end);
    }
    uint32_t present = flight_piece_of(cursor), end = before(present) + 4 + PIECE - ZONE;
    if (cursor < end)
        return set_limit(cursor, end);
    uint32_t next = next_piece(present);
    flight_move(cursor, before(next), &pieces[present].end, cursor, &pieces[next].number,
                pieces[present].number + 1);
    return 0;
}

__attribute__((used)) void inst_room_body(void)
{
    if (!begun)
        begin();
    while (!make_room(flight_cursor(head)))
        ;
}
INST_PRESERVING(inst_room);

/* There is one processor: nothing states an order. */
void inst_order(inst_address at, const char *how)
{
    (void)at, (void)how;
}

void inst_leave_out(uint32_t number)
{
    head->unreported += number;
}

static uint32_t stop(void)
{
    uint32_t from = flight_cursor(head);
    while (!head->paused && !flight_move(from, address(nowhere), &head->paused, from, &unused, 0))
        from = flight_cursor(head);
    return from;
}

static void go_on(void)
{
    while (head->paused
           && !flight_move(flight_cursor(head), head->paused, &head->paused, 0, &unused, 0))
        ;
}

void inst_pause(const char *source)
{
    if (head->paused)
        return;
    record(INST_RING_PAUSE, 0, (inst_address)source, 0, 0);
    stop();
}

void inst_resume(const char *source)
{
    if (!head->paused)
        return;
    go_on();
    record(INST_RING_RESUME, 0, (inst_address)source, 0, 0);
}

static int was_paused;

uint32_t flight_stop(void)
{
    if (!begun)
        return 0;
    was_paused = head->paused != 0;
    if (!was_paused)
        record(INST_FLIGHT_DUMPED, 0, 0, 0, 0);
    return was_paused ? head->paused : stop();
}

void flight_go_on(uint32_t cursor)
{
    if (cursor && !was_paused)
        go_on();
}

struct flight_place flight_sent = { 1, 0 };

/* The ends of blocks that have been sent, in which code was interrupted that has gone on since.  What
   interrupts the code that notes one may note another. */
static struct late {
    volatile uint32_t is_used;
    struct flight_place end;
} late[PINS];

int flight_late(struct flight_place *end)
{
    for (struct late *one = late; one < late + PINS; one++)
        if (one->is_used) {
            *end = one->end;
            one->is_used = 0;
            return 1;
        }
    return 0;
}

static void note_late(struct flight_place end)
{
    if (end.number > flight_sent.number
        || (end.number == flight_sent.number && end.words > flight_sent.words))
        return;
    for (struct late *one = late; one < late + PINS; one++)
        if (one->is_used && one->end.number == end.number && one->end.words == end.words)
            return;
    for (struct late *one = late; one < late + PINS; one++)
        if (!one->is_used && !flight_exchange(&one->is_used, 1)) {
            one->end = end;
            return;
        }
}

/* Return from which address on instructions before a place can be read: what lies below the program may not
   be memory. */
static uint32_t readable_from(uint32_t place)
{
    static uint32_t lowest;
    enum { PAGE = 4096 };
    if (!lowest) {
        lowest = -1;
        for (const uint32_t *at = __start_inst_code; at < __stop_inst_code; at++)
            lowest = *at < lowest ? *at : lowest;
    }
    return place >= lowest ? lowest : place - place % PAGE;
}

/* Where the cursor has been loaded and not been stored, begin again with the load. */
static void flight_restart(uintptr_t *pc)
{
    uint32_t place = flight_place(pc), cursor = address(&head->cursor);
    const uint32_t *at = (const uint32_t *)(uintptr_t)place;
    uint32_t first = readable_from(place);
    for (int n = 1; n < FLIGHT_LONGEST && address(at - n - 1) >= first; n++) {
        if (flight_stores(at - n, cursor) || flight_passes(at - n, place))
            return;
        if (flight_loads(at - n - 1, cursor)) {
            flight_go_to(pc, at - n - 1);
            return;
        }
    }
}

static struct pin *pin_of(uint32_t frame)
{
    for (int n = 0; n < PINS; n++)
        if (pins[n].frame == frame)
            return &pins[n];
    return 0;
}

/* Keep the piece of a block that is not complete.  A frame whose interruption was left for good is used
   again. */
static void keep(uint32_t frame, uint32_t block)
{
    if (block - address(inst_flight.words) >= sizeof inst_flight.words)
        return;
    struct pin *pin = pin_of(frame);
    if (!pin)
        pin = pin_of(0);
    if (pin) {
        pin->cursor = block;
        inst_ordered();
        pin->frame = frame;
    } else {
        head->unpinned++;
    }
}

/* Return where the last block of the present context ends. */
static uint32_t last_block(void)
{
    uint32_t cursor, found;
    do {                        /* what interrupts this changes all three */
        cursor = flight_cursor(head);
        found = cursor == resumed.cursor ? resumed.block : cursor;
    } while (cursor != flight_cursor(head));
    return found;
}

void inst_interrupted(uintptr_t *pc)
{
    flight_restart(pc);
    if (!begun)
        return;
    keep(address(pc), last_block());
    if (!head->paused)
        record(INST_FLIGHT_INTERRUPTED, address(pc), *pc, 0, 0);
}

void inst_resumed(uintptr_t *pc)
{
    struct pin *pin = pin_of(address(pc));
    uint32_t block = pin ? pin->cursor : FORGOTTEN, piece = flight_piece_of(block - 4);
    int is_torn = pin && block == FORGOTTEN;
    struct flight_place end = { 0, 0 };
    if (block != FORGOTTEN)
        end = (struct flight_place){ pieces[piece].number, flight_words(piece, block) };
    if (begun && !head->paused)
        record(is_torn ? INST_FLIGHT_TORN : INST_FLIGHT_RESUMED, address(pc), *pc, end.number,
               end.words);
    resumed.cursor = flight_cursor(head);
    resumed.block = block == FORGOTTEN ? resumed.cursor : block;
    if (!pin)
        return;
    pin->frame = 0;
    if (!is_torn)
        note_late(end);
}
