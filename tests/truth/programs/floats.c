/* Single-precision data: loads and stores of 4 bytes that widen on some targets. */
#include <stdio.h>

static float samples[64];
static float filter[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

static float dot(const float *a, const float *b, int count)
{
    float sum = 0;
    while (count--)
        sum += *a++ * *b++;
    return sum;
}

int main(void)
{
    float smooth[60], highest = -1e30f;
    for (int i = 0; i < 64; i++)
        samples[i] = (float)(i * 7 % 32) - 16.0f;
    for (int i = 0; i < 60; i++)
        smooth[i] = dot(samples + i, filter, 5);
    for (int i = 0; i < 60; i++)
        if (smooth[i] > highest)
            highest = smooth[i];
    float swap = smooth[3];
    smooth[3] = smooth[57];
    smooth[57] = swap;
    printf("%.4f %.4f %.4f\n", highest, smooth[3], dot(smooth, smooth, 60));
    return 0;
}
