#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
    void *module = dlopen(arguments[count - 1], RTLD_NOW);
    if (!module)
        return puts(dlerror());
    int (*square)(int) = (int (*)(int))dlsym(module, "square");
    printf("%d %d\n", square(5), square(6));
    return dlclose(module);
}
