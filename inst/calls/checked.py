"""Functions that _FORTIFY_SOURCE replaces by `__NAME_chk`: the same with one parameter more.

The number is the place of that parameter, the size of an object, among the others; -1: the last.
Facts: glibc's bits/*2.h and bits/*_fortified.h. Functions with formats are in `formatted`.
"""

from __future__ import annotations

_LAST = """
memcpy memmove mempcpy memset explicit_bzero strcpy stpcpy strncpy stpncpy strcat strncat
wcscpy wcpcpy wcsncpy wcpncpy wcscat wcsncat wmemcpy wmemmove wmempcpy wmemset
mbstowcs wcstombs mbsrtowcs wcsrtombs mbsnrtowcs wcsnrtombs wcrtomb wctomb
read pread pread64 readlink readlinkat getcwd gethostname getdomainname getgroups getlogin_r
confstr ttyname_r ptsname_r poll ppoll realpath
"""
CHECKED: dict[str, int] = {
    **dict.fromkeys(_LAST.split(), -1),
    "fgets": 1,
    "fgets_unlocked": 1,
    "fread_unlocked": 1,
    "fgetws": 1,
    "fread": 1,
    "recv": 3,
    "recvfrom": 3,
}
"""Name of the plain function -> place of the parameter."""
