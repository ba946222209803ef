// odonata-amg is a shared object, as ranks that are fibers need it, and a program as well: it names
// who loads it and, to the linker, where it starts.
extern "C" const char odonata_amg_loader[] __attribute__((section(".interp"), used)) =
    ODONATA_LOADER;
