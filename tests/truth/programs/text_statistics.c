/* Letter counts and longest words through pointers to pointers, two-dimensional char arrays. */
#include <stdio.h>
#include <string.h>

static const char *const poem[] = {"so much depends", "upon", "a red wheel", "barrow", "glazed with rain", "water",
                                   "beside the white", "chickens", NULL};
static unsigned short letters[26];
static char longest[4][12];

static void keep(const char *word, int length)
{
    for (int i = 0; i < 4; i++)
        if (length > (int)strlen(longest[i])) {
            for (int j = 3; j > i; j--)
                memcpy(longest[j], longest[j - 1], sizeof longest[0]);
            memcpy(longest[i], word, (size_t)length);
            longest[i][length] = 0;
            return;
        }
}

int main(void)
{
    for (const char *const *line = poem; *line; line++) {
        const char *start = *line;
        for (const char *at = *line;; at++)
            if (*at >= 'a' && *at <= 'z')
                letters[*at - 'a']++;
            else {
                keep(start, (int)(at - start));
                start = at + 1;
                if (!*at)
                    break;
            }
    }
    for (int i = 0; i < 26; i++)
        printf("%d", letters[i] % 10);
    for (int i = 0; i < 4; i++)
        printf(" %s", longest[i]);
    printf("\n");
    return 0;
}
