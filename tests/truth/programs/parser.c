/* A recursive-descent calculator with an error path. */
#include <stdio.h>
#include <stdlib.h>

struct input {
    const char *at;
    int errors;
    double variables[26];
};

static double expression(struct input *in);

static void blanks(struct input *in)
{
    while (*in->at == ' ')
        in->at++;
}

static double atom(struct input *in)
{
    blanks(in);
    if (*in->at == '(') {
        in->at++;
        double value = expression(in);
        blanks(in);
        if (*in->at == ')')
            in->at++;
        else
            in->errors++;
        return value;
    }
    if (*in->at >= 'a' && *in->at <= 'z')
        return in->variables[*in->at++ - 'a'];
    if (*in->at == '-') {
        in->at++;
        return -atom(in);
    }
    char *end;
    double value = strtod(in->at, &end);
    in->errors += end == in->at;
    in->at = end;
    return value;
}

static double term(struct input *in)
{
    double value = atom(in);
    for (blanks(in); *in->at == '*' || *in->at == '/'; blanks(in))
        if (*in->at++ == '*')
            value *= atom(in);
        else
            value /= atom(in);
    return value;
}

static double expression(struct input *in)
{
    double value = term(in);
    for (blanks(in); *in->at == '+' || *in->at == '-'; blanks(in))
        if (*in->at++ == '+')
            value += term(in);
        else
            value -= term(in);
    return value;
}

int main(void)
{
    static const char *const lines[] = {"1 + 2 * 3", "(1+2)*(3+x)", "-x*-y / (4 - 2.5)", "((2)", "y - y*y*0.5 + ",
                                        "1/(2/(3/(4/(5/x))))"};
    struct input in = {0};
    in.variables['x' - 'a'] = 7.25;
    in.variables['y' - 'a'] = -0.5;
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        in.at = lines[i];
        in.errors = 0;
        double value = expression(&in);
        printf("%s = %.5f, %d errors\n", lines[i], value, in.errors);
    }
    return 0;
}
