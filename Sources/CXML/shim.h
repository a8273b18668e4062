// The door to libxml2. It is loaded when a document in XML is read: with the libraries behind it that
// takes longer than the rest of a start, and many mounts never read one. Nothing is linked, so each
// function is found by its name.
#pragma once
#include <dlfcn.h>
#include <libxml/xmlversion.h>
// Foundation has the declarations of ICU as well, in another version, and nothing here needs them.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <stdlib.h>

// The library whose structures the headers describe.
#if LIBXML_VERSION >= 21400
static const char *const cxml_library = "libxml2.so.16";
#else
static const char *const cxml_library = "libxml2.so.2";
#endif

// Loads libxml2. Returns NULL, or else why it cannot be loaded. Must come before all others.
static inline const char *cxml_load(void) {
  return dlopen(cxml_library, RTLD_LAZY) ? NULL : dlerror();
}

static inline void *cxml_find(const char *name) {
  void *library = dlopen(cxml_library, RTLD_LAZY);
  void *function = library ? dlsym(library, name) : NULL;
  if (!function) abort();
  return function;
}

// The function of libxml2 with this name, which is looked for once.
#define CXML(name)                                                        \
  ({                                                                      \
    static void *known;                                                   \
    void *function = __atomic_load_n(&known, __ATOMIC_RELAXED);           \
    if (!function) {                                                      \
      function = cxml_find(#name);                                        \
      __atomic_store_n(&known, function, __ATOMIC_RELAXED);               \
    }                                                                     \
    (__typeof__(&name))function;                                          \
  })

static inline void cxml_init_parser(void) { CXML(xmlInitParser)(); }

static inline void cxml_set_structured_error(void *context, xmlStructuredErrorFunc function) {
  CXML(xmlSetStructuredErrorFunc)(context, function);
}

static inline xmlParserCtxtPtr cxml_push_parser(xmlSAXHandlerPtr handler, void *reader) {
  return CXML(xmlCreatePushParserCtxt)(handler, reader, NULL, 0, NULL);
}

static inline void cxml_use_options(xmlParserCtxtPtr context, int options) {
  CXML(xmlCtxtUseOptions)(context, options);
}

static inline void cxml_parse(
    xmlParserCtxtPtr context, const char *bytes, int count, int isLast) {
  CXML(xmlParseChunk)(context, bytes, count, isLast);
}

static inline void cxml_stop(xmlParserCtxtPtr context) { CXML(xmlStopParser)(context); }

static inline void cxml_free(xmlParserCtxtPtr context) {
  // A DOCTYPE with declarations makes a document that the context does not own.
  CXML(xmlFreeDoc)(context->myDoc);
  CXML(xmlFreeParserCtxt)(context);
}

/// XML_SAX2_MAGIC, as the field it is written to wants it.
static inline unsigned int cxml_sax2_magic(void) { return XML_SAX2_MAGIC; }
