#include <stdint.h>

struct mean { double value; int64_t sum; int count; };

extern int at_start, signals;
int each(const int *numbers, int count, int (*function)(int));
int ours(int depth);
int theirs(int depth);
void sort(int *numbers, int count);
struct mean mean_of(const int *numbers, int count);
double scaled(double value, int by);
int64_t squared(int64_t value);
int several(int a, int b, int c, int d, int e, int f, int g, int h, int i, double j);
void leave(int value);
void leave_later(int depth, int value);
void on_their_signal(int number);
void raise_there(int number);
