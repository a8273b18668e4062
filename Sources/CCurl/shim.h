// Swift's access to libcurl: its functions, and values of macros that Swift cannot import. A variadic
// function appears once for each type of argument. libcurl is loaded when one of these functions is first
// called. Loading it and the forty libraries that it needs takes longer than the rest of a program's start.
#pragma once
#include "../CLinux/library.h"
#include <curl/curl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const ccurl_files[] = {"libcurl.so.4", NULL};

// Loads libcurl. Returns NULL, or the reason why it cannot be loaded.
static inline const char *ccurl_load(void) { return library_trouble(ccurl_files); }

// Ends the process, because without libcurl feedfs cannot even parse an address.
static inline void ccurl_missing(void) {
  fprintf(
      stderr,
      "feedfs: libcurl cannot be loaded (%s); install it (on Debian and Ubuntu: `apt install libcurl4`)\n",
      dlerror());
  _exit(69);  // EX_UNAVAILABLE
}

#define CCURL(name) LIBRARY_FUNCTION(ccurl_files, name, __typeof__(&name), ccurl_missing)

static inline CURLcode ccurl_global_init(long flags) { return CCURL(curl_global_init)(flags); }

static inline void ccurl_free(void *bytes) { CCURL(curl_free)(bytes); }

static inline time_t ccurl_getdate(const char *text) { return CCURL(curl_getdate)(text, NULL); }

static inline struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) {
  return CCURL(curl_slist_append)(list, line);
}

static inline void ccurl_slist_free_all(struct curl_slist *list) {
  CCURL(curl_slist_free_all)(list);
}

// URLs.

static inline CURLU *ccurl_url(void) { return CCURL(curl_url)(); }

static inline void ccurl_url_cleanup(CURLU *url) { CCURL(curl_url_cleanup)(url); }

static inline CURLUcode ccurl_url_get(
    CURLU *url, CURLUPart part, char **value, unsigned flags) {
  return CCURL(curl_url_get)(url, part, value, flags);
}

static inline CURLUcode ccurl_url_set(
    CURLU *url, CURLUPart part, const char *value, unsigned flags) {
  return CCURL(curl_url_set)(url, part, value, flags);
}

static inline char *ccurl_unescape(const char *text, int count, int *found) {
  return CCURL(curl_easy_unescape)(NULL, text, count, found);
}

// The handle of one transfer.

static inline CURL *ccurl_easy_init(void) { return CCURL(curl_easy_init)(); }

static inline void ccurl_easy_cleanup(CURL *easy) { CCURL(curl_easy_cleanup)(easy); }

static inline CURLcode ccurl_easy_perform(CURL *easy) { return CCURL(curl_easy_perform)(easy); }

static inline CURLcode ccurl_easy_pause(CURL *easy, int directions) {
  return CCURL(curl_easy_pause)(easy, directions);
}

static inline const char *ccurl_easy_strerror(CURLcode code) {
  return CCURL(curl_easy_strerror)(code);
}

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return CCURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return CCURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return CCURL(curl_easy_setopt)(easy, option, value);
}

// Sets `value` to the list of the cookies of a transfer. The caller frees the list.
static inline CURLcode ccurl_get_cookies(CURL *easy, struct curl_slist **value) {
  return CCURL(curl_easy_getinfo)(easy, CURLINFO_COOKIELIST, value);
}

