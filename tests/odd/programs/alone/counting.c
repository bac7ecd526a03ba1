#include <inst/hooks.h>
unsigned seen;
void ldwhook(inst_address address) { seen += address != 0; }
void stwhook(inst_address address) { seen += address != 0; }
