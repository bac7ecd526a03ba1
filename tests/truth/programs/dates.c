/* Calendar arithmetic: divisions by constants, small tables, struct tm. */
#include <stdio.h>
#include <time.h>

static const short before_month[2][13] = {
    {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365},
    {0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366}};

static long days(int year, int month, int day)
{
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    long past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400 + before_month[leap][month - 1] + day;
}

static void civil(long count, int out[3])
{
    int year = (int)(count / 365.2425) + 2, leap, month = 12;
    while (days(year, 1, 1) > count)
        year--;
    leap = days(year + 1, 1, 1) - days(year, 1, 1) == 366;
    long within = count - days(year, 1, 1);
    while (before_month[leap][month - 1] > within)
        month--;
    out[0] = year, out[1] = month, out[2] = (int)(within - before_month[leap][month - 1]) + 1;
}

int main(void)
{
    int date[3], sum = 0;
    for (long n = 700000; n < 740000; n += 1777) {
        civil(n, date);
        sum = sum * 3 % 100003 + date[0] * 400 + date[1] * 31 + date[2];
        if (days(date[0], date[1], date[2]) != n)
            printf("wrong %ld\n", n);
    }
    time_t moment = 1000000000;
    struct tm *parts = gmtime(&moment);
    printf("%d %ld %d-%d-%d %d\n", sum, days(1970, 1, 1), parts->tm_year, parts->tm_mon, parts->tm_mday,
           parts->tm_sec);
    return 0;
}
