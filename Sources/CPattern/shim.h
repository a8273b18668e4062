// Swift's access to PCRE2. The library is loaded when a rule of the user has a regular expression. Its few
// functions are declared here as all versions since 10.30 have them, so that a build needs no headers of
// PCRE2.
#pragma once
#include "../CLinux/library.h"
#include <stdint.h>
#include <stdlib.h>

static const char *const cpattern_files[] = {"libpcre2-8.so.0", NULL};

// Loads PCRE2. Returns NULL, or the reason why it cannot be loaded. Must be called before all other functions
// here, because these abort the process if they find no PCRE2.
static inline const char *cpattern_load(void) { return library_trouble(cpattern_files); }

#define CPATTERN(name, result, ...) \
  LIBRARY_FUNCTION(cpattern_files, name##_8, result (*)(__VA_ARGS__), abort)

// Expressions.

// Compiles an expression that ignores case, uses the properties of Unicode, and calls the callout function
// before each of its items. If the expression has a mistake, returns NULL, and sets the number of the mistake
// and its place in bytes.
static inline void *cpattern_compile(
    const unsigned char *pattern, size_t count, int *mistake, size_t *place) {
  // AUTO_CALLOUT, CASELESS, UCP, UTF, NEVER_BACKSLASH_C
  uint32_t options = 0x4u | 0x8u | 0x20000u | 0x80000u | 0x100000u;
  return CPATTERN(
      pcre2_compile, void *, const unsigned char *, size_t, uint32_t, int *, size_t *, void *)(
      pattern, count, options, mistake, place, NULL);
}

static inline void cpattern_free(void *code) { CPATTERN(pcre2_code_free, void, void *)(code); }

// Writes the message for the number `mistake` to `text`, which has `room` bytes.
static inline void cpattern_message(int mistake, unsigned char *text, size_t room) {
  CPATTERN(pcre2_get_error_message, int, int, unsigned char *, size_t)(mistake, text, room);
}

// Returns the number of capture groups in an expression.
static inline uint32_t cpattern_groups(const void *code) {
  uint32_t groups = 0;
  CPATTERN(pcre2_pattern_info, int, const void *, uint32_t, void *)(code, 4 /* CAPTURECOUNT */, &groups);
  return groups;
}

// Matches.

// The first fields of `pcre2_callout_block`. They describe an item of the expression that a match is about to
// try. If `captures[2 * n]` is less than `captures[2 * n + 1]`, group `n` has matched the bytes between these
// places.
struct cpattern_callout {
  uint32_t version, number, capture_top, capture_last;
  const size_t *captures;
  const unsigned char *mark, *text;
  size_t count, start, place, item_place, item_count;
};

// Called before each item of the expression. Returns 0 to go on, or `cpattern_enough` to end the match.
typedef int (*cpattern_callout_function)(struct cpattern_callout *item, void *context);

static const int cpattern_enough = -37;    // ERROR_CALLOUT
static const int cpattern_none = -1;       // ERROR_NOMATCH
static const int cpattern_no_room = -48;   // ERROR_NOMEMORY

static inline void *cpattern_match_new(const void *code) {
  return CPATTERN(pcre2_match_data_create_from_pattern, void *, const void *, void *)(code, NULL);
}

static inline void cpattern_match_free(void *match) {
  CPATTERN(pcre2_match_data_free, void, void *)(match);
}

static inline void *cpattern_limits_new(void) {
  return CPATTERN(pcre2_match_context_create, void *, void *)(NULL);
}

static inline void cpattern_limits_free(void *limits) {
  CPATTERN(pcre2_match_context_free, void, void *)(limits);
}

static inline void cpattern_limit_heap(void *limits, uint32_t kibibytes) {
  CPATTERN(pcre2_set_heap_limit, int, void *, uint32_t)(limits, kibibytes);
}

static inline void cpattern_set_callout(
    void *limits, cpattern_callout_function function, void *context) {
  CPATTERN(pcre2_set_callout, int, void *, cpattern_callout_function, void *)(
      limits, function, context);
}

// Matches a text, which must be valid UTF-8. Returns 0 or more if the text matches. Otherwise returns a
// negative number: one of the three above, or another error of PCRE2.
static inline int cpattern_match(
    const void *code, const unsigned char *text, size_t count, void *match, void *limits) {
  return CPATTERN(
      pcre2_match, int, const void *, const unsigned char *, size_t, size_t, uint32_t, void *, void *)(
      code, text, count, 0, 0x40000000u /* NO_UTF_CHECK */, match, limits);
}
