/* Only inst-cc has this header in reach: inst/annotate.h looks whether it is there. */
