/* Says where the shared library of the test was loaded, which only its emulator knows otherwise. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <string.h>

static int tell(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    if (strstr(info->dlpi_name, "libfar.so"))
        printf("%lx\n", (unsigned long)info->dlpi_addr);
    return 0;
}

__attribute__((constructor)) static void tell_where(void)
{
    dl_iterate_phdr(tell, NULL);
}
