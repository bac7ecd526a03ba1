#include <stdio.h>
#include <setjmp.h>
#include <alloca.h>
#include <string.h>
static jmp_buf env; 
__attribute__((noinline)) int deep(int n) { volatile char room[50 + 0]; memset((char*)room, n, 50); if (!n) longjmp(env, 1); return deep(n - 1) + room[3]; }
__attribute__((noinline)) int use(char *p, int n) { for (int i = 0; i < n; i++) p[i] = i; return p[n/2]; }
__attribute__((noinline)) int grow(int n) { int s = 0; for (int i = 1; i < n; i++) { char *p = alloca(i * 24); s += use(p, i * 24); } return s; }
int main(void) { int s = 0; for (int i = 0; i < 50; i++) { if (!setjmp(env)) s += deep(i); s += grow(i); } printf("%d\n", s); return 0; }
