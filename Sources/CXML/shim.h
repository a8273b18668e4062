// Swift's access to libxml2. The library is loaded when an XML document is first read. Loading it and the
// libraries that it needs takes longer than the rest of a program's start, and many mounts never read XML.
#pragma once
#include "../CLinux/library.h"
#include <libxml/xmlversion.h>
// With this macro, the headers would include ICU's declarations. Nothing here needs these, and Foundation has
// them in another version.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <stdlib.h>

// The file name of the library version whose structures the headers describe.
#if LIBXML_VERSION >= 21400
static const char *const cxml_files[] = {"libxml2.so.16", NULL};
#else
static const char *const cxml_files[] = {"libxml2.so.2", NULL};
#endif

// Loads libxml2. Returns NULL, or the reason why it cannot be loaded. Must be called before all other
// functions here, because these abort the process if they find no libxml2.
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
  // A DOCTYPE with declarations makes libxml2 create a document, which xmlFreeParserCtxt does not free.
  CXML(xmlFreeDoc)(context->myDoc);
  CXML(xmlFreeParserCtxt)(context);
}

/// Returns XML_SAX2_MAGIC with the type of the field `initialized`, to which Swift writes it.
static inline unsigned int cxml_sax2_magic(void) { return XML_SAX2_MAGIC; }
