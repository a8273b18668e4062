// The door to PCRE2. It is loaded when a rule of the user has a regular expression. The few functions are
// declared here as they are since version 10.30, so that building needs no headers.
#pragma once
#include "../CLinux/library.h"
#include <stdint.h>
#include <stdlib.h>

static const char *const cpattern_files[] = {"libpcre2-8.so.0", NULL};

// Loads PCRE2. Returns NULL, or else why it cannot be loaded. Must come before all others.
static inline const char *cpattern_load(void) { return library_trouble(cpattern_files); }

#define CPATTERN(name, type) LIBRARY_FUNCTION(cpattern_files, name, type, abort)

typedef void *(*cpattern_compile_type)(
    const unsigned char *, size_t, uint32_t, int *, size_t *, void *);
typedef int (*cpattern_message_type)(int, unsigned char *, size_t);
typedef int (*cpattern_info_type)(const void *, uint32_t, void *);
typedef int (*cpattern_callout_type)(void *, void *);
typedef void *(*cpattern_data_type)(const void *, void *);
typedef void *(*cpattern_context_type)(void *);
typedef int (*cpattern_set_callout_type)(void *, cpattern_callout_type, void *);
typedef int (*cpattern_set_limit_type)(void *, uint32_t);
typedef int (*cpattern_match_type)(
    const void *, const unsigned char *, size_t, size_t, uint32_t, void *, void *);
typedef void (*cpattern_free_type)(void *);

// Compiles an expression: without regard to case, by the properties of Unicode, and with a callout before
// each of its items. Returns NULL, the number of the mistake and its place in bytes if it has one.
static inline void *cpattern_compile(
    const unsigned char *pattern, size_t count, int *mistake, size_t *place) {
  // AUTO_CALLOUT, CASELESS, UCP, UTF, NEVER_BACKSLASH_C
  uint32_t options = 0x4u | 0x8u | 0x20000u | 0x80000u | 0x100000u;
  return CPATTERN(pcre2_compile_8, cpattern_compile_type)(
      pattern, count, options, mistake, place, NULL);
}

static inline void cpattern_free(void *code) {
  CPATTERN(pcre2_code_free_8, cpattern_free_type)(code);
}

// Writes the message for the number of a mistake.
static inline void cpattern_message(int mistake, unsigned char *text, size_t room) {
  CPATTERN(pcre2_get_error_message_8, cpattern_message_type)(mistake, text, room);
}

// The cost of a match so far.
struct cpattern_cost {
  int left;
  // The cost of an item. A pattern with many groups has more to remember at each.
  int item;
  // The place in the text at the last item.
  size_t place;
  const unsigned char *pattern;
};

// The beginning of `pcre2_callout_block`.
struct cpattern_callout {
  uint32_t version, number, capture_top, capture_last;
  const size_t *captures;
  const unsigned char *mark, *text;
  size_t count, start, place, item_place, item_count;
};

// The bytes that an item may look at before it fails, so that no later callout tells of them: a back
// reference, a look back, and a repeat with a least number.
static inline size_t cpattern_reach(
    const struct cpattern_callout *at, const unsigned char *item) {
  size_t reach = 0;
  if (at->item_count < 2) return 0;
  if (item[0] == '\\' && ((item[1] >= '1' && item[1] <= '9') || item[1] == 'g' || item[1] == 'k')) {
    for (uint32_t group = 0; group < at->capture_top; group++) {
      size_t begin = at->captures[2 * group], end = at->captures[2 * group + 1];
      if (begin < end && end <= at->count && end - begin > reach) reach = end - begin;
    }
    return reach;
  }
  if (item[0] == '(') return at->place / 8;
  const unsigned char *last = item + at->item_count - 1;
  if (*last == '+' || *last == '?') last--;
  if (*last != '}') return 0;
  while (last > item && *last != '{') last--;
  while (*++last >= '0' && *last <= '9' && reach < at->count) reach = reach * 10 + (*last - '0');
  size_t rest = at->count - at->place;
  return reach < rest ? reach : rest;
}

// Counts what a match costs: the items that it tries, and the bytes that it looks at. Ends it when that was
// enough (ERROR_CALLOUT).
static inline int cpattern_count(void *block, void *data) {
  const struct cpattern_callout *at = block;
  struct cpattern_cost *cost = data;
  size_t way = at->place > cost->place ? at->place - cost->place : cost->place - at->place;
  cost->place = at->place;
  cost->left -= cost->item + (int)((way + cpattern_reach(at, cost->pattern + at->item_place)) / 2);
  return cost->left < 0 ? -37 : 0;
}

// Matches UTF-8, and takes the steps that it needs from `steps`. Returns 1 for a match, 0 for none, and -1 if
// the steps or 1 MiB of memory were not enough.
static inline int cpattern_match(
    const void *code, const unsigned char *pattern, const unsigned char *text, size_t count,
    int *steps) {
  uint32_t groups = 0;
  CPATTERN(pcre2_pattern_info_8, cpattern_info_type)(code, 4 /* CAPTURECOUNT */, &groups);
  struct cpattern_cost cost = {*steps, 1 + (int)groups / 8, 0, pattern};
  void *data = CPATTERN(pcre2_match_data_create_from_pattern_8, cpattern_data_type)(code, NULL);
  void *context = CPATTERN(pcre2_match_context_create_8, cpattern_context_type)(NULL);
  int outcome = -48;  // ERROR_NOMEMORY
  if (data && context) {
    CPATTERN(pcre2_set_callout_8, cpattern_set_callout_type)(context, cpattern_count, &cost);
    CPATTERN(pcre2_set_heap_limit_8, cpattern_set_limit_type)(context, 1024);  // KiB
    outcome = CPATTERN(pcre2_match_8, cpattern_match_type)(
        code, text, count, 0, 0x40000000u /* NO_UTF_CHECK */, data, context);
  }
  if (context) CPATTERN(pcre2_match_context_free_8, cpattern_free_type)(context);
  if (data) CPATTERN(pcre2_match_data_free_8, cpattern_free_type)(data);
  *steps = cost.left > 0 ? cost.left : 0;
  return outcome >= 0 ? 1 : outcome == -1 ? 0 : -1;
}
