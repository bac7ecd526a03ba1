/* Where the kernel goes when a handler of ours is over: to code of its own. */
#define INST_RESTORER 0
