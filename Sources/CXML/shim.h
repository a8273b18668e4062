// The door to libxml2. It is loaded when a document in XML is read: with the libraries behind it that
// takes longer than the rest of a start, and many mounts never read one.
#pragma once
#include "../CLinux/library.h"
#include <libxml/xmlversion.h>
// Foundation has the declarations of ICU as well, in another version, and nothing here needs them.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <stdlib.h>

// The library whose structures the headers describe.
#if LIBXML_VERSION >= 21400
static const char *const cxml_files[] = {"libxml2.so.16", NULL};
#else
static const char *const cxml_files[] = {"libxml2.so.2", NULL};
#endif

// Loads libxml2. Returns NULL, or else why it cannot be loaded. Must come before all others.
static inline const char *cxml_load(void) { return library_trouble(cxml_files); }

#define CXML(name) LIBRARY_FUNCTION(cxml_files, name, __typeof__(&name), abort)

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
