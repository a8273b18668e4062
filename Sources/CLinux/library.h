// How the doors open a library at run time. Nothing is linked, so each function is found by its name.
// `files` are the names under which a library may be found, the best first, and NULL behind the last.
#pragma once
#include <dlfcn.h>
#include <stddef.h>

// Opens a library. Returns NULL, or else why it cannot be opened.
static inline const char *library_trouble(const char *const *files) {
  for (; *files; files++)
    if (dlopen(*files, RTLD_LAZY)) return NULL;
  return dlerror();
}

static inline void *library_find(
    const char *const *files, const char *name, void (*missing)(void)) {
  void *library = NULL;
  for (; *files && !library; files++) library = dlopen(*files, RTLD_LAZY);
  void *function = library ? dlsym(library, name) : NULL;
  if (!function && missing) missing();
  return function;
}

// The function of a library with this name and type, which is looked for once. Calls `missing` where there
// is none. If `missing` is NULL or returns, the function is NULL.
#define LIBRARY_FUNCTION(files, name, type, missing)                      \
  ({                                                                      \
    static void *known;                                                   \
    void *function = __atomic_load_n(&known, __ATOMIC_RELAXED);           \
    if (!function) {                                                      \
      function = library_find(files, #name, missing);                     \
      __atomic_store_n(&known, function, __ATOMIC_RELAXED);               \
    }                                                                     \
    (type)function;                                                       \
  })
