// The door to libcurl: its variadic functions, one for each kind of argument, and macros that Swift
// cannot read.
#pragma once
#include <curl/curl.h>
#include <sys/socket.h>

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_share(CURL *easy, CURLSH *share) {
  return (curl_easy_setopt)(easy, CURLOPT_SHARE, share);
}

static inline CURLSHcode ccurl_share(CURLSH *share, curl_lock_data data) {
  return (curl_share_setopt)(share, CURLSHOPT_SHARE, data);
}

static inline CURLcode ccurl_set_data_function(
    CURL *easy, CURLoption option, ccurl_data_function value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_close_socket(CURL *easy, curl_closesocket_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_before_request(CURL *easy, curl_prereq_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return (curl_easy_getinfo)(easy, info, value);
}

// Before 7.87 libcurl reads the authorities anew for each connection.
static inline CURLcode ccurl_keep_authorities(CURL *easy, long seconds) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return (curl_easy_setopt)(easy, CURLOPT_CA_CACHE_TIMEOUT, seconds);
#else
  return easy && seconds ? CURLE_OK : CURLE_BAD_FUNCTION_ARGUMENT;
#endif
}

// True if this libcurl speaks HTTP/3, and falls back to HTTP/2 by itself, as it does since 7.88.
static inline int ccurl_has_http3(void) {
  const curl_version_info_data *library = curl_version_info(CURLVERSION_NOW);
  return (library->features & CURL_VERSION_HTTP3) && library->version_num >= 0x075800;
}

static inline CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value) {
  return (curl_easy_getinfo)(easy, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

// The address lies in the struct itself and is longer than its declared type.
static inline const struct sockaddr *ccurl_address(const struct curl_sockaddr *address) {
  return &address->addr;
}

static const long ccurl_auth_basic = (long)CURLAUTH_BASIC;
static const long ccurl_tls_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long ccurl_global_all = CURL_GLOBAL_ALL;
static const size_t ccurl_pause_writing = CURL_WRITEFUNC_PAUSE;
static const curl_socket_t ccurl_no_socket = CURL_SOCKET_BAD;