// Returns whether this libcurl knows which domains are public suffixes.
static inline int ccurl_has_suffixes(void) {
  return CCURL(curl_version_info)(CURLVERSION_NOW)->features & CURL_VERSION_PSL;
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return CCURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_share(CURL *easy, CURLSH *share) {
  return CCURL(curl_easy_setopt)(easy, CURLOPT_SHARE, share);
}

static inline CURLcode ccurl_set_data_function(
    CURL *easy, CURLoption option, ccurl_data_function value) {
  return CCURL(curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback value) {
  return CCURL(curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_close_socket(CURL *easy, curl_closesocket_callback value) {
  return CCURL(curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback value) {
  return CCURL(curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return CCURL(curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return CCURL(curl_easy_getinfo)(easy, info, value);
}

// Makes libcurl keep the CA certificates in memory for `seconds`. Before version 7.87, libcurl cannot do
// that, and reads them for each connection.
static inline CURLcode ccurl_keep_authorities(CURL *easy, long seconds) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return CCURL(curl_easy_setopt)(easy, CURLOPT_CA_CACHE_TIMEOUT, seconds);
#else
  return easy && seconds ? CURLE_OK : CURLE_BAD_FUNCTION_ARGUMENT;
#endif
}

// Returns whether this libcurl speaks HTTP/3 and falls back to HTTP/2 by itself, which it does since 7.88.
static inline int ccurl_has_http3(void) {
  const curl_version_info_data *library = CCURL(curl_version_info)(CURLVERSION_NOW);
  return (library->features & CURL_VERSION_HTTP3) && library->version_num >= 0x075800;
}

static inline CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value) {
  return CCURL(curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, value);
}

// The multi handle, which runs many transfers.

static inline CURLM *ccurl_multi_init(void) { return CCURL(curl_multi_init)(); }

static inline CURLMcode ccurl_multi_cleanup(CURLM *multi) {
  return CCURL(curl_multi_cleanup)(multi);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return CCURL(curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) {
  return CCURL(curl_multi_add_handle)(multi, easy);
}

static inline CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return CCURL(curl_multi_remove_handle)(multi, easy);
}

static inline CURLMcode ccurl_multi_perform(CURLM *multi, int *running) {
  return CCURL(curl_multi_perform)(multi, running);
}

static inline CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) {
  return CCURL(curl_multi_info_read)(multi, left);
}

static inline CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
  return CCURL(curl_multi_poll)(multi, NULL, 0, milliseconds, NULL);
}

static inline CURLMcode ccurl_multi_wakeup(CURLM *multi) { return CCURL(curl_multi_wakeup)(multi); }

static inline const char *ccurl_multi_strerror(CURLMcode code) {
  return CCURL(curl_multi_strerror)(code);
}

// Data that transfers share.

static inline CURLSH *ccurl_share_init(void) { return CCURL(curl_share_init)(); }

static inline CURLSHcode ccurl_share_cleanup(CURLSH *share) {
  return CCURL(curl_share_cleanup)(share);
}

static inline CURLSHcode ccurl_share(CURLSH *share, curl_lock_data data) {
  return CCURL(curl_share_setopt)(share, CURLSHOPT_SHARE, data);
}

// zlib, which libcurl needs anyway. It is loaded at run time like libcurl. Its stream is declared here as all
// versions since 1.2 have it, so that a build needs no headers of zlib.

struct ccurl_zlib {
  const unsigned char *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state, *allocate, *release, *opaque;
  int data_type;
  unsigned long check, reserved;
};

static const char *const ccurl_zlib_files[] = {"libz.so.1", NULL};

#define CZLIB(name, ...) LIBRARY_FUNCTION(ccurl_zlib_files, name, int (*)(__VA_ARGS__), NULL)

// Prepares `stream` to unpack blocks that have no zlib or gzip head. Returns 0, or one of zlib's error
// numbers; -6 (Z_VERSION_ERROR) if zlib cannot be loaded.
static inline int ccurl_inflate_begin(struct ccurl_zlib *stream) {
  int (*begin)(struct ccurl_zlib *, int, const char *, int) =
      CZLIB(inflateInit2_, struct ccurl_zlib *, int, const char *, int);
  return begin ? begin(stream, -15, "1.2.11", (int)sizeof(*stream)) : -6;
}

// Unpacks until there is no more input or no more room for output (Z_NO_FLUSH). Returns 0, or 1 after the
// last block, or one of zlib's error numbers.
static inline int ccurl_inflate(struct ccurl_zlib *stream) {
  return CZLIB(inflate, struct ccurl_zlib *, int)(stream, 0);
}

static inline void ccurl_inflate_end(struct ccurl_zlib *stream) { CZLIB(inflateEnd, struct ccurl_zlib *)(stream); }

// Returns a pointer to the address inside the struct. The address can be longer than `struct sockaddr`, as
// which it is declared, so a copy of that type would cut it off.
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) {
  return &address->addr;
}

static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_auth_digest = (long)CURLAUTH_DIGEST;
static const long ccurl_tls_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long ccurl_global_all = CURL_GLOBAL_ALL;
static const size_t ccurl_pause_writing = CURL_WRITEFUNC_PAUSE;
static const curl_socket_t ccurl_no_socket = CURL_SOCKET_BAD;
