/* Calls of code that is not executed, from which control comes back with nothing in between. */

/* Return where such a call returns to; NULL where the next value does not say that it has returned.  No other code has
 * been executed then, so all registers are as they were but for those that the code stores next. */
static struct decoded *beyond_call(struct machine *m, u64 pc)
{
    struct control *c = &m->control;
    if (!c->returns.count || c->waits || c->left_out || c->feed_place >= c->feed_count || c->feed_pc[c->feed_place])
        return 0;
    if (!has(&c->others, pc))
        return 0;
    u64 link = (ureg)(state_number(m, c->link_at, c->link_size) + c->beyond_link);
    u64 taker = lower_bound(&c->takers, 1, link);
    if (taker == c->takers.count)
        return 0;
    const u64 *row = c->returns.rows + 2 * lower_bound(&c->returns, 2, c->takers.rows[taker]);
    if (row == c->returns.rows + c->returns.count || row[0] != c->takers.rows[taker])
        return 0;
    struct decoded *back = code_at(m, link);
    if (row[1] != (c->feed_value[c->feed_place] & c->name_mask) || back->handler == OUT)
        return 0;
    u64 stack = state_number(m, c->stack_at, c->stack_size);
    if (c->highest < stack)
        c->highest = stack;
    return back;
}
