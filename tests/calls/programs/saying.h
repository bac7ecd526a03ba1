/* How the programs that call every function say what came of a call. */
static int *error(void)
{
    return &errno;
}

#define SAY(WHAT, ...) (printf("%s: ", WHAT), printf(__VA_ARGS__), printf(" [%d]\n", *error()), errno = 0)
#define TEXT(CALL) SAY(#CALL, "%s", (char *)(CALL))
#define NUMBER(CALL) SAY(#CALL, "%ld", (long)(CALL))
#define BUFFER(CALL) do { memset(to, 'z', 60); long r = (long)(CALL); to[60] = 0; SAY(#CALL, "%s %d", to, r < 0 ? -1 : 0); } while (0)
#define WIDE(CALL) do { wmemset(wide, L'z', 40); (void)(CALL); wide[40] = 0; SAY(#CALL, "%ls", wide); } while (0)
