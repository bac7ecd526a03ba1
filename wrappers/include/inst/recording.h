/* Only inst-cc has this header in its include path: inst/annotate.h tests whether it exists. */
