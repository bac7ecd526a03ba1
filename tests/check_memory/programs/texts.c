/* Two threads are returned the same texts by functions that several threads may call at once. */
#include <errno.h>
#include <langinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t lengths[2];

static void *run(void *length)
{
    struct tm date;
    time_t when = 1000000000;
    size_t sum = strlen(getenv("PATH")) + strlen(strerror(ENOENT)) + strlen(strsignal(SIGHUP));
    sum += strlen(nl_langinfo(CODESET)) + strlen(localtime_r(&when, &date)->tm_zone);
    *(size_t *)length = sum + strlen(strerror(12345));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, run, &lengths[n]);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return lengths[0] != lengths[1];
}
