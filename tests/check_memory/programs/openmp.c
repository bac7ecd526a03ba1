/* OpenMP's constructs guard data of their own.  An argument N leaves out what guards the data of way N,
   which then race.  */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 20 };

static int way;
static volatile int by_critical, by_name, by_lock, by_nest, by_barrier[THREADS],
    by_loop[THREADS];
static volatile int by_ordered, by_task, by_group, by_child, by_region, in_turn, copied, claimed,
    nested;
static int summed;
static long squares[40];
static unsigned long long wide;
static volatile int ran;
static omp_lock_t lock;
static omp_nest_lock_t nest;

static void exclude(void)
{
    for (int n = 0; n < ROUNDS; n++) {
        if (way != 1) {
#pragma omp critical
            by_critical++;
        } else {
            by_critical++;
        }
        if (way != 2) {
#pragma omp critical(one)
            by_name++;
        } else {
#pragma omp critical
            by_name++;
#pragma omp critical(one)
            by_name++;
        }
        if (way != 3)
            omp_set_lock(&lock);
        by_lock++;
        if (way != 3)
            omp_unset_lock(&lock);
        if (omp_test_lock(&lock)) {
            by_lock--;
            omp_unset_lock(&lock);
        }
        if (way != 4) {
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
        }
        by_nest++;
        if (way != 4) {
            omp_unset_nest_lock(&nest);
            by_nest++;
            omp_unset_nest_lock(&nest);
        }
#pragma omp atomic
        claimed++;
    }
}

static void meet(int own)
{
    by_barrier[own] = own;
    if (way != 5) {
#pragma omp barrier
    }
    if (by_barrier[(own + 1) % THREADS] != (own + 1) % THREADS)
        ran = 0;
#pragma omp barrier
#pragma omp for schedule(dynamic) nowait
    for (int n = 0; n < 40; n++)
        squares[n] = n;
    if (way != 6) {
#pragma omp for schedule(static, 1)
        for (int n = 0; n < THREADS; n++)
            by_loop[n] = n;
    } else {
#pragma omp for schedule(static, 1) nowait
        for (int n = 0; n < THREADS; n++)
            by_loop[n] = n;
    }
    if (by_loop[(own + 1) % THREADS] > THREADS)
        ran = 0;
}

static void share_out(void)
{
#pragma omp barrier
#pragma omp for schedule(static, 1) ordered
    for (unsigned long long n = 0; n < 12; n++) {
        if (way != 7) {
#pragma omp ordered
            by_ordered += n;
        } else {
            by_ordered += n;
        }
    }
#pragma omp for schedule(guided)
    for (unsigned long long n = 0; n < 40; n++)
        squares[n]++;
#pragma omp for schedule(runtime) reduction(+ : summed)
    for (int n = 0; n < 40; n++)
        summed += squares[n];
#pragma omp sections
    {
#pragma omp section
        in_turn = summed;
#pragma omp section
        wide = summed;
    }
    int mine;
#pragma omp single copyprivate(mine)
    mine = in_turn;
#pragma omp critical
    copied += mine;
}

/* A task that another thread has executed when this one goes on without waiting for it. */
static void await(void)
{
    while (!ran)
        usleep(1000);
    ran = 0;
}

static void have_child(void)
{
#pragma omp task
    {
#pragma omp task
        {
            by_child++;
            ran = way == 9;
        }
    }
}

static void make_tasks(void)
{
#pragma omp barrier
#pragma omp master
    {
        for (int n = 0; n < ROUNDS; n++) {
#pragma omp task firstprivate(n) if (n != 3)
#pragma omp critical
            by_task += n;
        }
#pragma omp taskwait
#pragma omp task
        {
            by_task++;
            ran = way == 8;
        }
        if (way == 8)
            await();
        else {
#pragma omp taskwait
        }
        by_task++;
        if (way != 9) {
#pragma omp taskgroup
            have_child();
        } else {
            have_child();
#pragma omp taskwait
            await();
        }
        by_child++;
#pragma omp taskloop grainsize(4)
        for (int n = 0; n < 40; n++)
            squares[n] += n;
#pragma omp taskloop num_tasks(3)
        for (unsigned long long n = 0; n < 40; n++)
            squares[n] += n;
        by_group = squares[4] + squares[39];
#pragma omp task depend(out : by_group)
        by_group++;
#pragma omp task depend(inout : by_group)
        by_group++;
    }
}

int main(int count, char **words)
{
    way = count > 1 ? atoi(words[1]) : 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (int round = 0; round < 2; round++) {
        by_region = round;
#pragma omp parallel num_threads(THREADS)
        {
            exclude();
            meet(omp_get_thread_num());
            share_out();
            make_tasks();
            if (by_region != round)
                ran = 1;
#pragma omp parallel for num_threads(2)
            for (int n = 0; n < 2; n++) {
#pragma omp critical
                nested++;
            }
        }
    }
    printf("%d %d %d %d %d %d %d %d %d\n", by_critical, by_name, by_ordered, summed, copied, by_task,
           by_child, by_group, nested);
    return 0;
}
