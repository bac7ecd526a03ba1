/* Two locks, taken in one order and then in the other; one of them is kept.  */
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_lock(&one); /* first */
    pthread_mutex_lock(&other); /* then */
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&one);
    pthread_mutex_lock(&other); /* second */
    pthread_mutex_lock(&one); /* inverted */
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&other);
    pthread_mutex_lock(&one); /* kept */
    return 0;
}
