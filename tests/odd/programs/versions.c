/* Two versions of one function: what was linked before keeps the old one. */
int kept[2] = {20, 300};

int old_answer(int n)
{
    return kept[0] += n;
}

int new_answer(int n)
{
    return kept[1] += n;
}

__asm__(".symver old_answer,answer@ONE");
__asm__(".symver new_answer,answer@@TWO");
