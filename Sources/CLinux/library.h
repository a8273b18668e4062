// Opens libraries at run time, for CCrypto, CCurl, CPattern and CXML. feedfs is not linked with them, so it
// finds each function by its name. `files` are the possible file names of a library, the best first, with
// NULL after the last.
#pragma once
#include <dlfcn.h>
#include <stddef.h>

// Opens a library. Returns NULL, or the reason why it cannot be opened.
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

// Evaluates to the function of a library with this name and type. The function is remembered once it was
// found. If it cannot be found, `missing` is called. If `missing` is NULL or returns, the function is NULL.
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
