// Linked into the window if it is built with a sanitizer. Display drivers are loaded and unloaded
// while the program runs, and their leaks would then have no names, so that they could not be told
// from leaks of ours. This keeps all libraries loaded.
extern "C" int dlclose(void*);
extern "C" int dlclose(void*) { return 0; }
