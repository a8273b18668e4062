#pragma once
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/HTMLparser.h>

/// XML_SAX2_MAGIC, as the field it is written to wants it.
static inline unsigned int cxml_sax2_magic(void) { return XML_SAX2_MAGIC; }
