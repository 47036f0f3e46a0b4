// Linked into the window where it is built with a sanitizer. The drivers of the display are loaded
// and let go while the program runs, and what they leak could then no longer be told from what we
// leak: its place has no name. Here nothing that was loaded is let go.
extern "C" int dlclose(void*);
extern "C" int dlclose(void*) { return 0; }
